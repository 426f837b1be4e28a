/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/file_access.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "functions/function_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** Smaller shares of all time are not described. */
#define SMALLEST_SHARE 0.01

enum { SHOWN_CALLPATHS = 3 };

/** What the accesses of a call path have moved. */
struct moved {
    int64_t read, written; /**< bytes */
    int64_t time;          /**< ticks in the calls, waiting included */
    int64_t waiting;       /**< ticks */
};

static struct moved *moved_by_callpath(const struct fm_cube *cube)
{
    struct moved *moved = fm_allocate(cube->callpath_count, sizeof *moved);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        struct moved *at = &moved[cell->callpath];
        switch ((fm_metric_t)cell->metric) {
        case FM_METRIC_MPI_FILE_IRBYTES:
        case FM_METRIC_MPI_FILE_CRBYTES:
            at->read += cell->value;
            break;
        case FM_METRIC_MPI_FILE_IWBYTES:
        case FM_METRIC_MPI_FILE_CWBYTES:
            at->written += cell->value;
            break;
        case FM_METRIC_MPI_IO_COLLECTIVE_WAIT:
            at->waiting += cell->value;
            at->time += cell->value;
            break;
        case FM_METRIC_MPI_IO_INDIVIDUAL:
        case FM_METRIC_MPI_IO_COLLECTIVE:
            at->time += cell->value;
            break;
        default:
            break;
        }
    }
    return moved;
}

/** @return whether a call path ends with a read or write that returns when its data are moved */
static bool is_blocking_access(const struct fm_cube *cube, uint32_t callpath)
{
    const char *name = cube->regions[cube->callpaths[callpath].region].name;
    const struct fm_function_kind kind = fm_function_kind(FM_PARADIGM_MPI, name);
    return (kind.reads_file || kind.writes_file) && strncasecmp(name, "MPI_File_i", 10) != 0 &&
           strstr(name, "_begin") == NULL;
}

/** Writes "writes 1.500 GiB in 2.000 s, 768.0 MiB/s".
 * @param of_whom  behind the time */
static void write_rate(char *text, size_t size, const struct fm_cube *cube,
                       const struct moved *moved, const char *of_whom)
{
    char bytes[FM_FORMAT_SIZE], time[FM_FORMAT_SIZE], rate[FM_FORMAT_SIZE];
    const int64_t sum = moved->read + moved->written;
    const double seconds = (double)moved->time / (double)cube->experiment.ticks_per_second;
    fm_format_value(bytes, cube, FM_UNIT_BYTES, sum);
    fm_format_value(rate, cube, FM_UNIT_BYTES, (int64_t)((double)sum / seconds));
    snprintf(text, size, "%s %s in %s%s, %s/s", moved->written != 0 ? "writes" : "reads", bytes,
             fm_format_ticks(time, cube, moved->time), of_whom, rate);
}

void fm_file_access_of_cause(const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    static const fm_metric_t reads[] = {FM_METRIC_MPI_FILE_IRBYTES, FM_METRIC_MPI_FILE_CRBYTES};
    static const fm_metric_t writes[] = {FM_METRIC_MPI_FILE_IWBYTES, FM_METRIC_MPI_FILE_CWBYTES};
    const struct fm_cube *cube = diagnosis->cube;
    struct moved moved = {0};
    for (uint32_t i = 0; i < cause->location_count; i++) {
        const uint32_t location = cause->locations[i];
        for (unsigned k = 0; k < 2; k++) {
            moved.read += fm_cube_value(cube, reads[k], cause->callpath, location);
            moved.written += fm_cube_value(cube, writes[k], cause->callpath, location);
        }
        moved.time += fm_cube_value(cube, FM_METRIC_MPI_IO_INDIVIDUAL, cause->callpath, location) +
                      fm_cube_value(cube, FM_METRIC_MPI_IO_COLLECTIVE, cause->callpath, location);
    }
    if (moved.read + moved.written == 0 || moved.time <= 0 ||
        !is_blocking_access(cube, cause->callpath)) {
        fm_sentences_add(lines, "How", "it accesses a file while others wait");
        return;
    }
    char text[4 * FM_FORMAT_SIZE];
    write_rate(text, sizeof text, cube, &moved, " there");
    fm_sentences_add(lines, "How", "it %s, while others wait", text);
}

void fm_file_accesses_find(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct moved *moved = moved_by_callpath(cube);
    for (unsigned shown = 0; shown < SHOWN_CALLPATHS; shown++) {
        uint32_t most = FM_CUBE_NONE;
        for (uint32_t c = 0; c < cube->callpath_count; c++) {
            if (moved[c].read + moved[c].written > 0 && is_blocking_access(cube, c) &&
                (most == FM_CUBE_NONE || moved[c].time > moved[most].time)) {
                most = c;
            }
        }
        if (most == FM_CUBE_NONE ||
            (double)moved[most].time < SMALLEST_SHARE * (double)diagnosis->time) {
            break;
        }
        char text[4 * FM_FORMAT_SIZE], percent[FM_FORMAT_SIZE], of_all[FM_FORMAT_SIZE];
        char waiting[2 * FM_FORMAT_SIZE] = "";
        char *place = fm_place_callpath_with_line(diagnosis, most);
        snprintf(of_all, sizeof of_all, " of all %s", diagnosis->process.many);
        write_rate(text, sizeof text, cube, &moved[most], of_all);
        if (moved[most].waiting > 0) {
            snprintf(waiting, sizeof waiting, "; %s of this time is waiting",
                     fm_format_percent(percent, moved[most].waiting, moved[most].time));
        }
        fm_sentences_add(lines, "", "`%s` %s for each %s in it%s.", place, text,
                         diagnosis->process.one, waiting);
        free(place);
        moved[most].read = moved[most].written = 0;
    }
    fm_free(moved);
}
