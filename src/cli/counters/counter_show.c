/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters show: the counters of a run. */
#include "base/json/json_writer.h"
#include "base/memory.h"
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"
#include "diagnosis/number_format.h"
#include "filter/name_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fm_counter_text(char text[FM_COUNTER_TEXT], enum fm_counter_kind kind, double value)
{
    _Static_assert((int)FM_COUNTER_TEXT >= (int)FM_FORMAT_SIZE, "for fm_format_count");
    if (fm_counter_is_time(kind)) {
        snprintf(text, FM_COUNTER_TEXT, "%.6f", value);
        return text;
    }
    if (fm_counter_is_real(kind)) {
        snprintf(text, FM_COUNTER_TEXT, "%.9g", value);
        return text;
    }
    return fm_format_count(text, (int64_t)value);
}

bool fm_counter_is_asked(const struct fm_counter_request *request,
                         const struct fm_job_counter *counter)
{
    bool asked = request->patterns[0] == NULL && counter->is_selected;
    for (char *const *pattern = request->patterns; !asked && *pattern != NULL; pattern++) {
        asked = fm_counter_selected(*pattern, counter->name);
    }
    return asked;
}

static bool is_printed(const struct fm_counter_request *request, const struct fm_counter_job *job,
                       size_t counter, struct fm_counter_spread spread)
{
    return fm_counter_is_asked(request, &job->counters[counter]) &&
           (request->all || spread.least != 0 || spread.most != 0 ||
            fm_counter_is_named(request->patterns, job->counters[counter].name));
}

/* The name of a bin: by rules of its own, or as those of the counter always are. */
static const char *bin_name(const struct fm_counter_job *job, size_t i, unsigned bin, char *text,
                            size_t size)
{
    const struct fm_job_counter *counter = &job->counters[i];
    size_t rank = 0;
    while (fm_counter_job_place(job, rank, i) < 0) {
        rank++; /* one of them has it */
    }
    const fermata_counters_t *file = job->files[rank];
    size_t place = (size_t)fm_counter_job_place(job, rank, i);
    unsigned long long limit = fermata_counters_bin_limit(file, place, bin);
    if (fermata_counters_bin_limit(file, place, 0) == UINT64_MAX) {
        return fm_counter_bin_name(counter->name, counter->kind, bin, counter->boundary, text,
                                   size);
    }
    unsigned long long below = bin > 0 ? fermata_counters_bin_limit(file, place, bin - 1) : 0;
    if (bin == 0) {
        snprintf(text, size, "up to %llu", limit);
    } else if (bin + 1 == counter->bins) {
        snprintf(text, size, "above %llu", below);
    } else if (below + 1 == limit) {
        snprintf(text, size, "%llu", limit);
    } else {
        snprintf(text, size, "%llu-%llu", below + 1, limit);
    }
    return text;
}

/* ---- text ---- */

static void print_states(const struct fm_counter_job *job)
{
    static const struct {
        int state;
        const char *text;
    } states[] = {{FERMATA_PROCESS_RUNNING, "running"},
                  {FERMATA_PROCESS_ENDED, "ended"},
                  {FERMATA_PROCESS_KILLED, "killed without closing the counters"},
                  {FERMATA_PROCESS_UNKNOWN, "running or killed, on another host"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        size_t count = fm_counter_job_in_state(job, states[i].state);
        if (count != 0) {
            printf("%s%zu %s", separator, count, states[i].text);
            separator = ", ";
        }
    }
}

static void print_heading(const struct fm_counter_request *request,
                          const struct fm_counter_job *job, const char *path, size_t interrupted)
{
    char safe[4096];
    unsigned size = fm_counter_job_size(job);
    printf("%s: counters of %zu of %u ranks: ", fm_safe_copy(safe, sizeof safe, path), job->ranks,
           size);
    print_states(job);
    puts("");
    for (size_t i = 0; job->world_count > 1 && i < job->world_count; i++) {
        const struct fm_job_world *world = &job->worlds[i];
        printf("world %u: %u rank%s, from rank %u on\n", world->number, world->size,
               world->size == 1 ? "" : "s", world->first);
    }
    if (interrupted != 0) {
        printf(
            "%zu of them were killed while they counted a call: some of their counters have that "
            "call, others do not\n",
            interrupted);
    }
    if (request->ranks) {
        printf("\n%-36s %6s %18s\n", "counter", "rank", "value");
    } else {
        printf("\n%-36s %18s %16s %16s %5s %16s %5s\n", "counter", "total", "mean", "least", "rank",
               "most", "rank");
    }
}

static void print_spread(const char *name, enum fm_counter_kind kind,
                         struct fm_counter_spread spread)
{
    char total[FM_COUNTER_TEXT], least[FM_COUNTER_TEXT], most[FM_COUNTER_TEXT],
        mean[FM_COUNTER_TEXT];
    if (fm_counter_is_time(kind) || fm_counter_is_real(kind)) {
        fm_counter_text(mean, kind, spread.mean);
    } else {
        snprintf(mean, sizeof mean, "%.1f", spread.mean);
    }
    printf("%-36s %18s %16s %16s %5u %16s %5u\n", name, fm_counter_text(total, kind, spread.total),
           mean, fm_counter_text(least, kind, spread.least), spread.least_rank,
           fm_counter_text(most, kind, spread.most), spread.most_rank);
}

static void print_values(const char *name, const struct fm_counter_job *job, size_t counter,
                         int bin)
{
    char text[FM_COUNTER_TEXT];
    double value;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        if (fm_counter_job_value(job, rank, counter, bin, &value)) {
            printf("%-36s %6u %18s\n", name, fm_counter_job_rank(job, rank),
                   fm_counter_text(text, job->counters[counter].kind, value));
        }
    }
}

