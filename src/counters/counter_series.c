#include "counters/counter_series.h"

#include "base/containers/vector.h"
#include "counters/counter_snapshot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    FM_VECTOR(double) seconds, values;
};

/* Begins a snapshot: with the values of the one before. */
static void add_snapshot(struct table *table, double seconds, size_t ranks)
{
    size_t before = table->values.count;
    fm_vector_push(&table->seconds, seconds);
    fm_vector_reserve(&table->values, ranks);
    for (size_t rank = 0; rank < ranks; rank++) {
        table->values.items[before + rank] =
            before != 0 ? table->values.items[before - ranks + rank] : 0;
    }
    table->values.count += ranks;
}

/* Takes a row of a file with `ranks` ranks from `first` on. @return whether it is one */
static bool take_row(struct table *table, char *line, const char *name, size_t first, size_t ranks)
{
    char *end;
    double seconds = strtod(line, &end);
    if (end == line || *end != ',') {
        return false;
    }
    if (strncmp(end, ",,,", 3) == 0) {
        add_snapshot(table, seconds, ranks);
        return true;
    }
    char *counter;
    unsigned long rank = strtoul(end + 1, &counter, 10);
    char *value = counter != end + 1 && *counter == ',' ? strchr(counter + 1, ',') : NULL;
    if (value == NULL || rank < first || rank >= first + ranks || table->values.count == 0) {
        return false;
    }
    *value = '\0';
    if (strcmp(counter + 1, name) == 0) {
        double number = strtod(value + 1, &end);
        if (end == value + 1) {
            return false;
        }
        table->values.items[table->values.count - ranks + rank - first] = number;
    }
    return true;
}

/* Puts the begin of the counting in front of the snapshots, where all values are 0. */
static void begin_at(struct table *table, double begin, size_t ranks)
{
    size_t snapshots = table->seconds.count, values = snapshots * ranks;
    if (snapshots == 0 || table->seconds.items[0] <= begin) {
        return;
    }
    fm_vector_reserve(&table->seconds, 1);
    memmove(table->seconds.items + 1, table->seconds.items, snapshots * sizeof(double));
    table->seconds.items[0] = begin;
    table->seconds.count++;
    table->values.count = values;
    fm_vector_reserve(&table->values, ranks);
    memmove(table->values.items + ranks, table->values.items, values * sizeof(double));
    memset(table->values.items, 0, ranks * sizeof(double));
    table->values.count += ranks;
}

static void free_table(struct table *table)
{
    fm_free(table->seconds.items);
    fm_free(table->values.items);
}

/* Reads the rows of a file. */
static fm_status_t read_rows(FILE *file, const char *path, const char *name, size_t first,
                             size_t ranks, struct table *table, struct fm_error *error)
{
    char line[512];
    for (size_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        bool is_whole = strchr(line, '\n') != NULL; /* else it is being written */
        if (number > 1 && is_whole && !take_row(table, line, name, first, ranks)) {
            return fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of snapshots", path, number);
        }
    }
    return FM_OK;
}

/* Appends a rank's own snapshots: as many as every rank has, at the mean of the ranks' times. */
static void merge(struct table *all, const struct table *own, size_t rank, size_t ranks)
{
    size_t count = own->seconds.count;
    if (rank == 0) {
        fm_vector_reserve(&all->seconds, count);
        fm_vector_reserve(&all->values, count * ranks);
        all->seconds.count = count;
        memset(all->seconds.items, 0, count * sizeof(double));
    }
    all->seconds.count = count < all->seconds.count ? count : all->seconds.count;
    for (size_t i = 0; i < all->seconds.count; i++) {
        all->seconds.items[i] += own->seconds.items[i] / (double)ranks;
        all->values.items[i * ranks + rank] = own->values.items[i];
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
static fm_status_t read_ranks(const char *directory, const char *name, size_t ranks,
                              const double *starts, struct table *all, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t rank = 0; status == FM_OK && rank < ranks; rank++) {
        char path[PATH_MAX + 64];
        struct table own = {0};
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
        status = read_rows(file, path, name, rank, 1, &own, error);
        fclose(file);
        for (size_t i = 0; starts != NULL && i < own.seconds.count; i++) {
            own.seconds.items[i] += starts[rank];
        }
        if (status == FM_OK) {
            merge(all, &own, rank, ranks);
        }
        free_table(&own);
    }
    return status;
}

fm_status_t fm_counter_series_read(const char *directory, const char *name, size_t ranks,
                                   const double *starts, struct fm_snapshot_series *series,
                                   struct fm_error *error)
{
    char path[PATH_MAX + 32];
    struct table table = {0};
    fm_status_t status;
    snprintf(path, sizeof path, "%s/counters/" FM_SNAPSHOT_FILE, directory);
    FILE *file = fopen(path, "re");
    *series = (struct fm_snapshot_series){0};
    if (file == NULL && errno != ENOENT) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %m", path);
    }
    if (file != NULL) {
        status = read_rows(file, path, name, 0, ranks, &table, error);
        fclose(file);
    } else {
        status = read_ranks(directory, name, ranks, starts, &table, error);
    }
    if (status == FM_OK) {
        begin_at(&table, file != NULL ? 0 : mean_start(starts, ranks), ranks);
    }
    *series = (struct fm_snapshot_series){.name = name,
                                          .snapshots = table.seconds.count,
                                          .ranks = ranks,
                                          .seconds = table.seconds.items,
                                          .values = table.values.items};
    if (status == FM_OK && series->snapshots < 2) {
        status = fm_fail(error, FM_ERR_DATA, "%s has no snapshot later than the begin of the run",
                         file != NULL ? path : directory);
    }
    if (status != FM_OK) {
        fm_counter_series_free(series);
    }
    return status;
}

void fm_counter_series_free(struct fm_snapshot_series *series)
{
    fm_free(series->seconds);
    fm_free(series->values);
    *series = (struct fm_snapshot_series){0};
}
