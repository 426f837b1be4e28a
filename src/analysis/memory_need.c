/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/memory_need.h"

/* Bytes, as measured; see docs/performance.md, "Memory of an analysis". */
enum { OF_PROGRAM = 16 << 20, OF_LOCATION = 32 << 10 };

/* Bytes of an event in traces of a kind, and what composing the computation between the calls by
 * samples adds. */
static const struct {
    uint64_t plain, in_detail, with_dependencies;
} of_event[] = {
    {.plain = 32, .in_detail = 36, .with_dependencies = 40},
    {.plain = 40, .in_detail = 64, .with_dependencies = 76},   /* one-sided communication */
    {.plain = 128, .in_detail = 136, .with_dependencies = 172} /* threads, with locks and tasks */
};
enum { OF_EVENT_SAMPLED = 56 };

uint64_t fm_analysis_memory(const struct fm_analysis_size *size)
{
    const int kind = size->has_threads ? 2 : size->has_windows;
    const uint64_t bytes = size->has_dependencies ? of_event[kind].with_dependencies
                           : size->in_detail      ? of_event[kind].in_detail
                                                  : of_event[kind].plain;
    return OF_PROGRAM + OF_LOCATION * size->locations +
           (bytes + (size->is_sampled ? OF_EVENT_SAMPLED : 0)) * size->events;
}
