/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define INDENT      12
#define GRAPH_WIDTH 64

static int compare_waiting(const void *left, const void *right)
{
    const struct fm_cube_lock *a = *(const struct fm_cube_lock *const *)left;
    const struct fm_cube_lock *b = *(const struct fm_cube_lock *const *)right;
    if (a->waiting != b->waiting)
        return a->waiting > b->waiting ? -1 : 1;
    if (a->waits != b->waits)
        return a->waits > b->waits ? -1 : 1;
    return (a > b) - (a < b); /* order of the report */
}

/** Draws the length of the queue over time: the height of a column is the mean of its time bin,
 * relative to the highest column. */
static void print_graph(const struct fm_terminal *terminal, const struct fm_cube_lock *lock)
{
    unsigned columns = terminal->width - INDENT - 2;
    if (columns > GRAPH_WIDTH)
        columns = GRAPH_WIDTH;
    double lengths[GRAPH_WIDTH];
    for (unsigned i = 0; i < columns; i++) {
        uint32_t first = i * lock->bin_count / columns;
        uint32_t last = (i + 1) * lock->bin_count / columns;
        uint64_t width = fm_cube_lock_edge(lock, last) - fm_cube_lock_edge(lock, first);
        double ticks = 0;
        for (uint32_t bin = first; bin < last; bin++)
            ticks += (double)lock->queue[bin];
        lengths[i] = width == 0 ? 0 : ticks / (double)width;
    }
    fprintf(terminal->stream, "%*s", INDENT, "");
    fm_terminal_graph(terminal, lengths, columns);
    putc('\n', terminal->stream);
}

static void print_queue(const struct fm_report *report, const struct fm_cube_lock *lock)
{
    char numbers[3][FM_FORMAT_SIZE];
    fm_terminal_print(report->terminal, "  Queue", INDENT,
                      "at most %s, %.3g on average, from %s to %s after the start",
                      fm_format_count(numbers[0], (int64_t)lock->longest_queue),
                      (double)lock->waiting / (double)(lock->end - lock->begin),
                      fm_format_ticks(numbers[1], report->diagnosis.cube, (int64_t)lock->begin),
                      fm_format_ticks(numbers[2], report->diagnosis.cube, (int64_t)lock->end));
    print_graph(report->terminal, lock);
}

static void print_chain(const struct fm_report *report, const struct fm_cube_lock *lock)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort(); /* Without memory for one line no error message can be printed either. */
    char number[FM_FORMAT_SIZE];
    const struct fm_cube_location *locations = report->diagnosis.cube->locations;
    const bool is_of_threads = fm_cube_lock_is_of_threads(lock);
    fprintf(stream, "%s %s in a row, each waited for the one before: %s ",
            fm_format_count(number, (int64_t)lock->longest_chain),
            is_of_threads ? "holds" : "epochs",
            is_of_threads ? "threads" : report->diagnosis.process.many);
    for (uint32_t i = 0; i < lock->chain_count; i++) {
        const struct fm_cube_location *location = &locations[lock->chain[i]];
        fprintf(stream, "%s%u", i == 0 ? "" : ", ",
                is_of_threads ? location->thread
                              : location->rank + report->diagnosis.process.first);
    }
    if (lock->chain_count < lock->longest_chain)
        fputs(", ...", stream);
    if (fclose(stream) != 0)
        abort();
    fm_terminal_paragraph(report->terminal, "  Chain", INDENT, text);
    free(text);
}

/** @return what the holds of a lock are called; of threads, the trace need not contain all. */
static const char *epochs(const struct fm_cube_lock *lock, uint64_t count)
{
    if (fm_cube_lock_is_of_threads(lock))
        return count == 1 ? "recorded hold" : "recorded holds";
    return count == 1 ? "epoch" : "epochs";
}

/** @return the name of an owner of a lock: its process, or of a lock of threads the thread; to be
 * freed */
static char *party_name(const struct fm_report *report, const struct fm_cube_lock *lock,
                        const struct fm_cube_lock_party *party)
{
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    const struct fm_cube_location *location = &diagnosis->cube->locations[party->location];
    char *name = NULL;
    if (!fm_cube_lock_is_of_threads(lock))
        return fm_process_name(diagnosis->process, location);
    if (asprintf(&name, "thread %u", location->thread) < 0)
        abort();
    return name;
}

/** Writes a time that was waited for a lock, with its error. */
static char *format_waiting(char buffer[FM_UNCERTAIN_SIZE], const struct fm_report *report,
                            uint64_t ticks, uint64_t error)
{
    return fm_format_uncertain_time(buffer, &report->diagnosis, (int64_t)ticks, (int64_t)error,
                                    report->diagnosis.time);
}

