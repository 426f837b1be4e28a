/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/selected.h"

#include "record/capture/clock.h"
#include "record/selection/pause.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static struct {
    struct fm_scope selection;
    enum fm_scope_kind wrong; /* kind with an invalid value; FM_SCOPE_KINDS: none */
    bool foreign;             /* the program has a handler for the signal */
    bool installed;
    void (*on_signal)(void);
    _Atomic uint64_t visits; /* number of visits of the phase so far */
    _Atomic uint32_t open;   /* number of open recorded visits */
} selected = {.wrong = FM_SCOPE_KINDS, .on_signal = fm_pause_toggle};

void fm_selected_on_signal(void (*function)(void))
{
    selected.on_signal = function;
}

void fm_selected_begin(void)
{
    selected.wrong = fm_scope_read(&selected.selection);
    if (selected.selection.phase != NULL) {
        fm_pause_for(FM_PAUSE_PHASE, true);
    }
}

const struct fm_scope *fm_selected(void)
{
    return &selected.selection;
}

static void toggle(int number)
{
    int saved = errno;
    (void)number;
    selected.on_signal();
    errno = saved;
}

/* A handler that the program has installed stays in place. MPICH installs one for SIGUSR1. */
static void begin_signal(int number)
{
    struct sigaction before, action = {.sa_handler = toggle, .sa_flags = SA_RESTART};
    selected.foreign = sigaction(number, NULL, &before) != 0 || before.sa_handler != SIG_DFL;
    selected.installed = !selected.foreign && sigaction(number, &action, NULL) == 0;
}

static void look_for_signal(void)
{
    struct sigaction now;
    if (selected.installed && sigaction(selected.selection.signal, NULL, &now) == 0) {
        selected.foreign = now.sa_handler != toggle;
    }
}

const char *fm_selected_problem(void)
{
    static char text[128];
    if (selected.wrong != FM_SCOPE_KINDS) {
        snprintf(text, sizeof text, "%s is not understood: it selects nothing",
                 fm_scope_variable(selected.wrong));
        return text;
    }
    look_for_signal();
    return selected.foreign ? "the program or its MPI library handles the signal itself: it does "
                              "nothing to the recording"
                            : NULL;
}

static uint64_t ticks(uint64_t now, double seconds)
{
    double span = seconds * (double)fm_clock_resolution();
    return span < 9e18 ? now + (uint64_t)span : UINT64_MAX;
}

void fm_selected_run_begins(uint32_t rank)
{
    const struct fm_scope *selection = &selected.selection;
    uint64_t now = fm_clock_now();
    if (!fm_scope_has_rank(selection, rank)) {
        fm_pause_for(FM_PAUSE_RANK, true);
    }
    if (selection->begin > 0 || selection->end < INFINITY) {
        fm_pause_outside(ticks(now, selection->begin), ticks(now, selection->end));
    }
    if (selection->signal != 0) {
        begin_signal(selection->signal);
    }
}

bool fm_selected_visit_begins(void)
{
    uint64_t visit = atomic_fetch_add(&selected.visits, 1);
    if (visit < selected.selection.first || visit > selected.selection.last) {
        return false;
    }
    if (atomic_fetch_add(&selected.open, 1) == 0) {
        fm_pause_for(FM_PAUSE_PHASE, false);
    }
    return true;
}

void fm_selected_visit_ends(void)
{
    if (atomic_fetch_sub(&selected.open, 1) == 1) {
        fm_pause_for(FM_PAUSE_PHASE, true);
    }
}
