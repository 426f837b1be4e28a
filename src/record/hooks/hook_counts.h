/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the hooks share: where they count, and how they find the functions that they stand for.
 */
#ifndef FERMATA_RECORD_HOOKS_HOOK_COUNTS_H
#define FERMATA_RECORD_HOOKS_HOOK_COUNTS_H

#include "record/hooks/hooks.h"

#include <stdbool.h>
#include <stddef.h>

#define FM_HOOK_EXPORT __attribute__((visibility("default")))

/** Arguments of any function that is hooked are passed on as so many machine words. */
typedef long fm_hooked_function_t(long, long, long, long, long, long, long, long, long, long, long,
                                  long);

/** NULL: nothing is counted. */
extern const struct fm_hook_places *fm_hook_places;

/** A message takes this way. */
void fm_hook_arrive(enum fm_hooked_way way);

/** A function that this library stands for. */
struct fm_hook_original {
    const char *name;
    enum fm_hooked_way way;         /**< of the messages of a library that has it */
    fm_hooked_function_t *function; /**< NULL: not looked for so far */
};

/** The function behind this library: in the libraries of the process, or in a component that the
 * MPI library has loaded. Ends the process, with a message, if there is none: the caller cannot go
 * on. There is one, because the call would fail without this library, too. */
fm_hooked_function_t *fm_hook_find(struct fm_hook_original *original);

/** Declares `next`, the function `name` of type `type`, in a function that stands for it. */
#define FM_HOOK_NEXT(type, name, way)                                                              \
    static struct fm_hook_original original = {name, way, NULL};                                   \
    FM_HOOK_TABLE static struct fm_hook_original *in_table = &original;                            \
    fm_hooked_function_t *known = __atomic_load_n(&original.function, __ATOMIC_ACQUIRE);           \
    type *next = (type *)(uintptr_t)(known != NULL ? known : fm_hook_find(&original));

/** The linker collects the functions in a table, from which fermata_hooks_missing looks for them.
 */
#define FM_HOOK_TABLE __attribute__((section("fermata_hooked"), used))

/** Whether messages that take this way are counted. */
static inline bool fm_hook_is_way(enum fm_hooked_way way)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    return places != NULL && places->way == way;
}

/** Words of a counter; NULL: it is not counted. */
static inline uint64_t *fm_hook_words(enum fm_hooked counter)
{
    const struct fm_hook_places *places = __atomic_load_n(&fm_hook_places, __ATOMIC_ACQUIRE);
    return places != NULL ? places->words[counter] : NULL;
}

/** Adds to a counter. @return its value then; 0: it is not counted */
static inline uint64_t fm_hook_add(enum fm_hooked counter, uint64_t value)
{
    uint64_t *words = fm_hook_words(counter);
    return words != NULL ? __atomic_add_fetch(words, value, __ATOMIC_RELAXED) : 0;
}

#endif