static void print_parties(const struct fm_report *report, const struct fm_cube_lock *lock)
{
    char numbers[2][FM_FORMAT_SIZE], waiting[FM_UNCERTAIN_SIZE];
    for (uint32_t i = 0; i < lock->holder_count; i++) {
        const struct fm_cube_lock_party *party = &lock->holders[i];
        char *name = party_name(report, lock, party);
        fm_terminal_print(report->terminal, i == 0 ? "  Holders" : "", INDENT,
                          "%s: others waited %s for it; it held the lock for %s in %s %s", name,
                          format_waiting(waiting, report, party->caused, party->caused_error),
                          fm_format_ticks(numbers[0], report->diagnosis.cube, (int64_t)party->held),
                          fm_format_count(numbers[1], (int64_t)party->epochs),
                          epochs(lock, party->epochs));
        free(name);
    }
    for (uint32_t i = 0; i < lock->victim_count; i++) {
        const struct fm_cube_lock_party *party = &lock->victims[i];
        char *name = party_name(report, lock, party);
        fm_terminal_print(
            report->terminal, i == 0 ? "  Victims" : "", INDENT, "%s: waited %s in %s of %s %s",
            name, format_waiting(waiting, report, party->waiting, party->waiting_error),
            fm_format_count(numbers[0], (int64_t)party->waits),
            fm_format_count(numbers[1], (int64_t)party->epochs), epochs(lock, party->epochs));
        free(name);
    }
}

/** Lists where the lock is held while others wait, and where they wait. */
static void print_places(const struct fm_report *report, const struct fm_cube_lock *lock)
{
    enum { TEXT = 40 }; /* columns of what stands behind a call path */
    const struct fm_diagnosis *diagnosis = &report->diagnosis;
    const unsigned columns = report->terminal->width - INDENT - TEXT;
    char numbers[2][FM_FORMAT_SIZE];
    for (uint32_t i = 0; i < lock->held_in_count; i++) {
        const struct fm_cube_lock_place *place = &lock->held_in[i];
        char *name = fm_place_callpath_within(diagnosis, place->callpath, columns);
        fm_terminal_print(report->terminal, i == 0 ? "  Held in" : "", INDENT,
                          "%s: others waited %s meanwhile", name,
                          fm_format_ticks(numbers[0], diagnosis->cube, (int64_t)place->waiting));
        free(name);
    }
    for (uint32_t i = 0; i < lock->waited_in_count; i++) {
        const struct fm_cube_lock_place *place = &lock->waited_in[i];
        char *name = fm_place_callpath_within(diagnosis, place->callpath, columns);
        fm_terminal_print(report->terminal, i == 0 ? "  Waited in" : "", INDENT, "%s: %s in %s %s",
                          name,
                          fm_format_ticks(numbers[0], diagnosis->cube, (int64_t)place->waiting),
                          fm_format_count(numbers[1], (int64_t)place->waits),
                          place->waits == 1 ? "wait" : "waits");
        free(name);
    }
}

/** @return what precedes the names of a lock of threads and of its process; to be freed */
static char *thread_lock_heading(const struct fm_report *report, const struct fm_cube_lock *lock,
                                 const char *name)
{
    const struct fm_process_word *process = &report->diagnosis.process;
    char *heading = NULL;
    int length =
        report->diagnosis.cube->experiment.process_count == 1
            ? asprintf(&heading, "%s", name)
            : asprintf(&heading, "%s of %s %u", name, process->one, lock->target + process->first);
    if (length < 0)
        abort();
    return heading;
}

static void print_lock(const struct fm_report *report, const struct fm_cube_lock *lock)
{
    const struct fm_process_word *process = &report->diagnosis.process;
    char numbers[3][FM_FORMAT_SIZE], percent[FM_UNCERTAIN_SIZE];
    char *name = fm_terminal_name(report->terminal, lock->name == NULL ? "" : lock->name);
    /* A window that the program has not named is "window 2 (MPI_Win_create, halo.c:31)". */
    const char *created = strncmp(name, "window ", 7) == 0 ? strchr(name, '(') : NULL;
    const char *shown = created != NULL ? created : name;
    const char *quote = *name == '\0' || created != NULL ? "" : "\"";
    const char *blank = *name == '\0' ? "" : " ";
    char *heading = NULL;
    int length = fm_cube_lock_is_of_threads(lock)
                     ? (heading = thread_lock_heading(report, lock, name), 0)
                 : lock->window == FM_CUBE_NONE ? asprintf(&heading, "%s", name)
                 : lock->target == FM_CUBE_NONE
                     ? asprintf(&heading, "Window %u%s%s%s%s, all %s at once", lock->window, blank,
                                quote, shown, quote, process->many)
                     : asprintf(&heading, "Window %u%s%s%s%s, %s %u", lock->window, blank, quote,
                                shown, quote, process->one, lock->target + process->first);
    if (length < 0)
        abort();
    putc('\n', report->terminal->stream);
    fm_terminal_style(report->terminal, FM_STYLE_BOLD);
    fm_terminal_paragraph(report->terminal, "", 0, heading);
    fm_terminal_style(report->terminal, FM_STYLE_PLAIN);
    free(heading);
    free(name);
    fm_terminal_print(report->terminal, fm_cube_lock_is_of_threads(lock) ? "  Holds" : "  Epochs",
                      INDENT, "%s exclusive, %s shared; held for %s",
                      fm_format_count(numbers[0], (int64_t)lock->exclusive),
                      fm_format_count(numbers[1], (int64_t)lock->shared),
                      fm_format_ticks(numbers[2], report->diagnosis.cube, (int64_t)lock->held));
    fm_terminal_print(report->terminal, "  Waiting", INDENT, "%s in %s %s: %s of all time",
                      fm_format_ticks(numbers[0], report->diagnosis.cube, (int64_t)lock->waiting),
                      fm_format_count(numbers[1], (int64_t)lock->waits), epochs(lock, lock->waits),
                      fm_format_uncertain(percent, &report->diagnosis, (int64_t)lock->waiting,
                                          (int64_t)lock->error, report->diagnosis.time));
    if (lock->bin_count != 0 && lock->end > lock->begin) {
        print_queue(report, lock);
        print_chain(report, lock);
    }
    print_parties(report, lock);
    print_places(report, lock);
}

