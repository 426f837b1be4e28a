/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata hang: who waits for whom at the end of a run, or now. */
#include "cli/commands/commands.h"

#include "cli/archive/complete.h"
#include "cli/hang/live_hang.h"
#include "cli/options/options.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"

#include <stdio.h>

/* Exit status: calls waited for long, but nothing proves that they could never return. */
#define NOT_PROVED 4

/* Loads the report of an experiment, which is analysed first if it has none.
 * @param threads  what they do now, if the program still runs */
static fm_status_t load(char *place, struct fm_cube **cube, fm_live_threads *threads,
                        struct fm_error *error)
{
    if (fm_live_hang_is_due(place)) {
        const fm_status_t status = fm_live_hang_load(place, cube, threads, error);
        if (status == FM_OK) {
            fprintf(stderr, "fermata hang: the program still runs: this is how it stands now\n");
        }
        return status;
    }
    if (fm_lacks_report(place)) {
        char name[] = "analyze";
        char *arguments[] = {name, place, NULL};
        const int status = fm_command_analyze(2, arguments);
        if (status != FM_OK) {
            return fm_fail(error, FM_ERR_DATA, "%s: the analysis failed", place);
        }
    }
    return fm_load_report(place, cube, error);
}

/* A run that was cut short, and whose archive has no call in which it ended, may have hung or not.
 */
static fm_status_t refuse_unknown(const char *place, const struct fm_cube *cube,
                                  struct fm_error *error)
{
    struct fm_doubts doubts = fm_doubts_of_experiment(place);
    fm_status_t status = FM_OK;
    if (cube->hang.open_ends == 0 && doubts.missing != NULL) {
        status = fm_fail(error, FM_ERR_DATA,
                         "%s: it is unknown whether the run hung: it is incomplete, and no "
                         "process ended inside of calls that are recorded",
                         place);
    }
    fm_doubts_free(&doubts);
    return status;
}

int fm_command_hang(int argc, char **argv)
{
    struct fm_option_reader reader;
    struct fm_error error;
    struct fm_cube *cube = NULL;
    fm_live_threads threads = {0};
    fm_options_begin(&reader, FM_COMMAND_hang, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        return fm_options_stop(&reader, option);
    }
    if (!fm_options_operands(&reader, 1, 1, "one experiment")) {
        return fm_options_complain(&reader);
    }
    fm_status_t status = load(reader.operands[0], &cube, &threads, &error);
    if (status == FM_OK) {
        status = refuse_unknown(reader.operands[0], cube, &error);
    }
    if (status == FM_OK) {
        const struct fm_terminal terminal = fm_terminal_detect(stdout);
        status = fm_hang_print(cube, &threads, &terminal, &error);
    }
    fm_live_threads_free(&threads);
    if (status != FM_OK) {
        fprintf(stderr, "fermata hang: %s\n", fm_safe_text(error.message));
        fm_cube_free(cube);
        return status == FM_ERR_USAGE ? FM_ERR_USAGE : FM_ERR_DATA;
    }
    const fm_hang_t kind = cube->hang.open_ends == 0 ? FM_HANG_NONE : cube->hang.kind;
    fm_cube_free(cube);
    return kind == FM_HANG_NONE ? 0 : kind == FM_HANG_NO_PROGRESS ? NOT_PROVED : FM_ERR_FAILED;
}
