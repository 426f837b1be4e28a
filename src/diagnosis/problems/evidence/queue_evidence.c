/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/evidence/queue_evidence.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/startup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/** Part of the calls' own time that must have been matching. */
#define ENOUGH_MATCHING 0.5

/** Part of the arriving messages that must have been unexpected for matching to be their keeping.
 */
#define ENOUGH_KEPT 0.5

/** Part of the messages that must have been unexpected. */
#define ENOUGH_UNEXPECTED 0.9

/** Shorter queues take too little time to be searched. */
#define LONG_QUEUE 1000

/** How many times as long as those of other processes a queue must be. */
#define LONGER 2

/** Seconds: a receive that finds its message at once takes less; comparing one entry of a queue,
 * although nothing of it is in cache, does, too. */
#define SHORT_CALL    5e-6
#define LONGEST_ENTRY 1e-6

/** Bytes per second: less than processors copy in memory. */
#define SLOW_COPY 1e9

/** The processes of a cause, and the others. Times in ticks. */
struct queues {
    uint32_t processes;    /**< of the cause */
    double own;            /**< of its calls, there, without waiting */
    double calls;          /**< their number */
    double mpi;            /**< all time in MPI there, without start-up */
    double match;          /**< matching there */
    double match_others;   /**< of the other process with the most */
    double arrivals;       /**< counted there; 0: not known */
    double kept;           /**< of these before their receives, as counted; 0: not known */
    double bytes;          /**< received there */
    double messages;       /**< there, of which it is known whether they were unexpected */
    double unexpected;     /**< at least, of these */
    double queue;          /**< at least this long in each process there */
    double queue_others;   /**< at most this long in every other process */
    uint32_t other_queues; /**< processes for which that is known */
};

/** [location]: whether its process is one of the cause's; to be freed. */
static bool *find_processes(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                            uint32_t *count)
{
    bool *there = fm_allocate(cube->location_count, sizeof *there);
    uint32_t next = 0;
    *count = 0;
    for (uint32_t i = 0; i < cause->location_count; i++) {
        const uint32_t rank = cube->locations[cause->locations[i]].rank;
        const bool is_new =
            i == 0 || cube->locations[cause->locations[i - 1]].rank != rank; /* ascending */
        while (is_new && next < cube->location_count && cube->locations[next].rank < rank) {
            next++;
        }
        *count += is_new;
        for (; next < cube->location_count && cube->locations[next].rank == rank; next++) {
            there[next] = true;
        }
    }
    return there;
}

/** @return the sum of a metric's values in the processes of the cause */
static double sum_there(const struct fm_cube *cube, fm_metric_t metric, const bool *there)
{
    size_t count = 0;
    double sum = 0;
    const struct fm_cube_cell *cells =
        metric == FM_METRIC_NONE ? NULL : fm_cube_metric_cells(cube, metric, &count);
    for (size_t i = 0; i < count; i++) {
        sum += there[cells[i].location] ? (double)cells[i].value : 0;
    }
    return sum;
}

/** @return the largest value of a metric in a process that is not one of the cause's */
static double most_elsewhere(const struct fm_cube *cube, fm_metric_t metric, const bool *there)
{
    size_t count;
    double most = 0;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, metric, &count);
    double *sums = fm_allocate(cube->location_count, sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        /* The counters of a process are those of its first location. */
        sums[cells[i].location] += (double)cells[i].value;
        if (!there[cells[i].location] && sums[cells[i].location] > most) {
            most = sums[cells[i].location];
        }
    }
    fm_free(sums);
    return most;
}

/** Adds up the time in MPI of the processes of the cause, and that of its calls. */
static void add_times(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                      const bool *there, struct queues *queues)
{
    bool *startup = fm_startup_callpaths(cube);
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        const fm_metric_t metric = (fm_metric_t)i;
        size_t count;
        if (!fm_metric_is_within(metric, FM_METRIC_MPI)) {
            continue;
        }
        if (!fm_metric_info(metric)->is_wait_state) {
            queues->own += (double)fm_cause_value(cube, metric, cause);
        }
        const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, metric, &count);
        for (size_t k = 0; k < count; k++) {
            const bool counts = there[cells[k].location] && !fm_is_startup_cell(startup, &cells[k]);
            queues->mpi += counts ? (double)cells[k].value : 0;
        }
    }
    fm_free(startup);
    queues->calls = (double)fm_cause_value(cube, FM_METRIC_VISITS, cause);
}

