/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/instrumented_functions.h"

#include "base/quantity.h"
#include "record/capture/thread.h"
#include "record/experiment/kept_variables.h"
#include "record/selection/function_filter.h"
#include "record/stack/bounds.h"
#include "record/stack/places.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t shortest; /* visits of fewer ticks are not recorded */

void fm_functions_begin(void (*tell)(const char *format, ...))
{
    const char *text = fm_variable("FERMATA_MIN_DURATION");
    uint64_t nanoseconds;
    fm_function_filter_begin(tell);
    if (text == NULL || text[0] == '\0') {
        return;
    }
    if (fm_duration_read_with_unit(text, &nanoseconds)) {
        shortest = (uint64_t)((double)nanoseconds * (double)fm_clock_resolution() / 1e9);
    } else {
        tell("FERMATA_MIN_DURATION is no duration such as 1us: short visits are recorded, too");
    }
}

uint64_t fm_functions_dropped(void)
{
    uint64_t sum = 0;
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        sum += __atomic_load_n(&thread->functions.dropped, __ATOMIC_RELAXED);
    }
    return sum;
}

/* ---- which functions ---- */

/* @return the previous signal mask, to be restored */
static sigset_t hold_signals(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

/* @return the function's call site; FM_SITE_HIDDEN: it is not recorded */
static uint32_t choose(uint64_t function)
{
    uint64_t address = function | FM_PLACE_FUNCTION;
    struct fm_place *place = fm_places_find(address);
    if (place == NULL) {
        place = fm_places_add(address, false);
    }
    if (place == NULL) {
        return FM_SITE_HIDDEN;
    }
    bool known = place->site != FM_SITE_HIDDEN && place->site != FM_SITE_UNKNOWN;
    bool recorded = known && !fm_function_filter_excludes(fm_sites_get(place->site));
    __atomic_store_n(&place->choice, recorded ? FM_PLACE_RECORDED : FM_PLACE_LEFT_OUT,
                     __ATOMIC_RELEASE);
    return recorded ? place->site : FM_SITE_HIDDEN;
}

/* Decides at the first call of a function whether it is recorded. Signals are blocked, because
 * functions of a handler would change the table of places meanwhile. */
static FM_COLD uint32_t meet(uint64_t function)
{
    sigset_t before = hold_signals();
    uint32_t site = choose(function);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return site;
}

FM_INLINE uint32_t site_of(uint64_t function)
{
    struct fm_place *place = fm_places_find(function | FM_PLACE_FUNCTION);
    enum fm_place_choice choice =
        place != NULL ? __atomic_load_n(&place->choice, __ATOMIC_ACQUIRE) : FM_PLACE_OPEN;
    if (FM_LIKELY(choice == FM_PLACE_RECORDED)) {
        return place->site;
    }
    return choice == FM_PLACE_LEFT_OUT ? FM_SITE_HIDDEN : meet(function);
}

/* ---- open functions ---- */

static FM_COLD bool grow(struct fm_thread_functions *f)
{
    enum { FIRST_ROOM = 256 };
    int saved = errno;
    size_t room = f->room != 0 ? 2 * f->room : FIRST_ROOM;
    void *pages = mmap(NULL, room * sizeof *f->open, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    if (pages == MAP_FAILED) {
        return false;
    }
    if (f->room != 0) {
        memcpy(pages, f->open, f->count * sizeof *f->open);
        munmap(f->open, f->room * sizeof *f->open);
    }
    f->open = pages;
    f->room = room;
    return true;
}

#define UNKNOWN_FRAME UINT64_MAX

/* Adds a place at its first use. Signals are blocked, as for a new function. */
static FM_COLD const struct fm_place *add_place(uint64_t pc)
{
    sigset_t before = hold_signals();
    const struct fm_place *place = fm_places_add(pc, false);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return place;
}

/* Begin of the caller's frame, by the unwind rule of the function's present place. */
static uint64_t frame_of(struct fm_registers at)
{
    const struct fm_place *place = fm_places_find(at.pc);
    if (FM_UNLIKELY(place == NULL)) {
        place = add_place(at.pc);
    }
    uint64_t offset = place != NULL ? (uint64_t)(int64_t)place->rule.cfa_offset : 0;
    switch (place != NULL ? place->rule.cfa : FM_CFA_UNKNOWN) {
    case FM_CFA_SP:
        return at.sp + offset;
    case FM_CFA_FP:
        return at.fp + offset;
    default:
        return UNKNOWN_FRAME;
    }
}

/* Number of open functions that have not ended when a function begins. Functions on other stacks
 * have ended when the thread's own stack is in use. An inlined function has the frame and the call
 * site of the function around it, but the two report their begin at different addresses. */
static size_t count_there(struct fm_thread *thread, uint64_t frame, uint64_t pc, uint64_t call_site)
{
    const struct fm_thread_functions *f = &thread->functions;
    const struct fm_own_stack *own = &thread->own_stack;
    size_t count = f->count;
    if (!fm_own_stack_has(own, frame)) {
        return count;
    }
    while (count > 0 && f->open[count - 1].frame != UNKNOWN_FRAME &&
           (!fm_own_stack_has(own, f->open[count - 1].frame) || f->open[count - 1].frame < frame)) {
        count--;
    }
    for (size_t i = count; i > 0 && f->open[i - 1].frame == frame; i--) {
        if (f->open[i - 1].pc == pc || f->open[i - 1].call_site != call_site) {
            count = i - 1;
        }
    }
    return count;
}

static void shorten(struct fm_thread_functions *f, size_t count)
{
    f->count = count;
    f->common = f->common < count ? f->common : count;
    f->due = f->common != f->count || f->common != f->told;
}

/* ---- records ---- */

static void put(struct fm_thread *thread, enum fm_record_kind kind, uint32_t aux, uint32_t ref,
                uint64_t time)
{
    uint64_t *record = thread->cursor;
    if (FM_UNLIKELY(!fm_thread_has_room(thread, FM_WORDS_FUNCTION_ENTER))) {
        record = fm_thread_grow(thread, FM_WORDS_FUNCTION_ENTER);
    }
    record[0] = fm_record_header(kind, aux, ref);
    record[1] = time;
    __atomic_store_n(&thread->cursor, record + FM_WORDS_FUNCTION_ENTER, __ATOMIC_RELEASE);
    fm_thread_publish(thread);
}

/* Ends all functions except the outer `count`, whose records are up to date. */
static void leave_to(struct fm_thread *thread, size_t count, uint64_t now)
{
    struct fm_thread_functions *f = &thread->functions;
    put(thread, FM_RECORD_FUNCTION_LEAVE, 0, (uint32_t)count, now);
    f->told = f->common = f->count = count;
    f->due = false;
}

/* @param apart  whether the call stack was not captured in the newly recorded functions
 * @param more   whether the record of another function inside them follows */
static void tell(struct fm_thread *thread, uint64_t now, bool apart, bool more)
{
    struct fm_thread_functions *f = &thread->functions;
    fm_thread_tell_sites();
    if (f->told > f->common) {
        put(thread, FM_RECORD_FUNCTION_LEAVE, 0, (uint32_t)f->common, now);
    }
    for (; f->common < f->count; f->common++) {
        const struct fm_open_function *open = &f->open[f->common];
        uint32_t known =
            (f->common + 1 < f->count || more ? FM_PATH_MORE : 0) | (apart ? FM_PATH_APART : 0);
        put(thread, FM_RECORD_FUNCTION_ENTER, known, open->site, open->time);
    }
    f->told = f->count;
    f->due = false;
}

void fm_functions_tell_next(struct fm_thread *thread, uint64_t time, bool apart)
{
    struct fm_thread_functions *f = &thread->functions;
    if (f->common == f->count) {
        return;
    }
    fm_thread_tell_sites();
    if (f->told > f->common) {
        put(thread, FM_RECORD_FUNCTION_LEAVE, 0, (uint32_t)f->common, time);
    }
    put(thread, FM_RECORD_FUNCTION_ENTER, apart ? FM_PATH_APART : 0, f->open[f->common].site, time);
    f->told = ++f->common;
    f->due = f->common != f->count;
}

void fm_functions_tell(struct fm_thread *thread, uint64_t now)
{
    if (!thread->pause.paused) {
        tell(thread, now, false, false);
    }
}

void fm_functions_tell_around(struct fm_thread *thread, uint64_t now)
{
    tell(thread, now, false, true);
}

/* Whether the innermost open function is a merged visit, the innermost one. */
static inline bool is_merged(const struct fm_thread *thread)
{
    const struct fm_merged_visits *visits = &thread->visits;
    return FM_UNLIKELY(visits->count != 0) &&
           visits->open[visits->count - 1].key >> 32 == FM_VISITED_FUNCTION;
}

/* Ends function number `first` and all functions inside it.
 * @param gone  the end was detected later: the call stack no longer contains the function */
static void end(struct fm_thread *thread, size_t first, uint64_t now, bool gone,
                struct fm_here here)
{
    struct fm_thread_functions *f = &thread->functions;
    if (first + 1 == f->count && is_merged(thread)) {
        if (now - f->open[first].time >= shortest || !fm_visit_drop(thread, now)) {
            fm_visit_leave(thread, now);
        } else {
            f->dropped++;
        }
        shorten(f, first);
        thread->left = now;
        return;
    }
    fm_merged_visits_tell(thread, gone ? NULL : &here);
    bool is_new = first >= f->common;
    if (is_new && now - f->open[first].time < shortest) {
        f->dropped += f->count - first;
        shorten(f, first);
        return;
    }
    if (FM_UNLIKELY(now >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED)) &&
        (!thread->pause.paused || fm_pause_is_due(thread))) {
        fm_thread_flush(thread);
    }
    if (FM_UNLIKELY(thread->pause.paused)) {
        shorten(f, first);
        return;
    }
    if (is_new || f->common < f->count) {
        if (!gone && thread->stack != NULL) {
            fm_thread_note_stack(thread, here);
        }
        tell(thread, now, gone, false);
    }
    leave_to(thread, first, now);
}

void fm_functions_end(struct fm_thread *thread)
{
    struct fm_thread_functions *f = &thread->functions;
    uint64_t now = fm_clock_now();
    fm_merged_visits_tell(thread, NULL);
    if (!thread->pause.paused && (f->count != 0 || f->told != 0)) {
        if (f->count > f->common && now - f->open[f->common].time >= shortest) {
            tell(thread, now, true, false);
        }
        leave_to(thread, 0, now);
    }
    f->count = f->common = 0;
    f->due = f->told != 0;
}

/* ---- targets of the inserted calls ---- */

/* Begins a function as a merged visit. What is due before a call is due before it, too. */
static void begin_merged(struct fm_thread *thread, uint32_t site, uint64_t now, struct fm_here here)
{
    if (FM_UNLIKELY(now >= __atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED))) {
        fm_thread_flush(thread);
    }
    if (fm_thread_merges(thread, FM_METER_FUNCTIONS)) { /* unless a pause has begun */
        fm_visit_enter(thread, fm_visit_key(FM_VISITED_FUNCTION, site), now, here);
    }
}

