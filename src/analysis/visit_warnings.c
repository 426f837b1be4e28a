/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/visit_warnings.h"

#include "base/containers/sort.h"
#include "base/text.h"
#include "functions/silent_calls.h"

#include <stdio.h>

/* Regions that the sentence names. */
#define MOST_REGIONS 4

struct row {
    uint64_t visits; /* merged ones */
    uint32_t region;
    uint32_t unused;
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *left = a, *right = b;
    if (left->visits != right->visits) {
        return left->visits > right->visits ? -1 : 1;
    }
    return left->region < right->region ? -1 : left->region > right->region;
}

/* The regions with merged visits, most frequent ones first. @return their number */
static size_t list_rows(const struct fm_analysis *analysis, struct row *rows)
{
    size_t count = 0;
    for (uint32_t r = 0; r < analysis->trace->region_count; r++) {
        if (analysis->coverage[r].merged != 0) {
            rows[count++] = (struct row){.visits = analysis->coverage[r].merged, .region = r};
        }
    }
    fm_sort(rows, count, sizeof *rows, compare_rows);
    return count;
}

/* Lists the regions: "1,200 of `a`, 700 of `b` and 300 of 2 others". */
static void name_regions(const struct fm_trace *trace, const struct row *rows, size_t count,
                         char *text, size_t size)
{
    char number[FM_TEXT_NUMBER];
    uint64_t others = 0;
    size_t length = 0, shown = count <= MOST_REGIONS ? count : MOST_REGIONS - 1;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (i >= shown) {
            others += rows[i].visits;
        } else if (length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%s of `%s`",
                                       i == 0                             ? ""
                                       : i + 1 == count && shown == count ? " and "
                                                                          : ", ",
                                       fm_text_count(number, (int64_t)rows[i].visits),
                                       trace->regions[rows[i].region].name);
        }
    }
    if (others != 0 && length < size) {
        snprintf(text + length, size - length, " and %s of %zu others",
                 fm_text_count(number, (int64_t)others), count - shown);
    }
}

fm_status_t fm_merged_visits_warn(const struct fm_analysis *analysis, struct fm_cube *cube,
                                  struct fm_error *error)
{
    const struct fm_trace *trace = analysis->trace;
    struct row *rows = fm_allocate(trace->region_count + (size_t)1, sizeof *rows);
    const size_t count = list_rows(analysis, rows);
    fm_status_t status = FM_OK;
    char text[2048];
    if (count != 0) {
        name_regions(trace, rows, count, text, sizeof text);
        status = fm_cube_warn(
            cube, error,
            "From %.3f s on, visits were merged as they exceeded the event budget: %s. Their "
            "numbers and times are sums over some milliseconds each; which tasks waited for which, "
            "and for whom a thread without a task waited, is known of other tasks only. fermata "
            "record --event-budget off records each visit.",
            (double)(analysis->merged_since - cube->experiment.begin) /
                (double)trace->ticks_per_second,
            text);
    }
    fm_free(rows);
    return status;
}
