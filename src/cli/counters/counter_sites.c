/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters sites: calls by call path, of recordings with counters only. */
#include "base/containers/vector.h"
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"
#include "counters/call_profile.h"
#include "diagnosis/number_format.h"
#include "filter/name_pattern.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };

/* Calls of a function from a call path, in all ranks. */
struct site {
    char *function, *path;
    double calls, seconds, sent, received;
    double most; /* seconds in one rank */
    unsigned most_rank;
    unsigned rank;  /* that was added last, ... */
    double in_rank; /* ... and its seconds */
};

struct sites {
    FM_VECTOR(struct site) all;
    double seconds;
    size_t ranks; /* that have a file */
};

static int by_name(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    return order != 0 ? order : strcmp(a->function, b->function);
}

static int by_time(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    return a->seconds != b->seconds ? (a->seconds < b->seconds ? 1 : -1) : by_name(left, right);
}

/* The rank whose rows are read. */
struct rank_sites {
    struct sites *sites;
    unsigned rank;
};

/* @return the frames of a row as one text */
static char *join(const struct fm_call_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    for (size_t i = 0; i < row->frame_count; i++) {
        fprintf(stream, "%s%s", i == 0 ? "" : " > ", row->frames[i]);
    }
    if (fclose(stream) != 0) {
        abort();
    }
    char *copy = fm_copy_string(text);
    free(text);
    return copy;
}

static fm_status_t take_row(void *context, const struct fm_call_row *row, struct fm_error *error)
{
    const struct rank_sites *into = context;
    (void)error;
    if (row->kind == FM_ROW_CALL) {
        double seconds = row->numbers[FM_CALL_SECONDS];
        fm_vector_push(&into->sites->all, (struct site){.function = fm_copy_string(row->function),
                                                        .path = join(row),
                                                        .calls = row->numbers[FM_CALL_NUMBER],
                                                        .seconds = seconds,
                                                        .sent = row->numbers[FM_CALL_SENT],
                                                        .received = row->numbers[FM_CALL_RECEIVED],
                                                        .rank = into->rank,
                                                        .in_rank = seconds});
        into->sites->seconds += seconds;
    }
    return FM_OK;
}

/* Reads the rows of a rank behind those of the ranks before it, if it has any. */
static fm_status_t read_rank(struct sites *sites, const char *path, unsigned rank,
                             struct fm_error *error)
{
    struct rank_sites into = {sites, rank};
    fm_status_t status = fm_call_profile_read(path, take_row, &into, error);
    if (status == FM_ERR_SYSTEM && errno == ENOENT) {
        return FM_OK;
    }
    sites->ranks++;
    return status;
}

static void free_site(struct site *site)
{
    fm_free(site->function);
    fm_free(site->path);
}