/** Adds the bounds of unexpected messages. */
static void add_bounds(const struct fm_cube *cube, const bool *there, struct queues *queues)
{
    double shortest = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_unexpected *bounds = &cube->locations[i].unexpected;
        if (bounds->messages == 0) {
            continue;
        }
        if (!there[i]) {
            queues->other_queues++;
            if ((double)bounds->queue_most > queues->queue_others) {
                queues->queue_others = (double)bounds->queue_most;
            }
            continue;
        }
        queues->messages += (double)bounds->messages;
        queues->unexpected += (double)bounds->least;
        if (found++ == 0 || (double)bounds->queue_least < shortest) {
            shortest = (double)bounds->queue_least;
        }
    }
    queues->queue = found == queues->processes ? shortest : 0;
}

static bool has_bounds(const struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].unexpected.queue_least >= LONG_QUEUE) {
            return true;
        }
    }
    return false;
}

/** @return whether there is something to judge. */
static bool find(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                 struct queues *queues)
{
    const struct fm_cube *cube = diagnosis->cube;
    *queues = (struct queues){0};
    if (cause->kind != FM_CAUSE_TRANSFER || cause->callpath == FM_CUBE_NONE ||
        cause->location_count == 0 ||
        strcmp(cube->regions[cube->callpaths[cause->callpath].region].paradigm, "mpi") != 0) {
        return false;
    }
    const fm_metric_t match = fm_metric_by_id("counter:match_time");
    const bool is_timed = match != FM_METRIC_NONE && diagnosis->metrics[match] > 0;
    if (!is_timed && !has_bounds(cube)) {
        return false;
    }
    bool *there = find_processes(cube, cause, &queues->processes);
    add_times(cube, cause, there, queues);
    add_bounds(cube, there, queues);
    if (is_timed) {
        queues->match = sum_there(cube, match, there);
        queues->match_others = most_elsewhere(cube, match, there);
        queues->arrivals = sum_there(cube, fm_metric_by_id("counter:eager_messages"), there) +
                           sum_there(cube, fm_metric_by_id("counter:not_eager_messages"), there);
        queues->kept = sum_there(cube, fm_metric_by_id("counter:unexpected"), there);
    }
    queues->bytes = sum_there(cube, FM_METRIC_BYTES_RCVD, there);
    fm_free(there);
    return queues->own > 0;
}

static bool is_matching(const struct queues *queues)
{
    const double more = queues->match - queues->match_others * queues->processes;
    const double elsewhere = queues->mpi - queues->own;
    return more - elsewhere >= ENOUGH_MATCHING * queues->own;
}

/** @return whether the calls search the queue of unexpected messages. */
static bool is_searching(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    static const char *const beginnings[] = {"MPI_Recv",   "MPI_Irecv",  "MPI_Sendrecv",
                                             "MPI_Probe",  "MPI_Iprobe", "MPI_Mprobe",
                                             "MPI_Improbe"};
    const char *name = cube->regions[cube->callpaths[cause->callpath].region].name;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0) {
            return strncasecmp(name, "MPI_Recv_init", strlen("MPI_Recv_init")) != 0;
        }
    }
    return false;
}

static bool is_long(const struct fm_cube *cube, const struct queues *queues)
{
    const double second = (double)cube->experiment.ticks_per_second;
    const double copying = queues->bytes / SLOW_COPY * second;
    return queues->queue >= LONG_QUEUE && queues->queue >= LONGER * queues->queue_others &&
           queues->unexpected >= ENOUGH_UNEXPECTED * queues->messages &&
           queues->own >= SHORT_CALL * second * queues->calls &&
           queues->own <= LONGEST_ENTRY * second * queues->queue * queues->calls &&
           copying < queues->own / 2;
}

static fm_queue_reason_t reason_of(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                   const struct queues *queues)
{
    if (is_matching(queues)) {
        return queues->kept > 0 && queues->kept >= ENOUGH_KEPT * queues->arrivals
                   ? FM_QUEUE_KEEPS
                   : FM_QUEUE_MATCHES;
    }
    return is_searching(cube, cause) && is_long(cube, queues) ? FM_QUEUE_IS_LONG
                                                              : FM_QUEUE_EXPLAINS_NOTHING;
}

fm_queue_reason_t fm_queue_reason(const struct fm_diagnosis *diagnosis,
                                  const struct fm_cube_problem *cause)
{
    struct queues queues;
    return find(diagnosis, cause, &queues) ? reason_of(diagnosis->cube, cause, &queues)
                                           : FM_QUEUE_EXPLAINS_NOTHING;
}

