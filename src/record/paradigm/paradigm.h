/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A paradigm: a programming interface for communication or parallelism whose functions are recorded
 * (MPI, OpenSHMEM, OpenMP, threads). Each has a folder with a table of its functions and its
 * wrappers, which are built as a separate library (for MPI one for each MPI library). The recorder
 * (libfermata-recorder.so) accesses a paradigm only through the structure below.
 *
 *     program -> libfermata-preload.so -> libfermata-<paradigm>.so -> the paradigm's library
 *                (exports all names)       (wrappers)   |
 *                                                       v
 *                                          libfermata-recorder.so -> archive
 *
 * Life of a paradigm in a process:
 *  1. The program calls one of its functions for the first time. The preload library finds the
 *     paradigm's library in the process, loads the wrappers for it and fills `next`. It passes the
 *     paradigm to the recorder, which sets `*first` and calls `attach`. Then it redirects all names
 *     to the wrappers.
 *  2. Its wrappers record calls. The wrapper of the function that initializes its library calls
 *     fm_session_open if the paradigm has ranks and can exchange data, else fm_session_join. A
 *     paradigm without initialization (OpenMP) calls neither.
 *  3. The wrapper of its last function calls fm_session_leave. The call of the last open paradigm
 *     writes the archive; then `finalize` of each paradigm is called.
 */
#ifndef FERMATA_RECORD_PARADIGM_PARADIGM_H
#define FERMATA_RECORD_PARADIGM_PARADIGM_H

#include "record/paradigm/description.h"

#include <stdbool.h>
#include <stdint.h>

/** Any function; cast to its real type where it is called. */
typedef void (*fm_function_t)(void);

/** Receives an object by which threads synchronize.
 * @param id       its number in records
 * @param address  of the variable */
typedef void fm_object_report_t(void *context, uint32_t id, uint64_t address);

/** A recorded function. */
struct fm_function {
    const char *name;
    uint32_t role; /**< OTF2_RegionRole */
};

/** A paradigm. Constant; all data that it refers to is valid to the end of the process. */
struct fm_paradigm {
    const struct fm_paradigm_description *description;
    uint32_t count; /**< number of functions in its table */
    const struct fm_function *functions;
    const fm_function_t *wrappers; /**< by function; NULL: its library is called directly */
    /** How wrappers call the original functions. NULL: by a second name (PMPI_...), with which the
     * wrappers are linked. Else, if the paradigm's library has no such names: an array of `count`
     * functions, which the preload library fills with those of the paradigm's library (NULL: the
     * library does not define the function). */
    fm_function_t *next;
    /** Receives the number of the first function in records, so that the numbers of several
     * paradigms in a process do not overlap. Wrappers add it to their functions' numbers
     * (wrapper.h). */
    uint32_t *first;
    /** Called once, before any wrapper runs, by the thread that calls the first one. NULL: no
     * action. */
    void (*attach)(void);
    /** Called when the run is about to end, while records and definitions can still be added: what
     * the paradigm's library has reported late is taken over. NULL: no action. */
    void (*run_ends)(void);
    /** Called once after the regular end of the run, when its archive is written (or could not be),
     * in the reverse order of `attach`. No data is exchanged after it. Releases the resources of
     * `attach` and of the wrappers, and shuts the paradigm's library down if its last call has
     * deferred that (fm_session_leave). NULL: no action. */
    void (*finalize)(void);
    /** Reports the objects that records refer to (locks, conditions), with their addresses in the
     * process. Takes no lock, calls no malloc. NULL: there are none.
     * @param only_new  those that were not reported with `only_new` before */
    void (*report_objects)(fm_object_report_t *report, void *context, bool only_new);
};

/** Name of the symbol that a library of wrappers exports: a struct fm_paradigm. */
#define FM_PARADIGM_SYMBOL "fermata_paradigm"

#endif
