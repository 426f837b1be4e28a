/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/report_list.h"

#include "cli/options/options.h"
#include "cli/report/report_file.h"
#include "report/terminal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

fm_status_t fm_report_list_load(struct fm_report_list *list, const char *const *places,
                                size_t count, struct fm_error *error)
{
    struct fm_report_list loaded = {count, calloc(count, sizeof *loaded.cubes), places};
    if (loaded.cubes == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < count && status == FM_OK; i++)
        status = fm_load_report(places[i], &loaded.cubes[i], error);
    if (status == FM_OK)
        *list = loaded;
    else
        fm_report_list_release(&loaded);
    return status;
}

void fm_report_list_release(struct fm_report_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        fm_cube_free(list->cubes[i]);
    free(list->cubes);
    *list = (struct fm_report_list){0};
}

static fm_status_t combine(fm_combine_t *function, char *const *places, size_t count,
                           const char *output, struct fm_error *error)
{
    struct stat info;
    if (stat(output, &info) == 0)
        return fm_fail(error, FM_ERR_USAGE, "%s exists already; it is not overwritten", output);
    struct fm_report_list list;
    fm_status_t status = fm_report_list_load(&list, (const char *const *)places, count, error);
    if (status != FM_OK)
        return status;
    struct fm_cube *result = NULL;
    status = function(fm_report_list_cubes(&list), list.names, count, &result, error);
    if (status == FM_OK)
        status = fm_cube_write(result, output, error);
    fm_cube_free(result);
    fm_report_list_release(&list);
    return status;
}

int fm_run_combining_command(enum fm_command command, int output_option, fm_combine_t *function,
                             int argc, char **argv)
{
    const char *output = NULL;
    struct fm_option_reader reader;
    fm_options_begin(&reader, command, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option != output_option) {
            return fm_options_stop(&reader, option);
        }
        output = reader.value;
    }
    if (output == NULL) {
        fm_options_refuse(&reader, "give the report to be written by -o FILE");
        return fm_options_complain(&reader);
    }
    if (!fm_options_operands(&reader, 2, INT_MAX, "two or more reports")) {
        return fm_options_complain(&reader);
    }
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status =
        combine(function, reader.operands, (size_t)reader.operand_count, output, &error);
    char *text = fm_terminal_name(&terminal, status == FM_OK ? output : error.message);
    if (status == FM_OK) {
        printf("fermata: wrote %s\n", text);
    } else {
        fprintf(stderr, "fermata %s: %s\n", fm_command_name(command), text);
    }
    free(text);
    return (int)status;
}
