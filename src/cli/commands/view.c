#include "cli/archive/isolate.h"
#include "cli/commands/commands.h"
#include "cli/page/page_file.h"
#include "cli/page/serve.h"
#include "cli/report/report_detail.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"
#include "cli/text/usage.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *stream)
{
    fputs(
        "usage: fermata view [OPTIONS] DIR\n"
        "Shows the report of DIR, an experiment directory after `fermata analyze` or a report\n"
        "file, in the browser. A server for this machine alone prints the address of the page and\n"
        "hands out its data piece by piece until it is interrupted; or all goes into one file "
        "that\n"
        "needs no server, no network and no other file. The timeline is made of the trace, which "
        "is\n"
        "analysed once more if it is still there.\n\n"
        "      --html FILE    write the page with all of its data instead of serving it\n"
        "      --no-timeline  without the timeline: quicker for big traces\n"
        "      --sources      with excerpts of the program's sources, where they are at hand\n"
        "      --port N       where the server listens (default: any port that is free)\n"
        "      --no-browser   only print the address, open no browser\n",
        stream);
}

struct request {
    const char *place; /* experiment directory or report file */
    const char *page;
    bool sources;  /* excerpts belong to it */
    char *archive; /* NULL: without timeline */
};

static int write_page(void *argument)
{
    const struct request *request = argument;
    struct fm_cube *cube = NULL;
    struct fm_error error;
    fm_status_t status = fm_load_report(request->place, &cube, &error);
    if (status == FM_OK) {
        struct fm_detail *detail =
            request->archive == NULL ? NULL : fm_report_detail(request->archive, cube);
        if (request->archive != NULL && detail == NULL)
            fprintf(stderr,
                    "fermata: warning: the page has no timeline: %s is not what the report was "
                    "made of, or cannot be read\n",
                    fm_safe_text(request->archive));
        status =
            fm_write_page(request->place, cube, detail, request->sources, request->page, &error);
        fm_detail_free(detail);
    }
    fm_cube_free(cube);
    if (status != FM_OK)
        fprintf(stderr, "fermata view: %s\n", fm_safe_text(error.message));
    return (int)status;
}

static int write_html(const char *place, char *html, const struct fm_serve_request *what)
{
    struct request request = {.place = place, .page = html, .sources = what->sources};
    request.archive = what->timeline ? fm_report_archive(place) : NULL;
    int status = request.archive == NULL
                     ? write_page(&request)
                     : fm_run_isolated("view", request.archive, 0, write_page, &request);
    if (status == FM_OK)
        printf("fermata: page for the browser: %s\n", fm_safe_text(html));
    free(request.archive);
    return status;
}

static bool parse_port(const char *text, uint16_t *port)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *port = (uint16_t)value;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && value <= UINT16_MAX;
}

int fm_command_view(int argc, char **argv)
{
    enum { OPTION_HTML = 256, OPTION_NO_TIMELINE, OPTION_SOURCES, OPTION_PORT, OPTION_NO_BROWSER };
    static const struct option options[] = {
        {"html", required_argument, NULL, OPTION_HTML},
        {"no-timeline", no_argument, NULL, OPTION_NO_TIMELINE},
        {"sources", no_argument, NULL, OPTION_SOURCES},
        {"port", required_argument, NULL, OPTION_PORT},
        {"no-browser", no_argument, NULL, OPTION_NO_BROWSER},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    char *html = NULL;
    struct fm_serve_request serve = {.timeline = true, .browser = true};
    int option;
    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
        switch (option) {
        case OPTION_HTML:
            html = optarg;
            break;
        case OPTION_NO_TIMELINE:
            serve.timeline = false;
            break;
        case OPTION_SOURCES:
            serve.sources = true;
            break;
        case OPTION_PORT:
            if (!parse_port(optarg, &serve.port)) {
                fprintf(stderr, "fermata view: '%s' is no port\n", fm_safe_text(optarg));
                return FM_ERR_USAGE;
            }
            break;
        case OPTION_NO_BROWSER:
            serve.browser = false;
            break;
        case 'h':
            print_usage(stdout);
            return FM_OK;
        default:
            return fm_refuse_option(argv, option);
        }
    }
    if (optind + 1 != argc)
        return fm_refuse_usage("view", "one experiment directory, please");
    if (html != NULL)
        return write_html(argv[optind], html, &serve);
    serve.place = argv[optind];
    return fm_serve(&serve);
}
