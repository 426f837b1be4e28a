/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/flight/session_flight.h"

#include "record/experiment/experiment.h"
#include "record/flight/flight.h"
#include "record/flight/session_save.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_flush.h"
#include "record/session/session_state.h"

bool fm_session_flight_write(struct fm_thread *thread, struct fm_thread *threads)
{
    bool good = true;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        fm_thread_settle(each, fm_session_wait_briefly(fm_session_claim, each));
    }
    uint64_t begin = fm_session_state.flight.always ? fm_flight_begin_of_kept(threads) : UINT64_MAX;
    good = fm_session_journal_definitions();
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        uint64_t resume = begin != UINT64_MAX ? begin : each == thread ? each->enter : UINT64_MAX;
        good = good && each->settled != NULL && fm_flight_write(each, begin, resume);
        if (each->settled != NULL) {
            fm_thread_unclaim(each);
        }
    }
    return good;
}

void fm_session_flight_discard(struct fm_thread *threads)
{
    fm_journal_remove(threads);
    fm_session.exchange->barrier();
    if (fm_session.exchange->rank == 0) {
        fm_experiment_remove(fm_session.directory);
    }
}

bool fm_session_flight_is_wanted(void)
{
    uint64_t asked = fm_session_state.flight.bytes == 0 || fm_session_state.flight.always ||
                     fm_session_is_set(&fm_session_state.asked);
    fm_session.exchange->reduce(&asked, 1, FM_REDUCE_MAX);
    return asked != 0 || fm_session.exchange->failure != NULL;
}
