/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/evidence/kernel_evidence.h"

#include "base/memory.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/problems/cause_paths.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Parts of the computation that must have been measured, and of the excess that must be explained.
 */
#define ENOUGH_MEASURED  0.5
#define ENOUGH_EXPLAINED 0.5

/** ... unless what is not measured of the others is a smaller part of the computation there. */
#define LITTLE_UNMEASURED 0.1

/** Smaller shares of what a computation takes longer are not mentioned. */
#define NOTABLE_LACK 0.05

/** The kernel finds its times at clock ticks, and not all computation is measured: where a location
 * has a smaller part more than the others, that may be chance. */
#define NOTABLE_MORE 0.1

/** How many times as often an event must occur as on the other locations. */
#define OFTEN 2

/** A page fault takes 0.2 to 2 us, with a large page more than 50 us; on virtual machines that have
 * no page tables of their own in hardware, 10 us and more. Below this time of the kernel for each
 * fault, or this multiple of what the recorder has measured on the machine, page faults explain all
 * of it. */
#define LONGEST_FAULT          5e-6
#define LONGEST_MEASURED_FAULT 3

/** Where a page fault takes long because of the machine below, the kernel counts part of it as the
 * program's own time: so much of the excess must be the kernel's if page faults, as long as
 * measured, take enough of it. */
#define ENOUGH_COUNTED 0.25

/** What the kernel has counted; times in ticks. */
struct usage {
    uint32_t locations; /**< 0: none is known */
    double computation, measured, kernel, stolen;
    double waiting;    /**< in the operating system */
    double unresolved; /**< unknown whether it waited there or for a processor */
    double lack;       /**< without processor, although ready to run */
    double faults, faults_disk, preemptions, switches;
};

static const struct {
    fm_metric_t metric;
    size_t place; /**< in struct usage */
} kinds[] = {
    {FM_METRIC_COMP, offsetof(struct usage, computation)},
    {FM_METRIC_MEASURED_TIME, offsetof(struct usage, measured)},
    {FM_METRIC_STOLEN_TIME, offsetof(struct usage, stolen)},
    {FM_METRIC_BLOCKED_TIME, offsetof(struct usage, waiting)},
    {FM_METRIC_UNRESOLVED_TIME, offsetof(struct usage, unresolved)},
    {FM_METRIC_COUNTER_USAGE_TIME_SYSTEM, offsetof(struct usage, kernel)},
    {FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR, offsetof(struct usage, faults)},
    {FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MAJOR, offsetof(struct usage, faults_disk)},
    {FM_METRIC_COUNTER_USAGE_PREEMPTIONS, offsetof(struct usage, preemptions)},
    {FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY, offsetof(struct usage, switches)},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/** Means of the locations of a cause, and of the others that are measured. */
struct comparison {
    struct usage there, others;
    double excess; /**< ticks that a location of the cause computes longer, apart from lack of
                        processors */
    double lack;   /**< ticks that it is longer without a processor */
};

static void add_value(struct usage *sum, unsigned kind, int64_t value)
{
    *(double *)((char *)sum + kinds[kind].place) += (double)value;
}

static void make_means(struct usage *sum)
{
    double count = sum->locations;
    if (sum->locations == 0) {
        return;
    }
    sum->lack = (sum->stolen - sum->waiting - sum->unresolved) / count;
    sum->computation /= count;
    sum->measured /= count;
    sum->waiting /= count;
    sum->kernel /= count;
    sum->faults /= count;
    sum->faults_disk /= count;
    sum->preemptions /= count;
    sum->switches /= count;
}

/** @return whether the kernel's counters are in the trace: some other than 0. */
static bool is_counted(const struct fm_diagnosis *diagnosis)
{
    return diagnosis->metrics[FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR] > 0 ||
           diagnosis->metrics[FM_METRIC_COUNTER_USAGE_PREEMPTIONS] > 0 ||
           diagnosis->metrics[FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY] > 0 ||
           diagnosis->metrics[FM_METRIC_COUNTER_USAGE_TIME_SYSTEM] > 0;
}

static bool is_measured(const struct usage *usage)
{
    return usage->computation <= 0 || usage->measured >= ENOUGH_MEASURED * usage->computation;
}

/** @return whether what the others compute without being measured is too little to matter. */
static bool is_little_unmeasured(const struct comparison *sides)
{
    return sides->others.computation - sides->others.measured <=
           LITTLE_UNMEASURED * sides->there.computation;
}

/** [location]: the side on which it is counted, NULL if it is of a stream. To be freed. */
static struct usage **sides_of_locations(const struct fm_cube *cube,
                                         const struct fm_cube_problem *cause,
                                         struct comparison *sides)
{
    struct usage **side = fm_allocate(cube->location_count, sizeof *side);
    uint32_t next = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const bool is_there = fm_cube_problem_is_on(cause, i, &next);
        if (!cube->locations[i].is_stream) {
            side[i] = is_there ? &sides->there : &sides->others;
            side[i]->locations++;
        }
    }
    return side;
}

