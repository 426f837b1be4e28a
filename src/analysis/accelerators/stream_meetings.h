/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What is told of threads and streams of accelerators that wait for each other, besides the wait.
 */
#ifndef FERMATA_ANALYSIS_ACCELERATORS_STREAM_MEETINGS_H
#define FERMATA_ANALYSIS_ACCELERATORS_STREAM_MEETINGS_H

#include "analysis/dependencies/dependencies.h"
#include "analysis/pattern.h"

/** Numbers of the objects that a thread and a stream meet at: those of POSIX threads in a process
 * are below. */
#define FM_FIRST_STREAM_OBJECT ((uint32_t)1 << 24)
/** Of streams that wait for other streams. */
#define FM_FIRST_WAITING_STREAM_OBJECT ((uint32_t)1 << 25)

/** A thread or stream and a stream have nothing to do for each other before `t`.
 * @param first_object  one of the two numbers above
 * @param meeting       tells the points of the object apart */
static inline void fm_stream_point(const struct fm_finder *finder, uint32_t other, uint32_t stream,
                                   uint64_t t, uint32_t first_object, uint32_t meeting)
{
    const struct fm_group_point point = {
        .t = t,
        .communicator = fm_object_community(finder->analysis->trace, first_object + stream),
        .meeting = meeting & INT32_MAX,
    };
    fm_found_group_point(finder, other, &point);
    fm_found_group_point(finder, stream, &point);
}

/** A call depends on the Enter of another one, whether it waits for it or not. */
static inline void fm_stream_depend(const struct fm_finder *finder, struct fm_call_ref call,
                                    struct fm_call_ref cause, fm_dependency_rule_t rule)
{
    if (finder->analysis->dependencies != NULL) {
        fm_depend(finder->analysis, finder->worker, call, fm_awaited_enter(cause), rule);
    }
}

#endif
