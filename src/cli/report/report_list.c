#include "cli/report/report_list.h"

#include "cli/report/report_file.h"
#include "report/terminal.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

fm_status_t fm_report_list_load(struct fm_report_list *list, char *const *places, size_t count,
                                struct fm_error *error)
{
    struct fm_report_list loaded = {count, calloc(count, sizeof *loaded.cubes),
                                    (const char *const *)places};
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

/** Reads the arguments. @param help  out: only the help is wanted */
static fm_status_t parse(const struct fm_combining_command *command, int argc, char **argv,
                         const char **output, bool *help, struct fm_error *error)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    optind = 0;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
        switch (option) {
        case 'o':
            *output = optarg;
            break;
        case 'h':
            *help = true;
            return FM_OK;
        case ':':
            return fm_fail(error, FM_ERR_USAGE, "%s needs a value", argv[optind - 1]);
        default:
            return fm_fail(error, FM_ERR_USAGE, "there is no option %s; see fermata %s --help",
                           argv[optind - 1], command->name);
        }
    }
    if (*output == NULL)
        return fm_fail(error, FM_ERR_USAGE, "-o: where shall the report go? see fermata %s --help",
                       command->name);
    if (argc - optind < 2)
        return fm_fail(error, FM_ERR_USAGE, "two or more reports, please; see fermata %s --help",
                       command->name);
    return FM_OK;
}

static fm_status_t combine(const struct fm_combining_command *command, char *const *places,
                           size_t count, const char *output, struct fm_error *error)
{
    struct stat info;
    if (stat(output, &info) == 0)
        return fm_fail(error, FM_ERR_USAGE, "%s exists already; it is not overwritten", output);
    struct fm_report_list list;
    fm_status_t status = fm_report_list_load(&list, places, count, error);
    if (status != FM_OK)
        return status;
    struct fm_cube *result = NULL;
    status = command->combine(fm_report_list_cubes(&list), list.names, count, &result, error);
    if (status == FM_OK)
        status = fm_cube_write(result, output, error);
    fm_cube_free(result);
    fm_report_list_release(&list);
    return status;
}

int fm_run_combining_command(const struct fm_combining_command *command, int argc, char **argv)
{
    const char *output = NULL;
    bool help = false;
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = parse(command, argc, argv, &output, &help, &error);
    if (status == FM_OK && help)
        fputs(command->usage, stdout);
    else if (status == FM_OK)
        status = combine(command, argv + optind, (size_t)(argc - optind), output, &error);
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata %s: %s\n", command->name, message);
        free(message);
    } else if (!help) {
        char *name = fm_terminal_name(&terminal, output);
        printf("fermata: wrote %s\n", name);
        free(name);
    }
    return (int)status;
}
