/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef void *fm_symbol_t(void *handle, const char *name);
typedef void *fm_open_t(const char *file, int flags);
typedef int fm_close_t(void *handle);

/* A function that dlsym cannot be asked for: dlvsym needs its version, which depends on processor
 * and age of the C library. */
static void *find_versioned(const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0] && found == NULL; i++) {
        found = dlvsym(RTLD_NEXT, name, versions[i]);
    }
    return found;
}

void *fm_preload_symbol(void *handle, const char *name)
{
    static void *known;
    fm_symbol_t *function;
    void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = find_versioned("dlsym");
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    *(void **)&function = found;
    return function != NULL ? function(handle, name) : NULL;
}

static void *find_once(void **known, const char *name)
{
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (found == NULL) {
        found = fm_preload_symbol(RTLD_NEXT, name);
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

void *fm_preload_open(const char *file, int flags)
{
    static void *known;
    fm_open_t *function;
    *(void **)&function = find_once(&known, "dlopen");
    return function != NULL ? function(file, flags) : NULL;
}

void *fm_preload_loaded(const char *file)
{
    return fm_preload_open(file, RTLD_NOW | RTLD_NOLOAD);
}

void fm_preload_close(void *handle)
{
    static void *known;
    fm_close_t *function;
    *(void **)&function = find_once(&known, "dlclose");
    if (function != NULL && handle != NULL) {
        function(handle);
    }
}

/* Whether both lie in the same library. */
static bool are_together(const void *one, const void *other)
{
    Dl_info first, second;
    return dladdr(one, &first) != 0 && dladdr(other, &second) != 0 &&
           first.dli_fbase == second.dli_fbase;
}

/* dlsym may find the C library's version for old programs, with another layout of a condition
 * variable. Another library between this one and the C library has one version only. */
void *fm_preload_next(const char *name)
{
    void *found = fm_preload_symbol(RTLD_NEXT, name);
#if defined(__x86_64__)
    static const char conditions[] = "pthread_cond_";
    if (found != NULL && strncmp(name, conditions, sizeof conditions - 1) == 0) {
        void *newer = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        return newer != NULL && are_together(found, newer) ? newer : found;
    }
#endif
    return found;
}
