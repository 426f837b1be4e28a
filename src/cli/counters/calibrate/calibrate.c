/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters calibrate: what updates of counters cost here, by a model and measured; what
 * chosen counters cost a call; and a ping-pong with and without them. */
#include "base/json/json_writer.h"
#include "cli/counters/calibrate/ping_pong.h"
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"
#include "counters/costs/call_updates.h"
#include "counters/costs/counter_costs.h"

#include <stdio.h>

/* 10^7 of each update. */
enum { REPEATS = 50, UPDATES = 200000, USUAL_ROUNDS = 5 };

/* All that is printed. */
struct results {
    struct fm_counter_costs costs;
    struct fm_call_updates chosen;       /* without counters if none are chosen */
    const struct fm_ping_pong *measured; /* NULL: there is none */
};

static bool has_chosen(const struct results *results)
{
    return results->chosen.counters.count > 0;
}

static double predicted(const struct results *results, struct fm_updates updates)
{
    return fm_updates_predicted(&results->costs, updates);
}

/* A message costs what its MPI_Send and its MPI_Recv cost. */
static struct fm_updates of_a_message(const struct results *results)
{
    return fm_updates_sum(results->chosen.calls.items[0].updates,
                          results->chosen.calls.items[1].updates);
}

/* The recorded one is not what the model is about. */
static bool has_prediction(int variant)
{
    return variant == FM_PING_PONG_UPDATED;
}

static const char *variant_name(const struct results *results, int variant)
{
    switch (variant) {
    case FM_PING_PONG_PLAIN:
        return "without counters";
    case FM_PING_PONG_UPDATED:
        return "with these updates in each call";
    default:
        return results->measured->has_hooks ? "fermata record --counters-only --hooks"
                                            : "fermata record --counters-only";
    }
}

/* ---- text ---- */

static void print_costs(const struct fm_counter_costs *costs)
{
    printf("%-10s %8s  %s\n", "cost", "ns", "what it is");
    for (int i = 0; i < FM_COSTS; i++) {
        printf("%-10s %8.2f  %s\n", fm_cost_name((enum fm_cost)i), costs->costs[i],
               fm_cost_meaning((enum fm_cost)i));
    }
    printf("\n%-28s %12s %12s %7s  %s\n", "update of a counter", "predicted/ns", "measured/ns",
           "ratio", "model");
    for (int i = 0; i < FM_UPDATES; i++) {
        enum fm_update update = (enum fm_update)i;
        double predicted = fm_update_predicted(costs, update);
        printf("%-28s %12.2f %12.2f ", fm_update_name(update), predicted, costs->measured[i]);
        if (costs->measured[i] > 0) {
            printf("%7.2f  %s\n", predicted / costs->measured[i], fm_update_formula(update));
        } else {
            printf("%7s  %s\n", "-", fm_update_formula(update));
        }
    }
    puts("\nAll of them alone; an update that overlaps with what the program does around it costs "
         "less.\nCounters of a library, and those of --hooks, cost this; the recorder's own are "
         "kept for each\nthread, without atomic additions and readings of the clock.");
}

static void print_counters(const struct results *results)
{
    char formula[FM_UPDATES_FORMULA];
    printf("\n%-30s %-16s %12s  %-18s %s\n", "counter", "updated in", "predicted/ns", "model",
           "when");
    for (size_t i = 0; i < results->chosen.counters.count; i++) {
        const struct fm_counter_update *counter = &results->chosen.counters.items[i];
        printf("%-30s %-16s %12.2f  %-18s %s\n", counter->name,
               counter->function[0] != '\0' ? counter->function : "-",
               predicted(results, counter->updates), fm_updates_formula(formula, counter->updates),
               counter->when);
    }
}

static void print_calls(const struct results *results)
{
    char formula[FM_UPDATES_FORMULA];
    const struct fm_updates message = of_a_message(results);
    bool others = false, left_out = false;
    printf("\n%-47s %12s  %s\n", "a call", "predicted/ns", "model");
    for (size_t i = 0; i < results->chosen.calls.count; i++) {
        const struct fm_call_cost *call = &results->chosen.calls.items[i];
        printf("%-47s %12.2f  %s\n", call->function, predicted(results, call->updates),
               fm_updates_formula(formula, call->updates));
        others = others || i > 1;
    }
    printf("%-47s %12.2f  %s\n", "a message: an MPI_Send and its MPI_Recv",
           predicted(results, message), fm_updates_formula(formula, message));
    if (message.comparisons > 0) {
        printf("O_Bin of a message: %u (T_if + T_comp)\n", message.comparisons);
    }
    if (message.timers > 0) {
        puts("O_Timer: O_Off + 2 T_cyc + T_sub");
    }
    if (message.off > 0) {
        puts(
            "O_Off: for each counter of Open MPI's (SPC) that such a call would update and that is "
            "not chosen");
    }
    for (size_t i = 0; i < results->chosen.counters.count; i++) {
        left_out = left_out || results->chosen.counters.items[i].function[0] == '\0';
    }
    if (left_out) {
        puts("Counters that are updated in -, not by each call, are not in these sums.");
    }
    if (others) {
        puts("Calls other than MPI_Send and MPI_Recv: the number of calls and their time alone.");
    }
}

