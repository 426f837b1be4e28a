/* fermata counters calibrate: what updates of counters cost here, by a model and measured. */
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "counters/counter_costs.h"

#include <stdio.h>

/* 10^7 of each update. */
enum { REPEATS = 50, UPDATES = 200000 };

static void print_text(const struct fm_counter_costs *costs)
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

static void print_json(const struct fm_counter_costs *costs)
{
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
    fm_json_end(&json);
    putchar('\n');
}

static void print_csv(const struct fm_counter_costs *costs)
{
    puts("name,predicted_ns,measured_ns");
    for (int i = 0; i < FM_COSTS; i++) {
        printf("%s,,%.3f\n", fm_cost_name((enum fm_cost)i), costs->costs[i]);
    }
    for (int i = 0; i < FM_UPDATES; i++) {
        printf("\"%s\",%.3f,%.3f\n", fm_update_name((enum fm_update)i),
               fm_update_predicted(costs, (enum fm_update)i), costs->measured[i]);
    }
}

void fm_counters_calibrate(const struct fm_counter_request *request)
{
    struct fm_counter_costs costs = fm_counter_costs_measure(REPEATS, UPDATES);
    if (request->format == FM_COUNTERS_JSON) {
        print_json(&costs);
    } else if (request->format == FM_COUNTERS_CSV) {
        print_csv(&costs);
    } else {
        print_text(&costs);
    }
}
