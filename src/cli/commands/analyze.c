/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/launcher.h"
#include "cli/archive/analysis_team.h"
#include "cli/archive/analyze_trace.h"
#include "cli/archive/imported_traces.h"
#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* DIR/report.fer, or traces.fer beside an anchor file */
static char *default_output(const char *archive)
{
    struct stat status;
    char *path = NULL;
    if (stat(archive, &status) == 0 && !S_ISDIR(status.st_mode)) {
        const char *slash = strrchr(archive, '/');
        int directory = slash == NULL ? 0 : (int)(slash - archive + 1);
        return asprintf(&path, "%.*sreport.fer", directory, archive) < 0 ? NULL : path;
    }
    return asprintf(&path, "%s/report.fer", archive) < 0 ? NULL : path;
}

static fm_status_t take_option(struct fm_option_reader *reader, int option,
                               struct fm_analyze_request *request, const char **mpi)
{
    static const char *const predict_words[] = {
        [FM_PREDICT_AUTO] = "auto", [FM_PREDICT_YES] = "yes", [FM_PREDICT_NO] = "no", NULL};
    static const char *const mpi_libraries[] = {"openmpi", "mpich", "none", NULL};
    fm_status_t status = FM_OK;
    uint64_t jobs = 0;
    int chosen = 0;
    switch (option) {
    case FM_OPTION_analyze_JOBS:
        status = fm_option_number(reader, 1, FM_MOST_JOBS, &jobs);
        request->chosen.options.workers = (unsigned)jobs;
        return status;
    case FM_OPTION_analyze_OUTPUT:
        free(request->output);
        request->output = strdup(reader->value);
        return FM_OK;
    case FM_OPTION_analyze_QUIET:
        request->quiet = true;
        return FM_OK;
    case FM_OPTION_analyze_VERBOSE:
        request->verbose = true;
        return FM_OK;
    case FM_OPTION_analyze_HTML:
        request->page = reader->value;
        return FM_OK;
    case FM_OPTION_analyze_NO_SOURCES:
        request->no_sources = true;
        return FM_OK;
    case FM_OPTION_analyze_CHECK:
        request->chosen.options.check = true;
        return FM_OK;
    case FM_OPTION_analyze_CALLSITES:
        request->chosen.options.callsites = true;
        return FM_OK;
    case FM_OPTION_analyze_PROGRESS:
        request->progress = reader->value;
        return fm_chosen_options_set(&request->chosen, "progress", reader->value, &reader->error);
    case FM_OPTION_analyze_CLOCK:
    case FM_OPTION_analyze_CRITICAL_PATH:
    case FM_OPTION_analyze_PARTITION:
        return fm_chosen_options_set(&request->chosen, reader->word + strlen("--"), reader->value,
                                     &reader->error);
    case FM_OPTION_analyze_PATTERN:
        fm_vector_push(&request->patterns, reader->value);
        return FM_OK;
    case FM_OPTION_analyze_PREDICT:
        status = fm_option_choice(reader, predict_words, &chosen);
        request->predict = (enum fm_predict_choice)chosen;
        return status;
    case FM_OPTION_analyze_ONLY:
    case FM_OPTION_analyze_WITHOUT:
        *(option == FM_OPTION_analyze_ONLY ? &request->only : &request->without) = reader->value;
        return fm_pattern_selection_add(&request->selection, option == FM_OPTION_analyze_ONLY,
                                        reader->value, &reader->error);
    case FM_OPTION_analyze_MEMORY:
        return fm_option_size(reader, &request->chosen.options.memory_limit);
    default: /* FM_OPTION_analyze_MPI */
        status = fm_option_choice(reader, mpi_libraries, &chosen);
        if (status == FM_OK) { /* otherwise the processes agree by the launcher's library */
            *mpi = mpi_libraries[chosen];
        }
        return status;
    }
}

/* Reads the command line; traces of other profilers become an experiment.
 * @return the first thing that is wrong
 * @param mpi       out: the MPI library that the user has chosen
 * @param help      out: only the help is wanted
 * @param imported  out: the experiment that was made; NULL: none. To be freed */
static fm_status_t read_arguments(int argc, char **argv, struct fm_analyze_request *request,
                                  const char **mpi, bool *help, char **imported,
                                  struct fm_error *error)
{
    struct fm_option_reader reader;
    fm_status_t status = FM_OK;
    fm_options_begin(&reader, FM_COMMAND_analyze, argc, argv);
    for (int option; status == FM_OK && (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        *help = option == FM_OPTIONS_HELP;
        if (*help) {
            return FM_OK;
        }
        status = option == FM_OPTIONS_REFUSED ? FM_ERR_USAGE
                                              : take_option(&reader, option, request, mpi);
    }
    if (status == FM_OK && !fm_options_operands(&reader, 1, 1, "one experiment directory")) {
        status = FM_ERR_USAGE;
    }
    if (status != FM_OK) {
        *error = reader.error;
        return status;
    }
    request->archive = reader.operands[0];
    status = fm_imported_traces(request->archive, request->output, request->quiet, imported, error);
    if (status != FM_OK) {
        return status;
    }
    if (*imported != NULL) {
        request->archive = *imported;
        free(request->output);
        request->output = NULL;
    }
    if (request->output == NULL) {
        request->output = default_output(request->archive);
    }
    return request->output != NULL ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "no memory");
}

int fm_command_analyze(int argc, char **argv)
{
    struct fm_analyze_request request = {0};
    const char *mpi = NULL;
    char *imported = NULL;
    bool help = false;
    int status;
    request.status = read_arguments(argc, argv, &request, &mpi, &help, &imported, &request.error);
    if (request.status == FM_OK && !help) {
        request.status = fm_team_check_library(mpi, &request.error);
        mpi = request.status == FM_OK ? mpi : NULL;
    }
    request.library = fm_team_library(mpi);
    if (help) {
        status = FM_OK;
        if (fm_launch_read().rank == 0) {
            fm_options_print_help(FM_COMMAND_analyze);
        }
    } else if (request.status != FM_OK && request.library == NULL) {
        status = (int)request.status;
        fprintf(stderr, "fermata analyze: %s\n", request.error.message);
    } else {
        status = request.patterns.count > 0
                     ? fm_run_isolated_with_objects("analyze", request.archive, fm_analyze_trace,
                                                    &request)
                     : fm_run_isolated("analyze", request.archive, 0, fm_analyze_trace, &request);
    }
    free(request.output);
    free(imported);
    fm_vector_free(&request.patterns);
    fm_pattern_selection_free(&request.selection);
    fm_chosen_options_free(&request.chosen);
    return status;
}