static void print_ping_pong(const struct results *results)
{
    const struct fm_ping_pong *measured = results->measured;
    double model = predicted(results, of_a_message(results));
    printf("\nPing-pong of %d bytes, %s: nanoseconds of a message, medians of %zu rounds. In a "
           "round\neach variant runs once, and the fastest of its %d repetitions of %u exchanges "
           "counts.\n",
           FM_PING_PONG_BYTES, measured->library, measured->rounds, FM_PING_PONG_REPETITIONS,
           measured->exchanges);
    printf("%-38s %9s %9s %21s %12s %7s\n", "", "time", "added", "least .. most", "predicted/ns",
           "ratio");
    for (int i = 0; i < FM_PING_PONG_VARIANTS; i++) {
        enum fm_ping_pong_variant variant = (enum fm_ping_pong_variant)i;
        struct fm_ping_pong_added added = fm_ping_pong_added(measured, variant);
        printf("%-38s %9.1f", variant_name(results, i), fm_ping_pong_median(measured, variant));
        if (variant != FM_PING_PONG_PLAIN) {
            printf(" %9.1f %9.1f .. %8.1f", added.median, added.least, added.most);
        }
        if (has_prediction(i)) {
            printf(" %12.1f", model);
        }
        if (has_prediction(i) && added.median > 0) {
            printf(" %7.2f", model / added.median);
        }
        putchar('\n');
    }
    puts("\nThe updates are those of a library, made by the program that sends the messages: in "
         "MPI_Send before\nit begins, in MPI_Recv after the message has come; timers enclose the "
         "call. The recorder's own\ncounters of a call are made of its record, all of them, "
         "whichever are chosen: the model does not\npredict their cost.");
}

static void print_text(const struct results *results)
{
    print_costs(&results->costs);
    if (has_chosen(results)) {
        print_counters(results);
        print_calls(results);
    }
    if (results->measured != NULL) {
        print_ping_pong(results);
    } else if (has_chosen(results)) {
        puts(
            "\nCompared with a measured ping-pong: fermata counters calibrate COUNTER... -- mpirun "
            "-n 2");
    }
}

/* ---- JSON ---- */

