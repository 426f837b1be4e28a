/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes are a scenario or an error in a line that exists. */
#include "scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* What the writer of archives relies on. */
static void check_references(const struct fm_scenario *scenario)
{
    uint32_t locations = scenario->rank_count * scenario->thread_count;
    for (uint32_t i = 0; i < locations; i++) {
        uint64_t last = 0;
        for (size_t j = 0; j < scenario->locations[i].count; j++) {
            const struct fm_scenario_event *event = &scenario->locations[i].events[j];
            require(event->time >= last && event->time <= FM_SCENARIO_TIME_LIMIT, "time");
            last = event->time;
            require(event->region == FM_SCENARIO_NONE || event->region < scenario->regions.count,
                    "region");
            if (event->kind == FM_SCENARIO_GROUP_SYNC) {
                require(event->peer < scenario->groups.count, "group");
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fm_scenario *scenario = NULL;
    struct fm_error error = {""};
    fm_status_t status = fm_scenario_parse("f", (const char *)data, size, &scenario, &error);
    if (status == FM_OK) {
        require(scenario != NULL, "no scenario");
        check_references(scenario);
        fm_scenario_free(scenario);
    } else {
        require(status == FM_ERR_DATA, "status");
        require(strncmp(error.message, "f:", 2) == 0, "message");
        for (const char *next = error.message; *next != '\0'; next++) {
            require(*next >= ' ' && *next < 0x7f, "unprintable message");
        }
    }
    return 0;
}
