/** @file
 * The recorder's side of the interface by which programs mark themselves up (fermata/fermata.h).
 */
#ifndef FERMATA_RECORD_USER_FUNCTIONS_H
#define FERMATA_RECORD_USER_FUNCTIONS_H

#include "record/core/thread.h"
#include "user/interface.h"

/** What libfermata-user gets. */
extern const struct fm_user_functions fm_user_functions;

/* region.c; see user/interface.h */
void *fm_user_define_region(struct fm_text name, struct fm_text file, uint32_t line, uint32_t kind);
void fm_user_begin_region(void *region);
void fm_user_end_region(const void *region);
void fm_user_end_region_named(struct fm_text name);

/** The calling thread if it records now, and the time for a record between calls. NULL: nothing is
 * recorded (any more), or the thread is inside a recorded call. */
static inline struct fm_thread *fm_user_thread(uint64_t *now)
{
    struct fm_thread *thread = fm_thread_self;
    if (__builtin_expect(thread == NULL, 0)) {
        thread = fm_thread_attach();
        if (thread == NULL) {
            return NULL;
        }
    }
    if (__builtin_expect(thread->depth != 0, 0)) {
        return NULL;
    }
    *now = fm_clock_now();
    if (__builtin_expect(*now >= thread->flush_due, 0)) {
        fm_thread_flush(thread);
        *now = fm_clock_now();
    }
    return thread;
}

#endif
