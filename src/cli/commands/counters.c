/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters: what the library does, in numbers, while a program runs and afterwards. */
#include "base/memory.h"
#include "cli/archive/complete.h"
#include "cli/commands/commands.h"
#include "cli/counters/counter_bounds.h"
#include "cli/counters/counter_grid.h"
#include "cli/counters/counter_output.h"
#include "cli/options/options.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(struct fm_error *error, fm_status_t status)
{
    fprintf(stderr, "fermata counters: %s\n", fm_safe_text(error->message));
    return status;
}

static int list(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    request->patterns = reader->operands + 1;
    if (fm_counters_list(request) != FM_OK) {
        fprintf(stderr, "fermata counters: no counter is called so; see fermata counters list\n");
        return FM_ERR_FAILED;
    }
    return FM_OK;
}

static int check_patterns(char *const *patterns)
{
    for (; *patterns != NULL; patterns++) {
        const char *unknown = fm_counter_list_unknown(*patterns);
        if (unknown != NULL) {
            char safe[128];
            fprintf(stderr, "fermata counters: there is no counter %s; see fermata counters list\n",
                    fm_safe_copy(safe, sizeof safe, unknown));
            return FM_ERR_USAGE;
        }
    }
    return FM_OK;
}

/* States on stderr which of the named counters are unavailable: they are not 0. For output that
 * has values only. */
static void tell_unavailable(char *const *patterns, const struct fm_counter_job *job)
{
    char name[128], reason[256];
    struct fm_counter_lacks lacks = {0};
    if (patterns[0] != NULL) {
        lacks = fm_counter_job_lacks(job, patterns);
    }
    for (size_t i = 0; i < lacks.count; i++) {
        fprintf(stderr, "fermata counters: %s is unavailable: %s\n",
                fm_safe_copy(name, sizeof name, lacks.items[i].name),
                fm_safe_copy(reason, sizeof reason, lacks.items[i].reason));
    }
    fm_free(lacks.items);
}

static int show(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    request->patterns = reader->operands + 2;
    int status = check_patterns(request->patterns);
    if (status == FM_OK) {
        status = fm_counter_job_open(reader->operands[1], &job, &error);
        if (status != FM_OK) {
            return fail(&error, (fm_status_t)status);
        }
        size_t interrupted = fm_counter_job_read(&job);
        if (request->format == FM_COUNTERS_CSV) {
            tell_unavailable(request->patterns, &job);
        }
        fm_counters_show(request, &job, reader->operands[1], interrupted);
        fm_counter_job_close(&job);
    }
    return status;
}

/* Opens one job for each operand behind the verb. @return status, with a message */
static fm_status_t open_all(char *const *paths, size_t count, struct fm_counter_job *jobs)
{
    struct fm_error error;
    for (size_t i = 0; i < count; i++) {
        fm_status_t status = fm_counter_job_open(paths[i], &jobs[i], &error);
        if (status != FM_OK) {
            while (i > 0) {
                fm_counter_job_close(&jobs[--i]);
            }
            return (fm_status_t)fail(&error, status);
        }
    }
    return FM_OK;
}

static int sum(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    size_t count = (size_t)reader->operand_count - 1;
    struct fm_counter_job *jobs = fm_allocate(count, sizeof *jobs);
    fm_status_t status = open_all(reader->operands + 1, count, jobs);
    if (status == FM_OK) {
        fm_counters_sum(request, jobs, count);
        for (size_t i = 0; i < count; i++) {
            fm_counter_job_close(&jobs[i]);
        }
    }
    fm_free(jobs);
    return status;
}

static int diff(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job jobs[2];
    request->patterns = reader->operands + 3;
    int status = check_patterns(request->patterns);
    if (status == FM_OK) {
        status = open_all(reader->operands + 1, 2, jobs);
    }
    if (status == FM_OK) {
        fm_counters_diff(request, jobs);
        fm_counter_job_close(&jobs[0]);
        fm_counter_job_close(&jobs[1]);
    }
    return status;
}

fm_status_t fm_counter_period(struct fm_option_reader *reader, double *period)
{
    fm_status_t status = fm_option_duration(reader, period);
    if (status == FM_OK && (*period < 0.05 || *period > 1e6)) {
        status = fm_options_refuse(reader, "%s needs 50ms to 1000000s, not '%.100s'", reader->word,
                                   reader->value);
    }
    return status;
}

static int watch(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    request->patterns = reader->operands + 2;
    if (request->format == FM_COUNTERS_JSON) {
        fm_options_refuse(reader, "watch prints text or csv");
        return fm_options_complain(reader);
    }
    int status = check_patterns(request->patterns);
    if (status == FM_OK) {
        status = fm_counter_job_open(reader->operands[1], &job, &error);
        if (status != FM_OK) {
            return fail(&error, (fm_status_t)status);
        }
        tell_unavailable(request->patterns, &job);
        fm_counters_watch(request, &job);
        fm_counter_job_close(&job);
    }
    return status;
}

