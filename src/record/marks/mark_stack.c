/* SPDX-License-Identifier: BSD-3-Clause */
/* The open marks of threads. */
#include "record/capture/lock.h"
#include "record/marks/mark_names.h"
#include "record/marks/marks.h"
#include "record/marks/mistakes.h"
#include "user/connect.h"

#include <stddef.h>

/* An open mark. */
struct open_mark {
    uintptr_t owner; /* of a started mark: its identifier */
    struct fm_mark_name *name;
    bool has_region;
    bool has_ended; /* ends with the marks inside it */
};

/* In the thread-local storage of the library, which the C library frees when the thread ends. */
static _Thread_local struct {
    uint32_t count;
    uint32_t more; /* marks without room: the innermost ones */
    struct open_mark open[FM_MARKS_DEEPEST];
} own;

/* Started marks: slots by the low bits of their identifiers. Identifiers differ from owners, which
 * are addresses or small numbers, by their highest bit. */
enum { STARTED = 1024 };
static const uint64_t started_bit = (uint64_t)1 << 63;
static struct {
    fm_lock_t lock;
    uint64_t last;
    uint32_t next;
    struct {
        uint64_t identifier; /* 0: free */
        const void *thread;  /* address of its `own` */
        struct fm_mark_name *name;
        bool has_ended; /* another thread has ended it */
    } slots[STARTED];
} started = {.lock = FM_LOCK_FREE};

static bool is_started(const struct open_mark *mark)
{
    return (mark->owner & started_bit) != 0;
}

static void free_slot(uint64_t identifier)
{
    fm_lock(&started.lock);
    if (started.slots[identifier % STARTED].identifier == identifier) {
        started.slots[identifier % STARTED].identifier = 0;
    }
    fm_unlock(&started.lock);
}

static bool was_ended_elsewhere(const struct open_mark *mark)
{
    return is_started(mark) &&
           __atomic_load_n(&started.slots[mark->owner % STARTED].has_ended, __ATOMIC_ACQUIRE);
}

/* Ends the innermost marks that have ended. */
static void settle(void)
{
    while (own.count != 0) {
        const struct open_mark *top = &own.open[own.count - 1];
        if (!top->has_ended && !was_ended_elsewhere(top)) {
            break;
        }
        if (top->has_region) {
            fm_user_connected()->end_region(fm_mark_region(top->name));
        }
        if (is_started(top)) {
            free_slot(top->owner);
        }
        own.count--;
    }
}

void fm_mark_begin(struct fm_mark_name *name, uintptr_t owner)
{
    settle();
    if (own.count == FM_MARKS_DEEPEST) {
        own.more++;
        fm_mistake(FM_MISTAKE_DEEP);
        return;
    }
    struct open_mark *mark = &own.open[own.count++];
    *mark = (struct open_mark){.owner = owner, .name = name};
    void *region = name != NULL && !fm_mark_name_is_left_out(name) ? fm_mark_region(name) : NULL;
    if (region != NULL) {
        fm_user_connected()->begin_region(region);
        mark->has_region = true;
    }
}

static void end_at(uint32_t place)
{
    struct open_mark *mark = &own.open[place];
    mark->has_ended = true;
    if (place + 1 != own.count) {
        fm_mistake(FM_MISTAKE_CROSSING);
        if (is_started(mark) && mark->name != NULL) {
            fm_mark_name_leave_out(mark->name);
        }
    }
    settle();
}

void fm_mark_end(uintptr_t owner)
{
    if (own.more != 0) {
        own.more--;
        return;
    }
    for (uint32_t i = own.count; i-- != 0;) {
        if (own.open[i].owner == owner && !own.open[i].has_ended) {
            end_at(i);
            return;
        }
    }
    fm_mistake(FM_MISTAKE_END);
}

uint64_t fm_mark_start(struct fm_mark_name *name)
{
    uint64_t identifier = 0;
    fm_lock(&started.lock);
    for (uint32_t i = 0; i < STARTED && identifier == 0; i++) {
        const uint32_t slot = started.next++ % STARTED;
        if (started.slots[slot].identifier == 0) {
            identifier = started_bit | (++started.last * STARTED + slot);
            started.slots[slot].identifier = identifier;
            started.slots[slot].thread = &own;
            started.slots[slot].name = name;
            started.slots[slot].has_ended = false;
        }
    }
    fm_unlock(&started.lock);
    if (identifier == 0) { /* programs may start marks that they never end */
        fm_mistake(FM_MISTAKE_DEEP);
        return started_bit;
    }
    if (own.count == FM_MARKS_DEEPEST) { /* `more` counts marks that end in reverse order */
        free_slot(identifier);
        fm_mistake(FM_MISTAKE_DEEP);
        return identifier;
    }
    fm_mark_begin(name, identifier);
    return identifier;
}

void fm_mark_stop(uint64_t identifier)
{
    bool is_own = false, is_known = false;
    struct fm_mark_name *name = NULL;
    fm_lock(&started.lock);
    if (started.slots[identifier % STARTED].identifier == identifier && identifier != 0) {
        is_known = !started.slots[identifier % STARTED].has_ended;
        is_own = started.slots[identifier % STARTED].thread == &own;
        name = started.slots[identifier % STARTED].name;
        if (is_known && !is_own) {
            __atomic_store_n(&started.slots[identifier % STARTED].has_ended, true,
                             __ATOMIC_RELEASE);
        }
    }
    fm_unlock(&started.lock);
    if (is_own) {
        for (uint32_t i = own.count; i-- != 0;) {
            if (own.open[i].owner == identifier && !own.open[i].has_ended) {
                end_at(i);
                return;
            }
        }
    }
    if (is_known && !is_own) {
        fm_mistake(FM_MISTAKE_THREAD);
        if (name != NULL) {
            fm_mark_name_leave_out(name);
        }
    } else if (identifier != started_bit) {
        fm_mistake(FM_MISTAKE_END);
    }
}

uint32_t fm_marks_open(void)
{
    settle();
    return own.count + own.more;
}
