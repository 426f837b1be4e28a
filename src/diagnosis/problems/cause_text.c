/* SPDX-License-Identifier: BSD-3-Clause */
/* Sentences about one problem. */
#include "diagnosis/problems/cause_text.h"

#include "base/memory.h"
#include "diagnosis/file_access.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/advice.h"
#include "diagnosis/problems/call_counts.h"
#include "diagnosis/problems/evidence/evidence.h"
#include "diagnosis/problems/evidence/kernel_evidence.h"
#include "diagnosis/problems/evidence/launch_evidence.h"
#include "diagnosis/problems/evidence/queue_evidence.h"
#include "diagnosis/problems/gain_text.h"
#include "diagnosis/problems/idle/idle_text.h"
#include "diagnosis/problems/lock_text.h"
#include "diagnosis/problems/sample_limit.h"
#include "diagnosis/uncertainty.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_SYMPTOMS 2

/** Symptoms with less than the NOTABLE_PART-th of a problem's cost are not shown. */
#define NOTABLE_PART 20

static struct fm_location_set locations_of(const struct fm_cube_problem *cause)
{
    return (struct fm_location_set){cause->locations, cause->location_count};
}

/** @return why others wait for a cause, unless it takes longer there; to be freed with free() */
static char *kind_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    char *text = NULL, *lock = NULL;
    int length;
    switch (cause->kind) {
    case FM_CAUSE_SERIALIZATION:
        lock = fm_lock_text(diagnosis, cause);
        length = fm_runs_under_lock(cause) ? asprintf(&text, "serialized by %s", lock)
                                           : asprintf(&text, "the holder of %s waits for it", lock);
        break;
    case FM_CAUSE_PROGRESS:
        length = asprintf(&text, "makes no %s calls while others need its progress",
                          fm_cause_library(diagnosis->cube, cause));
        break;
    case FM_CAUSE_IO:
        length = asprintf(&text, "it accesses a file");
        break;
    case FM_CAUSE_TRANSFER:
        length = asprintf(&text, "the call itself takes so long");
        break;
    default:
        length = asprintf(&text, "%s", "");
        break;
    }
    if (length < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    free(lock);
    return text;
}

static void add_headline(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    char time[FM_FORMAT_SIZE], percent[FM_UNCERTAIN_SIZE];
    fm_format_ticks(time, diagnosis->cube, problem->cost);
    fm_format_uncertain(percent, diagnosis, problem->cost,
                        fm_error_of_cause(diagnosis->cube, problem->cause, problem->cost),
                        diagnosis->time);
    char *name = fm_cause_name(diagnosis, problem->cause);
    char *kind = kind_text(diagnosis, problem->cause);
    if (problem->cause->kind == FM_CAUSE_CONTENTION) {
        char *users = fm_lock_users_text(diagnosis, problem->cause);
        fm_sentences_add(
            &problem->headline, "", "%c%s serialize%s %s: they wait %s, %s of all time.",
            toupper((unsigned char)name[0]), name + 1,
            problem->cause->contention.lock_count > 1 ? "" : "s", users, time, percent);
        free(users);
    } else if (kind[0] != '\0') {
        fm_sentences_add(&problem->headline, "", "%s makes others wait %s, %s of all time: %s.",
                         name, time, percent, kind);
    } else {
        fm_sentences_add(&problem->headline, "", "%s makes others wait %s: %s of all time.", name,
                         time, percent);
    }
    free(kind);
    free(name);
}

/* ---- Where ---- */

/* Of the excess of a caller: it is not named, since it is no more than a level of the call path. */
#define ALMOST_ALL 0.995

/* Lists the functions of the candidates, those in several call paths once. @return their number */
static uint32_t candidate_regions(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                  uint32_t regions[FM_CUBE_CANDIDATES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cause->candidate_count; i++) {
        const uint32_t region = cube->callpaths[cause->candidates[i]].region;
        uint32_t at = 0;
        while (at < count && regions[at] != region) {
            at++;
        }
        regions[at] = region;
        count += at == count;
    }
    return count;
}