/** Adds what was counted in a call path itself. */
static void add_path(const struct fm_cube *cube, struct usage *const *side, uint32_t callpath)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < cube->location_count; i++) {
            if (side[i] != NULL) {
                add_value(side[i], kind, fm_cube_value(cube, kinds[kind].metric, callpath, i));
            }
        }
    }
}

/** Adds what was counted in a cause. */
static void add_cause(const struct fm_cube *cube, struct usage *const *side,
                      const struct fm_cube_problem *cause)
{
    bool *is_part = fm_cause_paths(cube, cause);
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        if (is_part[c]) {
            add_path(cube, side, c);
        }
    }
    fm_free(is_part);
}

/** Adds what was counted in all call paths. */
static void add_all(const struct fm_cube *cube, struct usage *const *side, unsigned kind)
{
    size_t count;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, kinds[kind].metric, &count);
    for (size_t i = 0; i < count; i++) {
        if (side[cells[i].location] != NULL) {
            add_value(side[cells[i].location], kind, cells[i].value);
        }
    }
}

/** Compares the computation in a cause, or all computation, of its locations and of the others. */
static struct comparison compare_in(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                    bool is_all)
{
    struct comparison sides = {0};
    struct usage **side = sides_of_locations(cube, cause, &sides);
    for (unsigned kind = 0; is_all && kind < KINDS; kind++) {
        add_all(cube, side, kind);
    }
    if (!is_all) {
        add_cause(cube, side, cause);
    }
    fm_free(side);
    make_means(&sides.there);
    make_means(&sides.others);
    sides.lack = sides.there.lack - sides.others.lack;
    sides.excess = sides.there.computation - sides.others.computation - sides.lack;
    return sides;
}

/** @return whether the two sides can be compared. */
static bool compare(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                    struct comparison *sides)
{
    *sides = (struct comparison){0};
    if (cause->callpath == FM_CUBE_NONE || cause->kind != FM_CAUSE_IMBALANCE ||
        !is_counted(diagnosis)) {
        return false;
    }
    *sides = compare_in(diagnosis->cube, cause, false);
    return sides->there.locations > 0 && sides->others.locations > 0 && sides->there.measured > 0 &&
           is_measured(&sides->there) &&
           (is_measured(&sides->others) || is_little_unmeasured(sides));
}

/** @return what was counted in the measured part of the computation, for all of it. */
static double in_all(const struct usage *usage, double counted)
{
    return usage->measured > 0 ? counted * usage->computation / usage->measured : counted;
}

/** @return what it is longer there. */
static double longer(const struct comparison *sides, double there, double others)
{
    return in_all(&sides->there, there) - in_all(&sides->others, others);
}

/** @return whether these ticks are a large part of what the cause takes longer. */
static bool explains(const struct comparison *sides, double ticks)
{
    return ticks >= ENOUGH_EXPLAINED * sides->excess;
}

static bool is_oftener(const struct comparison *sides, double there, double others)
{
    return there >= 1 && in_all(&sides->there, there) >= OFTEN * in_all(&sides->others, others);
}

/** @return whether page faults are the kernel's work that is counted in `counted`: they are enough
 * of it, and explain the excess of `sides`. */
