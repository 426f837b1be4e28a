/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls without an end: the parameters of the messages that they wait for. */
#include "base/awaited_names.h"
#include "base/probe_names.h"
#include "scenario/scenario.h"

#include <string.h>

#define KINDS 3

/* The parameters of a message: of one that a probe has found, and of one that a call waits for. */
static const struct {
    const char *found, *awaited;
} names[KINDS] = {
    {FM_PROBE_COMMUNICATOR, FM_AWAITED_COMMUNICATOR},
    {FM_PROBE_SOURCE, FM_AWAITED_SOURCE},
    {FM_PROBE_TAG, FM_AWAITED_TAG},
};

/* Indices of parameters; FM_KEY_NONE: the scenario has none. */
struct parameters {
    uint32_t found[KINDS], awaited[KINDS];
};

static uint32_t parameter(struct fm_scenario *scenario, enum fm_scenario_kind kind,
                          const char *name, bool adds)
{
    char key[64];
    const size_t length = strlen(name);
    key[0] = (char)kind;
    memcpy(key + 1, name, length);
    return adds ? fm_key_table_add(&scenario->parameters, key, length + 1)
                : fm_key_table_find(&scenario->parameters, key, length + 1);
}

/* Changes the parameters in the calls of a location that are open at its end. */
static bool finish_location(struct fm_scenario *scenario, struct fm_scenario_location *timeline,
                            struct parameters *parameters)
{
    size_t inside = 0; /* calls that have an end, around the event */
    for (size_t i = timeline->count; i-- > 0;) {
        struct fm_scenario_event *event = &timeline->events[i];
        if (event->kind == FM_SCENARIO_LEAVE) {
            inside++;
        } else if (event->kind == FM_SCENARIO_ENTER) {
            inside -= inside != 0;
        }
        for (int k = 0; k < KINDS; k++) {
            if (inside != 0 || event->kind != FM_SCENARIO_PARAMETER_UNSIGNED ||
                event->object != parameters->found[k]) {
                continue;
            }
            if (parameters->awaited[k] == FM_KEY_NONE) {
                parameters->awaited[k] =
                    parameter(scenario, FM_SCENARIO_PARAMETER, names[k].awaited, true);
            }
            if (parameters->awaited[k] == FM_KEY_NONE) {
                return false;
            }
            event->kind = FM_SCENARIO_PARAMETER;
            event->object = parameters->awaited[k];
            event->id = event->id == FM_SCENARIO_NONE ? UINT64_MAX : event->id;
            break;
        }
    }
    return true;
}

bool fm_scenario_finish_open_calls(struct fm_scenario *scenario)
{
    const uint64_t locations = (uint64_t)scenario->rank_count * scenario->thread_count;
    struct parameters parameters;
    for (int k = 0; k < KINDS; k++) {
        parameters.awaited[k] = FM_KEY_NONE;
        parameters.found[k] =
            parameter(scenario, FM_SCENARIO_PARAMETER_UNSIGNED, names[k].found, false);
    }
    for (uint64_t l = 0; l < locations; l++) {
        struct fm_scenario_location *timeline = &scenario->locations[l];
        if (timeline->depth != 0 && !finish_location(scenario, timeline, &parameters)) {
            return false;
        }
    }
    return true;
}
