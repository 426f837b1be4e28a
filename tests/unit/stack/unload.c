/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that come to lie where others were: the call site of each is its own, however often it
 * comes back. */
#include "record/stack/modules.h"
#include "stack_check.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t site; /* of the library's function */

static void probe(void)
{
    stack_probe(true);
    const struct fm_stack *stack = stack_check_stack();
    site = stack->shown[stack->shown_count - 2];
}

/* Loads a library, calls its function, and unloads it. @return where the function lay */
static const void *visit(const char *path, const char *name, uint32_t *seen)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*function)(void (*)(void)) = NULL;
    *(void **)&function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) {
        printf("%s: %s\n", path, dlerror());
        return NULL;
    }
    function(probe);
    const void *place = *(void **)&function;
    *seen = site;
    dlclose(library);
    fm_places_forget_unloaded(); /* as the preloaded dlclose does */
    return place;
}

int main(int argc, char **argv)
{
    uint32_t first = 0, second = 0, again;
    bool good = argc == 3, met = false;
    stack_check_begin(1000);
    for (int i = 0; good && i < 20; i++) {
        const void *place_a = visit(argv[1], "in_a", &again);
        good = place_a != NULL && (i == 0 || again == first);
        first = again;
        const void *place_b = good ? visit(argv[2], "in_b", &again) : NULL;
        good = place_b != NULL && (i == 0 || again == second) && again != first;
        second = again;
        met = met || place_a == place_b;
    }
    const char *path = good ? fm_modules_get(fm_sites_get(first).module)->path : "";
    good = good && strcmp(path, argv[1]) == 0;
    printf("call sites %u and %u, %s, %u compared, %u failed\n", first, second,
           met ? "at the same place" : "never at the same place", stack_compared, stack_failed);
    return good && met && stack_failed == 0 ? 0 : 1;
}
