/* SPDX-License-Identifier: BSD-3-Clause */
/* Locations of streams of accelerators. No thread has them: their records are the works that an
 * interface of the accelerator reports, mostly in a thread of its own, and later than they were. */
#include "base/kernel_activity.h"
#include "record/capture/threads.h"

#include <errno.h>
#include <string.h>

struct fm_thread *fm_thread_add_stream(uint32_t name, uint32_t context)
{
    if (atomic_load_explicit(&fm_threads.over, memory_order_acquire) || fm_threads_all() == NULL) {
        return NULL;
    }
    int saved = errno;
    struct fm_thread *stream = fm_thread_new(FM_PART_OF_STREAMS);
    if (stream != NULL) {
        __atomic_store_n(&stream->owner, 0, __ATOMIC_RELAXED);
        fm_thread_plan_flush(stream);
        uint64_t *record = fm_thread_reserve(stream, FM_WORDS_STREAM_BEGIN);
        record[0] = stream->stream.begin[0] = fm_record_header(FM_RECORD_STREAM_BEGIN, 0, name);
        record[1] = stream->stream.begin[1] = context;
        fm_thread_publish(stream);
    }
    errno = saved;
    return stream;
}

void fm_stream_put(struct fm_thread *stream, uint32_t region, uint64_t begin, uint64_t end,
                   uint64_t correlation)
{
    if (__atomic_load_n(&stream->over, __ATOMIC_RELAXED) == 0) {
        uint64_t *record = fm_thread_reserve(stream, FM_WORDS_STREAM_WORK);
        record[0] = fm_record_header(FM_RECORD_STREAM_WORK, 0, region);
        record[1] = begin;
        record[2] = end;
        record[3] = correlation;
        fm_thread_publish(stream);
    }
}

void fm_stream_put_activity(struct fm_thread *stream, uint64_t correlation, const double *values)
{
    _Static_assert(FM_WORDS_STREAM_ACTIVITY == 2 + FM_KERNEL_ACTIVITY_COUNT, "a word for each");
    if (__atomic_load_n(&stream->over, __ATOMIC_RELAXED) == 0) {
        uint64_t *record = fm_thread_reserve(stream, FM_WORDS_STREAM_ACTIVITY);
        record[0] = fm_record_header(FM_RECORD_STREAM_ACTIVITY, 0, 0);
        record[1] = correlation;
        memcpy(record + 2, values, FM_KERNEL_ACTIVITY_COUNT * sizeof *values);
        fm_thread_publish(stream);
    }
}

void fm_stream_flush(struct fm_thread *stream)
{
    uint64_t interval = atomic_load_explicit(&fm_threads.interval, memory_order_relaxed);
    uint64_t due = __atomic_load_n(&stream->flush_due, __ATOMIC_RELAXED);
    if (interval == UINT64_MAX || __atomic_load_n(&stream->over, __ATOMIC_RELAXED) != 0) {
        return; /* the run has not begun, or nothing is written before its end */
    }
    if (due != UINT64_MAX && fm_clock_now() >= due) {
        int saved = errno;
        fm_threads.flush(stream, false);
        errno = saved;
    }
    if (due == UINT64_MAX || fm_clock_now() >= due) {
        fm_thread_plan_flush(stream);
    }
}
