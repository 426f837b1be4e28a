/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/flight/session_save.h"

#include "record/capture/guard.h"
#include "record/counting/counter_file.h"
#include "record/flight/flight.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_flush.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool saving; /* atomic: fm_session_save is running */

bool fm_session_wait_briefly(bool (*attempt)(void *context), void *context)
{
    enum { ATTEMPTS = 500 };
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < ATTEMPTS; i++) {
        if (attempt(context)) {
            return true;
        }
        nanosleep(&pause, NULL);
    }
    errno = EBUSY;
    return false;
}

bool fm_session_claim(void *thread)
{
    return fm_thread_claim(thread);
}

static bool try_definitions(void *unused)
{
    (void)unused;
    return fm_lock_try(&fm_session.lock);
}

static bool try_saving(void *unused)
{
    (void)unused;
    return !__atomic_exchange_n(&saving, true, __ATOMIC_ACQUIRE);
}

/* Writes to the journal's file of definitions, to which other threads append, too. */
static bool write_definitions(bool (*write)(void))
{
    if (!fm_session_wait_briefly(try_definitions, NULL)) {
        return false;
    }
    bool good = write();
    fm_unlock(&fm_session.lock);
    return good;
}

/* Writes the records of all threads to the journal, after the definitions that they refer to.
 * @param ending  also the calls that they are in, unless the buffer file has these
 * @return false: not all were written, errno is the reason */
static bool save_all(bool ending)
{
    struct fm_thread *threads = fm_threads_all();
    bool good = true;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        bool claimed = fm_session_wait_briefly(fm_session_claim, each);
        fm_thread_settle(each, claimed);
        good = good && claimed;
    }
    bool defined = write_definitions(fm_session_journal_all_but_records);
    bool flight = fm_session_state.flight.bytes != 0;
    uint64_t begin = flight ? fm_flight_begin_of_kept(threads) : 0;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        if (each->settled != NULL) {
            good = defined &&
                   (flight ? fm_flight_write(each, begin, begin)
                           : fm_journal_records(each, fm_thread_settled(each))) &&
                   (!ending || each->slot != NULL || fm_journal_open_call(each)) && good;
            fm_thread_unclaim(each);
        }
    }
    return good && defined;
}

void fm_session_save(bool ending)
{
    struct fm_guard guard;
    if (!fm_session_is_set(&fm_session.open) || fm_session_is_set(&fm_session_state.ended) ||
        getpid() != fm_session_state.process || fm_counters_only()) {
        return;
    }
    fm_guard_begin(&guard);
    fm_guard_hold_signals(); /* a handler that also saves would wait for the interrupted save */
    fm_session_set(&fm_session_state.asked);
    bool good = fm_session_wait_briefly(try_saving, NULL);
    if (good) {
        good = save_all(ending) && (!ending || fm_session_is_set(&fm_session_state.stopped) ||
                                    write_definitions(fm_journal_saved));
        __atomic_store_n(&saving, false, __ATOMIC_RELEASE);
    }
    if (!good && errno == EBUSY && !ending && fm_session_state.flight.bytes != 0) {
        /* The request interrupted the recorder's own work: the next call saves. */
        fm_session_set(&fm_session_state.demanded);
        fm_threads_attend();
    } else if (!good) {
        fm_session_tell("what was measured last cannot be written to %s/journal: %s",
                        fm_session.directory, strerrordesc_np(errno));
    }
    fm_guard_end(&guard);
}

void fm_session_demand(void)
{
    if (fm_session_state.flight.bytes != 0) {
        fm_session_save(false);
    }
}
