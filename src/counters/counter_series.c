/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/counter_series.h"

#include "base/containers/vector.h"
#include "counters/catalogue.h"
#include "counters/counter_snapshot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is read: counters of consecutive ranks. */
struct wanted {
    const char *const *names;
    size_t count;
    size_t first, ranks;
};

/* Values by snapshot, counter and rank. */
struct table {
    FM_VECTOR(double) seconds, values;
};

static size_t width_of(const struct wanted *wanted)
{
    return wanted->count * wanted->ranks;
}

/* Begins a snapshot: with the values of the one before. */
static void add_snapshot(struct table *table, double seconds, size_t width)
{
    size_t before = table->values.count;
    fm_vector_push(&table->seconds, seconds);
    fm_vector_reserve(&table->values, width);
    for (size_t i = 0; i < width; i++) {
        table->values.items[before + i] = before != 0 ? table->values.items[before - width + i] : 0;
    }
    table->values.count += width;
}

/* Takes a row of a file. @return whether it is one */
static bool take_row(struct table *table, char *line, const struct wanted *wanted)
{
    char *end;
    double seconds = strtod(line, &end);
    if (end == line || *end != ',') {
        return false;
    }
    if (strncmp(end, ",,,", 3) == 0) {
        add_snapshot(table, seconds, width_of(wanted));
        return true;
    }
    char *counter;
    unsigned long rank = strtoul(end + 1, &counter, 10);
    char *value = counter != end + 1 && *counter == ',' ? strchr(counter + 1, ',') : NULL;
    if (value == NULL || rank < wanted->first || rank >= wanted->first + wanted->ranks ||
        table->values.count == 0) {
        return false;
    }
    *value = '\0';
    double *last = table->values.items + table->values.count - width_of(wanted);
    bool is_row = true;
    for (size_t number = 0; number < wanted->count; number++) { /* a name may be there twice */
        if (strcmp(counter + 1, wanted->names[number]) == 0) {
            last[number * wanted->ranks + rank - wanted->first] = strtod(value + 1, &end);
            is_row = end != value + 1;
        }
    }
    return is_row;
}

/* Puts the begin of the counting in front of the snapshots, where all values are 0. */
static void begin_at(struct table *table, double begin, size_t width)
{
    size_t snapshots = table->seconds.count, values = table->values.count;
    if (snapshots == 0 || table->seconds.items[0] <= begin) {
        return;
    }
    fm_vector_reserve(&table->seconds, 1);
    memmove(table->seconds.items + 1, table->seconds.items, snapshots * sizeof(double));
    table->seconds.items[0] = begin;
    table->seconds.count++;
    fm_vector_reserve(&table->values, width);
    memmove(table->values.items + width, table->values.items, values * sizeof(double));
    memset(table->values.items, 0, width * sizeof(double));
    table->values.count += width;
}

static void free_table(struct table *table)
{
    fm_free(table->seconds.items);
    fm_free(table->values.items);
}

/* Reads the rows of a file. */
static fm_status_t read_rows(FILE *file, const char *path, const struct wanted *wanted,
                             struct table *table, struct fm_error *error)
{
    char line[512];
    for (size_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        bool is_whole = strchr(line, '\n') != NULL; /* else it is being written */
        if (number > 1 && is_whole && !take_row(table, line, wanted)) {
            return fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of snapshots", path, number);
        }
    }
    return FM_OK;
}

/* Appends a rank's own snapshots: as many as every rank has, at the mean of the ranks' times. */
static void merge(struct table *all, const struct table *own, const struct wanted *wanted,
                  size_t rank)
{
    size_t count = own->seconds.count, width = width_of(wanted);
    if (rank == 0) {
        fm_vector_reserve(&all->seconds, count);
        fm_vector_reserve(&all->values, count * width);
        all->seconds.count = count;
        memset(all->seconds.items, 0, count * sizeof(double));
    }
    all->seconds.count = count < all->seconds.count ? count : all->seconds.count;
    all->values.count = all->seconds.count * width;
    for (size_t i = 0; i < all->seconds.count; i++) {
        all->seconds.items[i] += own->seconds.items[i] / (double)wanted->ranks;
        for (size_t k = 0; k < wanted->count; k++) {
            all->values.items[i * width + k * wanted->ranks + rank] =
                own->values.items[i * wanted->count + k];
        }
    }
}

/* Mean of the times at which the ranks begin to count. */
static double mean_start(const double *starts, size_t ranks)
{
    double sum = 0;
    for (size_t rank = 0; starts != NULL && rank < ranks; rank++) {
        sum += starts[rank] / (double)ranks;
    }
    return sum;
}

/* Reads the files that each rank has written itself (record/counting/rank_snapshots.h). */
static fm_status_t read_ranks(const char *directory, const struct wanted *wanted,
                              const double *starts, struct table *all, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t rank = 0; status == FM_OK && rank < wanted->ranks; rank++) {
        char path[PATH_MAX + 64];
        struct table own = {0};
        const struct wanted one = {wanted->names, wanted->count, rank, 1};
        snprintf(path, sizeof path, "%s/counters/snapshots.%zu", directory, rank);
        FILE *file = fopen(path, "re");
        if (file == NULL) {
            status = errno == ENOENT && rank == 0
                         ? fm_fail(error, FM_ERR_DATA,
                                   "%s has no snapshots: record with --counters --snapshot WHEN",
                                   directory)
                         : fm_fail(error, FM_ERR_DATA, "%s: %m", path);
            break;
        }
        status = read_rows(file, path, &one, &own, error);
        fclose(file);
        for (size_t i = 0; starts != NULL && i < own.seconds.count; i++) {
            own.seconds.items[i] += starts[rank];
        }
        if (status == FM_OK) {
            merge(all, &own, wanted, rank);
        }
        free_table(&own);
    }
    return status;
}

