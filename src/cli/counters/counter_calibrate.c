/* fermata counters calibrate: what updates of counters cost here, by a model and measured: alone,
 * and in the calls that send and receive a message. */
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "counters/catalogue.h"
#include "counters/costs/call_costs.h"
#include "counters/costs/self_messages.h"

#include <stdio.h>

/* 10^7 of each update. */
enum { REPEATS = 50, UPDATES = 200000 };

/* A round takes less than a millisecond: some are not interrupted on a busy machine, too. */
enum { ROUNDS = 300, MESSAGES = 5000 };

/* The chosen counters in the calls for a message. */
struct calibration {
    struct fm_counter_costs costs;
    bool is_chosen[FM_CALL_UPDATES];
    struct fm_call_cost calls[FM_MESSAGE_CALLS];
    double predicted; /* ns of a message */
    struct fm_self_messages measured;
};

/* @return whether the pattern chooses any */
static bool choose(struct calibration *c, const char *pattern)
{
    bool any = false;
    for (int i = 0; i < FM_CALL_UPDATES; i++) {
        const char *source = fm_counter_source(fm_call_updates[i].counter);
        if (fm_counter_selected(pattern, source != NULL ? source : fm_call_updates[i].counter)) {
            any = c->is_chosen[i] = true;
        }
    }
    return any;
}

static void calibrate(struct calibration *c)
{
    c->costs = fm_counter_costs_measure(REPEATS, UPDATES);
    for (int i = 0; i < FM_MESSAGE_CALLS; i++) {
        c->calls[i] = fm_call_cost((enum fm_message_call)i, c->is_chosen);
        c->predicted += fm_call_cost_predicted(&c->costs, &c->calls[i]);
    }
    c->measured = fm_self_messages_measure(c->calls, ROUNDS, MESSAGES);
}

static double added(const struct calibration *c)
{
    return c->measured.with - c->measured.without;
}

static void print_calls(const struct calibration *c)
{
    printf("\n%-10s %12s  %-34s %s\n", "call", "predicted/ns", "model", "counters that are on");
    for (int i = 0; i < FM_MESSAGE_CALLS; i++) {
        char formula[FM_CALL_FORMULA];
        const char *separator = "";
        printf("%-10s %12.2f  %-34s ", fm_message_call_name((enum fm_message_call)i),
               fm_call_cost_predicted(&c->costs, &c->calls[i]),
               fm_call_cost_formula(&c->calls[i], formula));
        for (int k = 0; k < FM_CALL_UPDATES; k++) {
            if (c->is_chosen[k] && fm_call_updates[k].call == (enum fm_message_call)i) {
                printf("%s%s", separator, fm_call_updates[k].counter);
                separator = ", ";
            }
        }
        puts(separator[0] == '\0' ? "none" : "");
    }
    printf(
        "\nThe updates of both add %.1f ns to a message by the model, and %.1f ns measured: a "
        "message that\na thread sends itself through a queue in memory, without MPI, takes "
        "%.1f ns with them, %.1f ns without.\nThe model adds up what overlaps in the processor.\n",
        c->predicted, added(c), c->measured.with, c->measured.without);
}

static void print_text(const struct calibration *c)
{
    const struct fm_counter_costs *costs = &c->costs;
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
    print_calls(c);
}

static void write_calls(struct fm_json *json, const struct calibration *c)
{
    fm_json_array(json, "calls");
    for (int i = 0; i < FM_MESSAGE_CALLS; i++) {
        char formula[FM_CALL_FORMULA];
        fm_json_object(json, NULL);
        fm_json_string(json, "name", fm_message_call_name((enum fm_message_call)i));
        fm_json_string(json, "model", fm_call_cost_formula(&c->calls[i], formula));
        fm_json_array(json, "counters");
        for (int k = 0; k < FM_CALL_UPDATES; k++) {
            if (c->is_chosen[k] && fm_call_updates[k].call == (enum fm_message_call)i) {
                fm_json_string(json, NULL, fm_call_updates[k].counter);
            }
        }
        fm_json_end(json);
        fm_json_double(json, "predicted_ns", fm_call_cost_predicted(&c->costs, &c->calls[i]));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_object(json, "message");
    fm_json_double(json, "predicted_ns", c->predicted);
    fm_json_double(json, "measured_ns", added(c));
    fm_json_double(json, "with_ns", c->measured.with);
    fm_json_double(json, "without_ns", c->measured.without);
    fm_json_end(json);
}

static void print_json(const struct calibration *c)
{
    const struct fm_counter_costs *costs = &c->costs;
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_array(&json, "costs");
    for (int i = 0; i < FM_COSTS; i++) {
        fm_json_object(&json, NULL);
        fm_json_string(&json, "name", fm_cost_name((enum fm_cost)i));
        fm_json_string(&json, "meaning", fm_cost_meaning((enum fm_cost)i));
        fm_json_double(&json, "ns", costs->costs[i]);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_array(&json, "updates");
    for (int i = 0; i < FM_UPDATES; i++) {
        fm_json_object(&json, NULL);
        fm_json_string(&json, "name", fm_update_name((enum fm_update)i));
        fm_json_string(&json, "model", fm_update_formula((enum fm_update)i));
        fm_json_double(&json, "predicted_ns", fm_update_predicted(costs, (enum fm_update)i));
        fm_json_double(&json, "measured_ns", costs->measured[i]);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    write_calls(&json, c);
    fm_json_end(&json);
    putchar('\n');
}

static void print_csv(const struct calibration *c)
{
    const struct fm_counter_costs *costs = &c->costs;
    puts("name,predicted_ns,measured_ns");
    for (int i = 0; i < FM_COSTS; i++) {
        printf("%s,,%.3f\n", fm_cost_name((enum fm_cost)i), costs->costs[i]);
    }
    for (int i = 0; i < FM_UPDATES; i++) {
        printf("\"%s\",%.3f,%.3f\n", fm_update_name((enum fm_update)i),
               fm_update_predicted(costs, (enum fm_update)i), costs->measured[i]);
    }
    for (int i = 0; i < FM_MESSAGE_CALLS; i++) {
        printf("%s,%.3f,\n", fm_message_call_name((enum fm_message_call)i),
               fm_call_cost_predicted(costs, &c->calls[i]));
    }
    printf("message,%.3f,%.3f\n", c->predicted, added(c));
}

fm_status_t fm_counters_calibrate(const struct fm_counter_request *request)
{
    struct calibration c = {0};
    if (request->patterns[0] == NULL) {
        choose(&c, "all");
    }
    for (size_t i = 0; request->patterns[i] != NULL; i++) {
        if (!choose(&c, request->patterns[i])) {
            fprintf(stderr,
                    "fermata counters: a message that its receiver expects does not change %s\n",
                    request->patterns[i]);
            return FM_ERR_FAILED;
        }
    }
    calibrate(&c);
    if (request->format == FM_COUNTERS_JSON) {
        print_json(&c);
    } else if (request->format == FM_COUNTERS_CSV) {
        print_csv(&c);
    } else {
        print_text(&c);
    }
    return FM_OK;
}