static void print_row(const struct fm_counter_request *request, const struct fm_counter_job *job,
                      const char *name, size_t counter, int bin)
{
    if (request->ranks) {
        print_values(name, job, counter, bin);
    } else {
        print_spread(name, job->counters[counter].kind, fm_counter_job_spread(job, counter, bin));
    }
}

/* ---- functions: their calls and times in one row ---- */

/* A function that has both counters, side by side, and was called. */
struct function {
    size_t calls, time; /* positions of the counters */
    struct fm_counter_spread times;
};

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Whether the counter at `i` is printed as a part of a function's row. */
static bool is_of_function(const struct fm_counter_request *request,
                           const struct fm_counter_job *job, size_t i)
{
    const char *name = job->counters[i].name;
    return !request->ranks && request->patterns[0] == NULL &&
           (has_prefix(name, FM_COUNTER_CALLS) || has_prefix(name, FM_COUNTER_TIME));
}

static int by_time(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    if (a->times.total != b->times.total) {
        return a->times.total < b->times.total ? 1 : -1;
    }
    return a->calls < b->calls ? -1 : 1;
}

static void print_function(const struct fm_counter_job *job, const struct function *function)
{
    char safe[128], calls[FM_COUNTER_TEXT];
    double count = fm_counter_job_spread(job, function->calls, -1).total;
    printf("%-36s %18s %16.6f %16.3f %16.6f %5u %16.6f %5u\n",
           fm_safe_copy(safe, sizeof safe,
                        job->counters[function->calls].name + strlen(FM_COUNTER_CALLS)),
           fm_counter_text(calls, FM_COUNTER_COUNT, count), function->times.total,
           count > 0 ? 1e6 * function->times.total / count : 0.0, function->times.least,
           function->times.least_rank, function->times.most, function->times.most_rank);
}

static size_t print_functions(const struct fm_counter_request *request,
                              const struct fm_counter_job *job)
{
    struct function *functions = fm_allocate(job->count + 1, sizeof *functions);
    size_t count = 0;
    for (size_t i = 0; i + 1 < job->count; i++) {
        if (is_of_function(request, job, i) &&
            has_prefix(job->counters[i].name, FM_COUNTER_CALLS) &&
            has_prefix(job->counters[i + 1].name, FM_COUNTER_TIME) &&
            fm_counter_is_asked(request, &job->counters[i]) &&
            fm_counter_is_asked(request, &job->counters[i + 1]) &&
            (request->all || fm_counter_job_spread(job, i, -1).most > 0)) {
            functions[count++] = (struct function){
                .calls = i, .time = i + 1, .times = fm_counter_job_spread(job, i + 1, -1)};
        }
    }
    qsort(functions, count, sizeof *functions, by_time);
    if (count != 0) {
        printf("\n%-36s %18s %16s %16s %16s %5s %16s %5s\n", "function", "calls", "time/s",
               "us per call", "least time/s", "rank", "most time/s", "rank");
    }
    for (size_t i = 0; i < count; i++) {
        print_function(job, &functions[i]);
    }
    fm_free(functions);
    return count;
}

/* Whether one of the two counters of a function is asked for alone: then it has a row of its own.
 */
static bool is_alone(const struct fm_counter_request *request, const struct fm_counter_job *job,
                     size_t i)
{
    size_t other = has_prefix(job->counters[i].name, FM_COUNTER_CALLS) ? i + 1 : i - 1;
    return other >= job->count || !fm_counter_is_asked(request, &job->counters[other]);
}

