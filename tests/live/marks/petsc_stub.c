/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with the log of PETSc 3.18, which calls its own functions by name as that does. */
#include "petsc_stub.h"

#include <stddef.h>

handler_t *PetscLogPLB, *PetscLogPLE;

static int event_count, stage_count, depth, begins, ends;

static int begin(int event, int unused, void *a, void *b, void *c, void *d)
{
    (void)event, (void)unused, (void)a, (void)b, (void)c, (void)d;
    begins++;
    return 0;
}

static int end(int event, int unused, void *a, void *b, void *c, void *d)
{
    (void)event, (void)unused, (void)a, (void)b, (void)c, (void)d;
    ends++;
    return 0;
}

int PetscLogEventRegister(const char *name, int class, int *event)
{
    (void)name, (void)class;
    *event = event_count++;
    return 0;
}

int PetscLogStageRegister(const char *name, int *stage)
{
    (void)name;
    *stage = stage_count++;
    return 0;
}

int PetscLogStagePush(int stage)
{
    (void)stage;
    depth++;
    return 0;
}

int PetscLogStagePop(void)
{
    return depth-- > 0 ? 0 : 58;
}

int PetscLogSet(handler_t *begin_event, handler_t *end_event)
{
    PetscLogPLB = begin_event;
    PetscLogPLE = end_event;
    return 0;
}

int PetscLogDefaultBegin(void)
{
    return PetscLogSet(begin, end);
}

int PetscInitializeStub(int view)
{
    int event, stage;
    PetscLogStageRegister("Main Stage", &stage);
    PetscLogEventRegister("MatMult  ", 0, &event);
    return view ? PetscLogDefaultBegin() : 0;
}

void count_events(int *begun, int *ended)
{
    *begun = begins;
    *ended = ends;
}
