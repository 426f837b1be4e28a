#include "record/hooks/hook_counts.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct search {
    const char *name;
    void *found;
};

/* Looks in a component of Open MPI, or in UCX if such a component has loaded it. */
static int look_in(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    const char *file = strrchr(object->dlpi_name, '/');
    (void)size;
    if (file == NULL ||
        (strncmp(file + 1, "mca_", 4) != 0 && strncmp(file + 1, "libucp.", 7) != 0)) {
        return 0;
    }
    void *component = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    search->found = component != NULL ? dlsym(component, search->name) : NULL;
    if (component != NULL) {
        dlclose(component);
    }
    return search->found != NULL;
}

fm_hooked_function_t *fm_hook_original(const char *name)
{
    struct search search = {.name = name, .found = dlsym(RTLD_NEXT, name)};
    if (search.found == NULL) {
        dl_iterate_phdr(look_in, &search);
    }
    if (search.found == NULL) {
        fprintf(stderr, "fermata: --hooks: there is no function %s to go on with; record without\n",
                name);
        abort();
    }
    return (fm_hooked_function_t *)(uintptr_t)search.found;
}
