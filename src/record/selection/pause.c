/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/pause.h"

#include "record/capture/lock.h"
#include "record/capture/thread.h"
#include "record/counting/counter_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    fm_lock_t lock;            /* of the times */
    _Atomic uint32_t switches; /* odd: paused */
    uint64_t *times;           /* of the switches */
    size_t room;
    bool running;
    uint32_t reasons;           /* current reasons to pause: enum fm_pause_reason */
    _Atomic uint64_t window[2]; /* begin and end of the time window; UINT64_MAX: passed, or none */
    _Atomic uint32_t toggles;   /* number of switches by signals */
    _Atomic uint64_t toggled;   /* time of the last one */
    _Atomic uint32_t toggles_seen;
    const char *(*function_name)(uint32_t function);
} pause_state = {.lock = FM_LOCK_FREE, .window = {UINT64_MAX, UINT64_MAX}};

bool fm_calls_are_off;

static void set_calls_off(bool off)
{
    __atomic_store_n(&fm_calls_are_off, off, __ATOMIC_RELAXED);
}

/* With the lock, after a change. The begin of a time window is noticed by calls. */
static void update_calls_off(void)
{
    set_calls_off(pause_state.running && (pause_state.switches & 1) != 0 &&
                  pause_state.window[0] == UINT64_MAX && fm_counters_only());
}

void fm_pause_begin(const char *(*function_name)(uint32_t function))
{
    pause_state.function_name = function_name;
}

/* Makes every thread check for a switch before its next record. A thread that schedules a flush at
 * the same time checks afterwards. */
static void tell_threads(void)
{
    fm_threads_attend();
}

/* With the lock. Keeps the times ascending: the end of the time window may be processed after a
 * later pause by the program. */
static void switch_to(bool paused, uint64_t time)
{
    uint32_t switches = pause_state.switches;
    bool due = pause_state.running && (switches & 1) != paused;
    if (due && switches == pause_state.room) {
        size_t room = switches != 0 ? 2 * (size_t)switches : 64;
        uint64_t *times = realloc(pause_state.times, room * sizeof *times);
        if (times != NULL) {
            pause_state.times = times;
            pause_state.room = room;
        }
        due = times != NULL; /* without memory the switch is omitted */
    }
    if (due) {
        uint64_t last = switches != 0 ? pause_state.times[switches - 1] : 0;
        pause_state.times[switches] = time > last ? time : last;
        pause_state.switches = switches + 1;
        tell_threads();
    }
}

/* With the lock. */
static void want(uint32_t reason, bool paused, uint64_t time)
{
    pause_state.reasons =
        paused ? pause_state.reasons | reason : pause_state.reasons & ~(uint32_t)reason;
    switch_to(pause_state.reasons != 0, time);
    update_calls_off();
}

uint64_t fm_pause_next(void)
{
    uint64_t begin = pause_state.window[0], end = pause_state.window[1];
    return begin < end ? begin : end;
}

/* With the lock: applies the switches by time and by signals that are due. */
static void catch_up(void)
{
    uint64_t now = fm_clock_now();
    for (int i = 0; i < 2; i++) {
        uint64_t time = pause_state.window[i];
        if (time <= now) {
            pause_state.window[i] = UINT64_MAX;
            want(FM_PAUSE_WINDOW, i == 1, time);
        }
    }
    uint32_t toggles = pause_state.toggles;
    if (toggles != pause_state.toggles_seen) {
        pause_state.toggles_seen = toggles;
        want(FM_PAUSE_SIGNAL, (toggles & 1) != 0, pause_state.toggled);
    }
}

static bool is_behind(void)
{
    return pause_state.toggles != pause_state.toggles_seen ||
           (fm_pause_next() != UINT64_MAX && fm_pause_next() <= fm_clock_now());
}

static void lock_and_catch_up(void)
{
    fm_lock(&pause_state.lock);
    if (pause_state.running && is_behind()) {
        catch_up();
    }
}

