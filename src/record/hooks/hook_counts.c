/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/hooks/hook_counts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct fm_hook_places *fm_hook_places;

FM_HOOK_EXPORT fm_hooks_connect_t fermata_hooks_connect;

void fermata_hooks_connect(const struct fm_hook_places *places)
{
    __atomic_store_n(&fm_hook_places, places, __ATOMIC_RELEASE);
}

static uint64_t arrived[FM_HOOKED_WAYS];

FM_HOOK_EXPORT fm_hooks_arrived_t fermata_hooks_arrived;

uint64_t fermata_hooks_arrived(int way)
{
    return __atomic_load_n(&arrived[way], __ATOMIC_RELAXED);
}

void fm_hook_arrive(enum fm_hooked_way way)
{
    __atomic_add_fetch(&arrived[way], 1, __ATOMIC_RELAXED);
}

/* ---- original functions ---- */

struct search {
    const char *name, *own; /* own: the file of this library */
    bool in_components_only;
    void *found;
};

static bool is_component(const char *path)
{
    const char *file = strrchr(path, '/');
    return file != NULL &&
           (strncmp(file + 1, "mca_", 4) == 0 || strncmp(file + 1, "libucp.", 7) == 0);
}

/* Looks in a library that is loaded, and in those that it needs. */
static int look_in(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    if (object->dlpi_name[0] == '\0' || strcmp(object->dlpi_name, search->own) == 0 ||
        (search->in_components_only && !is_component(object->dlpi_name))) {
        return 0;
    }
    void *library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    search->found = library != NULL ? dlsym(library, search->name) : NULL;
    if (library != NULL) {
        dlclose(library);
    }
    return search->found != NULL;
}

/* Looks behind this library, then in components of Open MPI and in UCX, then in all libraries:
 * those that were loaded for themselves (RTLD_LOCAL) are not behind this one.
 * @return NULL: there is none */
static fm_hooked_function_t *look_for(struct fm_hook_original *original)
{
    Dl_info info;
    const char *own =
        dladdr(&fm_hook_places, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "";
    struct search search = {original->name, own, true, dlsym(RTLD_NEXT, original->name)};
    if (search.found == NULL && dl_iterate_phdr(look_in, &search) == 0) {
        search.in_components_only = false;
        dl_iterate_phdr(look_in, &search);
    }
    fm_hooked_function_t *function = (fm_hooked_function_t *)(uintptr_t)search.found;
    __atomic_store_n(&original->function, function, __ATOMIC_RELEASE);
    return function;
}

fm_hooked_function_t *fm_hook_find(struct fm_hook_original *original)
{
    fm_hooked_function_t *function = look_for(original);
    if (function == NULL) {
        dprintf(STDERR_FILENO,
                "fermata: --hooks: there is no function %s to go on with; record without\n",
                original->name);
        abort();
    }
    return function;
}

/* Bounds of the table, by the linker. */
extern struct fm_hook_original *__start_fermata_hooked[] __attribute__((visibility("hidden")));
extern struct fm_hook_original *__stop_fermata_hooked[] __attribute__((visibility("hidden")));

FM_HOOK_EXPORT fm_hooks_missing_t fermata_hooks_missing;

const char *fermata_hooks_missing(int way)
{
    for (struct fm_hook_original **at = __start_fermata_hooked; at < __stop_fermata_hooked; at++) {
        if ((int)(*at)->way == way && look_for(*at) == NULL) {
            return (*at)->name;
        }
    }
    return NULL;
}
