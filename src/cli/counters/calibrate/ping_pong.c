/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of the ping-pong run in turn, as often as there are rounds: what disturbs the machine
 * for a while disturbs all of them. A short run before them finds the program whose MPI library is
 * that of the launcher (with that of another library each process is alone), and how many exchanges
 * take long enough. */
#include "cli/counters/calibrate/ping_pong.h"

#include "base/containers/vector.h"
#include "base/files/file_tree.h"
#include "base/process/installed.h"
#include "base/process/interrupt.h"
#include "cli/recording/child_output.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words of a command, ended by NULL. */
typedef FM_VECTOR(const char *) words;

/* A repetition takes about so long: less than a process has its processor before another one gets
 * it, so that some repetitions are undisturbed on a busy machine. */
enum { REPETITION_NS = 1000000, TRIAL_EXCHANGES = 100, FEWEST_EXCHANGES = 10 };

struct runner {
    char *const *launcher;
    char program[PATH_MAX];
    char list[4096]; /* --counters=LIST */
    char send[64], receive[64];
    char exchanges[16], repetitions[16];
    char folder[PATH_MAX]; /* of experiments */
};

/* ---- one run ---- */

static char *const *command_of_child;

static void become(const char *program)
{
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) {
        dup2(nothing, STDERR_FILENO);
    }
    execvp(program, command_of_child);
}

static void add_all(words *command, char *const *added)
{
    for (; *added != NULL; added++) {
        fm_vector_push(command, *added);
    }
}

/* Reads what the program prints: a headline, the names of columns, a row.
 * @return nanoseconds of a message, in the fastest repetition; -1: it is something else */
static double read_table(const char *text, char *library, size_t size)
{
    static const char title[] = "ping-pong: ";
    const char *head = strstr(text, title), *rest = NULL;
    double least;
    for (int i = 0; head != NULL && i < 2; i++) {
        rest = strchr(i == 0 ? head : rest, '\n');
        if (rest == NULL) {
            return -1;
        }
        rest++;
    }
    if (head == NULL || sscanf(rest, "%*d %*d %*f %*f %*f %lf", &least) != 1 ||
        strstr(rest, "all messages are right") == NULL) {
        return -1;
    }
    head += sizeof title - 1;
    snprintf(library, size, "%.*s", (int)strcspn(head, ",\n"), head);
    return 1000 * least;
}

/* @return nanoseconds of a message; -1: it could not be measured */
static double run(const struct runner *runner, enum fm_ping_pong_variant variant, bool has_hooks,
                  char *library, size_t library_size)
{
    words command = {0};
    char text[4096], experiment[PATH_MAX + 16];
    if (fm_interrupt_is_noted()) {
        return -1;
    }
    snprintf(experiment, sizeof experiment, "%s/run", runner->folder);
    if (variant == FM_PING_PONG_RECORDED) {
        char *const record[] = {"fermata", "record",   "--counters-only",    "--callpath", "flat",
                                "-o",      experiment, (char *)runner->list, NULL};
        add_all(&command, record);
        if (has_hooks) {
            fm_vector_push(&command, "--hooks");
        }
        fm_vector_push(&command, "--");
    }
    add_all(&command, runner->launcher);
    char *const program[] = {(char *)runner->program,     "--exchanges",
                             (char *)runner->exchanges,   "--repetitions",
                             (char *)runner->repetitions, NULL};
    add_all(&command, program);
    if (variant == FM_PING_PONG_UPDATED) {
        char *const updates[] = {"--send", (char *)runner->send, "--receive",
                                 (char *)runner->receive, NULL};
        add_all(&command, updates);
    }
    fm_vector_push(&command, NULL);
    command_of_child = (char *const *)command.items;
    bool done = fm_child_output(
        become, variant == FM_PING_PONG_RECORDED ? "/proc/self/exe" : runner->launcher[0], text,
        sizeof text);
    if (variant == FM_PING_PONG_RECORDED) {
        fm_remove_tree(experiment);
    }
    fm_vector_free(&command);
    return done ? read_table(text, library, library_size) : -1;
}

/* ---- all runs ---- */

static void write_updates(char *text, size_t size, struct fm_updates updates)
{
    snprintf(text, size, "%u,%u,%u,%u,%u", updates.on, updates.off, updates.timers,
             updates.watermarks, updates.comparisons);
}

static void write_list(char *list, size_t size, char *const *patterns)
{
    size_t length = (size_t)snprintf(list, size, "--counters=");
    for (; *patterns != NULL && length < size; patterns++) {
        length += (size_t)snprintf(list + length, size - length, "%s%s",
                                   list[length - 1] == '=' ? "" : ",", *patterns);
    }
}