static FM_COLD struct fm_thread *attach(uint64_t function)
{
    return site_of(function) != FM_SITE_HIDDEN ? fm_thread_attach() : NULL;
}

/* The instrumented function is the direct caller; its frame is the frame of interest. */
void fm_function_enter(void *function, void *call_site)
{
    struct fm_thread *thread = fm_thread_self;
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct fm_here here = FM_HERE;
    if (FM_UNLIKELY(fm_places == NULL || (thread == NULL && (thread = attach(address)) == NULL) ||
                    thread->is_marking != 0 ||
                    (fm_thread_is_quiet(thread) && !fm_thread_end_left_call(thread, here)))) {
        return;
    }
    uint32_t site = site_of(address);
    if (site == FM_SITE_HIDDEN) {
        return;
    }
    fm_meter_begin(&thread->meters, FM_METER_FUNCTIONS);
    thread->is_marking = 1;
    fm_signal_fence();
    struct fm_thread_functions *f = &thread->functions;
    struct fm_registers at = fm_here_caller(here);
    uint64_t frame = frame_of(at);
    fm_own_stack_find(&thread->own_stack);
    if (f->count != 0 && f->open[f->count - 1].frame <= frame) {
        size_t there = count_there(thread, frame, at.pc, (uint64_t)(uintptr_t)call_site);
        if (there < f->count) {
            end(thread, there, fm_clock_now(), true, here);
        }
    }
    if (FM_LIKELY(f->count < f->room) || grow(f)) {
        const uint64_t now = fm_clock_now();
        if (FM_UNLIKELY(fm_thread_merges(thread, FM_METER_FUNCTIONS))) {
            begin_merged(thread, site, now, here);
        }
        struct fm_open_function *open = &f->open[f->count++];
        f->due = true;
        *open = (struct fm_open_function){.function = address,
                                          .call_site = (uint64_t)(uintptr_t)call_site,
                                          .pc = at.pc,
                                          .frame = frame,
                                          .site = site,
                                          .time = now};
    }
    fm_signal_fence();
    thread->is_marking = 0;
    fm_meter_end(&thread->meters);
}

