/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Samples: call stacks of threads between their recorded calls. A clock of the CPU time of each
 * thread registered with the recorder (sample_clock.h) sends it a signal after each jittered period
 * (sample_period.h), whose handler records the thread's call stack.
 *
 * The clock stops while a thread waits in a system call, so that the signal interrupts almost no
 * system call; in addition, the handler is installed with SA_RESTART. The handler does nothing
 * while the thread is in a recorded call, in a merged visit or in the recorder. It takes no lock,
 * allocates only pages of records from the process's budget (mmap), and blocks all signals while it
 * runs.
 *
 * The signal is the highest real-time signal that the program does not use; if the program uses it
 * later, sampling ends.
 */
#ifndef FERMATA_RECORD_SAMPLING_SAMPLE_H
#define FERMATA_RECORD_SAMPLING_SAMPLE_H

#include "record/sampling/sample_clock.h"
#include "record/sampling/sample_period.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fm_thread;

/** What sampling clocks have measured. */
struct fm_sampled_time {
    uint64_t signals; /**< how often they expired, also within recorded calls */
    uint64_t cpu;     /**< CPU time of their threads while they existed, nanoseconds */
};

/** Sampling state of one thread. Zeroed = not sampled. */
struct fm_thread_samples {
    struct fm_sample_clock clock;
    struct fm_sample_period period; /**< changed by the handler only, like the next but one */
    bool is_sampled;                /**< atomic: the function that clears it ends the clock */
    bool is_blocked;   /**< the program blocks the signal (signal_mask.h); of the thread itself */
    uint64_t cost;     /**< of the last expiry, nanoseconds; known when the next one is planned */
    uint64_t weight;   /**< of a sample at the last expiry, nanoseconds */
    bool look_again;   /**< code outside of all known modules: one may have been loaded */
    uint64_t taken;    /**< samples recorded; written by the handler only, like the next */
    uint64_t lost;     /**< samples not recorded: no room, or the stack could not be determined */
    uint64_t handling; /**< nanoseconds spent on samples, without the delivery of the signals */
    uint64_t fired;    /**< how often the clock expired; written by the handler only */
    pid_t tid;         /**< thread that the clock belongs to; 0: its CPU time is not known */
    uint64_t fired_before, cpu_before; /**< `fired` and CPU time when the clock was made */
    struct fm_sampled_time sampled;    /**< of the clocks that have ended; atomic members */
    const uint64_t *held; /**< fm_samples_hold: no samples while the next record is here */
    bool held_back;       /**< a sample was due meanwhile */
    long waits;           /**< voluntary context switches of the thread before the last sample */
    uint64_t flush_due;   /**< value that fm_thread.flush_due gets after the next look-up */
};

/** Numbers of a run, for its description. */
struct fm_sample_counts {
    double rate;   /**< in Hz; 0: nothing was sampled */
    bool is_asked; /**< the user has chosen the rate */
    uint64_t taken, lost;
    bool by_perf, by_timer; /**< whether threads were sampled by perf events, by CPU timers */
    uint64_t handling; /**< nanoseconds spent on samples, without the delivery of the signals */
    uint64_t delivery; /**< nanoseconds that the delivery of the signals has taken, an estimate */
    struct fm_sampled_time sampled; /**< of the clocks that have ended: complete after
                                         fm_samples_end */
};

/** Begins sampling, unless FERMATA_SAMPLE is `off`, at the frequency that it contains; else, if
 * call stacks are recorded, at most at FM_SAMPLE_RATE_DEFAULT, as often as the cost permits.
 * Samples the calling thread, which is between its calls, and threads that attach later.
 * FERMATA_SAMPLE_CLOCK chooses the clock (enum fm_sample_clock_choice).
 * @param tell  prints a message of the process to its user, as printf does */
void fm_samples_begin(void (*tell)(const char *format, ...));

/** Starts the clock of the calling thread, which is newly registered. errno is preserved. */
void fm_samples_attach(struct fm_thread *thread);

/** Ends the clock of a thread. Called by the thread itself, or while it does not run. */
void fm_samples_detach(struct fm_thread *thread);

/** Ends sampling of all threads for the rest of the run. Thread-safe. */
void fm_samples_end(void);

/** Reports that CPU timers have replaced perf events, if that is new: the handler must not. */
void fm_samples_report(void);

/** States that the rate asked for cannot be had (fm_obtained_rate_expect_less). */
bool fm_samples_expect_less(char *text, size_t size);

/** Switches samples off or on in all threads; the clocks go on. The waits in the C library that
 * they record (computation/blocking.h) are switched, too. Thread-safe. */
void fm_samples_switch(bool off);

/** Whether they are switched off. */
bool fm_samples_are_off(void);

/** Called when the program sets the action of a signal: if it is the signal of sampling, sampling
 * ends. Thread-safe; errno is preserved. */
void fm_samples_signal_set(int number);

/** Records the change of the call stack since the last event, for a record that follows directly.
 * Called in a signal handler, or with all signals blocked; errno is not preserved.
 * @param at     registers of the innermost function, and whether it was interrupted there, as for
 *               fm_stack_at_signal
 * @param words  room that the record needs
 * @return place of the record; NULL: there is no room, or the stack is not known */
uint64_t *fm_samples_put_stack(struct fm_thread *thread, struct fm_registers at, bool exact,
                               int words);

/** Holds samples of the calling thread back until fm_samples_resume, or until it records anything.
 */
void fm_samples_hold(struct fm_thread *thread);

/** Ends fm_samples_hold.
 * @param here  if a sample was due meanwhile, it is taken in the caller of this function; NULL: it
 *              is not taken. All signals are blocked. */
void fm_samples_resume(struct fm_thread *thread, const struct fm_here *here);

/** The signal that samples threads; 0: none. */
int fm_samples_signal(void);

/** Nanoseconds that the samples of a thread have taken so far, and the delivery of their signals.
 */
uint64_t fm_samples_spent(const struct fm_thread *thread);

/** Sums over all threads so far. */
struct fm_sample_counts fm_samples_count(void);

#endif
