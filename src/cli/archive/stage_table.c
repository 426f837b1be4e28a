/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/stage_table.h"

#include <inttypes.h>

/* A number, or nothing where nothing was counted. */
static void print_count(FILE *stream, int width, uint64_t count)
{
    if (count == 0) {
        fprintf(stream, " %*s", width, "-");
    } else {
        fprintf(stream, " %*" PRIu64, width, count);
    }
}

static void print_scaled(FILE *stream, int width, double number)
{
    if (number <= 0) {
        fprintf(stream, " %*s", width, "-");
    } else {
        fprintf(stream, " %*.2f", width, number);
    }
}

static void print_stage(FILE *stream, const struct fm_stage_time *stage, double total)
{
    const double megabytes = (double)stage->bytes * 1e-6;
    const double rate = stage->seconds > 0 ? 1 / stage->seconds : 0;
    fprintf(stream, "%-30s %9.3f %7.1f", stage->name, stage->seconds,
            total > 0 ? 100 * stage->seconds / total : 100.0);
    print_count(stream, 12, stage->records);
    print_scaled(stream, 8, (double)stage->records * 1e-6 * rate);
    print_scaled(stream, 10, megabytes);
    print_scaled(stream, 9, megabytes * rate);
    fprintf(stream, " %8.3f %8.3f %8.3f\n", stage->least_cpu,
            stage->workers == 0 ? 0 : stage->cpu / stage->workers, stage->most_cpu);
}

void fm_stage_table_print(const struct fm_stage_times *times, FILE *stream)
{
    struct fm_stage_time total = {.name = "total"};
    const unsigned count = atomic_load(&times->count);
    uint32_t workers = 1;
    for (unsigned s = 0; s < count; s++) {
        total.seconds += times->stages[s].seconds;
        total.cpu += times->stages[s].cpu;
        workers = times->stages[s].workers > workers ? times->stages[s].workers : workers;
    }
    fprintf(stream,
            "%-30s %9s %7s %12s %8s %10s %9s %26s\n%-30s %9s %7s %12s %8s %10s %9s %8s %8s %8s\n",
            "", "", "", "", "", "", "", "CPU time of a worker [s]", "stage", "time [s]", "share %",
            "records", "10^6/s", "MB", "MB/s", "min", "mean", "max");
    for (unsigned s = 0; s < count; s++) {
        print_stage(stream, &times->stages[s], total.seconds);
    }
    fprintf(stream, "%-30s %9.3f %7.1f   CPU time of %" PRIu32 " %s: %.3f s\n", total.name,
            total.seconds, 100.0, workers, workers == 1 ? "worker" : "workers", total.cpu);
}