/* The counters of files that the counters asked for consist of: of the i-th those from first[i] to
 * first[i + 1]. */
struct parts {
    const char **names;
    size_t *first;
};

static struct parts parts_of(const char *const names[], size_t count)
{
    struct parts parts = {
        .names = fm_allocate(FM_COUNTER_SUMMANDS * count + 1, sizeof *parts.names),
        .first = fm_allocate(count + 1, sizeof *parts.first),
    };
    for (size_t i = 0; i < count; i++) {
        const struct fm_counter_entry *entry = fm_counter_named(names[i]);
        size_t end = parts.first[i];
        if (entry == NULL || entry->summands[0] == NULL) {
            parts.names[end++] = names[i];
        }
        for (size_t k = 0; entry != NULL && k < FM_COUNTER_SUMMANDS && entry->summands[k] != NULL;
             k++) {
            parts.names[end++] = entry->summands[k];
        }
        parts.first[i + 1] = end;
    }
    return parts;
}

/* Takes the series of a counter out of a table: the sum of its parts. */
static struct fm_snapshot_series series_of(const struct table *table, const struct wanted *wanted,
                                           const size_t first[2], const char *name)
{
    size_t snapshots = table->seconds.count, ranks = wanted->ranks;
    struct fm_snapshot_series series = {
        .name = name,
        .snapshots = snapshots,
        .ranks = ranks,
        .seconds = fm_allocate(snapshots + 1, sizeof(double)),
        .values = fm_allocate(snapshots * ranks + 1, sizeof(double)),
    };
    for (size_t i = 0; i < snapshots; i++) {
        series.seconds[i] = table->seconds.items[i];
        const double *row = table->values.items + i * width_of(wanted);
        for (size_t k = first[0] * ranks; k < first[1] * ranks; k++) {
            series.values[i * ranks + k % ranks] += row[k];
        }
    }
    return series;
}

bool fm_counter_series_exist(const char *directory)
{
    static const char *const names[] = {FM_SNAPSHOT_FILE, "snapshots.0"};
    char path[PATH_MAX + 32];
    bool found = false;
    for (int i = 0; i < 2 && !found; i++) {
        snprintf(path, sizeof path, "%s/counters/%s", directory, names[i]);
        found = access(path, F_OK) == 0;
    }
    return found;
}

fm_status_t fm_counter_series_read_all(const char *directory, const char *const names[],
                                       size_t count, size_t ranks, const double *starts,
                                       struct fm_snapshot_series series[], struct fm_error *error)
{
    char path[PATH_MAX + 32];
    struct table table = {0};
    fm_status_t status;
    snprintf(path, sizeof path, "%s/counters/" FM_SNAPSHOT_FILE, directory);
    FILE *file = fopen(path, "re");
    if (file == NULL && errno != ENOENT) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %m", path);
    }
    struct parts parts = parts_of(names, count);
    const struct wanted wanted = {parts.names, parts.first[count], 0, ranks};
    if (file != NULL) {
        status = read_rows(file, path, &wanted, &table, error);
        fclose(file);
    } else {
        status = read_ranks(directory, &wanted, starts, &table, error);
    }
    if (status == FM_OK) {
        begin_at(&table, file != NULL ? 0 : mean_start(starts, ranks), width_of(&wanted));
    }
    if (status == FM_OK && table.seconds.count < 2) {
        status = fm_fail(error, FM_ERR_DATA, "%s has no snapshot later than the begin of the run",
                         file != NULL ? path : directory);
    }
    for (size_t i = 0; status == FM_OK && i < count; i++) {
        series[i] = series_of(&table, &wanted, &parts.first[i], names[i]);
    }
    fm_free(parts.names);
    fm_free(parts.first);
    free_table(&table);
    return status;
}

fm_status_t fm_counter_series_read(const char *directory, const char *name, size_t ranks,
                                   const double *starts, struct fm_snapshot_series *series,
                                   struct fm_error *error)
{
    *series = (struct fm_snapshot_series){0};
    return fm_counter_series_read_all(directory, &name, 1, ranks, starts, series, error);
}

/* Seconds between the begin of the earliest process and that of each rank; to be freed. */
static double *starts_of(const struct fm_counter_job *job, size_t ranks)
{
    double *starts = fm_allocate(ranks, sizeof *starts);
    uint64_t first = fm_counter_job_start(job);
    for (size_t i = 0; i < job->ranks; i++) {
        unsigned rank = fm_counter_job_rank(job, i);
        if (rank < ranks) {
            starts[rank] = (double)(fermata_counters_start(job->files[i]) - first) / 1e9;
        }
    }
    return starts;
}

fm_status_t fm_counter_series_of_job(const struct fm_counter_job *job, const char *directory,
                                     const char *const names[], size_t count,
                                     struct fm_snapshot_series series[], struct fm_error *error)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/counters/" FM_SNAPSHOT_FILE, directory);
    /* Those that ranks have taken themselves are of world 0. */
    size_t ranks = access(path, F_OK) == 0 ? fm_counter_job_size(job) : job->worlds[0].size;
    double *starts = starts_of(job, ranks);
    fm_status_t status =
        fm_counter_series_read_all(directory, names, count, ranks, starts, series, error);
    fm_free(starts);
    return status;
}

void fm_counter_series_free(struct fm_snapshot_series *series)
{
    fm_free(series->seconds);
    fm_free(series->values);
    *series = (struct fm_snapshot_series){0};
}
