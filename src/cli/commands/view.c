/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/isolated_command.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/page/page_file.h"
#include "cli/page/serve.h"
#include "cli/report/report_detail.h"
#include "cli/report/report_list.h"
#include "cli/text/safe_text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const struct fm_serve_request *what;
    const char *page;
    char *archives[FM_MOST_RUNS]; /* [run]; NULL: without timeline */
};

/* The events of the runs, read one after the other. */
struct reader {
    const struct request *request;
    const struct fm_report_list *list;
    struct fm_detail *detail; /* of the last run; NULL: none */
};

static const struct fm_detail *read_events(void *context, size_t run)
{
    struct reader *reader = context;
    char *archive = reader->request->archives[run];
    fm_detail_free(reader->detail);
    reader->detail = archive == NULL ? NULL : fm_report_detail(archive, reader->list->cubes[run]);
    if (archive != NULL && reader->detail == NULL)
        fprintf(stderr,
                "fermata: warning: the page has no timeline: %s is not what the report was "
                "made of, or cannot be read\n",
                fm_safe_text(archive));
    return reader->detail;
}

static fm_status_t write_runs(const struct request *request, const struct fm_report_list *list,
                              struct fm_error *error)
{
    struct reader reader = {.request = request, .list = list};
    const struct fm_page_events events = {read_events, &reader};
    fm_status_t status = fm_write_page(list->names, fm_report_list_cubes(list), list->count,
                                       &events, request->what->sources, request->page, error);
    fm_detail_free(reader.detail);
    return status;
}

static int write_page(void *argument)
{
    const struct request *request = argument;
    struct fm_report_list list;
    struct fm_error error;
    fm_status_t status =
        fm_report_list_load(&list, request->what->places, request->what->count, &error);
    if (status == FM_OK) {
        status = write_runs(request, &list, &error);
        fm_report_list_release(&list);
    }
    if (status != FM_OK)
        fprintf(stderr, "fermata view: %s\n", fm_safe_text(error.message));
    return (int)status;
}

static int write_html(const struct fm_serve_request *what, const char *html)
{
    char name[PATH_MAX];
    struct request request = {.what = what, .page = html};
    const char *any = NULL;
    size_t count = 0;
    for (size_t i = 0; i < what->count && what->timeline; i++) {
        request.archives[i] = fm_report_archive(what->places[i]);
        if (request.archives[i] != NULL) {
            any = request.archives[i];
            count++;
        }
    }
    int status = count == 0 ? write_page(&request)
                            : fm_run_isolated("view", count == 1 ? any : "one of the traces", 0,
                                              write_page, &request);
    if (status == FM_OK)
        printf("fermata: page for the browser: %s\n", fm_safe_copy(name, sizeof name, html));
    for (size_t i = 0; i < what->count; i++)
        free(request.archives[i]);
    return status;
}

int fm_command_view(int argc, char **argv)
{
    const char *html = NULL;
    uint64_t port = 0;
    struct fm_serve_request serve = {.timeline = true, .sources = true, .browser = true};
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
        case FM_OPTION_view_NO_SOURCES:
            serve.sources = false;
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
    if (!fm_options_operands(&reader, 1, FM_MOST_RUNS, "one to 16 experiment directories")) {
        return fm_options_complain(&reader);
    }
    serve.places = (const char *const *)reader.operands;
    serve.count = (size_t)reader.operand_count;
    return html != NULL ? write_html(&serve, html) : fm_serve(&serve);
}