static int heatmap(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    if (request->format == FM_COUNTERS_JSON) {
        fm_options_refuse(reader, "heatmap prints SVG or csv");
        return fm_options_complain(reader);
    }
    struct fm_counter_grid grid = {0};
    if (request->grid != NULL && !fm_counter_grid_read(request->grid, &grid)) {
        fm_options_refuse(reader, "--grid needs the sizes of up to three dimensions, such as 8x5");
        return fm_options_complain(reader);
    }
    const bool is_difference = reader->operand_count > 3;
    if (is_difference && request->grid != NULL) {
        fm_options_refuse(reader, "--grid shows one experiment");
        return fm_options_complain(reader);
    }
    const char *before = is_difference ? reader->operands[1] : NULL;
    const char *const *own = (const char *const *)reader->operands + (is_difference ? 2 : 1);
    fm_status_t status = fm_counter_job_open(own[0], &job, &error);
    if (status == FM_OK) {
        status = request->grid != NULL
                     ? fm_counters_grid(request, &grid, &job, own[0], own[1], &error)
                     : fm_counters_heatmap(request, &job, own[0], before, own[1], &error);
        fm_counter_job_close(&job);
    }
    return status != FM_OK ? fail(&error, status) : FM_OK;
}

static int matrix(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_error error;
    const char *kind = reader->operand_count > 2 ? reader->operands[2] : NULL;
    fm_complete_counters("counters", reader->operands[1]);
    fm_status_t status = fm_counters_matrix(request, reader->operands[1], kind, &error);
    return status != FM_OK ? fail(&error, status) : FM_OK;
}

static int communicators(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    fm_complete_counters("counters", reader->operands[1]);
    fm_status_t status = fm_counter_job_open(reader->operands[1], &job, &error);
    if (status == FM_OK) {
        status = fm_counters_communicators(request, &job, reader->operands[1], &error);
        fm_counter_job_close(&job);
    }
    return status != FM_OK ? fail(&error, status) : FM_OK;
}

static int convert(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    fm_status_t status = fm_counter_job_open(reader->operands[1], &job, &error);
    if (status == FM_OK) {
        status =
            fm_counters_convert(request, &job, reader->operands[1], reader->operands[2], &error);
        fm_counter_job_close(&job);
    }
    return status != FM_OK ? fail(&error, status) : FM_OK;
}

static int sites(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    request->patterns = reader->operands + 2;
    if (request->format == FM_COUNTERS_CSV) {
        fm_options_refuse(reader, "sites prints text or json");
        return fm_options_complain(reader);
    }
    fm_status_t answer = FM_OK;
    fm_complete_counters("counters", reader->operands[1]);
    fm_status_t status = fm_counter_job_open(reader->operands[1], &job, &error);
    if (status == FM_OK) {
        status = fm_counters_sites(request, &job, reader->operands[1], &answer, &error);
        fm_counter_job_close(&job);
    }
    return status != FM_OK ? fail(&error, status) : (int)answer;
}

static int findings(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    if (request->format == FM_COUNTERS_CSV) {
        fm_options_refuse(reader, "findings prints text or json");
        return fm_options_complain(reader);
    }
    fm_status_t status = fm_counter_job_open(reader->operands[1], &job, &error);
    if (status == FM_OK) {
        fm_counters_findings(request, &job);
        fm_counter_job_close(&job);
    }
    return status != FM_OK ? fail(&error, status) : FM_OK;
}

static int reset(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error;
    char safe[4096];
    size_t done = 0;
    (void)request;
    fm_status_t status = fm_counter_job_open(reader->operands[1], &job, &error);
    if (status != FM_OK) {
        return fail(&error, status);
    }
    fm_safe_copy(safe, sizeof safe, reader->operands[1]);
    for (size_t rank = 0; rank < job.ranks; rank++) {
        done += fermata_counters_reset_watermarks(job.files[rank]) == 0;
    }
    if (done > 0) {
        printf("%s: watermarks of %zu of %zu ranks are those from now on\n", safe, done, job.ranks);
    } else {
        fprintf(stderr,
                "fermata counters: %s: none of %zu ranks runs on this host, with counters that may "
                "be written\n",
                safe, job.ranks);
        status = FM_ERR_FAILED;
    }
    fm_counter_job_close(&job);
    return status;
}