static bool faults_explain(const struct fm_cube *cube, const struct comparison *sides,
                           const struct comparison *counted)
{
    const struct usage *there = &counted->there, *others = &counted->others;
    double kernel = longer(counted, there->kernel, others->kernel);
    double faults = longer(counted, there->faults, others->faults);
    double measured = (double)cube->experiment.page_fault;
    double longest = fmax(LONGEST_FAULT * (double)cube->experiment.ticks_per_second,
                          LONGEST_MEASURED_FAULT * measured);
    return faults > 0 && kernel <= faults * longest &&
           (explains(sides, kernel) ||
            (kernel >= ENOUGH_COUNTED * sides->excess && explains(sides, faults * measured)));
}

/** @return the reason by what the call path's part of the stretches between calls has: samples
 * divide these, and with them what was counted in them. */
static fm_kernel_reason_t apparent_reason(const struct fm_cube *cube,
                                          const struct comparison *sides)
{
    const struct usage *there = &sides->there, *others = &sides->others;
    double kernel = longer(sides, there->kernel, others->kernel);
    double waiting = longer(sides, there->waiting, others->waiting);
    if (sides->excess <= 0) {
        return FM_KERNEL_EXPLAINS_NOTHING;
    }
    if (kernel >= waiting &&
        in_all(there, there->kernel) >= OFTEN * in_all(others, others->kernel)) {
        if (is_oftener(sides, there->faults, others->faults) &&
            faults_explain(cube, sides, sides)) {
            return FM_KERNEL_PAGE_FAULTS;
        }
        if (explains(sides, kernel)) {
            return FM_KERNEL_SYSTEM_CALLS;
        }
    }
    return explains(sides, waiting) && there->switches >= 1 ? FM_KERNEL_WAITS
                                                            : FM_KERNEL_EXPLAINS_NOTHING;
}

/** @return by how much it is longer there, 0 if that is not notable. */
static double notably_longer(const struct comparison *sides, double there, double others)
{
    double more = longer(sides, there, others);
    return more >= NOTABLE_MORE * in_all(&sides->others, others) ? more : 0;
}

/** Of a stretch through several functions it is not known which of them made the kernel work: where
 * a rank stays longer in one, more of what all ranks have elsewhere in the stretch is taken for
 * that of the function. So the rank must have more in all its computation, too. */
static bool holds_in_all(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                         const struct comparison *sides, fm_kernel_reason_t reason)
{
    const struct comparison all = compare_in(cube, cause, true);
    const struct usage *there = &all.there, *others = &all.others;
    const double kernel = notably_longer(&all, there->kernel, others->kernel);
    const double faults = notably_longer(&all, there->faults, others->faults);
    switch (reason) {
    case FM_KERNEL_PAGE_FAULTS:
        return faults >=
                   ENOUGH_EXPLAINED * longer(sides, sides->there.faults, sides->others.faults) &&
               kernel > 0 && faults_explain(cube, sides, &all);
    case FM_KERNEL_SYSTEM_CALLS:
        return explains(sides, kernel);
    case FM_KERNEL_WAITS:
        return explains(sides, notably_longer(&all, there->waiting, others->waiting));
    default:
        return false;
    }
}

/** Locations that are late in turn are not longer on average: then means explain nothing.
 * @return whether all other locations, waiting for what the computation takes longer in the mean,
 * wait for long enough */
static bool is_longer_on_average(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                 const struct comparison *sides)
{
    const double waiting = (sides->excess + sides->lack) * sides->there.locations *
                           (sides->there.locations + sides->others.locations - 1);
    return waiting >= ENOUGH_EXPLAINED * (double)(cause->cost >> cube->experiment.cost_shift);
}

static fm_kernel_reason_t reason_of(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                                    const struct comparison *sides)
{
    fm_kernel_reason_t reason = is_longer_on_average(cube, cause, sides)
                                    ? apparent_reason(cube, sides)
                                    : FM_KERNEL_EXPLAINS_NOTHING;
    bool is_one = reason != FM_KERNEL_EXPLAINS_NOTHING && holds_in_all(cube, cause, sides, reason);
    return is_one ? reason : FM_KERNEL_EXPLAINS_NOTHING;
}

fm_kernel_reason_t fm_kernel_reason(const struct fm_diagnosis *diagnosis,
                                    const struct fm_cube_problem *cause)
{
    struct comparison sides;
    return compare(diagnosis, cause, &sides) ? reason_of(diagnosis->cube, cause, &sides)
                                             : FM_KERNEL_EXPLAINS_NOTHING;
}

