/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fermata/counters.h - reads the counters that `fermata record --counters` keeps of a process.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE). Link with -lfermata-counters.
 *
 * Each process of a recorded program has a file EXPERIMENT/counters/rank.N, which it writes while
 * it runs. A file can be read at any time: while the process runs, after its end, and after it was
 * killed. Reading needs no help of the process and does not disturb it.
 *
 *     fermata_counters_t *c = fermata_counters_open("exp/counters/rank.0", why, sizeof why);
 *     int i = fermata_counters_find(c, "mpi.bytes_sent");
 *     while (fermata_counters_read(c) == 0) { print(fermata_counters_value(c, i)); sleep(1); }
 *     fermata_counters_close(c);
 *
 * Names are those of `fermata counters list`; Open MPI's names of its software performance counters
 * (OMPI_SPC_SEND) are understood, too. A counter that is not in the file is not known: it is never
 * reported as 0. A structure may be used by one thread at a time.
 */
#ifndef FERMATA_COUNTERS_H
#define FERMATA_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FERMATA_COUNTERS_API __attribute__((visibility("default")))
#else
#define FERMATA_COUNTERS_API
#endif

/** Kinds of counters. */
enum {
    FERMATA_KIND_COUNT = 0,          /**< a number that only grows */
    FERMATA_KIND_BYTES = 1,          /**< likewise, bytes */
    FERMATA_KIND_LEVEL = 2,          /**< a number at a moment */
    FERMATA_KIND_HIGH_WATERMARK = 3, /**< the maximum of a level so far */
    FERMATA_KIND_TIMER = 4,          /**< clock ticks; see fermata_counters_seconds */
    FERMATA_KIND_BINS = 5,           /**< counts by category; the value is their sum */
    FERMATA_KIND_COLLECTIVE_BINS =
        6,                          /**< likewise, by small and large messages and communicators */
    FERMATA_KIND_HISTOGRAM = 7,     /**< likewise: bin 0 for 0, bin k for 2^(k-1) .. 2^k - 1 */
    FERMATA_KIND_NANOSECONDS = 8,   /**< time; see fermata_counters_seconds */
    FERMATA_KIND_LOW_WATERMARK = 9, /**< the minimum of a level so far */
    FERMATA_KIND_REAL = 10,         /**< a total with a fraction; see fermata_counters_real */
    FERMATA_KIND_REAL_LEVEL = 11    /**< a number at a moment, likewise */
};

/** What is known of the process. */
enum {
    FERMATA_PROCESS_RUNNING = 0,
    FERMATA_PROCESS_ENDED = 1,  /**< regularly: the counters are complete */
    FERMATA_PROCESS_KILLED = 2, /**< the counters are those of its last recorded call */
    FERMATA_PROCESS_UNKNOWN = 3 /**< running or killed: it is one of another host */
};

/** The counters of a process. */
typedef struct fermata_counters fermata_counters_t;

/** A counter. Valid until the file is closed. */
typedef struct fermata_counter_info {
    const char *name;
    const char *unit;     /**< of a timer "s", although its value is in ticks */
    int kind;             /**< FERMATA_KIND_... */
    unsigned bins;        /**< 1: no bins */
    int selected;         /**< 0: the recording did not ask for it */
    const char *obtained; /**< how exactly it is known, as in fermata counters list */
    const char *meaning;  /**< of a counter that only this run has; "": see fermata counters list */
    unsigned boundary;    /**< bytes of the largest small message, of bins by size; else 0 */
    unsigned communicator_boundary; /**< processes of the largest small communicator, likewise */
} fermata_counter_info_t;

/** Opens the file of a process and reads it.
 * @param why  receives the reason of a failure, if size > 0
 * @return NULL: not possible */
FERMATA_COUNTERS_API fermata_counters_t *fermata_counters_open(const char *path, char *why,
                                                               size_t size);

/** Reads the present values. Those of a thread are consistent: they are of the same moment, between
 * two of its calls.
 * @return 0; -1: the file cannot be read, the values are the previous ones; 1: a process was killed
 *         while it counted a call, of which some counters have that call and others not */
FERMATA_COUNTERS_API int fermata_counters_read(fermata_counters_t *counters);

