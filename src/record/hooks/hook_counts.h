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

/** The function of this name behind this library: in the libraries of the process, or in a
 * component that the MPI library has loaded. Called once for each function. Ends the process, with
 * a message, if there is none: its caller cannot go on. */
fm_hooked_function_t *fm_hook_original(const char *name);

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