static char *format_number(char *buffer, double number)
{
    return fm_format_count(buffer, (int64_t)(number + 0.5));
}

/** Writes a number with its noun: "1 time", "41 times". */
static char *format_counted(char buffer[2 * FM_FORMAT_SIZE], double number, const char *noun)
{
    char count[FM_FORMAT_SIZE];
    format_number(count, number);
    snprintf(buffer, 2 * FM_FORMAT_SIZE, "%s %s%s", count, noun,
             strcmp(count, "1") == 0 ? "" : "s");
    return buffer;
}

static char *format_times(char buffer[2 * FM_FORMAT_SIZE], double number)
{
    return format_counted(buffer, number, "time");
}

void fm_evidence_of_kernel(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct comparison sides;
    if (!compare(diagnosis, cause, &sides)) {
        return;
    }
    const struct usage *there = &sides.there, *others = &sides.others;
    fm_kernel_reason_t reason = reason_of(cube, cause, &sides);
    bool waits = reason == FM_KERNEL_WAITS;
    double time = waits ? longer(&sides, there->waiting, others->waiting)
                        : longer(&sides, there->kernel, others->kernel);
    char duration[FM_FORMAT_SIZE], part[FM_FORMAT_SIZE], numbers[3][2 * FM_FORMAT_SIZE];
    fm_format_ticks(duration, cube, (int64_t)time);
    fm_format_percent(part, (int64_t)(time < sides.excess ? time : sides.excess),
                      (int64_t)sides.excess);
    const char *on = fm_location_set_others(diagnosis, others->locations);
    const char *each = there->locations > 1 ? " each" : "";
    const char *apart =
        sides.lack > NOTABLE_LACK * sides.excess ? " apart from lack of processors" : "";
    switch (reason) {
    case FM_KERNEL_PAGE_FAULTS:
        fm_sentences_add(lines, "Why",
                         "%s there%s, %s on the %s: the kernel works %s longer, %s of "
                         "what it takes longer%s",
                         format_counted(numbers[0], there->faults, "page fault"), each,
                         format_number(numbers[1], others->faults), on, duration, part, apart);
        break;
    case FM_KERNEL_SYSTEM_CALLS:
        fm_sentences_add(lines, "Why",
                         "the kernel works %s longer there%s, %s of what it takes longer%s: system "
                         "calls, or page faults of large pages (%s there, %s on the %s)",
                         duration, each, part, apart,
                         format_counted(numbers[0], there->faults, "page fault"),
                         format_number(numbers[1], others->faults), on);
        break;
    case FM_KERNEL_WAITS:
        fm_sentences_add(lines, "Why",
                         "it waits in the operating system %s there%s, %s on the %s "
                         "(page faults from disk: %s): %s, %s of what it takes longer%s",
                         format_times(numbers[0], there->switches), each,
                         format_times(numbers[1], others->switches), on,
                         format_number(numbers[2], there->faults_disk), duration, part, apart);
        break;
    default:
        break;
    }
}

char *fm_preemptions_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause)
{
    struct comparison sides;
    bool has_others = compare(diagnosis, cause, &sides);
    const struct usage *there = &sides.there, *others = &sides.others;
    char numbers[2][2 * FM_FORMAT_SIZE];
    char *text = NULL;
    int length;
    if (there->locations == 0 || there->measured <= 0) {
        return strdup("");
    }
    const char *each = there->locations > 1 ? " each" : "";
    format_times(numbers[0], there->preemptions);
    if (there->preemptions < 0.5 && there->switches < 0.5) {
        length =
            asprintf(&text, "the kernel counted no context switch there, which contradicts this");
    } else if (there->preemptions < 0.5) {
        length = asprintf(&text, "not preempted: it waited %s%s and got no processor afterwards",
                          format_times(numbers[0], there->switches), each);
    } else if (has_others) {
        length = asprintf(&text, "preempted %s there%s, %s on the %s", numbers[0], each,
                          format_times(numbers[1], others->preemptions),
                          fm_location_set_others(diagnosis, others->locations));
    } else {
        length = asprintf(&text, "preempted %s%s", numbers[0], each);
    }
    if (length < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    return text;
}