/* Number of the function that ends; f->count: it is not open. Its frame may be removed already,
 * because this call is its last one; a frame inside the stack pointer belongs to a function that
 * was skipped (longjmp). */
static size_t find_open(const struct fm_thread *thread, uint64_t function, uint64_t sp)
{
    const struct fm_thread_functions *f = &thread->functions;
    size_t i = site_of(function) != FM_SITE_HIDDEN ? f->count : 0;
    while (i > 0 && (f->open[i - 1].function != function ||
                     (f->open[i - 1].frame < sp && fm_own_stack_has(&thread->own_stack, sp)))) {
        i--;
    }
    return i > 0 ? i - 1 : f->count;
}

void fm_function_leave(void *function, void *call_site)
{
    uint64_t address = (uint64_t)(uintptr_t)function;
    struct fm_thread *thread = fm_thread_self;
    struct fm_here here = FM_HERE;
    (void)call_site;
    if (FM_UNLIKELY(thread == NULL || (fm_thread_is_quiet(thread) | thread->is_marking) != 0)) {
        return;
    }
    struct fm_thread_functions *f = &thread->functions;
    if (f->count == 0) {
        return;
    }
    uint64_t sp = fm_here_caller(here).sp;
    const struct fm_open_function *last = &f->open[f->count - 1];
    bool is_last = last->function == address && last->frame >= sp;
    size_t number = is_last ? f->count - 1 : find_open(thread, address, sp);
    if (number < f->count) {
        fm_meter_begin(&thread->meters, FM_METER_FUNCTIONS);
        thread->is_marking = 1;
        fm_signal_fence();
        end(thread, number, fm_clock_now(), false, here);
        fm_signal_fence();
        thread->is_marking = 0;
        fm_meter_end(&thread->meters);
    }
}
