/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of PETSc 3.18's log that petsc_stub.c has, declared by PETSc's documentation.
 */
#ifndef FERMATA_TESTS_LIVE_MARKS_PETSC_STUB_H
#define FERMATA_TESTS_LIVE_MARKS_PETSC_STUB_H

typedef int handler_t(int event, int unused, void *a, void *b, void *c, void *d);
extern handler_t *PetscLogPLB, *PetscLogPLE;

/** Begins the log. @param view  with a log of its own, as -log_view does */
int PetscInitializeStub(int view);
int PetscLogEventRegister(const char *name, int class, int *event);
int PetscLogStageRegister(const char *name, int *stage);
int PetscLogStagePush(int stage);
int PetscLogStagePop(void);
int PetscLogSet(handler_t *begin, handler_t *end);
int PetscLogDefaultBegin(void);

/** What the log of its own has counted: begins, ends. */
void count_events(int *begins, int *ends);

#endif
