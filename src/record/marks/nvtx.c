/* SPDX-License-Identifier: BSD-3-Clause */
/* NVTX, versions 2 and 3. Ranges of a thread are regions, with the name of their domain. Ranges of
 * the process are regions where they nest. Marks, categories, colors, payloads, and names of
 * threads and devices are not recorded. */
#include "record/capture/hot.h"
#include "record/marks/marks.h"
#include "record/marks/nvtx_interface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct fm_nvtx_domain {
    char name[1];
};

/* The owner of ranges outside of domains. */
static const char outside[1];

/* A copy in UTF-8 of a text, to be freed; NULL without memory. */
static char *narrow(const wchar_t *wide)
{
    const size_t length = wide != NULL ? wcslen(wide) : 0;
    char *text = malloc(4 * length + 1), *end = text;
    for (size_t i = 0; text != NULL && i < length; i++) {
        const uint32_t c = (uint32_t)wide[i];
        if (c < 0x80) {
            *end++ = (char)c;
        } else if (c < 0x800) {
            *end++ = (char)(0xC0 | c >> 6);
            *end++ = (char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            *end++ = (char)(0xE0 | c >> 12);
            *end++ = (char)(0x80 | (c >> 6 & 0x3F));
            *end++ = (char)(0x80 | (c & 0x3F));
        } else {
            *end++ = (char)(0xF0 | (c >> 18 & 0x07));
            *end++ = (char)(0x80 | (c >> 12 & 0x3F));
            *end++ = (char)(0x80 | (c >> 6 & 0x3F));
            *end++ = (char)(0x80 | (c & 0x3F));
        }
    }
    if (text != NULL) {
        *end = '\0';
    }
    return text;
}

static struct fm_mark_name *name_of(const struct fm_nvtx_domain *domain, const char *text)
{
    return fm_mark_name(FM_MARKS_NVTX, domain != NULL ? domain->name : NULL,
                        (struct fm_text){text, text != NULL ? strlen(text) : 0});
}

static struct fm_mark_name *name_of_wide(const struct fm_nvtx_domain *domain, const wchar_t *wide)
{
    const int saved = errno;
    char *text = narrow(wide);
    struct fm_mark_name *name = name_of(domain, text);
    free(text);
    errno = saved;
    return name;
}

static struct fm_mark_name *name_of_event(const struct fm_nvtx_domain *domain,
                                          const struct fm_nvtx_event *event)
{
    int32_t kind =
        event != NULL && event->size >= sizeof *event ? event->message_kind : FM_NVTX_MESSAGE_NONE;
    switch (kind) {
    case FM_NVTX_MESSAGE_ASCII:
        return name_of(domain, event->message.ascii);
    case FM_NVTX_MESSAGE_UNICODE:
        return name_of_wide(domain, event->message.unicode);
    case FM_NVTX_MESSAGE_REGISTERED:
        return event->message.registered;
    default:
        return name_of(domain, "(NVTX range without a name)");
    }
}

/* ---- ranges of a thread ---- */

static uintptr_t owner_of(const struct fm_nvtx_domain *domain)
{
    return domain != NULL ? (uintptr_t)domain : (uintptr_t)outside;
}

static int push_in(const struct fm_nvtx_domain *domain, const struct fm_nvtx_event *event)
{
    fm_mark_begin(name_of_event(domain, event), owner_of(domain));
    return FM_NVTX_NOT_TRACKED;
}

static int pop_in(const struct fm_nvtx_domain *domain)
{
    fm_mark_end(owner_of(domain));
    return FM_NVTX_NOT_TRACKED;
}

static int push_event(const struct fm_nvtx_event *event)
{
    return push_in(NULL, event);
}

static int push(const char *text)
{
    fm_mark_begin(name_of(NULL, text), owner_of(NULL));
    return FM_NVTX_NOT_TRACKED;
}

static int push_wide(const wchar_t *text)
{
    fm_mark_begin(name_of_wide(NULL, text), owner_of(NULL));
    return FM_NVTX_NOT_TRACKED;
}

static int pop(void)
{
    return pop_in(NULL);
}

/* ---- ranges of the process ---- */

static uint64_t start_in(const struct fm_nvtx_domain *domain, const struct fm_nvtx_event *event)
{
    return fm_mark_start(name_of_event(domain, event));
}

static uint64_t start_event(const struct fm_nvtx_event *event)
{
    return start_in(NULL, event);
}

static uint64_t start(const char *text)
{
    return fm_mark_start(name_of(NULL, text));
}

static uint64_t start_wide(const wchar_t *text)
{
    return fm_mark_start(name_of_wide(NULL, text));
}

static void stop(uint64_t range)
{
    fm_mark_stop(range);
}

static void stop_in(const struct fm_nvtx_domain *domain, uint64_t range)
{
    (void)domain;
    fm_mark_stop(range);
}

/* ---- domains and strings, which programs keep to their end ---- */

static struct fm_nvtx_domain *create(const char *name)
{
    const int saved = errno;
    const size_t length = name != NULL ? strlen(name) : 0;
    struct fm_nvtx_domain *domain = malloc(sizeof *domain + length);
    if (domain != NULL) {
        memcpy(domain->name, name != NULL ? name : "", length + 1);
    }
    errno = saved;
    return domain;
}

static struct fm_nvtx_domain *create_wide(const wchar_t *name)
{
    const int saved = errno;
    char *text = narrow(name);
    struct fm_nvtx_domain *domain = create(text);
    free(text);
    errno = saved;
    return domain;
}

static void *register_string(const struct fm_nvtx_domain *domain, const char *text)
{
    return name_of(domain, text);
}

static void *register_wide(const struct fm_nvtx_domain *domain, const wchar_t *text)
{
    return name_of_wide(domain, text);
}

/* ---- the connection ---- */

struct function {
    unsigned place;
    void (*function)(void);
};

#define FM_FUNCTION(place, function)                                                               \
    {                                                                                              \
        place, (void (*)(void))(function)                                                          \
    }

static bool set_functions(const struct fm_nvtx_callbacks *callbacks, int group,
                          const struct function *functions, size_t count)
{
    void ***table = NULL;
    unsigned places = 0;
    if (callbacks->get_functions(group, &table, &places) == 0 || table == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (functions[i].place < places && table[functions[i].place] != NULL) {
            *table[functions[i].place] = (void *)(uintptr_t)functions[i].function;
        }
    }
    return true;
}

static int connect_program(fm_nvtx_tables_t *tables)
{
    static const struct function core[] = {
        FM_FUNCTION(FM_NVTX_RANGE_START_EX, start_event), FM_FUNCTION(FM_NVTX_RANGE_START_A, start),
        FM_FUNCTION(FM_NVTX_RANGE_START_W, start_wide),   FM_FUNCTION(FM_NVTX_RANGE_END, stop),
        FM_FUNCTION(FM_NVTX_RANGE_PUSH_EX, push_event),   FM_FUNCTION(FM_NVTX_RANGE_PUSH_A, push),
        FM_FUNCTION(FM_NVTX_RANGE_PUSH_W, push_wide),     FM_FUNCTION(FM_NVTX_RANGE_POP, pop),
    };
    static const struct function core2[] = {
        FM_FUNCTION(FM_NVTX_DOMAIN_RANGE_START_EX, start_in),
        FM_FUNCTION(FM_NVTX_DOMAIN_RANGE_END, stop_in),
        FM_FUNCTION(FM_NVTX_DOMAIN_RANGE_PUSH_EX, push_in),
        FM_FUNCTION(FM_NVTX_DOMAIN_RANGE_POP, pop_in),
        FM_FUNCTION(FM_NVTX_DOMAIN_REGISTER_STRING_A, register_string),
        FM_FUNCTION(FM_NVTX_DOMAIN_REGISTER_STRING_W, register_wide),
        FM_FUNCTION(FM_NVTX_DOMAIN_CREATE_A, create),
        FM_FUNCTION(FM_NVTX_DOMAIN_CREATE_W, create_wide),
    };
    const struct fm_nvtx_callbacks *callbacks =
        fm_marks_are_selected(FM_MARKS_NVTX) ? tables(FM_NVTX_TABLE_CALLBACKS) : NULL;
    if (callbacks == NULL || callbacks->size < sizeof *callbacks ||
        !set_functions(callbacks, FM_NVTX_CORE, core, sizeof core / sizeof core[0])) {
        return 0;
    }
    set_functions(callbacks, FM_NVTX_CORE2, core2, sizeof core2 / sizeof core2[0]);
    return 1;
}

/** Called by the NVTX of the program when it begins; its version 1 has the other name.
 * @return 0: nothing is recorded, and the program's NVTX does nothing */
FM_API int InitializeInjectionNvtx2(fm_nvtx_tables_t *tables);
FM_API int InitializeInjectionNvtx(fm_nvtx_tables_t *tables);

int InitializeInjectionNvtx2(fm_nvtx_tables_t *tables)
{
    return connect_program(tables);
}

int InitializeInjectionNvtx(fm_nvtx_tables_t *tables)
{
    return connect_program(tables);
}
