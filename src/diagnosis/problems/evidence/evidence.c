/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/evidence/evidence.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/problems/evidence/kernel_evidence.h"
#include "diagnosis/problems/machine_load.h"
#include "functions/paradigm_names.h"

#include <stdlib.h>
#include <string.h>

/** Minimum share of a call path's time without a processor that is stated. */
#define NOTABLE_LOAD 0.05

/** With fewer samples, nothing is said of where the time between them is spent. */
#define FEWEST_SAMPLES 5

/** With so many samples, a function that takes 5 % of the time is missed with a probability below
 * 1 %. */
#define ENOUGH_SAMPLES 100

/** Adds for how much of its time the cause did not run for a reason that is not known. */
static void add_unresolved(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    char percent[FM_FORMAT_SIZE];
    if (diagnosis->metrics[FM_METRIC_UNRESOLVED_TIME] <= 0 || cause->callpath == FM_CUBE_NONE) {
        return;
    }
    int64_t unresolved = fm_cause_value(cube, FM_METRIC_UNRESOLVED_TIME, cause);
    int64_t time = fm_cause_value(cube, FM_METRIC_COMP, cause);
    if (unresolved > 0 && fm_fraction(unresolved, time) >= NOTABLE_LOAD) {
        fm_format_percent(percent, unresolved < time ? unresolved : time, time);
        fm_sentences_add(
            lines, "Load",
            "did not run for %s of this time; unknown whether it waited for a processor "
            "or in the operating system",
            percent);
    }
}

void fm_evidence_of_load(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         double share, struct fm_sentences *lines)
{
    bool is_estimated;
    int64_t lost = fm_load_of_cause(diagnosis, cause, &is_estimated);
    int64_t time = lost <= 0 ? 0 : fm_cause_value(diagnosis->cube, FM_METRIC_COMP, cause);
    char percent[FM_FORMAT_SIZE], waiting[FM_FORMAT_SIZE];
    add_unresolved(diagnosis, cause, lines);
    if (lost <= 0 || (share == 0 && fm_fraction(lost, time) < NOTABLE_LOAD)) {
        return;
    }
    fm_format_percent(percent, lost < time ? lost : time, time);
    char *switches = fm_preemptions_text(diagnosis, cause);
    const char *about = is_estimated ? "about " : "";
    const char *open = switches[0] != '\0' ? " (" : "", *close = switches[0] != '\0' ? ")" : "";
    if (share > 0) {
        int64_t cost = fm_cause_ticks(diagnosis->cube, (int64_t)((double)cause->cost * share));
        fm_sentences_add(lines, "Load",
                         "no processor for %s%s of this time%s%s%s; %s of waiting because of that "
                         "is not counted here",
                         about, percent, open, switches, close,
                         fm_format_ticks(waiting, diagnosis->cube, cost));
    } else {
        fm_sentences_add(
            lines, "Load",
            "no processor for %s%s of this time%s%s%s: without other load on the machine "
            "it is shorter",
            about, percent, open, switches, close);
    }
    free(switches);
}

/** @return whether the region is a call of the C library that blocks, as fermata records it: it
 * contains no functions of the program. */
static bool is_blocking(const struct fm_cube_region *region)
{
    return region->file != NULL && strcmp(region->file, FM_C_LIBRARY_FILE) == 0;
}

/** @return whether the recorder attributes time between calls to callers that lead to recorded
 * calls: the archive is fermata's, and the call tree has no other functions. */
static bool lacks_other_functions(const struct fm_cube *cube)
{
    const char *creator = cube->experiment.creator;
    if (creator == NULL || strncmp(creator, "fermata", 7) != 0) {
        return false;
    }
    bool *calls = fm_allocate(cube->callpath_count, sizeof *calls);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].parent != FM_CUBE_NONE) {
            calls[cube->callpaths[i].parent] = true;
        }
    }
    bool lacks = true;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const char *paradigm = cube->regions[cube->callpaths[i].region].paradigm;
        bool is_code = strcmp(paradigm, "user") == 0 || strcmp(paradigm, FM_CUBE_PARAMETER) == 0;
        lacks = lacks && (calls[i] || !is_code);
    }
    fm_free(calls);
    return lacks;
}

/** @return whether the call path is one of the cause or consists of functions of the program only,
 * from below it on */
static bool is_code_below(const struct fm_cube *cube, uint32_t callpath,
                          const struct fm_cube_problem *cause)
{
    while (callpath != FM_CUBE_NONE && !fm_cube_problem_is_at(cube, cause, callpath)) {
        const struct fm_cube_region *region = &cube->regions[cube->callpaths[callpath].region];
        if (strcmp(region->paradigm, "user") != 0 || is_blocking(region)) {
            return false;
        }
        callpath = cube->callpaths[callpath].parent;
    }
    return callpath != FM_CUBE_NONE;
}

