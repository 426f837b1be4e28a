/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How libfermata-user finds the recorder.
 */
#ifndef FERMATA_USER_CONNECT_H
#define FERMATA_USER_CONNECT_H

#include "user/interface.h"

/** The recorder as far as it has been found; accessed atomically. */
struct fm_user_recorder {
    const struct fm_user_functions *functions; /**< NULL: none so far */
    bool settled;                              /**< another search would not find it either */
};
extern struct fm_user_recorder fm_user_recorder __attribute__((visibility("hidden")));

/** Searches for the recorder. @return its functions or NULL. errno is preserved. */
const struct fm_user_functions *fm_user_connect(void)
    __attribute__((visibility("hidden"), noinline, cold));

/** The recorder's functions; NULL without a recorder. Thread-safe, two loads once it is known. */
static inline const struct fm_user_functions *fm_user_connected(void)
{
    const struct fm_user_functions *functions =
        __atomic_load_n(&fm_user_recorder.functions, __ATOMIC_ACQUIRE);
    if (__builtin_expect(functions != NULL, 0) ||
        __builtin_expect(__atomic_load_n(&fm_user_recorder.settled, __ATOMIC_RELAXED), 1)) {
        return functions;
    }
    return fm_user_connect();
}

/** The recorder's object for a region, parameter or counter that the program has defined, or NULL.
 */
static inline void *fm_user_object(void *const *place)
{
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/** Stores the object. Threads that define one thing at once get the same object. */
static inline void *fm_user_keep(void **place, void *object)
{
    __atomic_store_n(place, object, __ATOMIC_RELEASE);
    return object;
}

#endif
