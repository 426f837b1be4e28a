/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the preload library knows of the recorder.
 */
#ifndef FERMATA_RECORD_INTERFACE_H
#define FERMATA_RECORD_INTERFACE_H

#include "record/computation/blocking.h"
#include "record/gpu_option.h"
#include "record/paradigm/paradigm.h"
#include "record/sampling/signal_mask.h"
#include "user/interface.h"

#include <stdbool.h>
#include <stdint.h>

/** File name of the recorder, beside the preload library; and of the symbol that it exports, a
 * struct fm_recorder. */
#define FM_RECORDER_LIBRARY "libfermata-recorder.so"
#define FM_RECORDER_SYMBOL  "fermata_recorder"

/** File name of the tool for runtimes of OpenMP with a tools interface; and of the symbol that it
 * exports, a struct fm_ompt_tool. */
#define FM_OMPT_LIBRARY "libfermata-ompt.so"
#define FM_OMPT_SYMBOL  "fermata_tool"

/** File name of the collector of CUDA, a paradigm (FM_PARADIGM_SYMBOL). gpu_option.h selects it. */
#define FM_CUDA_LIBRARY "libfermata-cuda.so"

/** What the recorder offers. All libraries are of one build. */
struct fm_recorder {
    /** Called once, before all others.
     * @param start_ticks        the process's start, in ticks of the time-stamp counter (0: none)
     * @param start_nanoseconds  the same moment, CLOCK_MONOTONIC_RAW
     * @param environment        of the program's start: NAME=value, ended by NULL; may be NULL */
    void (*begin)(uint64_t start_ticks, uint64_t start_nanoseconds, char *const *environment);
    /** Adds a paradigm, whose functions are recorded from then on; by one thread at a time.
     * @return false: there is no room for it, its library is to be called directly */
    bool (*attach)(const struct fm_paradigm *paradigm);
    /** All paradigms whose libraries are loaded so far are attached: the run may begin. */
    void (*attached)(void);
    /** Called in place of pthread_sigmask() and sigprocmask(); see sampling/signal_mask.h. */
    int (*signal_mask)(int how, const sigset_t *set, sigset_t *before, fm_mask_function_t *next);
    /** The program's main function, at this address, is about to be called: a run of this process
     * alone begins now. At most once, by the thread that calls it; after attached(). */
    void (*main_begins)(uint64_t address);
    const struct fm_user_functions *user; /**< for programs that mark themselves up */
    /** Saves what was measured, since the process may end; in any thread, in signal handlers too.
     * @param ending  it does end: the call that is open does not return */
    void (*save)(bool ending);
    /** The program sets what a signal does; in any thread, in signal handlers too. */
    void (*signal_set)(int number);
    /** Before and after a call of a function of the C library that may block
     * (computation/blocking.h). */
    struct fm_blocking_call (*blocking_begin)(void);
    void (*blocking_end)(enum fm_blocking function, struct fm_blocking_call call,
                         struct fm_here here);
    void (*unloaded)(void); /**< called when dlclose() may have unloaded a library */
    /** What the compiler lets instrumented functions call when they begin, and when they end. In
     * any thread, in signal handlers too. */
    void (*function_enter)(void *function, void *call_site);
    void (*function_leave)(void *function, void *call_site);
};

#endif