/** Resets the watermarks of a running process to the present values of their levels: those that
 * fermata_counters_can_reset names. The process is not interrupted; the values read next are those
 * since the reset. Other readers see it, too.
 * @return 0; -1, with errno: the process does not run on this host (ESRCH), or its file may not be
 *         written */
FERMATA_COUNTERS_API int fermata_counters_reset_watermarks(fermata_counters_t *counters);

/** @return whether a counter is a watermark whose level is in the file, too */
FERMATA_COUNTERS_API int fermata_counters_can_reset(const fermata_counters_t *counters,
                                                    size_t counter);

FERMATA_COUNTERS_API void fermata_counters_close(fermata_counters_t *counters);

/** Number of counters; counters of functions are added while the process runs. */
FERMATA_COUNTERS_API size_t fermata_counters_number(const fermata_counters_t *counters);
FERMATA_COUNTERS_API const fermata_counter_info_t *
fermata_counters_info(const fermata_counters_t *counters, size_t counter);

/** @return the number of a counter; -1: the file does not have it */
FERMATA_COUNTERS_API int fermata_counters_find(const fermata_counters_t *counters,
                                               const char *name);

/** Value of a counter in the process: the sum over its threads; of a watermark, the extreme. One
 * with a fraction is rounded. */
FERMATA_COUNTERS_API int64_t fermata_counters_value(const fermata_counters_t *counters,
                                                    size_t counter);

/** One bin of it. */
FERMATA_COUNTERS_API int64_t fermata_counters_bin(const fermata_counters_t *counters,
                                                  size_t counter, unsigned bin);

/** Largest value of what a bin counts, of a counter with boundaries of the user's choice
 * (mpi.messages_by_size); the bin begins above that of the previous one.
 * @return UINT64_MAX: there is none, since it is the last bin, or the counter is another one */
FERMATA_COUNTERS_API uint64_t fermata_counters_bin_limit(const fermata_counters_t *counters,
                                                         size_t counter, unsigned bin);

/** Value of any counter as a floating-point number: with its fraction if its kind has one, times in
 * seconds. */
FERMATA_COUNTERS_API double fermata_counters_real(const fermata_counters_t *counters,
                                                  size_t counter);

/** Counters that were asked for and are not available in this run, with the reason.
 * @param i  0, 1, ...
 * @return the name; NULL: there is no further one */
FERMATA_COUNTERS_API const char *fermata_counters_unavailable(const fermata_counters_t *counters,
                                                              size_t i, const char **reason);

/** Value of a timer, or of a time in nanoseconds, in seconds. */
FERMATA_COUNTERS_API double fermata_counters_seconds(const fermata_counters_t *counters,
                                                     size_t counter);

/** The threads that were counted; a thread may take the place of one that has ended. */
FERMATA_COUNTERS_API size_t fermata_counters_threads(const fermata_counters_t *counters);
FERMATA_COUNTERS_API int64_t fermata_counters_thread_value(const fermata_counters_t *counters,
                                                           size_t thread, size_t counter);

/** Seconds since the last recorded call ended, by the clock of this machine; since the begin of the
 * process if none has. */
FERMATA_COUNTERS_API double fermata_counters_since_call(const fermata_counters_t *counters);

/** The process. */
FERMATA_COUNTERS_API int fermata_counters_state(const fermata_counters_t *counters);
FERMATA_COUNTERS_API unsigned fermata_counters_rank(const fermata_counters_t *counters);
FERMATA_COUNTERS_API unsigned fermata_counters_size(const fermata_counters_t *counters);
FERMATA_COUNTERS_API long fermata_counters_process(const fermata_counters_t *counters);
FERMATA_COUNTERS_API const char *fermata_counters_host(const fermata_counters_t *counters);
FERMATA_COUNTERS_API const char *fermata_counters_program(const fermata_counters_t *counters);

/** Clock ticks per second. */
FERMATA_COUNTERS_API double fermata_counters_tick_rate(const fermata_counters_t *counters);

/** Begin of the process, nanoseconds since the epoch of 1970. */
FERMATA_COUNTERS_API uint64_t fermata_counters_start(const fermata_counters_t *counters);

#ifdef __cplusplus
}
#endif

#endif
