#include "cli/commands.h"
#include "cli/report_file.h"
#include "cli/safe_text.h"
#include "view/page.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *stream)
{
    fputs("usage: fermata view [OPTIONS] DIR\n"
          "Writes the report of DIR, an experiment directory after `fermata analyze` or a report\n"
          "file, as a page for the browser: one file that needs no network and no other file.\n\n"
          "      --html FILE  where to write the page (default: DIR/report.html, beside a report\n"
          "                   file report.html)\n",
          stream);
}

/** @return what is known about the recording of the experiment, to be freed; NULL: nothing. */
static char *read_environment(const char *path)
{
    char *file = fm_path_beside_report(path, "environment.json");
    json_t *environment = file == NULL ? NULL : json_load_file(file, 0, NULL);
    char *text = environment == NULL ? NULL : json_dumps(environment, JSON_COMPACT);
    json_decref(environment);
    free(file);
    return text;
}

static fm_status_t write_page(const char *path, const char *page, struct fm_error *error)
{
    struct fm_cube *cube = NULL;
    fm_status_t status = fm_load_report(path, &cube, error);
    if (status == FM_OK) {
        char *environment = read_environment(path);
        status = fm_page_write(cube, environment, page, error);
        free(environment);
    }
    fm_cube_free(cube);
    return status;
}

int fm_command_view(int argc, char **argv)
{
    enum { OPTION_HTML = 256 };
    static const struct option options[] = {
        {"html", required_argument, NULL, OPTION_HTML},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *html = NULL;
    int option;
    optind = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case OPTION_HTML:
            html = optarg;
            break;
        case 'h':
            print_usage(stdout);
            return FM_OK;
        default:
            print_usage(stderr);
            return FM_ERR_USAGE;
        }
    }
    if (optind + 1 != argc) {
        print_usage(stderr);
        return FM_ERR_USAGE;
    }
    struct fm_error error;
    char *page = html == NULL ? fm_path_beside_report(argv[optind], "report.html") : strdup(html);
    fm_status_t status = page == NULL ? fm_fail(&error, FM_ERR_SYSTEM, "out of memory")
                                      : write_page(argv[optind], page, &error);
    if (status == FM_OK) {
        printf("fermata: page for the browser: %s\n", fm_safe_text(page));
    } else {
        fprintf(stderr, "fermata view: %s\n", fm_safe_text(error.message));
    }
    free(page);
    return (int)status;
}
