/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters list: the catalogue. */
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "filter/name_pattern.h"

#include <stdio.h>
#include <string.h>

/* Counters that a run defines: in the list one row for all functions, and so on. */
static const struct fm_counter_entry of_runs[] = {
    {.name = FM_COUNTER_CALLS "FUNCTION",
     .kind = FM_COUNTER_COUNT,
     .unit = "calls",
     .tier = FM_TIER_EXACT,
     .source = FM_COUNTER_CALLS "FUNCTION",
     .meaning = "calls of each recorded function, as in calls:MPI_Send"},
    {.name = FM_COUNTER_TIME "FUNCTION",
     .kind = FM_COUNTER_TIMER,
     .unit = "s",
     .tier = FM_TIER_EXACT,
     .source = FM_COUNTER_TIME "FUNCTION",
     .meaning = "time in each recorded function, as in time:MPI_Send"},
    {.name = FM_COUNTER_PAPI "EVENT",
     .kind = FM_COUNTER_COUNT,
     .unit = "",
     .tier = FM_TIER_PERMITTED,
     .source = FM_COUNTER_PAPI "EVENT",
     .meaning = "event of PAPI, if the machine has its library, as in papi:PAPI_TOT_INS"},
    {.name = FM_COUNTER_MPIT "VARIABLE",
     .kind = FM_COUNTER_LEVEL,
     .unit = "",
     .tier = FM_TIER_LIBRARY,
     .source = FM_COUNTER_MPIT "VARIABLE",
     .meaning = "performance variable of the MPI library (MPI_T), each of its kind and unit"},
    {.name = FM_COUNTER_USER "NAME",
     .kind = FM_COUNTER_REAL_LEVEL,
     .unit = "",
     .tier = FM_TIER_PROGRAM,
     .source = FM_COUNTER_USER "NAME",
     .meaning = "a counter that the program declares (fermata/counter.h), with its unit"},
};

enum { OF_RUNS = sizeof of_runs / sizeof of_runs[0] };

static size_t count_all(void)
{
    return OF_RUNS + fm_counter_count();
}

static const struct fm_counter_entry *at(size_t i)
{
    return i < OF_RUNS ? &of_runs[i] : fm_counter_at(i - OF_RUNS);
}

static bool is_asked(const struct fm_counter_request *request,
                     const struct fm_counter_entry *counter)
{
    bool asked = request->patterns[0] == NULL;
    for (char *const *pattern = request->patterns; !asked && *pattern != NULL; pattern++) {
        size_t prefix = strlen(FM_SPC_PREFIX);
        const char *rest = counter->is_spc && strncmp(*pattern, FM_SPC_PREFIX, prefix) == 0
                               ? *pattern + prefix
                               : *pattern;
        asked = fm_pattern_matches(rest, counter->name);
    }
    return asked;
}

static void print_json(const struct fm_counter_request *request)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_array(&json, "counters");
    for (size_t i = 0; i < count_all(); i++) {
        const struct fm_counter_entry *counter = at(i);
        if (!is_asked(request, counter)) {
            continue;
        }
        fm_json_object(&json, NULL);
        fm_json_string(&json, "name", counter->name);
        fm_json_string(&json, "kind", fm_counter_kind_name(counter->kind));
        fm_json_string(&json, "unit", counter->unit);
        fm_json_string(&json, "meaning", counter->meaning);
        fm_json_string(&json, "tier", fm_counter_tier_name(counter->tier));
        fm_json_string(&json, "source", counter->source);
        fm_json_array(&json, "sum_of");
        for (size_t k = 0; k < FM_COUNTER_SUMMANDS && counter->summands[k] != NULL; k++) {
            fm_json_string(&json, NULL, counter->summands[k]);
        }
        fm_json_end(&json);
        fm_json_string(&json, "unavailable_because", counter->reason);
        fm_json_bool(&json, "is_spc", counter->is_spc);
        fm_json_bool(&json, "offered_by_open_mpi_with_spc", counter->spc_offers);
        fm_json_bool(&json, "counted_by_hooks", counter->is_hooked);
        fm_json_bool(&json, "read_if_named", counter->is_variable);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
    putchar('\n');
}

static void print_csv(const struct fm_counter_request *request)
{
    puts("name,kind,unit,tier,source,meaning");
    for (size_t i = 0; i < count_all(); i++) {
        const struct fm_counter_entry *counter = at(i);
        if (is_asked(request, counter)) {
            printf("%s,%s,%s,%s,%s,\"%s\"\n", counter->name, fm_counter_kind_name(counter->kind),
                   counter->unit, fm_counter_tier_name(counter->tier),
                   counter->source != NULL ? counter->source : "", counter->meaning);
        }
    }
}

static void print_text(const struct fm_counter_request *request)
{
    size_t spc = 0, available = 0, hooked = 0, variables = 0;
    printf("%-38s %-15s %-19s %s\n", "counter", "kind", "obtained", "what it counts");
    for (size_t i = 0; i < count_all(); i++) {
        const struct fm_counter_entry *counter = at(i);
        if (!is_asked(request, counter)) {
            continue;
        }
        printf("%-38s %-15s %-19s %s\n", counter->name, fm_counter_kind_name(counter->kind),
               fm_counter_tier_name(counter->tier), counter->meaning);
        if (counter->reason != NULL) {
            printf("%75s%s\n", "", counter->reason);
        }
        spc += counter->is_spc;
        available += counter->is_spc && counter->source != NULL;
        hooked += counter->is_spc && counter->is_hooked;
        variables += counter->is_variable;
    }
    if (spc > 1) {
        printf(
            "\nOf these %zu counters of Open MPI (SPC), whose names may begin with " FM_SPC_PREFIX
            ",\n%zu are obtained with Open MPI and with MPICH, as these libraries are, %zu more "
            "with Open MPI 4.1.4 and\n--hooks, and %zu by a variable of the library, if the "
            "recording names it.\n",
            spc, available, hooked, variables);
    }
}

fm_status_t fm_counters_list(const struct fm_counter_request *request)
{
    bool found = false;
    for (size_t i = 0; !found && i < count_all(); i++) {
        found = is_asked(request, at(i));
    }
    if (!found) {
        return FM_ERR_FAILED;
    }
    if (request->format == FM_COUNTERS_JSON) {
        print_json(request);
    } else if (request->format == FM_COUNTERS_CSV) {
        print_csv(request);
    } else {
        print_text(request);
    }
    return FM_OK;
}
