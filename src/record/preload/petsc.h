/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * PETSc's log functions, which the preload library interposes for marks (docs/marks.md), and what
 * the library of marks does at their calls.
 */
#ifndef FERMATA_RECORD_PRELOAD_PETSC_H
#define FERMATA_RECORD_PRELOAD_PETSC_H

/** A handler of events of PETSc up to version 3.19: event, unused, four objects. @return an error
 * code, 0: none */
typedef int fm_petsc_handler_t(int event, int unused, void *a, void *b, void *c, void *d);

/** What the library of marks does after the calls; the numbers are PETSc's. */
struct fm_petsc_marks {
    /** Puts itself in front of the handlers of PETSc, unless it is there already.
     * @param begin, end  PETSc's variables PetscLogPLB and PetscLogPLE */
    void (*connect)(fm_petsc_handler_t **begin, fm_petsc_handler_t **end);
    void (*event_registered)(const char *name, int event);
    void (*stage_registered)(const char *name, int stage);
    void (*stage_pushed)(int stage);
    void (*stage_popped)(void);
};

/** The symbol that the library of marks exports, a struct fm_petsc_marks. */
#define FM_PETSC_SYMBOL "fermata_petsc_marks"

/** Loads a library of the recorder, which is in the folder of this library.
 * @return its symbol `name`; NULL: failed, with a message, or the process may not be recorded */
const void *fm_preload_own_symbol(const char *file, const char *name);

#endif