/* Which counters the hooks alone have. */
static bool needs_hooks(const struct fm_call_updates *chosen)
{
    bool needs = false;
    for (size_t i = 0; i < chosen->counters.count; i++) {
        const struct fm_counter_entry *entry = fm_counter_named(chosen->counters.items[i].name);
        needs = needs || (entry != NULL && entry->is_hooked);
    }
    return needs;
}

/* Finds the program for the launcher, and measures how long a message takes. */
static fm_status_t find_program(struct runner *runner, struct fm_ping_pong *result, double *ns,
                                struct fm_error *error)
{
    static const char *const programs[] = {"fermata-ping-pong-openmpi", "fermata-ping-pong-mpich"};
    char path[PATH_MAX] = "";
    snprintf(runner->exchanges, sizeof runner->exchanges, "%d", TRIAL_EXCHANGES);
    snprintf(runner->repetitions, sizeof runner->repetitions, "3");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (fm_find_library(programs[i], runner->program, sizeof runner->program, NULL) != FM_OK) {
            continue;
        }
        snprintf(path, sizeof path, "%s", runner->program);
        *ns = run(runner, FM_PING_PONG_PLAIN, false, result->library, sizeof result->library);
        if (*ns > 0) {
            return FM_OK;
        }
    }
    return path[0] == '\0'
               ? fm_fail(error, FM_ERR_FAILED,
                         "no ping-pong: fermata was built without an MPI library, so that it has "
                         "no program for it")
               : fm_fail(error, FM_ERR_FAILED,
                         "no ping-pong: the launcher does not run 2 ranks of it; to see why: "
                         "%s ... %s",
                         runner->launcher[0], path);
}

static fm_status_t measure_all(struct runner *runner, struct fm_ping_pong *result,
                               struct fm_error *error)
{
    static const char *const what[FM_PING_PONG_VARIANTS] = {
        "the ping-pong", "the ping-pong with updates", "the recorded ping-pong"};
    for (size_t round = 0; round < result->rounds; round++) {
        for (int variant = 0; variant < FM_PING_PONG_VARIANTS; variant++) {
            double ns = run(runner, (enum fm_ping_pong_variant)variant, result->has_hooks,
                            result->library, sizeof result->library);
            if (ns <= 0) {
                return fm_fail(error, FM_ERR_FAILED, "%s has failed, in round %zu", what[variant],
                               round + 1);
            }
            result->times[variant][round] = ns;
        }
    }
    return FM_OK;
}

fm_status_t fm_ping_pong_measure(char *const *launcher, const struct fm_call_updates *chosen,
                                 char *const *patterns, size_t rounds, struct fm_ping_pong *result,
                                 struct fm_error *error)
{
    struct runner runner = {.launcher = launcher};
    const char *folder = getenv("TMPDIR");
    double ns = 0;
    *result = (struct fm_ping_pong){.rounds = rounds, .has_hooks = needs_hooks(chosen)};
    write_updates(runner.send, sizeof runner.send, chosen->calls.items[0].updates);
    write_updates(runner.receive, sizeof runner.receive, chosen->calls.items[1].updates);
    write_list(runner.list, sizeof runner.list, patterns);
    snprintf(runner.folder, sizeof runner.folder, "%s/fermata-ping-pong-XXXXXX",
             folder != NULL ? folder : "/tmp");
    if (mkdtemp(runner.folder) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", runner.folder);
    }
    fm_interrupt_catch();
    fm_status_t status = find_program(&runner, result, &ns, error);
    if (status == FM_OK) {
        double exchanges = REPETITION_NS / (2 * ns);
        exchanges = exchanges < FEWEST_EXCHANGES ? FEWEST_EXCHANGES : exchanges;
        result->exchanges = (unsigned)exchanges;
        snprintf(runner.exchanges, sizeof runner.exchanges, "%u", result->exchanges);
        snprintf(runner.repetitions, sizeof runner.repetitions, "%d", FM_PING_PONG_REPETITIONS);
        status = measure_all(&runner, result, error);
    }
    fm_remove_tree(runner.folder);
    fm_interrupt_follow();
    return status;
}

/* ---- results ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts numbers. */
static double median_of(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

double fm_ping_pong_median(const struct fm_ping_pong *measured, enum fm_ping_pong_variant variant)
{
    double numbers[FM_PING_PONG_ROUNDS];
    memcpy(numbers, measured->times[variant], measured->rounds * sizeof *numbers);
    return median_of(numbers, measured->rounds);
}

struct fm_ping_pong_added fm_ping_pong_added(const struct fm_ping_pong *measured,
                                             enum fm_ping_pong_variant variant)
{
    double numbers[FM_PING_PONG_ROUNDS];
    for (size_t round = 0; round < measured->rounds; round++) {
        numbers[round] =
            measured->times[variant][round] - measured->times[FM_PING_PONG_PLAIN][round];
    }
    double median = median_of(numbers, measured->rounds);
    return (struct fm_ping_pong_added){median, numbers[0], numbers[measured->rounds - 1]};
}