/* Names the caller that the cause stands for: which part of its excess the cause has; of a function
 * that has all of it in one of several call paths, which one that is. */
static void add_replaced(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube_problem *cause = problem->cause;
    const uint32_t region = diagnosis->cube->callpaths[cause->replaced].region;
    char percent[FM_FORMAT_SIZE];
    char *caller = fm_place_name(diagnosis, diagnosis->cube->regions[region].name);
    if (cause->replaced_share < ALMOST_ALL) {
        fm_sentences_add(&problem->lines, "Where", "%s of the excess of its caller `%s`",
                         fm_format_percent(percent, llround(1000 * cause->replaced_share), 1000),
                         caller);
    } else if (fm_cube_problem_paths(diagnosis->cube, cause) > 1) {
        fm_sentences_add(&problem->lines, "Where", "mostly where `%s` calls it", caller);
    }
    free(caller);
}

/* Names the functions that may be the cause where samples do not tell, or the caller that the cause
 * stands for. */
static void add_where(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube_problem *cause = problem->cause;
    if (cause->candidate_count > 0) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (stream == NULL) {
            abort();
        }
        uint32_t regions[FM_CUBE_CANDIDATES];
        const uint32_t count = candidate_regions(diagnosis->cube, cause, regions);
        for (uint32_t i = 0; i < count; i++) {
            char *name = fm_place_name(diagnosis, diagnosis->cube->regions[regions[i]].name);
            fprintf(stream, "%s`%s`", i == 0 ? "" : i + 1 == count ? " or " : ", ", name);
            free(name);
        }
        if (fclose(stream) != 0) {
            abort();
        }
        fm_sentences_add(&problem->lines, "Where",
                         count == 1
                             ? "perhaps in %s, which it calls: too few samples to tell"
                             : "in one of the functions that it calls, perhaps %s: too few samples "
                               "to tell",
                         text);
        free(text);
    } else if (cause->replaced_share > 0) {
        add_replaced(diagnosis, problem);
    }
}

/* ---- When ---- */

/** Writes a span of time with one unit: "0.900-1.650 s". */
static void format_span(char *buffer, size_t size, const struct fm_cube *cube, uint64_t begin,
                        uint64_t end)
{
    static const struct {
        double smallest, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "us"}};
    double scale = 1 / (double)cube->experiment.ticks_per_second;
    double last = (double)end * scale;
    unsigned i = 0;
    while (last < units[i].smallest) {
        i++;
    }
    double shown = last * units[i].factor;
    int decimals = shown < 10 ? 3 : shown < 100 ? 2 : 1;
    snprintf(buffer, size, "%.*f-%.*f %s", decimals, (double)begin * scale * units[i].factor,
             decimals, shown, units[i].unit);
}

/** Writes the parts of the run in which a cost arises: "0.900-1.650 s after the start". */
static void write_spans(FILE *stream, const struct fm_cube *cube,
                        const struct fm_cube_problem *cause)
{
    for (uint32_t i = 0; i < cause->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &cause->occasions[i];
        char span[3 * FM_FORMAT_SIZE];
        format_span(span, sizeof span, cube, occasion->begin, occasion->end);
        fprintf(stream, "%s%s",
                i == 0                           ? ""
                : i + 1 == cause->occasion_count ? " and "
                                                 : ", ",
                span);
    }
    fputs(" after the start", stream);
}

/** Writes the iterations in which a cost arises: "iterations 25-44 of 60 of `step` (0.900-1.650 s),
 * in 19 of these 20". */
