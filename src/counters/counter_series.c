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

/* Takes a row. @return whether it is one */
static bool take_row(struct table *table, char *line, const char *name, size_t ranks)
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
    if (value == NULL || rank >= ranks || table->values.count == 0) {
        return false;
    }
    *value = '\0';
    if (strcmp(counter + 1, name) == 0) {
        double number = strtod(value + 1, &end);
        if (end == value + 1) {
            return false;
        }
        table->values.items[table->values.count - ranks + rank] = number;
    }
    return true;
}

fm_status_t fm_counter_series_read(const char *directory, const char *name, size_t ranks,
                                   struct fm_snapshot_series *series, struct fm_error *error)
{
    char path[PATH_MAX + 32], line[512];
    struct table table = {0};
    fm_status_t status = FM_OK;
    size_t number = 0;
    snprintf(path, sizeof path, "%s/counters/" FM_SNAPSHOT_FILE, directory);
    FILE *file = fopen(path, "re");
    *series = (struct fm_snapshot_series){0};
    if (file == NULL) {
        return errno == ENOENT
                   ? fm_fail(error, FM_ERR_DATA,
                             "%s has no snapshots: record with --counters --snapshot SECONDS",
                             directory)
                   : fm_fail(error, FM_ERR_SYSTEM, "%s: %m", path);
    }
    while (status == FM_OK && fgets(line, sizeof line, file) != NULL) {
        bool is_whole = strchr(line, '\n') != NULL; /* else it is being written */
        if (++number > 1 && is_whole && !take_row(&table, line, name, ranks)) {
            status = fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of snapshots", path, number);
        }
    }
    fclose(file);
    *series = (struct fm_snapshot_series){.name = name,
                                          .snapshots = table.seconds.count,
                                          .ranks = ranks,
                                          .seconds = table.seconds.items,
                                          .values = table.values.items};
    if (status == FM_OK && series->snapshots < 2) {
        status = fm_fail(error, FM_ERR_DATA, "%s has fewer than two snapshots", path);
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
