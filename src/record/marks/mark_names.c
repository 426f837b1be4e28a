/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table with chains. Names are only ever added: searches need no lock. */
#include "record/marks/mark_names.h"

#include "record/capture/lock.h"
#include "record/marks/mistakes.h"
#include "user/connect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fm_mark_name {
    struct fm_mark_name *next; /* in its chain */
    void *region;              /* of the recorder; NULL: none so far */
    uint32_t hash;
    enum fm_mark_kind kind;
    bool is_left_out;
    size_t domain; /* length of the domain in front of the name */
    size_t length;
    char text[]; /* domain::name, or the name */
};

enum { CHAINS = 2048, MOST = 4096, SEPARATOR = 2 /* length of :: */ };

static struct {
    fm_lock_t lock;
    uint32_t count;
    struct fm_mark_name *chains[CHAINS];
} names = {.lock = FM_LOCK_FREE};

/* FNV-1a. */
static uint32_t hash_of(uint32_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    }
    return hash;
}

static struct fm_mark_name *find(uint32_t hash, enum fm_mark_kind kind, struct fm_text domain,
                                 struct fm_text name)
{
    const size_t begin = domain.length != 0 ? domain.length + SEPARATOR : 0;
    struct fm_mark_name *known = __atomic_load_n(&names.chains[hash % CHAINS], __ATOMIC_ACQUIRE);
    while (known != NULL &&
           (known->hash != hash || known->kind != kind || known->domain != domain.length ||
            known->length != begin + name.length ||
            memcmp(known->text + begin, name.text, name.length) != 0 ||
            memcmp(known->text, domain.text, domain.length) != 0)) {
        known = known->next;
    }
    return known;
}

/* With the lock. */
static struct fm_mark_name *add(uint32_t hash, enum fm_mark_kind kind, struct fm_text domain,
                                struct fm_text name)
{
    const size_t begin = domain.length != 0 ? domain.length + SEPARATOR : 0;
    struct fm_mark_name *added = calloc(1, sizeof *added + begin + name.length + 1);
    if (added == NULL) {
        return NULL;
    }
    added->hash = hash;
    added->kind = kind;
    added->domain = domain.length;
    added->length = begin + name.length;
    if (begin != 0) {
        memcpy(added->text, domain.text, domain.length);
        memcpy(added->text + domain.length, "::", SEPARATOR);
    }
    memcpy(added->text + begin, name.text, name.length);
    added->next = names.chains[hash % CHAINS];
    __atomic_store_n(&names.chains[hash % CHAINS], added, __ATOMIC_RELEASE);
    names.count++;
    return added;
}

static struct fm_mark_name *find_or_add(enum fm_mark_kind kind, struct fm_text domain,
                                        struct fm_text name, bool is_last)
{
    const uint32_t hash = hash_of(hash_of(2166136261u + (uint32_t)kind, domain.text, domain.length),
                                  name.text, name.length);
    struct fm_mark_name *known = find(hash, kind, domain, name);
    if (known == NULL) {
        fm_lock(&names.lock);
        known = find(hash, kind, domain, name);
        if (known == NULL && (names.count < MOST || is_last)) {
            known = add(hash, kind, domain, name);
        }
        fm_unlock(&names.lock);
    }
    return known;
}

struct fm_mark_name *fm_mark_name(enum fm_mark_kind kind, const char *domain, struct fm_text name)
{
    static const char others[] = "other marks";
    const int saved = errno;
    const struct fm_text text = {domain != NULL ? domain : "", domain != NULL ? strlen(domain) : 0};
    const struct fm_text any = {name.text != NULL ? name.text : "", name.length};
    struct fm_mark_name *found = find_or_add(kind, text, any, false);
    if (found == NULL) {
        fm_mistake(FM_MISTAKE_NAMES);
        found = find_or_add(kind, (struct fm_text){"", 0},
                            (struct fm_text){others, sizeof others - 1}, true);
    }
    errno = saved;
    return found;
}

void *fm_mark_region(struct fm_mark_name *name)
{
    void *region = fm_user_object(&name->region);
    const struct fm_user_functions *recorder = region == NULL ? fm_user_connected() : NULL;
    if (recorder != NULL) {
        region = fm_user_keep(&name->region,
                              recorder->define_region((struct fm_text){name->text, name->length},
                                                      (struct fm_text){NULL, 0}, 0, 0));
        recorder->marks_found(name->kind);
    }
    return region;
}

void fm_mark_name_leave_out(struct fm_mark_name *name)
{
    __atomic_store_n(&name->is_left_out, true, __ATOMIC_RELAXED);
}

bool fm_mark_name_is_left_out(const struct fm_mark_name *name)
{
    return __atomic_load_n(&name->is_left_out, __ATOMIC_RELAXED);
}