static void write_costs(struct fm_json *json, const struct fm_counter_costs *costs)
{
    fm_json_array(json, "costs");
    for (int i = 0; i < FM_COSTS; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "name", fm_cost_name((enum fm_cost)i));
        fm_json_string(json, "meaning", fm_cost_meaning((enum fm_cost)i));
        fm_json_double(json, "ns", costs->costs[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_array(json, "updates");
    for (int i = 0; i < FM_UPDATES; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "name", fm_update_name((enum fm_update)i));
        fm_json_string(json, "model", fm_update_formula((enum fm_update)i));
        fm_json_double(json, "predicted_ns", fm_update_predicted(costs, (enum fm_update)i));
        fm_json_double(json, "measured_ns", costs->measured[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_chosen(struct fm_json *json, const struct results *results)
{
    char formula[FM_UPDATES_FORMULA];
    fm_json_array(json, "counters");
    for (size_t i = 0; i < results->chosen.counters.count; i++) {
        const struct fm_counter_update *counter = &results->chosen.counters.items[i];
        fm_json_object(json, NULL);
        fm_json_string(json, "name", counter->name);
        fm_json_string(json, "function", counter->function[0] != '\0' ? counter->function : NULL);
        fm_json_string(json, "when", counter->when);
        fm_json_string(json, "model", fm_updates_formula(formula, counter->updates));
        fm_json_double(json, "predicted_ns", predicted(results, counter->updates));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_array(json, "calls");
    for (size_t i = 0; i < results->chosen.calls.count; i++) {
        const struct fm_call_cost *call = &results->chosen.calls.items[i];
        fm_json_object(json, NULL);
        fm_json_string(json, "function", call->function);
        fm_json_string(json, "model", fm_updates_formula(formula, call->updates));
        fm_json_unsigned(json, "comparisons", call->updates.comparisons);
        fm_json_double(json, "predicted_ns", predicted(results, call->updates));
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_variant(struct fm_json *json, const struct results *results, int i)
{
    enum fm_ping_pong_variant variant = (enum fm_ping_pong_variant)i;
    fm_json_object(json, NULL);
    fm_json_string(json, "name", variant_name(results, i));
    fm_json_double(json, "ns_per_message", fm_ping_pong_median(results->measured, variant));
    if (variant != FM_PING_PONG_PLAIN) {
        struct fm_ping_pong_added added = fm_ping_pong_added(results->measured, variant);
        fm_json_double(json, "added_ns", added.median);
        fm_json_double(json, "least_added_ns", added.least);
        fm_json_double(json, "most_added_ns", added.most);
    }
    if (has_prediction(i)) {
        fm_json_double(json, "predicted_ns", predicted(results, of_a_message(results)));
    }
    fm_json_array(json, "rounds_ns");
    for (size_t round = 0; round < results->measured->rounds; round++) {
        fm_json_double(json, NULL, results->measured->times[i][round]);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void print_json(const struct results *results)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    write_costs(&json, &results->costs);
    if (has_chosen(results)) {
        write_chosen(&json, results);
    }
    if (results->measured != NULL) {
        fm_json_object(&json, "ping_pong");
        fm_json_string(&json, "library", results->measured->library);
        fm_json_unsigned(&json, "bytes", FM_PING_PONG_BYTES);
        fm_json_unsigned(&json, "rounds", results->measured->rounds);
        fm_json_unsigned(&json, "repetitions", FM_PING_PONG_REPETITIONS);
        fm_json_unsigned(&json, "exchanges", results->measured->exchanges);
        fm_json_array(&json, "variants");
        for (int i = 0; i < FM_PING_PONG_VARIANTS; i++) {
            write_variant(&json, results, i);
        }
        fm_json_end(&json);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    putchar('\n');
}

/* ---- CSV ---- */

static void print_csv(const struct results *results)
{
    const struct fm_counter_costs *costs = &results->costs;
    puts("name,predicted_ns,measured_ns");
    for (int i = 0; i < FM_COSTS; i++) {
        printf("%s,,%.3f\n", fm_cost_name((enum fm_cost)i), costs->costs[i]);
    }
    for (int i = 0; i < FM_UPDATES; i++) {
        printf("\"%s\",%.3f,%.3f\n", fm_update_name((enum fm_update)i),
               fm_update_predicted(costs, (enum fm_update)i), costs->measured[i]);
    }
    for (size_t i = 0; has_chosen(results) && i < results->chosen.calls.count; i++) {
        const struct fm_call_cost *call = &results->chosen.calls.items[i];
        printf("%s,%.3f,\n", call->function, predicted(results, call->updates));
    }
    for (int i = FM_PING_PONG_UPDATED; results->measured != NULL && i < FM_PING_PONG_VARIANTS;
         i++) {
        printf("added to a message: %s,", variant_name(results, i));
        if (has_prediction(i)) {
            printf("%.3f", predicted(results, of_a_message(results)));
        }
        printf(",%.3f\n",
               fm_ping_pong_added(results->measured, (enum fm_ping_pong_variant)i).median);
    }
}

/* ---- the command ---- */

/* Makes names printable, which are the user's words or the library's; JSON has escapes. */
static void make_printable(struct fm_call_updates *chosen, struct fm_ping_pong *measured)
{
    for (size_t i = 0; i < chosen->counters.count; i++) {
        fm_safe_text(chosen->counters.items[i].name);
        fm_safe_text(chosen->counters.items[i].function);
    }
    for (size_t i = 0; i < chosen->calls.count; i++) {
        fm_safe_text(chosen->calls.items[i].function);
    }
    fm_safe_text(measured->library);
}

fm_status_t fm_counters_calibrate(const struct fm_counter_request *request, char *const *launcher,
                                  struct fm_error *error)
{
    static struct fm_ping_pong measured;
    struct results results = {.chosen = fm_call_updates_find(request->patterns)};
    fm_status_t status = FM_OK;
    if (request->patterns[0] != NULL && !has_chosen(&results)) {
        fm_call_updates_free(&results.chosen);
        return fm_fail(error, FM_ERR_USAGE,
                       "these patterns choose no counter; functions are named, as in "
                       "time:MPI_Send");
    }
    results.costs = fm_counter_costs_measure(REPEATS, UPDATES);
    if (launcher[0] != NULL) {
        uint64_t rounds = request->count == UINT64_MAX ? USUAL_ROUNDS : request->count;
        rounds = rounds > FM_PING_PONG_ROUNDS ? FM_PING_PONG_ROUNDS : rounds;
        status = fm_ping_pong_measure(launcher, &results.chosen, request->patterns, (size_t)rounds,
                                      &measured, error);
        results.measured = status == FM_OK ? &measured : NULL;
    }
    if (request->format != FM_COUNTERS_JSON) {
        make_printable(&results.chosen, &measured);
    }
    if (request->format == FM_COUNTERS_JSON) {
        print_json(&results);
    } else if (request->format == FM_COUNTERS_CSV) {
        print_csv(&results);
    } else {
        print_text(&results);
    }
    fm_call_updates_free(&results.chosen);
    return status;
}
