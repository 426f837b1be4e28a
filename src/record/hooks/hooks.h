/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Hooks in MPI libraries: a library that is preloaded on request (--hooks) and defines functions
 * that components of Open MPI 4.1 call each other by, and functions of UCX, by which MPICH sends
 * messages. Its functions count and call the original ones; they count nothing until the recorder
 * connects them, which it does for tested versions only. The library depends on the C library
 * alone, because every program that the launcher starts loads it.
 *
 * The counters are those of the process: words that all threads add to atomically.
 */
#ifndef FERMATA_RECORD_HOOKS_HOOKS_H
#define FERMATA_RECORD_HOOKS_HOOKS_H

#include <stdint.h>

/** The counters (hooked.def). */
enum fm_hooked {
#define FM_HOOKED(symbol, counter, words, tier, how) FM_HOOKED_##symbol,
#include "record/hooks/hooked.def"
#undef FM_HOOKED
    FM_HOOKED_COUNT
};

/** Words of a counter of an algorithm: small and large messages, times small and large
 * communicators.
 */
enum { FM_HOOKED_BINS = 4 };

/** Ways of messages that hooks are in. */
enum fm_hooked_way {
    FM_HOOKED_OB1, /**< Open MPI's component ob1 */
    FM_HOOKED_UCX, /**< MPICH's messages by UCX */
    FM_HOOKED_WAYS
};

/** What the recorder gives. */
struct fm_hook_places {
    enum fm_hooked_way way;              /**< that the messages of the process take */
    uint64_t *words[FM_HOOKED_COUNT];    /**< of each counter; NULL: it is not counted */
    uint64_t (*now)(void);               /**< clock ticks */
    int (*type_size)(void *type);        /**< bytes of an element */
    int (*comm_size)(void *comm);        /**< processes */
    uint64_t (*unexpected_length)(void); /**< messages in the queue of unexpected ones; NULL: it is
                                              not known */
    uint64_t message_boundary;           /**< bytes of the largest small collective operation */
    int communicator_boundary;           /**< processes of the largest small communicator */
};

/** Names of the functions that the library exports for the recorder. */
#define FM_HOOKS_CONNECT "fermata_hooks_connect"
#define FM_HOOKS_ARRIVED "fermata_hooks_arrived"
#define FM_HOOKS_MISSING "fermata_hooks_missing"

/** Begins to count; NULL: ends. The places remain valid. Called while no thread but the calling one
 * is in MPI, or to end. */
typedef void fm_hooks_connect_t(const struct fm_hook_places *places);

/** Number of messages that functions of this library have passed on since it was loaded: not 0 if
 * messages of the process take this way (enum fm_hooked_way). */
typedef uint64_t fm_hooks_arrived_t(int way);

/** Looks for the original functions of all hooks of a way (enum fm_hooked_way). @return the name of
 * one that no library of the process has: the hooks are of another version; NULL: there are all */
typedef const char *fm_hooks_missing_t(int way);

#endif