static void write_iterations(FILE *stream, const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_phase *phase = &cube->phases[cause->phase];
    const struct fm_cube_occasion *last = &cause->occasions[cause->occasion_count - 1];
    char numbers[2][FM_FORMAT_SIZE], span[3 * FM_FORMAT_SIZE];
    uint64_t covered = 0, costly = 0;
    fputs(cause->occasions[0].first == last->last ? "iteration " : "iterations ", stream);
    for (uint32_t i = 0; i < cause->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &cause->occasions[i];
        fprintf(stream, "%s%s",
                i == 0                           ? ""
                : i + 1 == cause->occasion_count ? " and "
                                                 : ", ",
                fm_format_count(numbers[0], (int64_t)occasion->first));
        if (occasion->last > occasion->first) {
            fprintf(stream, "-%s", fm_format_count(numbers[0], (int64_t)occasion->last));
        }
        covered += occasion->last - occasion->first + 1;
        costly += occasion->count;
    }
    format_span(span, sizeof span, cube, cause->occasions[0].begin, last->end);
    char *name = fm_place_name(diagnosis, cube->regions[phase->region].name);
    fprintf(stream, " of %s of `%s` (%s)",
            fm_format_count(numbers[0], (int64_t)phase->iteration_count), name, span);
    free(name);
    if (costly > 0 && costly < covered) {
        fprintf(stream, ", in %s of these %s", fm_format_count(numbers[0], (int64_t)costly),
                fm_format_count(numbers[1], (int64_t)covered));
    }
}

static void add_when(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube_problem *cause = problem->cause;
    char *text = NULL;
    size_t size = 0;
    if (cause->occasion_count == 0) {
        return;
    }
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    if (cause->phase == FM_CUBE_NONE) {
        write_spans(stream, diagnosis->cube, cause);
    } else {
        write_iterations(stream, diagnosis, cause);
    }
    if (fclose(stream) != 0) {
        abort();
    }
    fm_sentences_add(&problem->lines, "When", "%s", text);
    free(text);
}

/* ---- How ---- */

/* @return whether another location takes so long that the median does not stand for all of them */
static bool is_uneven_elsewhere(const struct fm_cube_excess *excess)
{
    return excess->longest - excess->elsewhere > (excess->there - excess->elsewhere) / 2;
}

/* The call path takes no time elsewhere, as far as the recording tells. */
static void add_absence(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem,
                        const char *there, const char *others)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    const struct fm_sample_limit limit = fm_sample_limit_elsewhere(cube, cause);
    if (!limit.is_sampled) {
        fm_sentences_add(&problem->lines, "How", "it takes %s; it was not seen on the %s", there,
                         others);
    } else if (limit.ticks == 0) {
        fm_sentences_add(&problem->lines, "How",
                         "it takes %s; nothing is known of the %s, where no sample was taken",
                         there, others);
    } else {
        char most[FM_FORMAT_SIZE];
        const int64_t count =
            cause->phase == FM_CUBE_NONE ? 1 : (int64_t)cube->phases[cause->phase].iteration_count;
        fm_format_ticks(most, cube, limit.ticks / (count > 0 ? count : 1));
        fm_sentences_add(&problem->lines, "How",
                         "it takes %s; less than %s on the %s, where no sample found it%s", there,
                         most, others, limit.unsampled > 0 ? " (some have no samples at all)" : "");
    }
}

static void add_excess(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    const struct fm_cube_excess *excess = &cause->excess;
    if (!excess->is_known) {
        return;
    }
    char there[FM_FORMAT_SIZE], elsewhere[FM_FORMAT_SIZE];
    fm_format_ticks(there, cube, (int64_t)excess->there);
    fm_format_ticks(elsewhere, cube, (int64_t)excess->elsewhere);
    const char *each = cause->phase == FM_CUBE_NONE ? ""
                       : cause->occasion_count > 0  ? " in each of these iterations"
                                                    : " in each iteration";
    const char *others =
        fm_location_set_others(diagnosis, cube->location_count - cause->location_count);
    if (cause->location_count == cube->location_count) {
        fm_sentences_add(&problem->lines, "How",
                         "each %s took longer at some time than those that waited for it; on "
                         "average %s%s",
                         fm_location_set_one(diagnosis), there, each);
    } else if (excess->elsewhere == 0) {
        char taken[4 * FM_FORMAT_SIZE];
        snprintf(taken, sizeof taken, "%s there%s", there, each);
        add_absence(diagnosis, problem, taken, others);
    } else if (excess->there > excess->elsewhere && is_uneven_elsewhere(excess)) {
        char longest[FM_FORMAT_SIZE];
        fm_sentences_add(&problem->lines, "How",
                         "it takes %s there%s; on the %s %s in the median and %s at most", there,
                         each, others, elsewhere,
                         fm_format_ticks(longest, cube, (int64_t)excess->longest));
    } else if (excess->there > excess->elsewhere) {
        fm_sentences_add(&problem->lines, "How", "it takes %s there%s, %s on the %s", there, each,
                         elsewhere, others);
    } else {
        fm_sentences_add(&problem->lines, "How",
                         "it takes longer there just before others wait, but not on average: %s "
                         "there%s, %s on the %s",
                         there, each, elsewhere, others);
    }
}

