/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common header of all files with wrappers of POSIX threads and C11's threads.
 *
 * A thread is recorded if its creation is: the program itself has created it, not a communication
 * library or the runtime system of a language inside one of its calls. Calls of other threads are
 * passed on; so are those in signal handlers that interrupt the recorder.
 *
 * A call that waits may be cancelled: then the thread is unwound through the wrapper, which is
 * compiled for that (-fexceptions).
 */
#ifndef FERMATA_RECORD_THREADS_POSIX_H
#define FERMATA_RECORD_THREADS_POSIX_H

#include <otf2/otf2.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

#include "functions.h"
#include "prototypes.h"
#include "record/computation/blocking.h"
#include "record/paradigm/put.h"
#include "record/paradigm/wrapper.h"
#include "record/stack/places.h"

/** The C library's function `name`. */
#define FM_NEXT(name) ((__typeof__(&fm_##name))fm_next_functions[FM_FUNCTION_##name])

/** Which calls of locks are recorded (the setting `threads`). */
enum fm_threads_choice { FM_THREADS_CONTENDED, FM_THREADS_ALL, FM_THREADS_OFF };

/** Constant once the paradigm is attached. */
extern FM_HIDDEN enum fm_threads_choice fm_threads_choice;

/** Whether the calls of the calling thread may be recorded now.
 * @return the thread; NULL: they may not */
static inline struct fm_thread *fm_posix_thread(void)
{
    struct fm_thread *thread = fm_thread_self;
    return thread != NULL && !thread->is_marking && fm_threads_choice != FM_THREADS_OFF ? thread
                                                                                        : NULL;
}

/** Return address of the wrapper. */
#define FM_CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

/** Begins a call of the calling thread. Inlined, as fm_call_enter.
 * @param caller  return address of the wrapper
 * @return NULL: the call is not recorded: the thread is not, or the caller is a library */
FM_INLINE struct fm_thread *fm_posix_enter(uint32_t function, uint64_t caller)
{
    if (fm_posix_thread() == NULL || fm_code_is_hidden(caller)) {
        return NULL;
    }
    return fm_call_enter(function);
}

#endif
