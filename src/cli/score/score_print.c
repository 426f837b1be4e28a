/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json/json_writer.h"
#include "cli/score/score.h"
#include "cli/text/safe_text.h"

#include <inttypes.h>

static double seconds_of(const struct fm_score *score, uint64_t ticks)
{
    return score->ticks_per_second > 0 ? (double)ticks / (double)score->ticks_per_second : 0;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Bytes, readable at a glance. */
static const char *scaled(char text[32], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t i = 0;
    while (bytes >= 1000 && i + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        i++;
    }
    snprintf(text, 32, "%.*f %s", i == 0 ? 0 : 1, bytes, units[i]);
    return text;
}

/* ---- text ---- */

static void print_row(const struct fm_score *score, const struct fm_score_row *row, char mark,
                      const char *type, const char *name)
{
    double seconds = seconds_of(score, row->ticks);
    char safe[512];
    printf(" %c  %-3s %13.0f %12" PRIu64 " ", mark, type, row->bytes, row->visits);
    if (row->is_estimate) {
        printf("%11s %6s %12s ", "-", "-", "-");
    } else {
        printf("%11.3f %6.1f %12.3f ", seconds,
               100 * share(seconds, seconds_of(score, score->all.ticks)),
               1e6 * share(seconds, (double)row->visits));
    }
    if (row->cost > 0) {
        printf("%9.3f", row->cost);
    } else {
        printf("%9s", "-");
    }
    printf("  %s\n", fm_safe_copy(safe, sizeof safe, name));
}

static void print_sums(const struct fm_score *score, bool filtered)
{
    print_row(score, &score->all, ' ', "ALL", "all regions");
    for (int type = 0; type < FM_SCORE_TYPES; type++) {
        static const char *const names[FM_SCORE_TYPES] = {"MPI",
                                                          "OpenMP",
                                                          "threads",
                                                          "SHMEM",
                                                          "other libraries",
                                                          "user code that leads to calls",
                                                          "user code that does not"};
        if (score->types[type].visits > 0) {
            print_row(score, &score->types[type], ' ', fm_score_type_name((enum fm_score_type)type),
                      names[type]);
        }
    }
    if (filtered) {
        print_row(score, &score->kept, '+', "FLT", "all that the filter keeps");
    }
}

static void print_estimates(const struct fm_score *score, bool filtered)
{
    char before[32], after[32];
    double seconds = seconds_of(score, score->all.ticks);
    printf("%-16s %s", score->is_estimate ? "trace, about" : "trace", scaled(before, score->bytes));
    if (filtered) {
        printf(", filtered about %s", scaled(after, score->bytes_kept));
    }
    printf("\n%-16s %s in the largest of %" PRIu64 " processes", "buffer, about",
           scaled(before, score->buffer), score->processes);
    if (filtered) {
        printf(", filtered %s", scaled(after, score->buffer_kept));
    }
    printf("\n%-16s %.3f s, %.1f %% of %.3f s", "overhead, about", score->all.cost,
           100 * share(score->all.cost, seconds), seconds);
    if (filtered) {
        printf(", filtered %.3f s", score->kept.cost);
    }
    printf("\n%-16s %d ns for a visit of an instrumented function, %d ns for a call of a library "
           "(docs/performance.md)\n",
           "", FM_SCORE_FUNCTION_COST, FM_SCORE_CALL_COST);
    if (score->is_estimate) {
        printf("%-16s the run has counters and no trace: what one would hold is estimated, with "
               "%.0f samples\n"
               "%-16s (--sample); visits around calls (COM, without times) are estimates, too\n",
               "", score->samples, "");
    }
}

void fm_score_print_text(const struct fm_score *score, size_t most)
{
    bool filtered = false, instrumented = false;
    for (size_t i = 0; i < score->rows.count; i++) {
        filtered = filtered || score->rows.items[i].left_out;
        instrumented = instrumented || score->rows.items[i].instrumented;
    }
    print_estimates(score, filtered);
    if (score->unreadable > 0) {
        printf("%-16s %" PRIu64 " locations cannot be read to their end\n", "incomplete",
               score->unreadable);
    }
    if (score->lacking > 0) {
        printf("%-16s %" PRIu64 " of %" PRIu64 " processes did not reach their regular end, or "
               "had no room to write their calls: they are not part of it\n",
               "incomplete", score->lacking, score->processes);
    }
    printf("\nflt type %13s %12s %11s %6s %12s %9s  region\n", "bytes", "visits", "time[s]", "[%]",
           "us/visit", "cost[s]");
    print_sums(score, filtered);
    putchar('\n');
    size_t shown = score->rows.count < most ? score->rows.count : most;
    for (size_t i = 0; i < shown; i++) {
        const struct fm_score_row *row = &score->rows.items[i];
        char mark = row->left_out ? '-' : row->instrumented ? '+' : ' ';
        print_row(score, row, mark, fm_score_type_name(row->type), row->name);
    }
    if (shown < score->rows.count) {
        printf("         %zu more; --all prints them\n", score->rows.count - shown);
    }
    if (!instrumented) {
        puts("\nNo function is instrumented (`fermata cc`, cxx, fc): there is nothing to filter.");
    } else if (!filtered) {
        puts("\nNothing is left out.");
    }
}

/* ---- JSON ---- */

/* Writes the members of a row and ends its object. */
static void put_row(struct fm_json *json, const struct fm_score *score,
                    const struct fm_score_row *row)
{
    fm_json_unsigned(json, "visits", row->visits);
    fm_json_double(json, "bytes", row->bytes);
    if (row->is_estimate) {
        fm_json_null(json, "seconds");
    } else {
        fm_json_double(json, "seconds", seconds_of(score, row->ticks));
    }
    fm_json_double(json, "overhead_seconds", row->cost);
    fm_json_end(json);
}

static void put_types(struct fm_json *json, const struct fm_score *score)
{
    fm_json_line(json, 2);
    fm_json_array(json, "types");
    for (int type = 0; type < FM_SCORE_TYPES; type++) {
        if (score->types[type].visits > 0) {
            fm_json_line(json, 4);
            fm_json_object(json, NULL);
            fm_json_string(json, "type", fm_score_type_name((enum fm_score_type)type));
            put_row(json, score, &score->types[type]);
        }
    }
    fm_json_line(json, 2);
    fm_json_end(json);
}

static void put_regions(struct fm_json *json, const struct fm_score *score)
{
    fm_json_line(json, 2);
    fm_json_array(json, "regions");
    for (size_t i = 0; i < score->rows.count; i++) {
        const struct fm_score_row *row = &score->rows.items[i];
        fm_json_line(json, 4);
        fm_json_object(json, NULL);
        fm_json_string(json, "name", row->name);
        fm_json_string(json, "file", row->file);
        fm_json_string(json, "type", fm_score_type_name(row->type));
        fm_json_bool(json, "instrumented", row->instrumented);
        fm_json_bool(json, "left_out", row->left_out);
        put_row(json, score, row);
    }
    fm_json_line(json, 2);
    fm_json_end(json);
}

void fm_score_print_json(const struct fm_score *score)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_SPACED);
    fm_json_object(&json, NULL);
    fm_json_line(&json, 2);
    fm_json_unsigned(&json, "processes", score->processes);
    fm_json_unsigned(&json, "events", score->events);
    fm_json_unsigned(&json, "unreadable_locations", score->unreadable);
    fm_json_bool(&json, "is_estimate", score->is_estimate);
    fm_json_double(&json, "estimated_samples", score->samples);
    fm_json_unsigned(&json, "processes_lacking", score->lacking);
    fm_json_double(&json, "trace_bytes", score->bytes);
    fm_json_double(&json, "trace_bytes_filtered", score->bytes_kept);
    fm_json_double(&json, "buffer_bytes", score->buffer);
    fm_json_double(&json, "buffer_bytes_filtered", score->buffer_kept);
    fm_json_line(&json, 2);
    fm_json_object(&json, "costs_ns");
    fm_json_unsigned(&json, "function_visit", FM_SCORE_FUNCTION_COST);
    fm_json_unsigned(&json, "library_call", FM_SCORE_CALL_COST);
    fm_json_end(&json);
    fm_json_line(&json, 2);
    fm_json_object(&json, "all");
    put_row(&json, score, &score->all);
    fm_json_line(&json, 2);
    fm_json_object(&json, "filtered");
    put_row(&json, score, &score->kept);
    put_types(&json, score);
    put_regions(&json, score);
    fm_json_line(&json, 0);
    fm_json_end(&json);
    putchar('\n');
}
