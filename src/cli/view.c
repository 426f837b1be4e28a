#include "cli/commands.h"
#include "cli/isolate.h"
#include "cli/page_file.h"
#include "cli/report_file.h"
#include "cli/safe_text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_usage(FILE *stream)
{
    fputs(
        "usage: fermata view [OPTIONS] DIR\n"
        "Writes the report of DIR, an experiment directory after `fermata analyze` or a report\n"
        "file, as a page for the browser: one file that needs no network and no other file.\n"
        "For its timeline the trace is analysed once more if it is still there.\n\n"
        "      --html FILE    where to write the page (default: DIR/report.html, beside a report\n"
        "                     file report.html)\n"
        "      --no-timeline  without the timeline: quicker for big traces\n",
        stream);
}

struct request {
    const char *place; /* experiment directory or report file */
    char *page;
    char *archive; /* NULL: without timeline */
};

static bool same_numbers(const struct fm_cube *a, const struct fm_cube *b)
{
    if (a->callpath_count != b->callpath_count || a->location_count != b->location_count ||
        a->cell_count != b->cell_count)
        return false;
    for (size_t i = 0; i < a->cell_count; i++) {
        const struct fm_cube_cell *x = &a->cells[i], *y = &b->cells[i];
        if (x->metric != y->metric || x->callpath != y->callpath || x->location != y->location ||
            x->value != y->value)
            return false;
    }
    return true;
}

/* Analyses the trace as it was analysed for the report, which tells how: with one of the two ideas
 * of who serves one-sided operations its numbers come out again.
 * @return what happened in detail; NULL: this is not the report's trace */
static struct fm_detail *find_detail(const char *archive, const struct fm_cube *report)
{
    struct fm_detail *detail = NULL;
    for (unsigned i = 0; i < 2 && detail == NULL; i++) {
        const struct fm_analysis_options options = {.asynchronous_progress = i == 1};
        struct fm_cube *cube = NULL;
        struct fm_error error;
        if (fm_analysis_run_in_detail(archive, &options, &cube, &detail, &error) != FM_OK)
            return NULL;
        if (!same_numbers(cube, report)) {
            fm_detail_free(detail);
            detail = NULL;
        }
        fm_cube_free(cube);
    }
    return detail;
}

static int write_page(void *argument)
{
    const struct request *request = argument;
    struct fm_cube *cube = NULL;
    struct fm_error error;
    fm_status_t status = fm_load_report(request->place, &cube, &error);
    if (status == FM_OK) {
        struct fm_detail *detail =
            request->archive == NULL ? NULL : find_detail(request->archive, cube);
        if (request->archive != NULL && detail == NULL)
            fprintf(stderr,
                    "fermata: warning: the page has no timeline: %s is not what the report was "
                    "made of, or cannot be read\n",
                    fm_safe_text(request->archive));
        status = fm_write_page(request->place, cube, detail, request->page, &error);
        fm_detail_free(detail);
    }
    fm_cube_free(cube);
    if (status != FM_OK)
        fprintf(stderr, "fermata view: %s\n", fm_safe_text(error.message));
    return (int)status;
}

/* @return the archive beside the report, to be freed; NULL: there is none */
static char *find_archive(const char *place)
{
    struct stat info;
    char *archive = fm_path_beside_report(place, "traces.otf2");
    if (archive != NULL && stat(archive, &info) != 0) {
        free(archive);
        archive = NULL;
    }
    return archive;
}

int fm_command_view(int argc, char **argv)
{
    enum { OPTION_HTML = 256, OPTION_NO_TIMELINE };
    static const struct option options[] = {
        {"html", required_argument, NULL, OPTION_HTML},
        {"no-timeline", no_argument, NULL, OPTION_NO_TIMELINE},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    const char *html = NULL;
    bool timeline = true;
    int option;
    optind = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        switch (option) {
        case OPTION_HTML:
            html = optarg;
            break;
        case OPTION_NO_TIMELINE:
            timeline = false;
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
    struct request request = {.place = argv[optind]};
    request.page =
        html == NULL ? fm_path_beside_report(request.place, "report.html") : strdup(html);
    if (request.page == NULL) {
        fputs("fermata view: out of memory\n", stderr);
        return FM_ERR_SYSTEM;
    }
    request.archive = timeline ? find_archive(request.place) : NULL;
    int status = request.archive == NULL
                     ? write_page(&request)
                     : fm_run_isolated("view", request.archive, 0, write_page, &request);
    if (status == FM_OK)
        printf("fermata: page for the browser: %s\n", fm_safe_text(request.page));
    free(request.page);
    free(request.archive);
    return status;
}
