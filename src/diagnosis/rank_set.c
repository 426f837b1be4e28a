/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/rank_set.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"

#include <stdio.h>
#include <stdlib.h>

#define RANGE_LIMIT 8

/** Share of the value that the ranks of the set must have together. */
#define MOST 0.9

struct rank_value {
    uint32_t rank;
    int64_t value;
};

/** Descending by value; ties: the lower rank first. */
static int compare_values(const void *left, const void *right)
{
    const struct rank_value *a = left;
    const struct rank_value *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

char *fm_rank_set(const struct fm_diagnosis *diagnosis, const struct fm_view *view,
                  fm_ranks_t *extent)
{
    const struct fm_cube *cube = diagnosis->cube;
    uint32_t rank_count = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].rank >= rank_count && cube->locations[i].rank < FM_CUBE_NONE)
            rank_count = cube->locations[i].rank + 1;
    }
    /* Rank numbers come from the trace: if they are not dense, locations are used instead. */
    bool dense = rank_count <= cube->location_count;
    uint32_t count = dense ? rank_count : cube->location_count;
    struct rank_value *sorted = fm_allocate(count, sizeof *sorted);
    int64_t *values = fm_allocate(cube->location_count, sizeof *values);
    const uint32_t first = dense ? diagnosis->process.first : 0;
    bool *member = fm_allocate((size_t)count + first, sizeof *member);
    fm_view_locations(view, values);
    int64_t whole = 0;
    for (uint32_t i = 0; i < count; i++)
        sorted[i].rank = i;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        sorted[dense ? cube->locations[i].rank : i].value += values[i];
        whole += values[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_values);
    int64_t covered = 0;
    uint32_t waiting = 0;
    while (waiting < count && (double)covered < MOST * (double)whole) {
        covered += sorted[waiting].value;
        member[sorted[waiting++].rank + first] = true;
    }
    char *ranges = fm_format_ranges(member, count + first, RANGE_LIMIT);
    char *text = NULL;
    const char *noun = !dense         ? "locations"
                       : waiting == 1 ? diagnosis->process.one
                                      : diagnosis->process.many;
    bool everywhere = waiting == count && count > 1;
    int length = everywhere && count == 2 ? asprintf(&text, "both %s", noun)
                 : everywhere             ? asprintf(&text, "all %u %s", count, noun)
                                          : asprintf(&text, "%s %s", noun, ranges);
    if (length < 0)
        abort(); /* Without memory for one line no error message can be printed either. */
    if (extent != NULL)
        *extent = everywhere ? FM_RANKS_ALL : dense && waiting == 1 ? FM_RANKS_ONE : FM_RANKS_SOME;
    free(ranges);
    fm_free(member);
    fm_free(values);
    fm_free(sorted);
    return text;
}
