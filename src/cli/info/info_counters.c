/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in an experiment that has counters and no trace (fermata record --counters-only). */
#include "base/json/json_writer.h"
#include "base/text.h"
#include "cli/archive/environment.h"
#include "cli/info/info.h"
#include "cli/text/safe_text.h"
#include "counters/counter_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { TEXT = 256 };

static void print_field(const char *title, const char *value)
{
    char safe[TEXT];
    if (value != NULL && value[0] != '\0') {
        printf("%-14s %s\n", title, fm_safe_copy(safe, sizeof safe, value));
    }
}

static const char *text_of(const json_t *environment, const char *key)
{
    return json_string_value(json_object_get(environment, key));
}

/* @return the number of counters that are not 0 */
static size_t count_nonzero(const struct fm_counter_job *job)
{
    size_t nonzero = 0;
    for (size_t i = 0; i < job->count; i++) {
        nonzero += fm_counter_job_spread(job, i, -1).total > 0;
    }
    return nonzero;
}

static void print_text(const struct fm_counter_job *job, const json_t *environment)
{
    const json_t *recorder = json_object_get(environment, "recorder");
    const json_t *overhead = json_object_get(recorder, "overhead_percent");
    char *command = fm_environment_command(environment);
    print_field("experiment", job->path);
    print_field("content", "counters, no trace");
    print_field("program", command);
    print_field("host", text_of(environment, "host"));
    print_field("system", text_of(environment, "system"));
    print_field("library", text_of(environment, "mpi_library"));
    print_field("start", text_of(environment, "start"));
    printf("%-14s %zu of %u processes, of which %zu reached their regular end\n", "size",
           job->ranks, fm_counter_job_size(job),
           fm_counter_job_in_state(job, FERMATA_PROCESS_ENDED));
    printf("%-14s %zu other than 0 (fermata counters show)\n", "counters", count_nonzero(job));
    if (json_is_number(overhead)) {
        char longer[FM_TEXT_NUMBER];
        printf("%-14s makes the run %s\n", "recorder",
               fm_text_longer(longer, json_number_value(overhead) / 100,
                              json_is_true(json_object_get(recorder, "overhead_is_least"))));
    }
    free(command);
}

/* @return 0, -1 without memory */
static int print_json(const struct fm_counter_job *job, const json_t *environment)
{
    char *text = environment == NULL ? NULL : json_dumps(environment, JSON_INDENT(2));
    char *command = fm_environment_command(environment);
    if (environment != NULL && text == NULL) {
        free(command);
        return -1;
    }
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_string(&json, "experiment", job->path);
    fm_json_bool(&json, "has_trace", false);
    fm_json_string(&json, "program", command);
    fm_json_unsigned(&json, "processes", fm_counter_job_size(job));
    fm_json_unsigned(&json, "processes_with_counters", job->ranks);
    fm_json_unsigned(&json, "processes_ended", fm_counter_job_in_state(job, FERMATA_PROCESS_ENDED));
    fm_json_unsigned(&json, "nonzero_counters", count_nonzero(job));
    fm_json_raw(&json, "environment", text == NULL ? "null" : text);
    fm_json_end(&json);
    putchar('\n');
    free(text);
    free(command);
    return 0;
}

fm_status_t fm_info_print_counters(const char *directory, bool json, struct fm_error *error)
{
    struct fm_counter_job job;
    struct stat entry;
    if (stat(directory, &entry) != 0 || !S_ISDIR(entry.st_mode)) {
        return fm_fail(error, FM_ERR_DATA, "%s: no experiment directory", directory);
    }
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    fm_counter_job_read(&job);
    json_t *environment = fm_environment_load(directory);
    if (!json) {
        print_text(&job, environment);
    } else if (print_json(&job, environment) != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    json_decref(environment);
    fm_counter_job_close(&job);
    return status;
}