void fm_pause_since(enum fm_pause_reason reason, bool paused, uint64_t time)
{
    int saved = errno;
    lock_and_catch_up();
    want(reason, paused, pause_state.running ? time : 0);
    fm_unlock(&pause_state.lock);
    errno = saved;
}

void fm_pause_for(enum fm_pause_reason reason, bool paused)
{
    int saved = errno;
    lock_and_catch_up();
    want(reason, paused, pause_state.running ? fm_clock_now() : 0);
    fm_unlock(&pause_state.lock);
    errno = saved;
}

void fm_pause(void)
{
    fm_pause_for(FM_PAUSE_PROGRAM, true);
}

void fm_resume(void)
{
    fm_pause_for(FM_PAUSE_PROGRAM, false);
}

void fm_pause_outside(uint64_t begin, uint64_t end)
{
    fm_pause_for(FM_PAUSE_WINDOW, begin > fm_clock_now());
    pause_state.window[0] = begin;
    pause_state.window[1] = end;
    set_calls_off(false); /* again with the window's begin, if it is outside then */
    tell_threads();
}

void fm_pause_toggle(void)
{
    pause_state.toggled = fm_clock_now();
    pause_state.toggles++;
    set_calls_off(false); /* the next call looks what holds */
    tell_threads();
}

bool fm_is_recording(void)
{
    int saved = errno;
    lock_and_catch_up();
    bool recording = pause_state.reasons == 0;
    fm_unlock(&pause_state.lock);
    errno = saved;
    return recording;
}

void fm_pause_run_begins(void)
{
    fm_lock(&pause_state.lock);
    pause_state.running = true;
    switch_to(pause_state.reasons != 0, fm_clock_now());
    update_calls_off();
    fm_unlock(&pause_state.lock);
}

/* ---- a thread ---- */

static void write_switch(struct fm_thread *thread, enum fm_record_kind kind, uint32_t regions,
                         uint64_t time)
{
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_RECORDING_ON);
    record[0] = fm_record_header(kind, 0, regions);
    record[1] = time;
}

void fm_pause_mark(struct fm_thread *thread)
{
    thread->pause.chunk = thread->current;
    thread->pause.mark = thread->cursor;
    __atomic_store_n(thread->ends, thread->cursor, __ATOMIC_RELEASE);
}

static void begin_pause(struct fm_thread *thread, uint64_t time,
                        bool (*flush)(struct fm_thread *thread, bool full))
{
    fm_merged_visits_tell(thread, NULL);
    thread->pause.is_counted =
        (pause_state.reasons & ~(uint32_t)(FM_PAUSE_THINNED | FM_PAUSE_SIZE)) == 0;
    write_switch(thread, FM_RECORD_RECORDING_OFF, 0, time);
    if (flush != NULL) {
        flush(thread, false); /* the process may be killed during a long pause */
    }
    fm_pause_mark(thread);
    thread->publish = &thread->unpublished;
    thread->pause.paused = true;
    thread->pause.common = thread->open.count;
    thread->pause.stack = thread->stack;
    thread->stack = NULL;
}

void fm_pause_fold(struct fm_thread *thread)
{
    struct fm_thread_pause *pause = &thread->pause;
    const uint64_t *record = pause->mark;
    for (struct fm_chunk *chunk = pause->chunk;;) {
        const uint64_t *end = chunk == thread->current ? thread->cursor : chunk->used;
        while (record < end) {
            enum fm_record_kind kind = fm_record_kind(record[0]);
            if (kind == FM_RECORD_CALL || kind == FM_RECORD_CALL_LONG) {
                pause->function = fm_record_aux(record[0]);
            }
            if (!fm_unrecorded_note(&pause->unrecorded, record,
                                    pause_state.function_name(pause->function))) {
                pause->broken = true;
            }
            record += fm_record_words[kind];
        }
        if (chunk == thread->current) {
            break;
        }
        chunk = chunk->next;
        record = chunk->words;
    }
    fm_thread_rewind(thread, pause->chunk, pause->mark);
    pause->common = thread->open.count < pause->common ? thread->open.count : pause->common;
}

