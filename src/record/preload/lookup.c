/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/lookup.h"

#include "record/capture/lock.h"
#include "record/preload/fortran.h"
#include "record/preload/references.h"
#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

/* Objects have been loaded that prefer their own libraries, since objects were seen last. */
static bool has_bound_deeply;

void fm_lookup_opens(int flags)
{
    if ((flags & RTLD_DEEPBIND) != 0) {
        __atomic_store_n(&has_bound_deeply, true, __ATOMIC_RELEASE);
    }
}

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_own(const char *path)
{
    return begins_with(base_of(path), "libfermata-");
}

/* ---- dlsym ---- */

/* Whether a function of the profiling interface begins or ends the run. */
static bool is_frame_of_run(const char *name)
{
    return strcmp(name, "PMPI_Init") == 0 || strcmp(name, "PMPI_Init_thread") == 0 ||
           strcmp(name, "PMPI_Finalize") == 0;
}

/* Whether code belongs to the recorder, or to a library of a paradigm, which must get what it asks
 * for. */
static bool is_inside(uintptr_t address)
{
    Dl_info info;
    return (dladdr((void *)address, &info) != 0 && info.dli_fname != NULL &&
            is_own(info.dli_fname)) ||
           fm_preload_is_in_library((void *)address);
}

void *fm_lookup_symbol(void *handle, const char *name, uintptr_t caller)
{
    fm_lookup_see_objects();
    if (name == NULL) {
        return NULL;
    }
    if (is_frame_of_run(name)) {
        return is_inside(caller) ? NULL : fm_preload_entry(name + 1);
    }
    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) {
        return NULL; /* depends on the caller, and finds the functions of this library */
    }
    void *ours = fm_preload_entry(name);
    void *found = ours != NULL && !is_inside(caller) ? fm_preload_symbol(handle, name) : NULL;
    return found != NULL && found != ours && fm_preload_is_in_library(found) ? ours : NULL;
}

/* ---- objects ---- */

/* Objects that were examined, by a hash of their place and name: an open hash table. */
enum { SEEN_MOST = 1 << 13, NEW_MOST = 64 };

static struct {
    fm_lock_t lock;
    uint64_t seen[2 * SEEN_MOST]; /* 0: free */
    size_t count;
    unsigned long long loads, unloads; /* the loader's numbers when objects were seen last */
} objects = {.lock = FM_LOCK_FREE};

static uint64_t hash_of(const struct dl_phdr_info *object)
{
    uint64_t hash = 0xcbf29ce484222325u ^ object->dlpi_addr ^ (uintptr_t)object->dlpi_phdr << 1;
    for (const char *c = object->dlpi_name; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    }
    return hash != 0 ? hash : 1;
}

/* @return whether an object was not examined before; from now on it was */
static bool is_new(const struct dl_phdr_info *object)
{
    const uint64_t hash = hash_of(object);
    size_t place = hash % (2 * SEEN_MOST);
    while (objects.seen[place] != 0 && objects.seen[place] != hash) {
        place = (place + 1) % (2 * SEEN_MOST);
    }
    if (objects.seen[place] == hash || objects.count == SEEN_MOST) {
        return false;
    }
    objects.seen[place] = hash;
    objects.count++;
    return true;
}

struct loaded {
    struct dl_phdr_info items[NEW_MOST];
    size_t count;
};

/* Called with the loader's lock held, so it only copies the descriptions of objects. */
static int note_object(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct loaded *loaded = argument;
    if (objects.unloads != info->dlpi_subs) { /* others may have taken their places */
        memset(objects.seen, 0, sizeof objects.seen);
        objects.count = 0;
    }
    objects.unloads = info->dlpi_subs;
    __atomic_store_n(&objects.loads, info->dlpi_adds, __ATOMIC_RELAXED);
    if (loaded->count < NEW_MOST && is_new(info)) {
        loaded->items[loaded->count++] = *info;
    }
    return loaded->count == NEW_MOST;
}

static int note_loads(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    *(unsigned long long *)argument = info->dlpi_adds;
    return 1;
}

/* An object outside of the recorder and of the libraries of paradigms. */
struct outsider {
    uintptr_t begin, end; /* its addresses */
    bool binds_deeply;
};

static struct outsider describe(const struct dl_phdr_info *object, bool binds_deeply)
{
    struct outsider outsider = {.begin = object->dlpi_addr, .binds_deeply = binds_deeply};
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type == PT_LOAD && end > outsider.end) {
            outsider.end = end;
        }
    }
    return outsider;
}

static void *choose_frame(void *context, const char *name, void *current)
{
    (void)context, (void)current;
    return is_frame_of_run(name) ? fm_preload_entry(name + 1) : NULL;
}

/* A reference that is not bound yet leads to the object's own table; one that leads to the library
 * has passed this library by. */
static void *choose_function(void *context, const char *name, void *current)
{
    const struct outsider *outsider = context;
    const uintptr_t place = (uintptr_t)current;
    const bool is_unbound = place >= outsider->begin && place < outsider->end;
    void *ours = is_unbound && !outsider->binds_deeply ? NULL : fm_preload_entry(name);
    return ours != NULL && current != ours && (is_unbound || fm_preload_is_in_library(current))
               ? ours
               : NULL;
}

/* The MPI library itself, and its bindings for other languages. */
static bool is_of_library(const struct dl_phdr_info *object)
{
    return begins_with(base_of(object->dlpi_name), "libmpi") ||
           fm_preload_is_in_library(
               (const void *)(object->dlpi_addr +
                              (object->dlpi_phnum > 0 ? object->dlpi_phdr[0].p_vaddr : 0)));
}

static void change_references(const struct dl_phdr_info *object, bool binds_deeply)
{
    if (is_own(object->dlpi_name)) {
        return;
    }
    if (is_of_library(object)) {
        fm_preload_redirect_fortran(object);
        return;
    }
    struct outsider outsider = describe(object, binds_deeply);
    fm_references_change(object, "PMPI_", choose_frame, NULL);
    fm_references_change(object, "MPI_", choose_function, &outsider);
}

void fm_lookup_see_objects(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(note_loads, &loads);
    if (loads == __atomic_load_n(&objects.loads, __ATOMIC_RELAXED) || !fm_lock_try(&objects.lock)) {
        return;
    }
    const bool binds_deeply = __atomic_exchange_n(&has_bound_deeply, false, __ATOMIC_ACQ_REL);
    struct loaded loaded;
    do {
        loaded.count = 0;
        dl_iterate_phdr(note_object, &loaded);
        for (size_t i = 0; i < loaded.count; i++) {
            change_references(&loaded.items[i], binds_deeply);
        }
    } while (loaded.count == NEW_MOST);
    fm_unlock(&objects.lock);
}