/** States that the time is longer because there are more calls, if so. */
static void add_calls(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_call_counts counts = fm_call_counts_of(diagnosis->cube, problem->cause);
    const uint32_t others = diagnosis->cube->location_count - problem->cause->location_count;
    char there[FM_FORMAT_SIZE], elsewhere[FM_FORMAT_SIZE];
    if (counts.explains_the_time) {
        fm_sentences_add(&problem->lines, "Calls", "more often there: %s times, %s on the %s%s",
                         fm_format_count(there, counts.there),
                         fm_format_count(elsewhere, counts.elsewhere),
                         fm_location_set_others(diagnosis, others),
                         others > 1 || problem->cause->location_count > 1 ? ", in the mean" : "");
    }
}

/** @return by how much those that wait do so longer than the cause takes, each for each location of
 * it */
static int64_t wait_beyond(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    int64_t beyond = 0;
    for (uint32_t s = 0; s < cause->symptom_count; s++) {
        const struct fm_cube_symptom *symptom = &cause->symptoms[s];
        const int64_t waits = fm_cause_ticks(cube, symptom->cost);
        const int64_t most = (int64_t)cause->excess.there * (int64_t)cause->location_count *
                             (int64_t)symptom->location_count;
        beyond += waits > most ? waits - most : 0;
    }
    return beyond;
}

/* Costs are shared out among call paths in proportion to their excess: waiting whose reason is in
 * no call path is charged to what excess there is. */
static void add_other(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    enum { LEAST_PART = 4 };
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    const int64_t beyond = wait_beyond(cube, cause);
    if (!cause->excess.is_known || cause->phase != FM_CUBE_NONE ||
        beyond <= fm_cause_ticks(cube, cause->cost) / LEAST_PART) {
        return;
    }
    char rest[FM_FORMAT_SIZE], delay[FM_FORMAT_SIZE], starts[128] = "";
    const int64_t started = diagnosis->metrics[FM_METRIC_THREAD_START_DELAY];
    if (started > 0) {
        snprintf(starts, sizeof starts, " (in all, %s from creation to begin)",
                 fm_format_ticks(delay, cube, started));
    }
    fm_sentences_add(&problem->lines, "Other",
                     "others wait longer than it takes: for %s of the waiting the reason is in no "
                     "call path, as when threads begin late%s",
                     fm_format_ticks(rest, cube, beyond), starts);
}

static void add_how(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube_problem *cause = problem->cause;
    switch (cause->kind) {
    case FM_CAUSE_SERIALIZATION:
        fm_sentences_add(&problem->lines, "How",
                         fm_runs_under_lock(cause)
                             ? "it runs while the lock is held: others wait until it is released"
                             : "it runs without the lock, but the holder of the lock waits for it, "
                               "and others wait for the holder");
        break;
    case FM_CAUSE_CONTENTION:
        fm_lock_how_add(diagnosis, cause, &problem->lines);
        break;
    case FM_CAUSE_PROGRESS:
        fm_sentences_add(&problem->lines, "How",
                         "it makes no %s calls, so that communication of other %s does not "
                         "progress meanwhile",
                         fm_cause_library(diagnosis->cube, cause), diagnosis->process.many);
        break;
    case FM_CAUSE_IO:
        fm_file_access_of_cause(diagnosis, cause, &problem->lines);
        break;
    default:
        add_excess(diagnosis, problem);
        add_calls(diagnosis, problem);
        add_other(diagnosis, problem);
        break;
    }
}

