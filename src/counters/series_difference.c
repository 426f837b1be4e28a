/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/counter_series.h"

#include "base/memory.h"

/* A series that is read at ascending times. */
struct reading {
    const struct fm_snapshot_series *of;
    size_t next; /* the first snapshot that is not before the time */
};

static void move_to(struct reading *reading, double seconds)
{
    while (reading->of->seconds[reading->next] < seconds) {
        reading->next++;
    }
}

/* The value at a time in (seconds[next - 1], seconds[next]]: of a level that of the snapshot behind
 * it, of a total that of a constant rate. */
static double value_at(const struct reading *reading, double seconds, size_t rank, bool is_level)
{
    const struct fm_snapshot_series *of = reading->of;
    const size_t next = reading->next;
    const double value = of->values[next * of->ranks + rank];
    if (is_level || next == 0) {
        return value;
    }
    const double length = of->seconds[next] - of->seconds[next - 1];
    return value -
           fm_counter_series_change(of, next - 1, rank) * (of->seconds[next] - seconds) / length;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double sooner(double a, double b)
{
    return a < b ? a : b;
}

/* @return the first time behind `seconds` at which one of both has a snapshot, at most `end` */
static double next_time(const struct reading *a, const struct reading *b, double seconds,
                        double end)
{
    const struct reading *const both[] = {a, b};
    double time = end;
    for (int i = 0; i < 2; i++) {
        const struct fm_snapshot_series *of = both[i]->of;
        for (size_t s = both[i]->next; s < of->snapshots; s++) {
            if (of->seconds[s] > seconds) {
                time = sooner(time, of->seconds[s]);
                break;
            }
        }
    }
    return time;
}

fm_status_t fm_counter_series_subtract(const struct fm_snapshot_series *first,
                                       const struct fm_snapshot_series *second, bool is_level,
                                       struct fm_snapshot_series *difference,
                                       struct fm_error *error)
{
    struct reading a = {.of = first}, b = {.of = second};
    const size_t ranks = first->ranks, most = first->snapshots + second->snapshots;
    const double end =
        sooner(first->seconds[first->snapshots - 1], second->seconds[second->snapshots - 1]);
    double seconds = later(first->seconds[0], second->seconds[0]);
    *difference = (struct fm_snapshot_series){.name = second->name, .ranks = ranks};
    if (second->ranks != ranks) {
        return fm_fail(error, FM_ERR_USAGE, "the runs have %zu and %zu ranks", ranks,
                       second->ranks);
    }
    if (seconds >= end) {
        return fm_fail(error, FM_ERR_DATA, "one run ends before the other begins to count");
    }
    difference->seconds = fm_allocate(most, sizeof(double));
    difference->values = fm_allocate(most * ranks, sizeof(double));
    for (double before = seconds - 1; seconds > before;) {
        double *values = difference->values + difference->snapshots * ranks;
        move_to(&a, seconds);
        move_to(&b, seconds);
        for (size_t rank = 0; rank < ranks; rank++) {
            values[rank] =
                value_at(&b, seconds, rank, is_level) - value_at(&a, seconds, rank, is_level);
        }
        difference->seconds[difference->snapshots++] = seconds;
        before = seconds;
        seconds = next_time(&a, &b, seconds, end);
    }
    return FM_OK;
}