/** Prints how many locks of threads are not in the report. */
static void print_left_out(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    char numbers[2][FM_FORMAT_SIZE];
    if (cube->left_out_locks != 0) {
        putc('\n', report->terminal->stream);
        fm_terminal_print(
            report->terminal, "", 0,
            "and %s more %s with less waiting, %s in all, whose queues are not in the "
            "report",
            fm_format_count(numbers[0], (int64_t)cube->left_out_locks),
            cube->left_out_locks == 1 ? "lock" : "locks",
            fm_format_ticks(numbers[1], cube, (int64_t)cube->left_out_locks_waiting));
    }
}

void fm_report_locks(const struct fm_report *report)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    const struct fm_cube_lock **locks = fm_allocate(cube->lock_count, sizeof *locks);
    uint64_t waiting = cube->left_out_locks_waiting, error = 0;
    uint32_t contended = 0;
    bool only_of_windows = true, some_of_threads = cube->left_out_locks != 0;
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        locks[i] = &cube->locks[i];
        waiting += cube->locks[i].waiting;
        error += cube->locks[i].error;
        contended += cube->locks[i].waits > 0;
        only_of_windows = only_of_windows && cube->locks[i].window != FM_CUBE_NONE;
        some_of_threads = some_of_threads || fm_cube_lock_is_of_threads(&cube->locks[i]);
    }
    if (cube->lock_count > 1)
        qsort(locks, cube->lock_count, sizeof *locks, compare_waiting);
    char numbers[3][FM_FORMAT_SIZE], percent[FM_UNCERTAIN_SIZE];
    /* Of the locks whose queues are left out, the error is that of as much waiting for others. */
    if (waiting > cube->left_out_locks_waiting)
        error = (uint64_t)((double)error * (double)waiting /
                           (double)(waiting - cube->left_out_locks_waiting));
    fm_format_uncertain(percent, &report->diagnosis, (int64_t)waiting, (int64_t)error,
                        report->diagnosis.time);
    if (cube->lock_count == 0)
        fm_terminal_paragraph(report->terminal, "", 0,
                              report->diagnosis.process.has_only_threads
                                  ? "No thread waited for a lock: there are no queues."
                                  : "No lock is held exclusively: there are no queues.");
    else if (some_of_threads) /* nothing is known of locks that no thread waits for */
        fm_terminal_print(report->terminal, "", 0,
                          "%s %s had to be waited for: %s in all, %s of all time.",
                          fm_format_count(numbers[0], (int64_t)(contended + cube->left_out_locks)),
                          contended == 1 ? "lock" : "locks",
                          fm_format_ticks(numbers[2], cube, (int64_t)waiting), percent);
    else
        fm_terminal_print(report->terminal, "", 0,
                          "Of %s %s %s exclusively, %s had to be waited for: %s in all, "
                          "%s of all time.",
                          fm_format_count(numbers[1], cube->lock_count),
                          cube->lock_count == 1 ? "lock" : "locks",
                          only_of_windows ? "in windows that are locked" : "that are held",
                          fm_format_count(numbers[0], contended),
                          fm_format_ticks(numbers[2], cube, (int64_t)waiting), percent);
    uint32_t shown = contended < report->options->top ? contended : report->options->top;
    for (uint32_t i = 0; i < shown; i++)
        print_lock(report, locks[i]);
    if (shown < contended) {
        putc('\n', report->terminal->stream);
        fm_terminal_print(report->terminal, "", 0, "%s more with less waiting (--top N shows more)",
                          fm_format_count(numbers[0], contended - shown));
    }
    print_left_out(report);
    fm_free(locks);
}
