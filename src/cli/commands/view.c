#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/page/page_file.h"
#include "cli/page/serve.h"
#include "cli/report/report_detail.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int write_html(const char *place, const char *html, const struct fm_serve_request *what)
{
    char name[PATH_MAX];
    struct request request = {.place = place, .page = html, .sources = what->sources};
    request.archive = what->timeline ? fm_report_archive(place) : NULL;
    int status = request.archive == NULL
                     ? write_page(&request)
                     : fm_run_isolated("view", request.archive, 0, write_page, &request);
    if (status == FM_OK)
        printf("fermata: page for the browser: %s\n", fm_safe_copy(name, sizeof name, html));
    free(request.archive);
    return status;
}

int fm_command_view(int argc, char **argv)
{
    const char *html = NULL;
    uint64_t port = 0;
    struct fm_serve_request serve = {.timeline = true, .browser = true};
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_view, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        switch (option) {
        case FM_OPTION_view_HTML:
            html = reader.value;
            break;
        case FM_OPTION_view_NO_TIMELINE:
            serve.timeline = false;
            break;
        case FM_OPTION_view_SOURCES:
            serve.sources = true;
            break;
        case FM_OPTION_view_PORT:
            if (fm_option_number(&reader, 0, UINT16_MAX, &port) != FM_OK) {
                return fm_options_complain(&reader);
            }
            serve.port = (uint16_t)port;
            break;
        case FM_OPTION_view_NO_BROWSER:
            serve.browser = false;
            break;
        default:
            return fm_options_stop(&reader, option);
        }
    }
    if (!fm_options_operands(&reader, 1, 1, "one experiment directory")) {
        return fm_options_complain(&reader);
    }
    if (html != NULL) {
        return write_html(reader.operands[0], html, &serve);
    }
    serve.place = reader.operands[0];
    return fm_serve(&serve);
}