static int by_name_and_rank(const void *left, const void *right)
{
    const struct site *a = left, *b = right;
    int order = by_name(a, b);
    return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/* Adds a row of the same names, of the same rank (another thread) or of a later one. */
static void add(struct site *into, const struct site *row)
{
    into->calls += row->calls;
    into->seconds += row->seconds;
    into->sent += row->sent;
    into->received += row->received;
    into->in_rank = row->rank == into->rank ? into->in_rank + row->in_rank : row->in_rank;
    into->rank = row->rank;
    if (into->in_rank > into->most) {
        into->most = into->in_rank;
        into->most_rank = into->rank;
    }
}

/* Adds up rows of equal names. */
static void merge(struct sites *sites)
{
    size_t kept = 0;
    struct site *all = sites->all.items;
    if (sites->all.count == 0) {
        return;
    }
    qsort(all, sites->all.count, sizeof *all, by_name_and_rank);
    for (size_t i = 0; i < sites->all.count; i++) {
        if (kept > 0 && by_name(&all[kept - 1], &all[i]) == 0) {
            add(&all[kept - 1], &all[i]);
            free_site(&all[i]);
        } else {
            all[kept] = all[i];
            all[kept].most = all[kept].in_rank;
            all[kept].most_rank = all[kept].rank;
            kept++;
        }
    }
    sites->all.count = kept;
    qsort(all, kept, sizeof *all, by_time);
}

static bool is_asked(const struct fm_counter_request *request, const struct site *site)
{
    bool asked = request->patterns[0] == NULL;
    for (char *const *pattern = request->patterns; !asked && *pattern != NULL; pattern++) {
        asked = fm_pattern_matches(*pattern, site->function);
    }
    return asked;
}

/* Prints, for stderr, which of the named functions were not called.
 * @return FM_ERR_FAILED: none of them was */
static fm_status_t check_functions(const struct fm_counter_request *request,
                                   const struct sites *sites, const char *directory)
{
    size_t found = 0, count = 0;
    for (char *const *pattern = request->patterns; *pattern != NULL; pattern++) {
        char safe[2][256];
        size_t i = 0;
        while (i < sites->all.count &&
               !fm_pattern_matches(*pattern, sites->all.items[i].function)) {
            i++;
        }
        if (i == sites->all.count) {
            fprintf(stderr, "fermata counters: %s has no calls of %s\n",
                    fm_safe_copy(safe[0], sizeof safe[0], directory),
                    fm_safe_copy(safe[1], sizeof safe[1], *pattern));
        }
        found += i < sites->all.count;
        count++;
    }
    return count > 0 && found == 0 ? FM_ERR_FAILED : FM_OK;
}

static void print_text(const struct fm_counter_request *request, const struct sites *sites)
{
    size_t shown = 0, left_out = 0;
    char calls[FM_COUNTER_TEXT], sent[FM_COUNTER_TEXT], received[FM_COUNTER_TEXT];
    printf("%12s %12s %12s %6s %16s %16s  %s\n", "calls", "time/s", "us per call", "share",
           "bytes sent", "bytes received", "function, called from");
    for (size_t i = 0; i < sites->all.count; i++) {
        const struct site *site = &sites->all.items[i];
        char safe[4096];
        if (!is_asked(request, site)) {
            continue;
        }
        if (shown == SHOWN && !request->all) {
            left_out++;
            continue;
        }
        shown++;
        printf("%12s %12.6f %12.3f %5.1f%% %16s %16s  %s\n",
               fm_format_count(calls, (int64_t)site->calls), site->seconds,
               1e6 * site->seconds / site->calls,
               sites->seconds > 0 ? 100 * site->seconds / sites->seconds : 0.0,
               fm_format_count(sent, (int64_t)site->sent),
               fm_format_count(received, (int64_t)site->received),
               fm_safe_copy(safe, sizeof safe, site->function));
        printf("%80s%s\n", "",
               site->path[0] != '\0' ? fm_safe_copy(safe, sizeof safe, site->path) : "(not known)");
    }
    if (left_out != 0) {
        printf("(%zu further call sites: --all)\n", left_out);
    }
}

static void print_json(const struct fm_counter_request *request, const struct sites *sites)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_array(&json, "sites");
    for (size_t i = 0; i < sites->all.count; i++) {
        const struct site *site = &sites->all.items[i];
        if (is_asked(request, site)) {
            fm_json_object(&json, NULL);
            fm_json_string(&json, "function", site->function);
            fm_json_string(&json, "path", site->path);
            fm_json_signed(&json, "calls", (int64_t)site->calls);
            fm_json_double(&json, "seconds", site->seconds);
            fm_json_signed(&json, "bytes_sent", (int64_t)site->sent);
            fm_json_signed(&json, "bytes_received", (int64_t)site->received);
            fm_json_double(&json, "most_seconds", site->most);
            fm_json_unsigned(&json, "most_rank", site->most_rank);
            fm_json_end(&json);
        }
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putchar('\n');
}

static void print(const struct fm_counter_request *request, const struct sites *sites, size_t ranks)
{
    if (request->format == FM_COUNTERS_JSON) {
        print_json(request, sites);
        return;
    }
    if (sites->ranks < ranks) {
        printf(
            "call sites of %zu of %zu ranks: the others have not reached their regular end, or had "
            "no room to write them\n",
            sites->ranks, ranks);
    }
    print_text(request, sites);
}

fm_status_t fm_counters_sites(const struct fm_counter_request *request,
                              const struct fm_counter_job *job, const char *directory,
                              fm_status_t *answer, struct fm_error *error)
{
    struct sites sites = {0};
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        char path[PATH_MAX];
        fm_counter_job_file(job, i, "calls", path, sizeof path);
        status = read_rank(&sites, path, fm_counter_job_rank(job, i), error);
    }
    if (status == FM_OK && sites.ranks == 0) {
        status = fm_fail(error, FM_ERR_DATA,
                         "%s has no calls by call site: recordings with --counters-only have them "
                         "when the program has ended",
                         directory);
    }
    if (status == FM_OK) {
        merge(&sites);
        *answer = check_functions(request, &sites, directory);
        if (*answer == FM_OK) {
            fm_counters_note_cut(job, directory, sites.ranks);
            print(request, &sites, job->ranks);
        }
    }
    for (size_t i = 0; i < sites.all.count; i++) {
        free_site(&sites.all.items[i]);
    }
    fm_vector_free(&sites.all);
    return status;
}
