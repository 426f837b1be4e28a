/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/answer.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/cause_text.h"
#include "diagnosis/problems/evidence/kernel_evidence.h"
#include "diagnosis/problems/evidence/queue_evidence.h"
#include "diagnosis/problems/gain_text.h"
#include "diagnosis/problems/library_share.h"
#include "diagnosis/problems/lock_text.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/startup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Smaller shares of all time are not described. */
#define SMALLEST_SHARE 0.01

/** Smaller shares of waiting without a cause in the program are not mentioned. */
#define SMALLEST_REMAINDER 0.005

/** Lack of processors that causes this share of a cost makes small differences doubtful: those that
 * would gain too little to be advised. */
#define NOTABLE_LOAD 0.25

/** Smaller shares of one kind of it are not mentioned. */
#define NEGLIGIBLE_KIND 0.001

int64_t fm_cause_ticks(const struct fm_cube *cube, int64_t cost)
{
    return cost >> cube->experiment.cost_shift;
}

/** @return whether the call path ends with a function of a communication or threading library. */
static bool is_library_call(const struct fm_cube *cube, uint32_t callpath)
{
    static const char *const libraries[] = {"mpi", "shmem", "armci", "caf", "pthread"};
    const char *paradigm = cube->regions[cube->callpaths[callpath].region].paradigm;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strcmp(paradigm, libraries[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_startup_call(const struct fm_cube *cube, uint32_t callpath)
{
    return fm_is_startup_region(&cube->regions[cube->callpaths[callpath].region]);
}

/** @return whether the program can avoid it: neither unknown nor the library's own time, unless it
 * is known what in the program makes this long. */
static bool is_in_program(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    switch (cause->kind) {
    case FM_CAUSE_IMBALANCE:
    case FM_CAUSE_SERIALIZATION:
    case FM_CAUSE_CONTENTION:
    case FM_CAUSE_IO:
        return true;
    case FM_CAUSE_PROGRESS:
        return !is_library_call(diagnosis->cube, cause->callpath);
    case FM_CAUSE_IDLE:
        return cause->callpath != FM_CUBE_NONE &&
               !is_startup_call(diagnosis->cube, cause->callpath);
    case FM_CAUSE_TRANSFER:
        return fm_queue_reason(diagnosis, cause) != FM_QUEUE_EXPLAINS_NOTHING;
    default:
        return false;
    }
}

static struct fm_location_set locations_of(const struct fm_cube_problem *cause)
{
    return (struct fm_location_set){cause->locations, cause->location_count};
}

/** Behind the kinds of causes: waiting for causes in the program that lack of processors causes. */
enum { LACK_OF_PROCESSORS = FM_CAUSE_KINDS, OUTSIDE_KINDS };

/** @return the kind of a cause outside of the program in words */
static const char *outside_name(const struct fm_diagnosis *diagnosis, uint32_t kind)
{
    return kind == FM_CAUSE_TRANSFER
               ? (diagnosis->process.has_only_threads ? "synchronization" : "communication")
           : kind == FM_CAUSE_STARTUP   ? "start-up and shut-down"
           : kind == FM_CAUSE_PROGRESS  ? "missing progress"
           : kind == LACK_OF_PROCESSORS ? "lack of processors"
           : kind == FM_CAUSE_VARIATION ? "variation"
                                        : "unknown causes";
}

/** @return the function of a cause, to be freed with free(): "`solve` (solve.c:3)"; of one that
 * several call paths contain, without its callers */
static char *function_of(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    const uint32_t paths = fm_cube_problem_paths(cube, cause);
    if (paths < 2) {
        return fm_place_function(diagnosis, cause->callpath);
    }
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[cause->callpath].region];
    char *named = fm_place_region(region);
    char *name = fm_place_name(diagnosis, region->name);
    char *line = fm_place_name(diagnosis, named + strlen(region->name));
    char *text = NULL;
    if (asprintf(&text, "`%s`%s, in %u call paths,", name, line, paths) < 0) {
        abort();
    }
    free(line);
    free(name);
    free(named);
    return text;
}

char *fm_cause_name(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    char *text = NULL;
    int length;
    if (cause->kind == FM_CAUSE_CONTENTION) {
        return fm_lock_text(diagnosis, cause);
    }
    if (is_in_program(diagnosis, cause)) {
        char *function = function_of(diagnosis, cause);
        char *where = fm_location_set_text(diagnosis, locations_of(cause), NULL);
        char *libraries = fm_library_share(diagnosis, cause);
        length = asprintf(&text, "%s%s on %s", function, libraries, where);
        free(libraries);
        free(where);
        free(function);
    } else if (cause->callpath == FM_CUBE_NONE) {
        length = asprintf(&text, "%s", outside_name(diagnosis, cause->kind));
    } else {
        uint32_t region = cube->callpaths[cause->callpath].region;
        char *name = fm_place_name(diagnosis, cube->regions[region].name);
        length = asprintf(&text, "%s in %s", outside_name(diagnosis, cause->kind), name);
        free(name);
    }
    if (length < 0) {
        abort();
    }
    return text;
}

/** Waiting by kind of cause outside of the program. */
struct outside {
    int64_t cost;                          /**< ticks */
    int64_t largest_cost;                  /**< ticks */
    const struct fm_cube_problem *largest; /**< of this kind; NULL: none costs anything */
};

/** @return the cost of a problem without waiting during start-up, in ticks */
static int64_t counted_cost(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    int64_t cost = cause->cost;
    for (uint32_t i = 0; i < cause->symptom_count; i++) {
        if (fm_is_startup((fm_metric_t)cause->symptoms[i].metric)) {
            cost -= cause->symptoms[i].cost;
        }
    }
    return fm_cause_ticks(cube, cost);
}

/** Descending by cost; ties: in the order of the cube. */
static int compare_costs(const void *left, const void *right)
{
    const struct fm_cause_text *a = left;
    const struct fm_cause_text *b = right;
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    return (a->cause > b->cause) - (a->cause < b->cause);
}

/** Describes waiting without a cause in the program, by kinds in descending order. */
static void add_without_cause(const struct fm_diagnosis *diagnosis,
                              struct outside kinds[OUTSIDE_KINDS], struct fm_answer *answer)
{
    char time[FM_FORMAT_SIZE], percent[FM_FORMAT_SIZE];
    fm_format_ticks(time, diagnosis->cube, answer->unavoidable);
    fm_format_percent(percent, answer->unavoidable, diagnosis->time);
    if ((double)answer->unavoidable < SMALLEST_REMAINDER * (double)diagnosis->time) {
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort();
    }
    for (unsigned shown = 0; shown < OUTSIDE_KINDS; shown++) {
        struct outside *largest = &kinds[0];
        for (unsigned i = 1; i < OUTSIDE_KINDS; i++) {
            largest = kinds[i].cost > largest->cost ? &kinds[i] : largest;
        }
        if (largest->cost <= 0 ||
            (shown > 0 && (double)largest->cost < NEGLIGIBLE_KIND * (double)diagnosis->time)) {
            break;
        }
        char share[FM_FORMAT_SIZE];
        uint32_t kind = (uint32_t)(largest - kinds);
        fprintf(stream, "%s%s%s %s", shown == 0 ? "" : ", ", outside_name(diagnosis, kind),
                kind == FM_CAUSE_TRANSFER ? " itself" : "",
                fm_format_percent(share, largest->cost, diagnosis->time));
        if (kind == FM_CAUSE_VARIATION) {
            fprintf(stream, " (%s are last by chance)", diagnosis->process.many);
        }
        if (largest->largest->callpath != FM_CUBE_NONE) {
            char *where = fm_place_function(diagnosis, largest->largest->callpath);
            char *switches = kind == LACK_OF_PROCESSORS
                                 ? fm_preemptions_text(diagnosis, largest->largest)
                                 : strdup("");
            fprintf(stream, " (most in %s%s%s)", where, switches[0] != '\0' ? ": " : "", switches);
            free(switches);
            free(where);
        }
        largest->cost = 0;
    }
    if (fclose(stream) != 0) {
        abort();
    }
    fm_sentences_add(&answer->without_cause, "",
                     "Waiting without a cause in the program: %s, %s of all time: %s.", time,
                     percent, text);
    free(text);
}

/** @return the text with this label, or NULL */
static char **find_text(struct fm_cause_text *problem, const char *label)
{
    for (size_t i = 0; i < problem->lines.count; i++) {
        if (strcmp(problem->lines.items[i].label, label) == 0) {
            return &problem->lines.items[i].text;
        }
    }
    return NULL;
}

/** Refers to an earlier problem with the same advice. */
static void avoid_repetition(struct fm_answer *answer, size_t number)
{
    char **text = find_text(&answer->items[number], "Try");
    for (size_t i = 0; text != NULL && i < number; i++) {
        char **earlier = find_text(&answer->items[i], "Try");
        if (earlier != NULL && strcmp(*text, *earlier) == 0) {
            free(*text);
            if (asprintf(text, "as for problem %zu", i + 1) < 0) {
                abort();
            }
            return;
        }
    }
}

/** Describes the consequences of a problem below it. */
static void add_consequences(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *other = &cube->problems[i];
        const int64_t cost = counted_cost(cube, other);
        if (other->consequence_of != 0 &&
            &cube->problems[other->consequence_of - 1] == problem->cause &&
            (double)cost >= SMALLEST_REMAINDER * (double)diagnosis->time) {
            char time[FM_FORMAT_SIZE], percent[FM_FORMAT_SIZE];
            char *name = fm_cause_name(diagnosis, other);
            fm_sentences_add(&problem->lines, "Follows",
                             "%s makes others wait %s, %s of all time, because it has waited for "
                             "this: without it that is gone, too",
                             name, fm_format_ticks(time, cube, cost),
                             fm_format_percent(percent, cost, diagnosis->time));
            free(name);
        }
    }
}

/** @return which share of a problem's cost the lack of processors causes. Where it causes a notable
 * part, and no change of the program would gain much, what it leaves cannot be distinguished from
 * it: ranks that take turns on a processor are late by chance. */
static double load_share(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    const double share = fm_load_share(diagnosis, cause);
    const uint64_t gain =
        cause->gain.removed > cause->gain.balanced ? cause->gain.removed : cause->gain.balanced;
    const double least =
        FM_SMALLEST_ADVISED * (double)(cube->experiment.end - cube->experiment.begin);
    return share >= NOTABLE_LOAD && (1 - share) * (double)gain < least ? 1 : share;
}

void fm_answer_make(const struct fm_diagnosis *diagnosis, unsigned limit, struct fm_answer *answer)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct outside kinds[OUTSIDE_KINDS] = {{0}};
    *answer = (struct fm_answer){0};
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *cause = &cube->problems[i];
        int64_t cost = counted_cost(cube, cause);
        const bool has_cause = is_in_program(diagnosis, cause);
        if (cause->kind == FM_CAUSE_IDLE && !has_cause) {
            continue; /* no waiting; the total of idle threads is known (efficiency/) */
        }
        if (has_cause && cause->consequence_of != 0) {
            continue; /* stands below the other problem */
        }
        struct outside *kind = &kinds[cause->kind];
        if (has_cause) {
            const double load = load_share(diagnosis, cause);
            int64_t own = cost - (int64_t)((double)cost * load);
            fm_vector_push(answer,
                           (struct fm_cause_text){.cause = cause, .cost = own, .load = load});
            cost -= own;
            kind = &kinds[LACK_OF_PROCESSORS];
        }
        if (cost > kind->largest_cost) {
            kind->largest = cause;
            kind->largest_cost = cost;
        }
        kind->cost += cost;
        answer->unavoidable += cost;
    }
    if (answer->count > 1) {
        qsort(answer->items, answer->count, sizeof *answer->items, compare_costs);
    }
    size_t described = 0;
    while (described < answer->count && described < limit &&
           (double)answer->items[described].cost >= SMALLEST_SHARE * (double)diagnosis->time) {
        fm_cause_text_write(diagnosis, &answer->items[described]);
        add_consequences(diagnosis, &answer->items[described]);
        avoid_repetition(answer, described++);
    }
    for (size_t i = described; i < answer->count; i++) {
        answer->omitted_count += answer->items[i].cost > 0;
        answer->omitted += answer->items[i].cost;
    }
    answer->count = described;
    add_without_cause(diagnosis, kinds, answer);
}

void fm_answer_free(struct fm_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        fm_sentences_free(&answer->items[i].headline);
        fm_sentences_free(&answer->items[i].lines);
    }
    fm_sentences_free(&answer->without_cause);
    fm_vector_free(answer);
}