static int bounds(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_counter_job job;
    struct fm_error error, unused;
    struct fm_cube *cube = NULL;
    if (request->format == FM_COUNTERS_JSON) {
        fm_options_refuse(reader, "bounds prints text or csv; JSON: fermata export --to json");
        return fm_options_complain(reader);
    }
    fm_status_t status = fm_load_report(reader->operands[1], &cube, &error);
    if (status != FM_OK) {
        return fail(&error, status);
    }
    const bool has_counters = fm_counter_job_open(reader->operands[1], &job, &unused) == FM_OK;
    if (has_counters) {
        fm_counter_job_read(&job);
    }
    fm_counter_bounds_print(request, has_counters ? &job : NULL, cube);
    if (has_counters) {
        fm_counter_job_close(&job);
    }
    fm_cube_free(cube);
    return FM_OK;
}

/* The words behind "--" start the ranks of a ping-pong. */
static int calibrate(struct fm_option_reader *reader, struct fm_counter_request *request)
{
    struct fm_error error;
    char **launcher = reader->operands + reader->operand_count - request->behind;
    size_t count = (size_t)(launcher - reader->operands - 1);
    if (request->behind > 0 && count == 0) {
        fm_options_refuse(reader, "give the counters that the ping-pong is measured with");
        return fm_options_complain(reader);
    }
    char **patterns = fm_allocate(count + 1, sizeof *patterns);
    memcpy(patterns, reader->operands + 1, count * sizeof *patterns);
    request->patterns = patterns;
    int status = check_patterns(patterns);
    if (status == FM_OK) {
        status = fm_counters_calibrate(request, launcher, &error);
        if (status != FM_OK) {
            fail(&error, (fm_status_t)status);
        }
    }
    fm_free(patterns);
    return status;
}

static const struct verb {
    const char *name;
    int least, most; /* operands behind it */
    const char *wanted;
    int (*run)(struct fm_option_reader *reader, struct fm_counter_request *request);
} verbs[] = {
    {"list", 0, 1000, "list", list},
    {"show", 1, 1000, "show and an experiment", show},
    {"findings", 1, 1, "findings and an experiment", findings},
    {"watch", 1, 1000, "watch and an experiment", watch},
    {"sites", 1, 1000, "sites and an experiment", sites},
    {"heatmap", 2, 3, "heatmap, an experiment or two, and a counter", heatmap},
    {"matrix", 1, 2, "matrix, an experiment or a prefix of files, and a kind of traffic", matrix},
    {"communicators", 1, 1, "communicators and an experiment", communicators},
    {"convert", 2, 2, "convert, an experiment and a folder", convert},
    {"sum", 1, 1000, "sum and experiments", sum},
    {"diff", 2, 1000, "diff and two experiments", diff},
    {"reset", 1, 1, "reset and an experiment", reset},
    {"bounds", 1, 1, "bounds and an experiment", bounds},
    {"calibrate", 0, 1000, "calibrate", calibrate}};

static const struct verb *verb_named(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

/* Number of words behind the first "--". Reading options sorts it away. */
static int words_behind(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            return argc - i - 1;
        }
    }
    return 0;
}

int fm_command_counters(int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static char *const nothing[] = {NULL};
    struct fm_counter_request request = {
        .patterns = nothing, .period = 1, .count = UINT64_MAX, .behind = words_behind(argc, argv)};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_counters, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        int format = 0;
        switch (option) {
        case FM_OPTION_counters_ALL:
            request.all = true;
            break;
        case FM_OPTION_counters_RANKS:
            request.ranks = true;
            break;
        case FM_OPTION_counters_GRID:
            request.grid = reader.value;
            break;
        case FM_OPTION_counters_PERIOD:
            if (fm_counter_period(&reader, &request.period) != FM_OK) {
                return fm_options_complain(&reader);
            }
            request.has_period = true;
            break;
        case FM_OPTION_counters_COUNT:
            if (fm_option_number(&reader, 1, UINT64_MAX, &request.count) != FM_OK) {
                return fm_options_complain(&reader);
            }
            break;
        case FM_OPTION_counters_FORMAT:
            if (fm_option_choice(&reader, formats, &format) != FM_OK) {
                return fm_options_complain(&reader);
            }
            request.format = (enum fm_counter_format)format;
            break;
        default:
            return fm_options_stop(&reader, option);
        }
    }
    const struct verb *verb = reader.operand_count > 0 ? verb_named(reader.operands[0]) : NULL;
    if (verb == NULL) {
        fm_options_refuse(&reader, "give list, show, findings, sites, watch, heatmap, matrix, "
                                   "communicators, sum, diff, convert, reset, bounds or calibrate");
        return fm_options_complain(&reader);
    }
    if (!fm_options_operands(&reader, verb->least + 1, verb->most + 1, verb->wanted)) {
        return fm_options_complain(&reader);
    }
    return verb->run(&reader, &request);
}
