/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions of the C library in which threads sleep or wait (blocking.def). If the program itself
 * calls one, in a thread that is sampled, between its recorded calls, and the call takes 20 us or
 * more, it is recorded as a call of a function of the program, with the call stack. That is decided
 * after the call: shorter ones cost two readings of the clock. The time in these calls, of threads
 * that are not sampled too, is no time without a processor (stolen_time.h).
 *
 * The functions may be called in signal handlers and may be left by longjmp or cancellation.
 * Therefore nothing of the recorder is held or reserved during the call.
 */
#ifndef FERMATA_RECORD_COMPUTATION_BLOCKING_H
#define FERMATA_RECORD_COMPUTATION_BLOCKING_H

#include "record/capture/hot.h"
#include "record/stack/registers.h"

#include <stdint.h>

/** Numbers of the functions. */
enum fm_blocking {
#define FM_BLOCKING(signals, type, name, parameters, arguments) FM_BLOCKING_##name,
#include "record/computation/blocking.def"
#undef FM_BLOCKING
    FM_BLOCKING_COUNT
};

/** Measures a call in which the calling thread waits, and which is not recorded: the time is no
 * time without a processor. Called in any thread, in signal handlers too.
 * @return the begin; 0: the time does not count */
FM_API uint64_t fm_blocking_measure_begin(void);

/** Ends the measurement. errno is preserved. */
FM_API void fm_blocking_measure_end(uint64_t begin);

struct fm_paradigm;

/** The functions as a paradigm, whose wrappers are in the preload library. */
extern const struct fm_paradigm fm_blocking_functions;

/** A call of one of the functions. */
struct fm_blocking_call {
    uint64_t begin; /**< 0: it is neither recorded nor measured */
    int signal;     /**< that samples the thread; 0: none, or the thread is in a recorded call */
};

/** Called before a call, in any thread, in signal handlers too. errno is preserved. */
struct fm_blocking_call fm_blocking_begin(void);

/** Called after a call whose `begin` is not 0. errno is preserved.
 * @param here  the function that the program has called */
void fm_blocking_end(enum fm_blocking function, struct fm_blocking_call call, struct fm_here here);

#endif