/** Samples and computation of the functions without recorded calls in between. */
struct sampled_code {
    int64_t samples, computation;           /**< of the call path and all below it */
    int64_t most_samples, most_computation; /**< of that below it with the most samples */
    uint32_t most;                          /**< FM_CUBE_NONE: there are no samples below it */
};

static struct sampled_code sampled_code(const struct fm_cube *cube,
                                        const struct fm_cube_problem *cause)
{
    struct sampled_code code = {.most = FM_CUBE_NONE};
    for (uint32_t at = 0; at < cube->callpath_count; at++) {
        if (!is_code_below(cube, at, cause)) {
            continue;
        }
        int64_t samples =
            fm_cube_value_on(cube, FM_METRIC_SAMPLES, at, cause->locations, cause->location_count);
        int64_t computation =
            fm_cube_value_on(cube, FM_METRIC_COMP, at, cause->locations, cause->location_count);
        code.samples += samples;
        code.computation += computation;
        if (!fm_cube_problem_is_at(cube, cause, fm_cube_function_of(cube, at)) &&
            samples > code.most_samples) {
            code.most_samples = samples;
            code.most_computation = computation;
            code.most = at;
        }
    }
    return code;
}

/** @return whether more than half of the call path's computation is probably that of a function
 * that it calls: by its share of the samples, it takes so much longer than where samples show it.
 */
static bool is_spent_below(const struct sampled_code *code, int64_t computation)
{
    double share = fm_fraction(code->most_samples, code->samples);
    double hidden = share * (double)code->computation - (double)code->most_computation;
    return code->most_samples >= FEWEST_SAMPLES && hidden > 0.5 * (double)computation;
}

/** @return the rate of samples in the run, as a part of a sentence; "": it is not known */
static const char *rate_text(const struct fm_cube *cube, char *text, size_t size)
{
    const double rate = cube->experiment.sample_rate / 1e3;
    text[0] = '\0';
    if (rate > 0) {
        snprintf(text, size,
                 rate < 10 ? ", at %.1f a second of CPU time" : ", at %.0f a second of CPU time",
                 rate);
    }
    return text;
}

void fm_evidence_of_samples(const struct fm_diagnosis *diagnosis,
                            const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (cause->callpath == FM_CUBE_NONE) {
        return;
    }
    uint32_t region = cube->callpaths[cause->callpath].region;
    if (strcmp(cube->regions[region].paradigm, "user") != 0 ||
        is_blocking(&cube->regions[region])) {
        return;
    }
    bool sampled = diagnosis->metrics[FM_METRIC_SAMPLES] > 0;
    int64_t count = sampled ? fm_cause_value(cube, FM_METRIC_SAMPLES, cause) : 0;
    if (sampled ? count >= ENOUGH_SAMPLES : !lacks_other_functions(cube)) {
        return;
    }
    char number[FM_FORMAT_SIZE], rate[64];
    char *name = fm_place_name(diagnosis, cube->regions[region].name);
    struct sampled_code code = {.most = FM_CUBE_NONE};
    if (sampled) {
        code = sampled_code(cube, cause);
    }
    /* Of idle threads, serial functions below the call path are problems of their own. */
    if (cause->kind != FM_CAUSE_IDLE &&
        is_spent_below(&code, fm_cause_value(cube, FM_METRIC_COMP, cause))) {
        char total[FM_FORMAT_SIZE], most[FM_FORMAT_SIZE];
        char *below = fm_place_function(diagnosis, code.most);
        fm_sentences_add(lines, "Samples",
                         "%s of %s samples are in `%s` itself, %s in %s: probably most of this "
                         "time is spent there",
                         fm_format_count(number, count), fm_format_count(total, code.samples), name,
                         fm_format_count(most, code.most_samples), below);
        free(below);
    } else if (sampled) {
        fm_sentences_add(
            lines, "Samples", "%s %s%s: some of this time may be that of functions that `%s` calls",
            count == 0 ? "no" : fm_format_count(number, count), count == 1 ? "sample" : "samples",
            rate_text(cube, rate, sizeof rate), name);
    } else {
        fm_sentences_add(lines, "Samples",
                         "no samples were taken: some of this time may be that of functions that "
                         "`%s` calls",
                         name);
    }
    free(name);
}

void fm_evidence_of_name(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (cause->callpath == FM_CUBE_NONE) {
        return;
    }
    const char *name = cube->regions[cube->callpaths[cause->callpath].region].name;
    const char *address = strstr(name, "+0x");
    if (address == NULL || address == name ||
        address[3 + strspn(address + 3, "0123456789abcdef")] != '\0') {
        return;
    }
    char *shown = fm_place_name(diagnosis, name);
    const int length = (int)(strstr(shown, "+0x") - shown);
    fm_sentences_add(lines, "Name",
                     "`%.*s` has no symbols: this is its function at %s; `addr2line -f -e FILE %s` "
                     "finds the name in a file of the same build that has them",
                     length, shown, address + 1, address + 1);
    free(shown);
}