/* @param is_complete  no counter that is asked for is unavailable */
static void print_text(const struct fm_counter_request *request, const struct fm_counter_job *job,
                       bool is_complete)
{
    char safe[128], name[64], indented[80];
    size_t printed = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct fm_job_counter *counter = &job->counters[i];
        if (!is_printed(request, job, i, fm_counter_job_spread(job, i, -1)) ||
            (is_of_function(request, job, i) && !is_alone(request, job, i))) {
            continue;
        }
        printed++;
        print_row(request, job, fm_safe_copy(safe, sizeof safe, counter->name), i, -1);
        for (unsigned bin = 0; counter->bins > 1 && bin < counter->bins; bin++) {
            struct fm_counter_spread spread = fm_counter_job_spread(job, i, (int)bin);
            if (spread.most != 0) {
                snprintf(indented, sizeof indented, "  %s",
                         bin_name(job, i, bin, name, sizeof name));
                print_row(request, job, indented, i, (int)bin);
            }
        }
    }
    if (print_functions(request, job) + printed == 0 && is_complete) {
        puts("(none of the counters that are asked for has counted anything)");
    }
}

/* ---- what must be known beside the values ---- */

static const fermata_counter_info_t *info_of(const struct fm_counter_job *job, size_t counter)
{
    for (size_t rank = 0; rank < job->ranks; rank++) {
        int place = fm_counter_job_place(job, rank, counter);
        if (place >= 0) {
            return fermata_counters_info(job->files[rank], (size_t)place);
        }
    }
    return NULL;
}

static const char *defect_of(const struct fm_counter_job *job, size_t counter)
{
    const fermata_counter_info_t *info = info_of(job, counter);
    return info != NULL ? fm_counter_defect(info->name, info->obtained) : NULL;
}

static void print_defects(const struct fm_counter_request *request,
                          const struct fm_counter_job *job)
{
    char safe[128];
    const char *separator = "\n";
    for (size_t i = 0; i < job->count; i++) {
        const char *defect = defect_of(job, i);
        if (defect != NULL && is_printed(request, job, i, fm_counter_job_spread(job, i, -1))) {
            printf("%swarning: %s: %s\n", separator,
                   fm_safe_copy(safe, sizeof safe, job->counters[i].name), defect);
            separator = "";
        }
    }
}

static void print_lacks(const struct fm_counter_lacks *lacks)
{
    char name[128], reason[256];
    if (lacks->count != 0) {
        printf("\n%-36s %18s %s\n", "unavailable", "ranks", "reason");
    }
    for (size_t i = 0; i < lacks->count; i++) {
        printf("%-36s %18zu %s\n", fm_safe_copy(name, sizeof name, lacks->items[i].name),
               lacks->items[i].ranks, fm_safe_copy(reason, sizeof reason, lacks->items[i].reason));
    }
}

