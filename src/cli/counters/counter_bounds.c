/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters bounds: unexpected messages by the trace, beside what hooks have counted. */
#include "cli/counters/counter_bounds.h"

#include "diagnosis/number_format.h"

#include <inttypes.h>
#include <stdio.h>

/* What is stated: at least so many messages, and this share of those of a rank. */
#define UNEXPECTED_SHARE 0.5
enum { UNEXPECTED_LEAST = 1000, TEXT = 1024 };

/* What bounds and counters may differ by: a receive is taken to be posted when its call begins,
 * although the process may be preempted before. */
#define TOLERANCE 0.01

static const char counted[] = "UNEXPECTED", longest[] = "MAX_UNEXPECTED_IN_QUEUE";

/* A counter of a rank of the report. @return false: it is not known */
static bool value_of(const struct fm_counter_job *job, uint32_t rank, const char *name,
                     double *value)
{
    size_t counter = job == NULL ? 0 : fm_counter_job_find(job, name);
    for (size_t i = 0; job != NULL && counter < job->count && i < job->ranks; i++) {
        if (fm_counter_job_rank(job, i) == rank) {
            return fm_counter_job_value(job, i, counter, -1, value);
        }
    }
    return false;
}

/* ---- findings ---- */

/* Messages that the bounds are not about: those of the library itself, above all.
 * @return false: their number is not known */
static bool other_arrivals(const struct fm_counter_job *job, uint32_t rank, uint64_t messages,
                           double *others)
{
    double eager, rendezvous;
    if (!value_of(job, rank, "EAGER_MESSAGES", &eager) ||
        !value_of(job, rank, "NOT_EAGER_MESSAGES", &rendezvous)) {
        return false;
    }
    *others = eager + rendezvous - (double)messages;
    *others = *others > 0 ? *others : 0;
    return true;
}

static void state_contradiction(struct fm_cube *cube, uint32_t rank, double library,
                                const struct fm_cube_unexpected *bounds, double others)
{
    char text[TEXT], counts[3][FM_FORMAT_SIZE];
    const bool is_more = library > (double)bounds->most;
    snprintf(text, sizeof text,
             "Counters and trace contradict each other: %s messages came to rank %u before their "
             "receive by the library's counters, at %s %s by the trace%s%s%s.",
             fm_format_count(counts[0], (int64_t)library), rank, is_more ? "most" : "least",
             fm_format_count(counts[1], (int64_t)(is_more ? bounds->most : bounds->least)),
             is_more ? " and " : "", is_more ? fm_format_count(counts[2], (int64_t)others) : "",
             is_more ? " messages of the library itself" : "");
    fm_cube_add_finding(
        cube, &(struct fm_cube_finding){
                  .id = "unexpected-and-trace",
                  .statement = text,
                  .advice = "The clocks of the nodes may differ by more than is known (--clock), "
                            "or messages arrive by components of the library that are not counted.",
                  .is_contradiction = true});
}

static void compare(const struct fm_counter_job *job, struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        const struct fm_cube_unexpected *bounds = &location->unexpected;
        const double tolerance = TOLERANCE * (double)bounds->messages;
        double library, others;
        if (bounds->messages != 0 && value_of(job, location->rank, counted, &library) &&
            other_arrivals(job, location->rank, bounds->messages, &others) &&
            (library > (double)bounds->most + others + tolerance ||
             library < (double)bounds->least - tolerance)) {
            state_contradiction(cube, location->rank, library, bounds, others);
            return;
        }
    }
}

static double share_of(const struct fm_cube_unexpected *bounds)
{
    return bounds->messages == 0 ? 0 : (double)bounds->least / (double)bounds->messages;
}

