/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/page/serve.h"

#include "base/memory.h"
#include "cli/page/page_file.h"
#include "cli/page/redirect_file.h"
#include "cli/page/ssh_line.h"
#include "cli/page/tile_file.h"
#include "cli/report/report_list.h"
#include "cli/text/safe_text.h"
#include "view/page.h"
#include "view/report/report_data.h"
#include "view/server/server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Compressed size of a report's data up to which a browser can hold it. Larger data are reduced. */
#define REPORT_LIMIT ((size_t)96 << 20)

static bool has_screen(void)
{
    return getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
}

/* Opens a file in the browser of a desktop, as a process detached from this one. */
static void open_browser(const char *file)
{
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            dup2(null, fd);
        if (fork() == 0) {
            execlp("xdg-open", "xdg-open", file, (char *)NULL);
            _exit(127);
        }
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* Prints the address; on a machine that the user has reached by ssh, also how to reach it. */
static fm_status_t print_address(const struct fm_server *server, struct fm_error *error)
{
    char *ssh = fm_ssh_line_here(fm_server_port(server));
    printf("fermata: %s\n", fm_server_url(server));
    if (ssh != NULL)
        printf("fermata: to open this address on your own machine, run there: %s\n", ssh);
    printf("fermata: end with Ctrl-C\n");
    free(ssh);
    return fflush(stdout) == 0 ? FM_OK
                               : fm_fail(error, FM_ERR_SYSTEM, "cannot write the address: %m");
}

static fm_status_t serve_content(const struct fm_serve_request *request,
                                 const struct fm_server_content *content, struct fm_error *error)
{
    /* The server's threads inherit that they take no such signals. */
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct fm_server *server = NULL;
    fm_status_t status = fm_server_start(content, request->port, &server, error);
    if (status != FM_OK)
        return status;
    char *redirect = NULL;
    status = print_address(server, error);
    if (status == FM_OK && request->browser && has_screen()) {
        if (fm_redirect_file_create(fm_server_url(server), &redirect, error) == FM_OK)
            open_browser(redirect);
        else
            fprintf(stderr, "fermata view: warning: no browser is opened: %s\n",
                    fm_safe_text(error->message));
    }
    int signal = 0;
    while (status == FM_OK && sigwait(&signals, &signal) != 0) {
    }
    fm_redirect_file_remove(redirect);
    free(redirect);
    fm_server_stop(server);
    return status;
}

/* Makes the data of a run and frees its cube, which is big: serving takes hours.
 * @param bytes  out: to be freed with fm_free() */
static fm_status_t make_report(const struct fm_serve_request *request, size_t run,
                               struct fm_cube **cube, unsigned char **bytes, size_t *size,
                               struct fm_error *error)
{
    char *environment = fm_read_environment(request->places[run]);
    const struct fm_page_extras extras = {request->places[run], environment, request->sources};
    fm_status_t status =
        fm_report_data_make(*cube, &extras, REPORT_LIMIT / request->count, bytes, size, error);
    free(environment);
    fm_cube_free(*cube);
    *cube = NULL;
    return status;
}

static fm_status_t serve(const struct fm_serve_request *request, struct fm_cube **cubes,
                         struct fm_error *error)
{
    struct fm_server_content content = {.run_count = request->count};
    struct fm_served_report *reports = fm_allocate(request->count, sizeof *reports);
    unsigned char **bytes = fm_allocate(request->count, sizeof *bytes);
    struct fm_tile_store **tiles = fm_allocate(request->count, sizeof *tiles);
    bool *timelines = fm_allocate(request->count, sizeof *timelines);
    char *page = NULL;
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < request->count && status == FM_OK; i++) {
        if (request->timeline)
            tiles[i] = fm_tile_file_open(request->places[i], cubes[i]);
        timelines[i] = tiles[i] != NULL;
        status = make_report(request, i, &cubes[i], &bytes[i], &reports[i].size, error);
        reports[i].bytes = bytes[i];
    }
    if (status == FM_OK)
        status = fm_page_for_server(timelines, request->count, &page, &content.page_size, error);
    content.reports = reports;
    content.page = page;
    content.tiles = tiles;
    if (status == FM_OK)
        status = serve_content(request, &content, error);
    for (size_t i = 0; i < request->count; i++) {
        fm_tile_store_close(tiles[i]);
        fm_free(bytes[i]);
    }
    fm_free(timelines);
    fm_free(tiles);
    fm_free(bytes);
    fm_free(reports);
    free(page);
    return status;
}

int fm_serve(const struct fm_serve_request *request)
{
    struct fm_report_list list;
    struct fm_error error;
    fm_status_t status = fm_report_list_load(&list, request->places, request->count, &error);
    if (status == FM_OK) {
        status = serve(request, list.cubes, &error);
        fm_report_list_release(&list);
    }
    if (status != FM_OK)
        fprintf(stderr, "fermata view: %s\n", fm_safe_text(error.message));
    return (int)status;
}