/** Writes ", MOST on the other ranks"; "" if the cause has all processes. */
static void write_others(char *text, size_t size, const struct fm_diagnosis *diagnosis,
                         const struct queues *queues, const char *most)
{
    const uint32_t all = diagnosis->cube->experiment.process_count;
    text[0] = '\0';
    if (all > queues->processes) {
        snprintf(text, size, ", %s on the other %s", most,
                 all - queues->processes == 1 ? diagnosis->process.one : diagnosis->process.many);
    }
}

/** A number of each process of the cause. */
static const char *mean(char text[FM_FORMAT_SIZE], double sum, const struct queues *queues)
{
    return fm_format_count(text, (int64_t)(sum / queues->processes + 0.5));
}

/** Writes what the library does with the messages that arrive. */
static void write_work(char *text, size_t size, const struct queues *queues, bool keeps)
{
    char arrived[FM_FORMAT_SIZE], kept[FM_FORMAT_SIZE];
    mean(arrived, queues->arrivals, queues);
    if (keeps) {
        snprintf(text, size,
                 "take in %s messages, %s of which came before their receives and are "
                 "kept until then",
                 arrived, mean(kept, queues->kept, queues));
    } else {
        snprintf(text, size,
                 "match %s%smessages with the receives that are posted when they "
                 "arrive",
                 queues->arrivals > 0 ? arrived : "", queues->arrivals > 0 ? " " : "");
    }
}

static void state_matching(const struct fm_diagnosis *diagnosis, const char *name,
                           const struct queues *queues, bool keeps, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    char own[FM_FORMAT_SIZE], match[FM_FORMAT_SIZE], most[FM_FORMAT_SIZE + 16];
    char elsewhere[FM_FORMAT_SIZE], work[192], others[96];
    snprintf(most, sizeof most, "at most %s",
             fm_format_ticks(elsewhere, cube, (int64_t)queues->match_others));
    write_others(others, sizeof others, diagnosis, queues, most);
    write_work(work, sizeof work, queues, keeps);
    fm_sentences_add(lines, "Why",
                     "%s takes %s there%s; in all, the MPI library needs up to %s to %s, copies of "
                     "short ones included%s",
                     name, fm_format_ticks(own, cube, (int64_t)(queues->own / queues->processes)),
                     queues->processes > 1 ? " each" : "",
                     fm_format_ticks(match, cube, (int64_t)(queues->match / queues->processes)),
                     work, others);
}

static void state_queue(const struct fm_diagnosis *diagnosis, const char *name,
                        const struct queues *queues, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    char numbers[4][FM_FORMAT_SIZE], own[FM_FORMAT_SIZE], call[FM_FORMAT_SIZE], others[96];
    char most[FM_FORMAT_SIZE + 16];
    snprintf(most, sizeof most, "at most %s",
             fm_format_count(numbers[0], (int64_t)queues->queue_others));
    write_others(others, sizeof others, diagnosis, queues, most);
    if (queues->other_queues + queues->processes < cube->experiment.process_count) {
        others[0] = '\0'; /* of some nothing is known */
    }
    fm_format_count(numbers[1], (int64_t)queues->unexpected);
    fm_format_count(numbers[2], (int64_t)queues->messages);
    fm_sentences_add(
        lines, "Queue",
        "%s%s of %s messages had come before their receives; %s or more at once were in the queue "
        "that a receive searches%s%s. %s takes %s there, %s a call: how much of it is searching is "
        "not counted",
        queues->unexpected < queues->messages ? "at least " : "", numbers[1], numbers[2],
        fm_format_count(numbers[3], (int64_t)queues->queue), queues->processes > 1 ? " each" : "",
        others, name, fm_format_ticks(own, cube, (int64_t)queues->own),
        fm_format_ticks(call, cube, (int64_t)(queues->own / queues->calls)));
}

void fm_evidence_of_queues(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct queues queues;
    if (!find(diagnosis, cause, &queues)) {
        return;
    }
    const fm_queue_reason_t reason = reason_of(cube, cause, &queues);
    char *name =
        fm_place_name(diagnosis, cube->regions[cube->callpaths[cause->callpath].region].name);
    if (reason == FM_QUEUE_MATCHES || reason == FM_QUEUE_KEEPS) {
        state_matching(diagnosis, name, &queues, reason == FM_QUEUE_KEEPS, lines);
    } else if (reason == FM_QUEUE_IS_LONG) {
        state_queue(diagnosis, name, &queues, lines);
    }
    free(name);
}
