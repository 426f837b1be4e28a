/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/hang/hang_watch.h"

#include "base/process/interrupt.h"
#include "base/process/isolate.h"
#include "cli/hang/live_hang.h"
#include "cli/text/safe_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Periods without the end of any call, from which on the program may hang. */
#define LONG_WITHOUT_CALLS 10

enum { ROWS_WITHOUT_TERMINAL = 4096, LEAST_ROWS = 3 };

/* ---- the text ---- */

struct look {
    const char *place;
    struct fm_terminal terminal; /* of standard output; the stream is a file */
};

/* Writes who waits for whom, nothing if nothing hangs, or why that is not known. */
static int look_now(void *context)
{
    const struct look *look = context;
    struct fm_cube *cube = NULL;
    fm_live_threads threads = {0};
    struct fm_error error;
    fm_status_t status = fm_live_hang_load(look->place, &cube, &threads, &error);
    if (status == FM_OK && cube->hang.open_ends != 0 && cube->hang.kind != FM_HANG_NONE) {
        status = fm_hang_print(cube, &threads, &look->terminal, &error);
    }
    if (status != FM_OK) {
        fprintf(look->terminal.stream, "cannot determine who waits for whom: %s\n",
                fm_safe_text(error.message));
        fflush(look->terminal.stream);
    }
    fm_cube_free(cube);
    fm_live_threads_free(&threads);
    return FM_OK;
}

/* @return what a file holds, to be freed; NULL: no memory */
static char *read_file(FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    rewind(file);
    for (int c; (c = getc(file)) != EOF;) {
        putc(c, out);
    }
    fclose(out);
    return text;
}

static char *make_text(const char *place)
{
    struct look look = {.place = place, .terminal = fm_terminal_detect(stdout)};
    struct fm_isolated end;
    FILE *file = tmpfile();
    if (file == NULL) {
        return NULL;
    }
    look.terminal.stream = file;
    fm_interrupt_catch(); /* the copy of the experiment is removed first */
    fflush(stdout);
    const bool is_done = fm_isolate(look_now, &look, 0, true, &end) == 0 && end.returned;
    char *text = is_done ? read_file(file) : NULL;
    fclose(file);
    fm_interrupt_follow();
    return text;
}

void fm_hang_watch_update(struct fm_hang_watch *watch, double without, double period)
{
    if (without < LONG_WITHOUT_CALLS * period) {
        fm_hang_watch_end(watch);
        return;
    }
    watch->without = without;
    if (watch->looked <= 0 || without >= 2 * watch->looked) {
        free(watch->text);
        watch->is_recorded = fm_live_hang_is_due(watch->place);
        watch->text = watch->is_recorded ? make_text(watch->place) : NULL;
        watch->looked = without;
    }
}

void fm_hang_watch_follow_interrupt(void)
{
    fm_interrupt_follow();
}

void fm_hang_watch_end(struct fm_hang_watch *watch)
{
    free(watch->text);
    *watch = (struct fm_hang_watch){.place = watch->place};
}

/* ---- the terminal ---- */

/* @return its lines; 0: standard output is none */
static size_t terminal_lines(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void fm_hang_watch_clear(void)
{
    if (isatty(STDOUT_FILENO)) {
        fputs("\033[H\033[2J", stdout);
    }
}

size_t fm_hang_watch_rows(const struct fm_hang_watch *watch, size_t heading)
{
    const size_t lines = terminal_lines();
    const size_t others = heading + (watch->looked > 0 ? 1 : 0) +
                          (watch->text != NULL ? fm_terminal_lines(watch->text) : 0);
    if (lines <= heading) {
        return ROWS_WITHOUT_TERMINAL;
    }
    return lines > others + LEAST_ROWS ? lines - others : LEAST_ROWS;
}

void fm_hang_watch_print(const struct fm_hang_watch *watch, size_t above)
{
    const size_t lines = terminal_lines();
    const char *end = watch->text;
    if (watch->looked <= 0) {
        return;
    }
    printf("no call has ended on any rank for %.0f s%s\n", watch->without,
           watch->is_recorded ? ""
                              : ": who waits for whom is known only on the machine of the ranks, "
                                "and if their calls are recorded");
    if (end == NULL) {
        return;
    }
    /* The last line of the terminal remains for the cursor. */
    for (size_t line = above + 2; *end != '\0' && (lines == 0 || line < lines); line++) {
        end = strchrnul(end, '\n');
        end += *end == '\n';
    }
    fwrite(watch->text, 1, (size_t)(end - watch->text), stdout);
}
