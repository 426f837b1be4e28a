/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_flush.h"

#include "base/quantity.h"
#include "record/buffers/buffer_file.h"
#include "record/capture/guard.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_samples.h"
#include "record/counting/rank_snapshots.h"
#include "record/experiment/kept_variables.h"
#include "record/journal/journal.h"
#include "record/selection/size_limit.h"
#include "record/session/session.h"
#include "record/session/session_clock.h"
#include "record/session/session_objects.h"
#include "record/session/session_stack.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_FLUSH_INTERVAL = 2 /* seconds */ };

bool fm_session_journal_all_but_records(void)
{
    struct fm_thinning table;
    return fm_journal_definitions(&fm_session.definitions) &&
           fm_journal_sites(fm_session_sites()) && fm_session_journal_objects() &&
           (!fm_size_limit_changed(&table) || fm_journal_thinning(&table)) && fm_journal_flush();
}

void fm_session_note_thinning(void)
{
    struct fm_thinning table;
    if (fm_journal_takes_notes() &&
        fm_lock_try(&fm_session.lock)) { /* else the next flush does it */
        if (fm_size_limit_changed(&table)) {
            fm_journal_thinning(&table);
        }
        fm_unlock(&fm_session.lock);
    }
}

bool fm_session_journal_definitions(void)
{
    fm_lock(&fm_session.lock);
    fm_session_clock_note();
    bool good = fm_session_journal_all_but_records();
    fm_unlock(&fm_session.lock);
    return good;
}

static bool run_has_begun(void)
{
    return __atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE) != NULL;
}

bool fm_session_flush(struct fm_thread *thread, bool full)
{
    struct fm_guard guard;
    if (!run_has_begun()) {
        fm_session_open_alone();
    }
    if (fm_session_state.flight.bytes != 0) {
        if (__atomic_exchange_n(&fm_session_state.demanded, false, __ATOMIC_RELAXED)) {
            fm_session_save(false);
        }
        if (thread->slot == NULL && fm_thread_claim(thread)) {
            fm_thread_move_to_file(thread);
            fm_thread_unclaim(thread);
        }
        return false;
    }
    if (getpid() != fm_session_state.process || !run_has_begun()) {
        fm_thread_reuse(thread); /* a forked child, or before the run */
        return true;
    }
    if (!fm_session_is_set(&fm_session.open) || fm_session_is_set(&fm_session_state.ended) ||
        !fm_thread_claim(thread)) {
        return false;
    }
    fm_guard_begin(&guard);
    if (fm_counters_only()) {
        fm_session_note_sites();
        fm_thread_reuse(thread);
        fm_counter_file_tick();
        fm_rank_snapshots_look();
        fm_thread_unclaim(thread);
        fm_guard_end(&guard);
        return true;
    }
    uint64_t begin = fm_clock_now();
    fm_session_note_sites();
    bool good =
        fm_session_journal_definitions() && fm_journal_records(thread, fm_thread_unsaved(thread));
    int reason = errno;
    if (good) {
        fm_thread_reuse(thread);
        fm_thread_move_to_file(thread);
        fm_buffers_live();
        uint64_t end = fm_clock_now();
        thread->flushing += end - begin;
        fm_meter_exclude(&thread->meters, end - begin);
        bool has_ended = thread != fm_thread_self; /* the end of a thread is its last event */
        if ((full || end - begin > fm_session_state.noticeable) && !has_ended) {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_FLUSH);
            record[0] = fm_record_header(FM_RECORD_FLUSH, 0, 0);
            record[1] = begin;
            record[2] = end;
            fm_thread_publish(thread);
        }
        fm_counter_file_tick();
        fm_rank_snapshots_look();
        if (!full && !has_ended) {
            fm_counter_samples_record(thread, fm_clock_now());
        }
        __atomic_fetch_add(&fm_session_state.flushes, full ? 1 : 0, __ATOMIC_RELAXED);
    } else if (full) {
        fm_session_set(&fm_session_state.stopped);
        fm_threads_end();
        fm_session_tell("recording stopped: cannot write %s/journal: %s", fm_session.directory,
                        strerrordesc_np(reason));
    }
    if (!good) {
        fm_thread_release(thread);
    }
    fm_thread_unclaim(thread);
    fm_guard_end(&guard);
    return good;
}

/* @return the seconds that a variable has; `otherwise` if it has none */
static double seconds_in(const char *variable, double otherwise)
{
    const char *text = fm_variable(variable);
    uint64_t nanoseconds;
    return text != NULL && fm_duration_read(text, &nanoseconds) ? (double)nanoseconds / 1e9
                                                                : otherwise;
}

uint64_t fm_session_flush_interval(uint64_t resolution)
{
    const char *text = fm_variable("FERMATA_FLUSH_INTERVAL");
    if (text != NULL && strcmp(text, "never") == 0) {
        return UINT64_MAX;
    }
    double seconds = seconds_in("FERMATA_FLUSH_INTERVAL", DEFAULT_FLUSH_INTERVAL);
    double period = seconds_in(FM_SNAPSHOT_VARIABLE, seconds);
    double ticks = (period < seconds ? period : seconds) * (double)resolution;
    return ticks < 9e18 ? (uint64_t)ticks : UINT64_MAX;
}