/* Counters of the library state the same, with its own messages. */
static void state_flood(const struct fm_counter_job *job, struct fm_cube *cube)
{
    const struct fm_cube_location *worst = NULL;
    char text[TEXT], counts[4][FM_FORMAT_SIZE];
    double library;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[i];
        if (location->unexpected.least >= UNEXPECTED_LEAST &&
            share_of(&location->unexpected) >= UNEXPECTED_SHARE &&
            (worst == NULL || location->unexpected.least > worst->unexpected.least)) {
            worst = location;
        }
    }
    if (worst == NULL || value_of(job, worst->rank, counted, &library)) {
        return;
    }
    const bool are_all = worst->unexpected.least == worst->unexpected.messages;
    snprintf(text, sizeof text,
             "Rank %u: %s%s%s%s messages came before their receive and waited in the "
             "library, %s or more at a time with %s bytes or more.",
             worst->rank, are_all ? "all " : "at least ",
             are_all ? "" : fm_format_count(counts[0], (int64_t)worst->unexpected.least),
             are_all ? "" : " of ", fm_format_count(counts[1], (int64_t)worst->unexpected.messages),
             fm_format_count(counts[2], (int64_t)worst->unexpected.queue_least),
             fm_format_count(counts[3], (int64_t)worst->unexpected.bytes_least));
    fm_cube_add_finding(
        cube,
        &(struct fm_cube_finding){
            .id = "unexpected-by-trace",
            .statement = text,
            .advice = "Post receives before the messages come (MPI_Irecv), or let the receiver "
                      "get the data when it needs them (MPI_Get): this saves copies, searches "
                      "and memory."});
}

void fm_counter_bounds_state(const struct fm_counter_job *job, bool is_whole, struct fm_cube *cube)
{
    if (job != NULL && is_whole) {
        compare(job, cube);
    }
    state_flood(job, cube);
}

/* ---- printing ---- */

static const char *library_text(char text[FM_FORMAT_SIZE], const struct fm_counter_job *job,
                                uint32_t rank, const char *name)
{
    double value;
    return value_of(job, rank, name, &value) ? fm_format_count(text, (int64_t)value) : "-";
}

static void print_row(const struct fm_counter_job *job, const struct fm_cube_location *location)
{
    const struct fm_cube_unexpected *bounds = &location->unexpected;
    char counts[9][FM_FORMAT_SIZE];
    printf("%5u %13s %12s %12s %12s %11s %11s %11s %15s %15s\n", location->rank,
           fm_format_count(counts[0], (int64_t)bounds->messages),
           fm_format_count(counts[1], (int64_t)bounds->least),
           fm_format_count(counts[2], (int64_t)bounds->most),
           library_text(counts[3], job, location->rank, counted),
           fm_format_count(counts[4], (int64_t)bounds->queue_least),
           fm_format_count(counts[5], (int64_t)bounds->queue_most),
           library_text(counts[6], job, location->rank, longest),
           fm_format_count(counts[7], (int64_t)bounds->bytes_least),
           fm_format_count(counts[8], (int64_t)bounds->bytes_most));
}

static void print_csv_value(const struct fm_counter_job *job, uint32_t rank, const char *name)
{
    double value;
    if (value_of(job, rank, name, &value)) {
        printf(",%.0f", value);
    } else {
        putchar(',');
    }
}

static void print_csv_row(const struct fm_counter_job *job, const struct fm_cube_location *location)
{
    const struct fm_cube_unexpected *bounds = &location->unexpected;
    printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, location->rank, bounds->messages, bounds->least,
           bounds->most);
    print_csv_value(job, location->rank, counted);
    printf(",%" PRIu64 ",%" PRIu64, bounds->queue_least, bounds->queue_most);
    print_csv_value(job, location->rank, longest);
    printf(",%" PRIu64 ",%" PRIu64 "\n", bounds->bytes_least, bounds->bytes_most);
}

void fm_counter_bounds_print(const struct fm_counter_request *request,
                             const struct fm_counter_job *job, const struct fm_cube *cube)
{
    const bool is_csv = request->format == FM_COUNTERS_CSV;
    bool has_any = false;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].unexpected.messages == 0) {
            continue;
        }
        if (!has_any) {
            puts(is_csv ? "rank,messages,least,most,library,queue_least,queue_most,queue_library,"
                          "bytes_least,bytes_most"
                        : "unexpected messages: by the trace, and by the library's counters (which "
                          "have its own messages, too)\n\n"
                          " rank      messages     at least      at most      library  queue from"
                          "          to     library      bytes from              to");
        }
        has_any = true;
        if (is_csv) {
            print_csv_row(job, &cube->locations[i]);
        } else {
            print_row(job, &cube->locations[i]);
        }
    }
    if (!has_any && !is_csv) {
        puts("The report has no messages whose receives are known to have been posted.");
    }
}
