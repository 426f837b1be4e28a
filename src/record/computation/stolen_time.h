/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time for which a thread had no processor although it computed: the wall time of a stretch of
 * computation between two recorded calls, minus the CPU time of the thread, minus the blocking
 * calls in the stretch. Measured for stretches of at least FM_STRETCH_LEAST.
 *
 * Both clocks must be read at both ends of the stretch. At its end, its length is known. At its
 * begin it is not, and a reading of the CPU clock costs several times as much as recording a call.
 * So the CPU clock is read at the end of a call
 *  - if a long stretch has followed one of the last calls of the same function, the last reading is
 *    FM_READING_LEAST old, and all readings so far have taken no more than 1/FM_READING_SHARE of
 * the thread's time;
 *  - after other calls only as often as that takes 1/FM_READING_ASIDE of it: this finds long
 *    stretches that nothing has announced, such as those in which others get the processor.
 * A stretch is measured if a reading was taken at its begin, or earlier by no more than a twentieth
 * of its length; it then includes the time since. Not measured are: shorter stretches; most of the
 * stretches after a call whose function is not known yet to precede long ones; the time before the
 * first and after the last recorded call.
 *
 * A reading is a system call: less than 1 us if the kernel's code and data are in the caches,
 * several times that after computation that has evicted them. A thread that lacks a processor does
 * not lack this time: it passes meanwhile.
 *
 * With each reading, the kernel's counts of the thread are read (getrusage): page faults, context
 * switches and kernel time of the stretch. They are less expensive than the CPU clock.
 *
 * The kernel's own figure, the run delay of schedstat, is read together with the CPU clock where a
 * long stretch is expected. That takes 40 us, because the file is opened each time, so that a
 * program never encounters a descriptor of the recorder; so it begins only as often as this takes
 * 1/FM_DELAY_SHARE of the time, not counted the reading at the end of the stretch, and a second one
 * if the call lasts longer than expected. Where no long stretch is expected it is read as rarely as
 * the CPU clock is there. If a stretch turns out to have a notable time without a processor, and
 * its run delay is unknown, evidence at its end decides: without a voluntary context switch the
 * thread did not wait; else the run delay is read, and its growth since an earlier reading is an
 * upper bound. The run delay of the whole run is known for the thread that begins it.
 */
#ifndef FERMATA_RECORD_COMPUTATION_PROCESSOR_TIME_H
#define FERMATA_RECORD_COMPUTATION_PROCESSOR_TIME_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_thread;

/** Shortest measured stretch, and shortest time between two readings at the end of calls; in parts
 * of a second. */
enum { FM_STRETCH_LEAST = 1000, FM_READING_LEAST = 20000 };

/** Largest share of a thread's time that readings take where a long stretch is expected, and
 * elsewhere, and that readings of the run delay take at the begin of stretches; and, in parts of a
 * second, how long a thread saves for later readings, and what a reading counts at most: it may be
 * interrupted. */
enum {
    FM_READING_SHARE = 1000,
    FM_READING_ASIDE = 4000,
    FM_DELAY_SHARE = 250,
    FM_READING_CREDIT = 10,
    FM_READING_MOST = 10000
};

/** The run delay of a stretch matters if the thread did not run for this part of it; an upper bound
 * of the run delay is taken for it if it is this part of the time without a processor. */
enum { FM_STOLEN_NOTABLE = 20, FM_DELAY_SMALL = 4 };

/** What the kernel has counted for a thread since it began (RUSAGE_THREAD). */
struct fm_thread_usage {
    uint64_t system; /**< processor time of the kernel, nanoseconds */
    uint32_t faults, faults_disk, preemptions, switches_voluntary;
};

/** In a PROCESSOR record: the run delay is not known. */
#define FM_DELAY_UNKNOWN UINT64_MAX

/** State of a thread. Zeroed = nothing is measured. */
struct fm_thread_processor {
    uint64_t read;                /**< time of the last reading; 0: none */
    uint64_t cpu;                 /**< CPU time then, nanoseconds */
    struct fm_thread_usage usage; /**< then */
    uint64_t affordable;          /**< time from which a Leave may read again (FM_READING_SHARE) */
    uint64_t spent;               /**< ticks that the last reading took, if it was at a Leave */
    uint64_t blocked;             /**< ticks of blocking calls inside the stretch since then */
    uint64_t delay;               /**< the last run delay that was read, nanoseconds */
    uint64_t delay_due;           /**< a Leave at or after this time may read it again */
    uint64_t delay_due_aside;     /**< ... where no long stretch is expected */
    bool delay_is_last;           /**< it was read at the last reading */
    uint8_t expected[64]; /**< by bit of fm_thread.long_after: readings that it still permits */
};

/** Begins to measure, in the threads so far and in later ones.
 * @param resolution  clock ticks per second */
void fm_processor_begin(uint64_t resolution);

/** How long a thread ran and was kept waiting for a processor. */
struct fm_processor_span {
    uint64_t wall, delay; /**< nanoseconds; both 0: not known */
};

/** @return the span from fm_processor_begin() until now of the calling thread, by the run delay of
 * schedstat: inside recorded calls, too. Not known in another thread than that which has begun. */
struct fm_processor_span fm_processor_span(void);

/** Prepares the calling thread, which becomes a location. */
void fm_processor_attach(struct fm_thread *thread);

/** Called at the end of a recorded call for which a reading may be due. errno is preserved. */
FM_API FM_COLD void fm_processor_leave(struct fm_thread *thread);

/** Called at the begin of a recorded call after a long stretch: if the stretch was measured, writes
 * a PROCESSOR record and reads the call's Enter again. errno is preserved.
 * @param before  function of the call before the stretch */
FM_API FM_COLD void fm_processor_enter(struct fm_thread *thread, uint32_t before);

/** Run delay in the text of a schedstat file, in nanoseconds. @return false: not in the text */
bool fm_processor_parse_delay(const char *text, uint64_t *delay);

#endif