static void write_lacks(struct fm_json *json, const struct fm_counter_lacks *lacks)
{
    fm_json_array(json, "unavailable");
    for (size_t i = 0; i < lacks->count; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "name", lacks->items[i].name);
        fm_json_string(json, "reason", lacks->items[i].reason);
        fm_json_unsigned(json, "ranks", lacks->items[i].ranks);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* ---- JSON and CSV ---- */

void fm_counters_write_number(struct fm_json *json, const char *key, enum fm_counter_kind kind,
                              double value)
{
    if (fm_counter_is_time(kind) || fm_counter_is_real(kind)) {
        fm_json_double(json, key, value);
    } else {
        fm_json_signed(json, key, (int64_t)value);
    }
}

static void write_values(struct fm_json *json, const struct fm_counter_job *job, size_t counter,
                         int bin)
{
    for (size_t rank = 0; rank < job->ranks; rank++) {
        double value;
        if (fm_counter_job_value(job, rank, counter, bin, &value)) {
            fm_counters_write_number(json, NULL, job->counters[counter].kind, value);
        } else {
            fm_json_null(json, NULL);
        }
    }
}

/* The counter of Open MPI that is asked for by its own name and counts what `name` does: less may
 * be known of it. NULL: none is. */
static const struct fm_counter_entry *asked_as(const struct fm_counter_request *request,
                                               const char *name)
{
    for (char *const *pattern = request->patterns; *pattern != NULL; pattern++) {
        for (size_t i = 0; i < fm_counter_count(); i++) {
            const struct fm_counter_entry *entry = fm_counter_at(i);
            if (entry->is_spc && entry->source != NULL && strcmp(entry->source, name) == 0 &&
                fm_counter_list_names_spc(*pattern, entry->name) &&
                !fm_counter_list_names(*pattern, "", name)) {
                return entry;
            }
        }
    }
    return NULL;
}

/* What a counter counts: in the run, else in general; how it is obtained. */
static void write_meaning(struct fm_json *json, const struct fm_counter_request *request,
                          const struct fm_counter_job *job, size_t counter)
{
    const char *name = job->counters[counter].name;
    const struct fm_counter_entry *alias = asked_as(request, name);
    const struct fm_counter_entry *entry = alias != NULL ? alias : fm_counter_named(name);
    const fermata_counter_info_t *info = info_of(job, counter);
    bool is_described = info != NULL && info->meaning[0] != '\0';
    fm_json_string(json, "meaning",
                   is_described    ? info->meaning
                   : entry != NULL ? entry->meaning
                                   : NULL);
    fm_json_string(json, "obtained",
                   alias != NULL  ? fm_counter_tier_name(alias->tier)
                   : info != NULL ? info->obtained
                                  : NULL);
    fm_json_string(json, "warning", defect_of(job, counter));
}

static void write_counter(struct fm_json *json, const struct fm_counter_request *request,
                          const struct fm_counter_job *job, size_t i)
{
    const struct fm_job_counter *counter = &job->counters[i];
    struct fm_counter_spread spread = fm_counter_job_spread(job, i, -1);
    char name[64];
    fm_json_object(json, NULL);
    fm_json_string(json, "name", counter->name);
    fm_json_string(json, "kind", fm_counter_kind_name(counter->kind));
    fm_json_string(json, "unit", counter->unit);
    write_meaning(json, request, job, i);
    fm_counters_write_number(json, "total", counter->kind, spread.total);
    fm_json_array(json, "values");
    write_values(json, job, i, -1);
    fm_json_end(json);
    if (counter->bins > 1) {
        fm_json_array(json, "bins");
        for (unsigned bin = 0; bin < counter->bins; bin++) {
            fm_json_object(json, NULL);
            fm_json_string(json, "name", bin_name(job, i, bin, name, sizeof name));
            fm_json_array(json, "values");
            write_values(json, job, i, (int)bin);
            fm_json_end(json);
            fm_json_end(json);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_ranks(struct fm_json *json, const struct fm_counter_job *job)
{
    static const char *const states[] = {"running", "ended", "killed", "unknown"};
    fm_json_array(json, "ranks");
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const fermata_counters_t *file = job->files[rank];
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "rank", fm_counter_job_rank(job, rank));
        if (job->world_count > 1) {
            fm_json_unsigned(json, "world", job->worlds[job->world_of[rank]].number);
            fm_json_unsigned(json, "world_rank", fermata_counters_rank(file));
        }
        fm_json_string(json, "state", states[fermata_counters_state(file)]);
        fm_json_string(json, "host", fermata_counters_host(file));
        fm_json_signed(json, "process", fermata_counters_process(file));
        fm_json_unsigned(json, "threads", fermata_counters_threads(file));
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void print_json(const struct fm_counter_request *request, const struct fm_counter_job *job,
                       const struct fm_counter_lacks *lacks, size_t interrupted)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_unsigned(&json, "size", fm_counter_job_size(job));
    fm_json_unsigned(&json, "interrupted_in_a_call", interrupted);
    write_ranks(&json, job);
    fm_json_array(&json, "counters");
    for (size_t i = 0; i < job->count; i++) {
        if (is_printed(request, job, i, fm_counter_job_spread(job, i, -1))) {
            write_counter(&json, request, job, i);
        }
    }
    fm_json_end(&json);
    write_lacks(&json, lacks);
    fm_json_end(&json);
    putchar('\n');
}

static void print_csv(const struct fm_counter_request *request, const struct fm_counter_job *job)
{
    char text[FM_COUNTER_PLAIN];
    puts("counter,unit,rank,value");
    for (size_t i = 0; i < job->count; i++) {
        const struct fm_job_counter *counter = &job->counters[i];
        if (!is_printed(request, job, i, fm_counter_job_spread(job, i, -1))) {
            continue;
        }
        for (size_t rank = 0; rank < job->ranks; rank++) {
            double value;
            if (fm_counter_job_value(job, rank, i, -1, &value)) {
                printf("%s,%s,%u,%s\n", counter->name, counter->unit,
                       fm_counter_job_rank(job, rank),
                       fm_counter_plain(text, counter->kind, value));
            }
        }
    }
}

void fm_counters_show(const struct fm_counter_request *request, const struct fm_counter_job *job,
                      const char *path, size_t interrupted)
{
    struct fm_counter_lacks lacks = fm_counter_job_lacks(job, request->patterns);
    if (request->format == FM_COUNTERS_JSON) {
        print_json(request, job, &lacks, interrupted);
    } else if (request->format == FM_COUNTERS_CSV) {
        print_csv(request, job);
    } else {
        print_heading(request, job, path, interrupted);
        print_text(request, job, lacks.count == 0);
        print_defects(request, job);
        print_lacks(&lacks);
    }
    fm_free(lacks.items);
}
