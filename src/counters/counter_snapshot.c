/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/counter_snapshot.h"

#include "base/decimal_text.h"
#include "base/memory.h"
#include "counters/counter_job.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Largest size of a file. */
#define MOST_BYTES ((uint64_t)1 << 30)

struct fm_snapshots {
    FILE *file;
    char directory[PATH_MAX];
    struct fm_counter_job job;
    unsigned size;  /* ranks of the run, so far */
    double **last;  /* by rank and number of the counter in its file */
    size_t *counts; /* by rank */
    uint64_t start; /* nanoseconds since the epoch of 1970 */
    size_t taken;
};

fm_status_t fm_snapshots_begin(const char *directory, struct fm_snapshots **snapshots,
                               struct fm_error *error)
{
    char path[PATH_MAX + 32];
    struct fm_counter_job job;
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    snprintf(path, sizeof path, "%s/counters/" FM_SNAPSHOT_FILE, directory);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        fm_counter_job_close(&job);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", path);
    }
    struct fm_snapshots *s = fm_allocate(1, sizeof *s);
    s->file = fdopen(file, "w");
    if (s->file == NULL) {
        close(file);
        fm_memory_exhausted();
    }
    snprintf(s->directory, sizeof s->directory, "%s", directory);
    s->job = job;
    s->size = fm_counter_job_size(&job);
    s->last = fm_allocate(s->size, sizeof *s->last);
    s->counts = fm_allocate(s->size, sizeof *s->counts);
    s->start = fm_counter_job_start(&job);
    fputs("seconds,rank,counter,value\n", s->file);
    *snapshots = s;
    return FM_OK;
}

/* Processes may begin later than others, and be spawned. */
static void look_for_others(struct fm_snapshots *s)
{
    if (!fm_counter_job_take_others(&s->job)) {
        return;
    }
    unsigned size = fm_counter_job_size(&s->job);
    if (size > s->size) {
        s->last = fm_resize(s->last, s->size * sizeof *s->last, size * sizeof *s->last);
        s->counts = fm_resize(s->counts, s->size * sizeof *s->counts, size * sizeof *s->counts);
        memset(s->last + s->size, 0, (size - s->size) * sizeof *s->last);
        memset(s->counts + s->size, 0, (size - s->size) * sizeof *s->counts);
        s->size = size;
    }
}

static void write_value(struct fm_snapshots *s, double seconds, unsigned rank,
                        const fermata_counter_info_t *info, double value)
{
    char text[FM_COUNTER_PLAIN];
    fprintf(s->file, "%s,%u,%s,%s\n", fm_decimal(seconds, 9).text, rank, info->name,
            fm_counter_plain(text, (enum fm_counter_kind)info->kind, value));
}

static void take_rank(struct fm_snapshots *s, double seconds, size_t position)
{
    const fermata_counters_t *file = s->job.files[position];
    unsigned rank = fm_counter_job_rank(&s->job, position);
    size_t count = fermata_counters_number(file);
    if (rank >= s->size) {
        return;
    }
    if (count > s->counts[rank]) {
        s->last[rank] =
            fm_resize(s->last[rank], s->counts[rank] * sizeof(double), count * sizeof(double));
        memset(s->last[rank] + s->counts[rank], 0, (count - s->counts[rank]) * sizeof(double));
        s->counts[rank] = count;
    }
    for (size_t i = 0; i < count; i++) {
        double value = fermata_counters_real(file, i);
        if (fermata_counters_info(file, i)->selected && value != s->last[rank][i]) {
            write_value(s, seconds, rank, fermata_counters_info(file, i), value);
            s->last[rank][i] = value;
        }
    }
}

bool fm_snapshots_take(struct fm_snapshots *s)
{
    struct timespec now;
    look_for_others(s);
    clock_gettime(CLOCK_REALTIME, &now);
    fm_counter_job_read(&s->job);
    double seconds =
        (double)((int64_t)now.tv_sec * 1000000000 + now.tv_nsec - (int64_t)s->start) / 1e9;
    fprintf(s->file, "%s,,,\n", fm_decimal(seconds, 9).text);
    for (size_t rank = 0; rank < s->job.ranks; rank++) {
        take_rank(s, seconds, rank);
    }
    s->taken++;
    return fflush(s->file) == 0 && (uint64_t)ftell(s->file) < MOST_BYTES;
}

bool fm_snapshots_go_on(const struct fm_snapshots *s)
{
    return fm_counter_job_in_state(&s->job, FERMATA_PROCESS_RUNNING) +
               fm_counter_job_in_state(&s->job, FERMATA_PROCESS_UNKNOWN) >
           0;
}

size_t fm_snapshots_end(struct fm_snapshots *s)
{
    if (s == NULL) {
        return 0;
    }
    size_t taken = s->taken;
    fclose(s->file);
    for (unsigned rank = 0; rank < s->size; rank++) {
        fm_free(s->last[rank]);
    }
    fm_free(s->last);
    fm_free(s->counts);
    fm_counter_job_close(&s->job);
    fm_free(s);
    return taken;
}