static void write_unrecorded(struct fm_thread *thread)
{
    struct fm_unrecorded_table *table = &thread->pause.unrecorded;
    for (size_t i = 0; table->count != 0 && i < table->capacity; i++) {
        const struct fm_unrecorded_count *entry = &table->slots[i];
        if (entry->series != 0) {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_UNRECORDED);
            record[0] = fm_record_header(FM_RECORD_UNRECORDED, entry->series, entry->reference);
            record[1] = entry->peer | (uint64_t)entry->tag << 32;
            record[2] = entry->count;
        }
    }
    fm_unrecorded_clear(table);
}

/* Leaves the regions that were left during the pause, and enters those that were entered. A phase
 * is not entered: the rest of its visit would be counted as a visit. */
static void end_pause(struct fm_thread *thread, uint64_t time)
{
    uint64_t *regions = thread->open.regions;
    uint32_t stayed = 0;
    thread->pause.paused = false;
    thread->publish = thread->ends;
    thread->stack = thread->pause.stack;
    write_unrecorded(thread);
    for (size_t i = 0; i < thread->pause.common; i++) {
        stayed += (regions[i] & FM_OPEN_UNRECORDED) == 0;
    }
    write_switch(thread, FM_RECORD_RECORDING_ON, stayed, time);
    for (size_t i = thread->pause.common; i < thread->open.count; i++) {
        const struct fm_open_region *region = fm_open_region(regions[i]);
        if ((regions[i] & FM_OPEN_UNRECORDED) != 0) {
            continue;
        }
        if (region->is_phase) {
            regions[i] |= FM_OPEN_UNRECORDED;
        } else {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_REGION_ENTER);
            record[0] = fm_record_header(FM_RECORD_REGION_ENTER, 0, region->number);
            record[1] = time;
        }
    }
    fm_thread_publish(thread);
}

bool fm_pause_is_due(const struct fm_thread *thread)
{
    if (pause_state.running && is_behind()) {
        lock_and_catch_up();
        fm_unlock(&pause_state.lock);
    }
    return thread->pause.seen != pause_state.switches;
}

bool fm_calls_were_off(const struct fm_thread *thread)
{
    return fm_counters_only() && fm_pause_is_due(thread);
}

bool fm_pause_attend(struct fm_thread *thread, bool (*flush)(struct fm_thread *thread, bool full))
{
    struct fm_thread_pause *pause = &thread->pause;
    if (pause->paused) {
        fm_pause_fold(thread);
    }
    while (fm_pause_is_due(thread)) {
        fm_lock(&pause_state.lock);
        uint64_t time = pause_state.times[pause->seen];
        fm_unlock(&pause_state.lock);
        pause->seen++;
        if ((pause->seen & 1) != 0) {
            begin_pause(thread, time, flush);
        } else if (pause->paused) {
            end_pause(thread, time);
        }
    }
    return pause->paused;
}

void fm_pause_attach(struct fm_thread *thread)
{
    thread->pause.seen = pause_state.switches;
    if ((thread->pause.seen & 1) != 0) {
        begin_pause(thread, fm_clock_now(), NULL);
        thread->flush_due = 0;
    }
}

void fm_pause_run_ends(struct fm_thread *thread)
{
    if (thread != NULL) {
        bool paused = thread->pause.paused;
        lock_and_catch_up();
        pause_state.window[0] = pause_state.window[1] = UINT64_MAX;
        switch_to(false, thread->enter);
        fm_unlock(&pause_state.lock);
        fm_pause_attend(thread, NULL);
        if (paused && thread->stack != NULL) {
            fm_thread_note_stack(thread, thread->pause.here);
        }
        if (paused && thread->functions.due) {
            fm_functions_tell(thread, thread->enter);
        }
    }
    set_calls_off(false);
    pause_state.running = false;
    pause_state.reasons = FM_PAUSE_PROGRAM; /* nothing is recorded any more */
}
