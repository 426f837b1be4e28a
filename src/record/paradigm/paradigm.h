/** @file
 * A paradigm: a way in which programs communicate or share work, whose functions are recorded (MPI,
 * OpenSHMEM, OpenMP, threads). Each has a folder with a table of its functions and its wrappers,
 * which become a library of their own (for MPI one for each MPI library). The recorder
 * (libfermata-recorder.so) knows a paradigm by the structure below only.
 *
 *     program -> libfermata-preload.so -> libfermata-<paradigm>.so -> the paradigm's library
 *                (exports all names)       (wrappers)   |
 *                                                       v
 *                                          libfermata-recorder.so -> archive
 *
 * Life of a paradigm in a process:
 *  1. The program calls one of its functions for the first time. The preload library finds the
 *     paradigm's library in the process, loads the wrappers for it, fills `next`, hands the
 * paradigm to the recorder, which sets `*first` and calls `attach`, and leads all names to the
 * wrappers.
 *  2. Its wrappers record calls. When its library has been initialized a wrapper says so:
 *     fm_session_open if the paradigm numbers the processes and lets them exchange data, else
 *     fm_session_join. A paradigm that is there without being initialized (OpenMP) does neither.
 *  3. The wrapper of its last function calls fm_session_leave. The last paradigm to leave writes
 * the archive; then `finalize` of each is called.
 */
#ifndef FERMATA_RECORD_PARADIGM_PARADIGM_H
#define FERMATA_RECORD_PARADIGM_PARADIGM_H

#include "record/paradigm/description.h"

#include <stdint.h>

/** Any function; cast to its real type where it is called. */
typedef void (*fm_function_t)(void);

/** A recorded function. */
struct fm_function {
    const char *name;
    uint32_t role; /**< OTF2_RegionRole */
};

/** A paradigm. Constant; all that it refers to is valid to the end of the process. */
struct fm_paradigm {
    const struct fm_paradigm_description *description;
    uint32_t count; /**< number of functions, all those of its table */
    const struct fm_function *functions;
    const fm_function_t *wrappers; /**< by function; NULL: its library is called directly */
    /** How wrappers reach the functions that they wrap. NULL: by names of their own (PMPI_...),
     * with which the wrappers are linked. Else the paradigm's library has no such names: room for
     * `count` functions, which the preload library fills with those of the paradigm's library
     * (NULL: it has none of that name). */
    fm_function_t *next;
    /** Receives the number of the first function in records: the numbers of several paradigms in
     * one process do not overlap. Wrappers add it to theirs (wrapper.h). */
    uint32_t *first;
    /** Called once, before any wrapper runs, by the thread that calls the first of them. NULL:
     * nothing to do. */
    void (*attach)(void);
    /** Called once when the run has ended in order and its archive is written (or could not be), in
     * the reverse order of `attach`: nothing is exchanged any more. Gives back what `attach` and
     * the wrappers acquired, and shuts the paradigm's library down if its last call had to wait for
     * that (fm_session_leave). NULL: nothing to do. */
    void (*finalize)(void);
};

/** Name of the symbol that a library of wrappers exports: a struct fm_paradigm. */
#define FM_PARADIGM_SYMBOL "fermata_paradigm"

#endif
