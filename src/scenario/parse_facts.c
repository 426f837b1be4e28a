/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the text that stand for parameters. */
#include "base/awaited_names.h"
#include "base/polling_names.h"
#include "base/probe_names.h"
#include "scenario/parser.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

fm_status_t fm_parser_parameter(struct fm_parser *parser, struct fm_word name,
                                enum fm_scenario_kind kind, uint32_t *index)
{
    char key[256];
    if (name.length >= sizeof key) {
        return fm_parser_fail_at(parser, name, "the name of a parameter is too long");
    }
    key[0] = (char)kind;
    memcpy(key + 1, name.text, name.length);
    *index = fm_key_table_add(&parser->scenario->parameters, key, name.length + 1);
    return *index != FM_KEY_NONE ? FM_OK : fm_parser_no_memory(parser);
}

/* A parameter that an event stands for. */
struct fact {
    enum fm_scenario_kind kind;
    const char *parameter;
    uint64_t value;
};

static fm_status_t append(struct fm_parser *parser, uint32_t location, uint64_t time,
                          const struct fact *facts, size_t count)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < count; i++) {
        struct fm_scenario_event event = {
            .time = time, .id = facts[i].value, .kind = (uint8_t)facts[i].kind};
        status = fm_parser_parameter(
            parser, (struct fm_word){facts[i].parameter, strlen(facts[i].parameter)}, facts[i].kind,
            &event.object);
        if (status == FM_OK && !fm_scenario_append(parser->scenario, location, &event)) {
            status = fm_parser_no_memory(parser);
        }
    }
    return status;
}

/* What a successful probe has found. */
static fm_status_t append_probe(struct fm_parser *parser, uint32_t location,
                                const struct fm_scenario_event *event)
{
    const struct fact facts[] = {
        {FM_SCENARIO_PARAMETER_UNSIGNED, FM_PROBE_COMMUNICATOR, event->object},
        {FM_SCENARIO_PARAMETER_UNSIGNED, FM_PROBE_SOURCE, event->peer},
        {FM_SCENARIO_PARAMETER_UNSIGNED, FM_PROBE_TAG, event->tag},
    };
    return append(parser, location, event->time, facts, LENGTH(facts));
}

/* A call that stands for several calls. */
static fm_status_t append_merged(struct fm_parser *parser, uint32_t location,
                                 const struct fm_scenario_event *event)
{
    const struct fact facts[] = {
        {FM_SCENARIO_PARAMETER_UNSIGNED, FM_MERGED_CALLS, event->peer},
        {FM_SCENARIO_PARAMETER_UNSIGNED, FM_MERGED_GAPS, event->bytes},
    };
    return append(parser, location, event->time, facts, LENGTH(facts));
}

/* Which members a collective operation, or which targets a call on a window waits for. */
static fm_status_t append_awaited(struct fm_parser *parser, uint32_t location,
                                  const struct fm_scenario_event *event)
{
    const bool is_window = event->kind == FM_SCENARIO_TARGET;
    const uint64_t peer = event->peer == FM_SCENARIO_NONE ? UINT64_MAX : event->peer;
    const struct fact facts[] = {
        {FM_SCENARIO_PARAMETER, is_window ? FM_AWAITED_WINDOW : FM_AWAITED_COMMUNICATOR,
         event->object},
        {FM_SCENARIO_PARAMETER, is_window ? FM_AWAITED_TARGET : FM_AWAITED_ROOT, peer},
    };
    return append(parser, location, event->time, facts, LENGTH(facts));
}

/* Which thread has the lock, and where it has taken it. */
static fm_status_t append_owner(struct fm_parser *parser, uint32_t location,
                                const struct fm_scenario_event *event)
{
    const struct fact facts[] = {
        {FM_SCENARIO_PARAMETER, FM_AWAITED_OWNER, event->peer},
        {FM_SCENARIO_PARAMETER_TEXT, FM_AWAITED_TAKEN_IN, event->id},
    };
    return append(parser, location, event->time, facts,
                  event->id == UINT64_MAX ? 1 : LENGTH(facts));
}

fm_status_t fm_parser_facts(struct fm_parser *parser, uint32_t location,
                            const struct fm_scenario_event *event)
{
    switch ((enum fm_scenario_kind)event->kind) {
    case FM_SCENARIO_PROBE:
        return append_probe(parser, location, event);
    case FM_SCENARIO_MERGED:
        return append_merged(parser, location, event);
    case FM_SCENARIO_OWNER:
        return append_owner(parser, location, event);
    case FM_SCENARIO_OMITTED:
        return append(parser, location, event->time,
                      &(struct fact){FM_SCENARIO_PARAMETER, FM_AWAITED_OMITTED, event->peer}, 1);
    case FM_SCENARIO_LOST:
        return append(parser, location, event->time,
                      &(struct fact){FM_SCENARIO_PARAMETER_UNSIGNED, FM_LOST_PROCESSOR, 0}, 1);
    default: /* FM_SCENARIO_MEMBERS, FM_SCENARIO_TARGET */
        return append_awaited(parser, location, event);
    }
}