/* ---- Waits ---- */

/** @return whether two symptoms are waits of one kind in one function. */
static bool is_same_symptom(const struct fm_cube *cube, const struct fm_cube_symptom *a,
                            const struct fm_cube_symptom *b)
{
    return a->metric == b->metric &&
           cube->callpaths[a->callpath].region == cube->callpaths[b->callpath].region;
}

/** @return a part of a problem's cost without what lack of processors causes, as text */
static char *format_cost(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube,
                         const struct fm_cause_text *problem, int64_t cost)
{
    int64_t own = problem->load == 0 ? cost : (int64_t)((double)cost * (1 - problem->load));
    return fm_format_ticks(buffer, cube, fm_cause_ticks(cube, own));
}

/** Writes symptom `first` together with all others of its kind in the same function.
 * @return their cost */
static int64_t write_symptom(FILE *stream, const struct fm_diagnosis *diagnosis,
                             const struct fm_cause_text *problem, uint32_t first)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    const struct fm_cube_symptom *symptom = &cause->symptoms[first];
    const struct fm_location_set subject = locations_of(cause);
    bool *member = fm_allocate(cube->location_count, sizeof *member);
    uint32_t *locations = fm_allocate(cube->location_count, sizeof *locations);
    int64_t cost = 0;
    for (uint32_t i = first; i < cause->symptom_count; i++) {
        const struct fm_cube_symptom *other = &cause->symptoms[i];
        if (!is_same_symptom(cube, symptom, other)) {
            continue;
        }
        cost += other->cost;
        for (uint32_t k = 0; k < other->location_count; k++) {
            member[other->locations[k]] = true;
        }
    }
    struct fm_location_set set = {locations, 0};
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (member[i]) {
            locations[set.count++] = i;
        }
    }
    char time[FM_FORMAT_SIZE];
    char *name =
        fm_place_name(diagnosis, cube->regions[cube->callpaths[symptom->callpath].region].name);
    char *where = fm_location_set_text(diagnosis, set, &subject);
    fprintf(stream, "%s in %s on %s (%s)", fm_metric_info((fm_metric_t)symptom->metric)->name, name,
            where, format_cost(time, cube, problem, cost));
    free(where);
    free(name);
    fm_free(locations);
    fm_free(member);
    return cost;
}

static void add_waits(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    char *text = NULL;
    size_t size = 0;
    if (cause->symptom_count == 0) {
        return;
    }
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort();
    }
    int64_t rest = cause->cost;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < cause->symptom_count && shown < SHOWN_SYMPTOMS; i++) {
        bool is_new = shown == 0 || cause->symptoms[i].cost >= cause->cost / NOTABLE_PART;
        for (uint32_t k = 0; k < i; k++) {
            is_new = is_new && !is_same_symptom(cube, &cause->symptoms[k], &cause->symptoms[i]);
        }
        if (is_new) {
            fputs(shown++ == 0 ? "" : ", ", stream);
            rest -= write_symptom(stream, diagnosis, problem, i);
        }
    }
    if (rest > cause->cost / NOTABLE_PART) {
        char time[FM_FORMAT_SIZE];
        fprintf(stream, ", others (%s)", format_cost(time, cube, problem, rest));
    }
    if (fclose(stream) != 0) {
        abort();
    }
    fm_sentences_add(&problem->lines, "Waits", "%s", text);
    free(text);
}

