/** @file
 * What the preload library and the libraries of wrappers (one per MPI library) know of each other.
 */
#ifndef FERMATA_RECORD_INTERFACE_H
#define FERMATA_RECORD_INTERFACE_H

#include "user/interface.h"

#include <stdbool.h>
#include <stdint.h>

/** Any function; cast to its real type by who knows it. */
typedef void (*fm_function_t)(void);

/** Name of the symbol a wrapper library exports: a struct fm_wrapper_library. */
#define FM_WRAPPER_LIBRARY_SYMBOL "fermata_wrapper_library"

/** What a wrapper library offers. Both libraries are of one build. */
struct fm_wrapper_library {
    uint32_t count; /**< number of functions in the table both libraries were generated from */
    const fm_function_t *wrappers; /**< `count` entries; NULL: call the MPI library directly */
    /** Called once, before any wrapper.
     * @param start_ticks        the process's start, in ticks of the time-stamp counter (0: none)
     * @param start_nanoseconds  the same moment, CLOCK_MONOTONIC_RAW */
    void (*begin)(uint64_t start_ticks, uint64_t start_nanoseconds);
    const struct fm_user_functions *user; /**< for programs that mark themselves up */
    /** Saves what was measured, since the process may end; in any thread, in signal handlers too.
     * @param ending  it does end: the call that is open does not return */
    void (*save)(bool ending);
    /** The program sets what a signal does; in any thread, in signal handlers too. */
    void (*signal_set)(int number);
    void (*unloaded)(void); /**< called when dlclose() may have unloaded a library */
    /** What the compiler lets instrumented functions call when they begin, and when they end. In
     * any thread, in signal handlers too. */
    void (*function_enter)(void *function, void *call_site);
    void (*function_leave)(void *function, void *call_site);
};

#endif
