/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/idle/idle_causes.h"

#include "base/memory.h"

#include <string.h>

/* What is known of each call path. */
struct forest {
    const struct fm_trace *trace;
    bool *is_serial;
    uint32_t *parent;    /* function of the program that calls it; FM_NONE: a root */
    uint64_t *inclusive; /* idle time in a serial function and all that it calls */
    uint32_t *heavy;     /* callee with at least four fifths of that; FM_NONE: there is none */
};

static bool is_parallel_region(const struct fm_trace *trace, uint32_t callpath)
{
    static const char parallel[] = "!$omp parallel";
    return strncmp(trace->regions[trace->callpaths.items[callpath].region].name, parallel,
                   sizeof parallel - 1) == 0;
}

static void find_serial(struct forest *forest)
{
    const struct fm_trace *trace = forest->trace;
    const uint32_t count = (uint32_t)trace->callpaths.count;
    for (uint32_t c = 0; c < count; c++) {
        forest->is_serial[c] = trace->regions[trace->callpaths.items[c].region].is_computation &&
                               !is_parallel_region(trace, c);
    }
    for (uint32_t c = count; c-- > 0;) { /* parents precede children */
        const uint32_t parent = trace->callpaths.items[c].parent;
        if (parent != FM_NONE && !forest->is_serial[c]) {
            forest->is_serial[parent] = false;
        }
    }
}

static bool has_four_fifths(uint64_t part, uint64_t whole)
{
    return part > 0 && (unsigned __int128)5 * part >= (unsigned __int128)4 * whole;
}

static void find_heavy(struct forest *forest, const uint64_t *ticks)
{
    const struct fm_trace *trace = forest->trace;
    const uint32_t count = (uint32_t)trace->callpaths.count;
    for (uint32_t c = 0; c < count; c++) {
        const uint32_t caller = trace->callpaths.items[c].parent;
        forest->parent[c] = caller == FM_NONE ? FM_NONE : fm_trace_function_of(trace, caller);
        forest->heavy[c] = FM_NONE;
        forest->inclusive[fm_trace_function_of(trace, c)] += ticks[c];
    }
    for (uint32_t c = count; c-- > 0;) {
        if (forest->parent[c] != FM_NONE && fm_trace_function_of(trace, c) == c) {
            forest->inclusive[forest->parent[c]] += forest->inclusive[c];
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        const uint32_t parent = forest->parent[c];
        if (parent != FM_NONE && fm_trace_function_of(trace, c) == c &&
            has_four_fifths(forest->inclusive[c], forest->inclusive[parent])) {
            forest->heavy[parent] = c;
        }
    }
}

/* @return the cause of a serial function; those of its callers are known */
static uint32_t cause_of_serial(const struct forest *forest, const uint32_t *of_callpath,
                                uint32_t function)
{
    const uint32_t parent = forest->parent[function];
    const bool is_outermost = parent == FM_NONE || !forest->is_serial[parent];
    const bool is_next =
        !is_outermost && of_callpath[parent] == parent && forest->heavy[parent] == function;
    return is_outermost || is_next ? function : of_callpath[parent];
}

struct fm_idle_causes fm_idle_causes_find(const struct fm_trace *trace, const uint64_t *ticks)
{
    const size_t count = trace->callpaths.count;
    struct fm_idle_causes causes = {
        .of_callpath = fm_allocate(count, sizeof *causes.of_callpath),
        .is_parallel = fm_allocate(count, sizeof *causes.is_parallel),
    };
    struct forest forest = {
        .trace = trace,
        .is_serial = fm_allocate(count, sizeof *forest.is_serial),
        .parent = fm_allocate(count, sizeof *forest.parent),
        .inclusive = fm_allocate(count, sizeof *forest.inclusive),
        .heavy = fm_allocate(count, sizeof *forest.heavy),
    };
    find_serial(&forest);
    find_heavy(&forest, ticks);
    for (uint32_t c = 0; c < count; c++) { /* parents precede children */
        const uint32_t caller = trace->callpaths.items[c].parent;
        const uint32_t function = fm_trace_function_of(trace, c);
        const bool is_inside = caller != FM_NONE && causes.is_parallel[caller];
        causes.is_parallel[c] = is_inside || is_parallel_region(trace, c);
        causes.of_callpath[c] = is_inside               ? causes.of_callpath[caller]
                                : causes.is_parallel[c] ? c
                                : function != c         ? causes.of_callpath[function]
                                : forest.is_serial[c]
                                    ? cause_of_serial(&forest, causes.of_callpath, c)
                                    : c;
    }
    fm_free(forest.is_serial);
    fm_free(forest.parent);
    fm_free(forest.inclusive);
    fm_free(forest.heavy);
    return causes;
}

void fm_idle_causes_free(struct fm_idle_causes *causes)
{
    fm_free(causes->of_callpath);
    fm_free(causes->is_parallel);
}