/** @return whether some process waits for messages because of the cause. */
static bool makes_receivers_wait(const struct fm_cube_problem *cause)
{
    for (uint32_t i = 0; i < cause->symptom_count; i++) {
        if (fm_metric_is_within((fm_metric_t)cause->symptoms[i].metric, FM_METRIC_MPI_LATESENDER)) {
            return true;
        }
    }
    return false;
}

/** Adds up the last partitions of the cause's locations where it is number `partition`.
 * @param where  out, room for all locations of the cause: those; NULL: not wanted */
static struct fm_cube_last_partition sum_last(const struct fm_cube *cube,
                                              const struct fm_cube_problem *cause,
                                              uint32_t partition, uint32_t *where, uint32_t *count)
{
    struct fm_cube_last_partition sum = {.partition = partition};
    for (uint32_t i = 0; i < cause->location_count; i++) {
        const struct fm_cube_last_partition *last =
            &cube->locations[cause->locations[i]].last_partition;
        sum.all_messages += last->all_messages;
        if (last->messages != 0 && last->partition == partition) {
            sum.partitions = last->partitions;
            sum.messages += last->messages;
            if (where != NULL) {
                where[(*count)++] = cause->locations[i];
            }
        }
    }
    return sum;
}

/** Adds which partition of messages is late, if others wait for messages of the cause's locations
 * that are sent when their last partition is ready. */
static void add_partitions(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    struct fm_cube_last_partition most = {0};
    for (uint32_t i = 0; makes_receivers_wait(cause) && i < cause->location_count; i++) {
        const struct fm_cube_last_partition *last =
            &cube->locations[cause->locations[i]].last_partition;
        if (last->messages != 0 && (most.messages == 0 || last->partition != most.partition)) {
            const struct fm_cube_last_partition sum =
                sum_last(cube, cause, last->partition, NULL, NULL);
            most = sum.messages > most.messages ? sum : most;
        }
    }
    if (most.messages == 0) {
        return;
    }
    char counts[2][FM_FORMAT_SIZE];
    uint32_t *locations = fm_allocate(cause->location_count, sizeof *locations);
    struct fm_location_set set = {locations, 0};
    sum_last(cube, cause, most.partition, locations, &set.count);
    char *where = fm_location_set_text(diagnosis, set, NULL);
    fm_sentences_add(&problem->lines, "Late",
                     "partition %u (of 0-%u) is the last one in %s of %s messages whose last "
                     "partition is made ready on %s",
                     most.partition, most.partitions - 1,
                     fm_format_count(counts[0], (int64_t)most.messages),
                     fm_format_count(counts[1], (int64_t)most.all_messages), where);
    free(where);
    fm_free(locations);
}

static void write_idle(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    fm_idle_headline_add(diagnosis, problem);
    fm_idle_where_add(diagnosis, problem);
    add_when(diagnosis, problem);
    fm_idle_how_add(diagnosis, problem);
    fm_gain_add(diagnosis, problem);
    fm_evidence_of_samples(diagnosis, problem->cause, &problem->lines);
    fm_advice_add(diagnosis, problem->cause, &problem->lines);
}

void fm_cause_text_write(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    if (problem->cause->kind == FM_CAUSE_IDLE) {
        write_idle(diagnosis, problem);
        return;
    }
    add_headline(diagnosis, problem);
    add_where(diagnosis, problem);
    add_when(diagnosis, problem);
    add_how(diagnosis, problem);
    fm_evidence_of_launch(diagnosis, problem->cause, &problem->lines);
    fm_evidence_of_kernel(diagnosis, problem->cause, &problem->lines);
    fm_evidence_of_queues(diagnosis, problem->cause, &problem->lines);
    fm_evidence_of_load(diagnosis, problem->cause, problem->load, &problem->lines);
    add_waits(diagnosis, problem);
    add_partitions(diagnosis, problem);
    fm_gain_add(diagnosis, problem);
    fm_evidence_of_samples(diagnosis, problem->cause, &problem->lines);
    fm_evidence_of_name(diagnosis, problem->cause, &problem->lines);
    fm_advice_add(diagnosis, problem->cause, &problem->lines);
}
