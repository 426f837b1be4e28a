/* SPDX-License-Identifier: BSD-3-Clause */
/* Order, nesting and references of events. */
#include "trace/archive/event_fields.h"
#include "trace/validate/validator.h"

static const char *region_name(const struct fm_survey *survey, uint32_t reference)
{
    uint32_t region = fm_survey_find(&survey->region_index, reference);
    return region == FM_SURVEY_NONE
               ? "undefined region"
               : fm_survey_name(survey, survey->regions.items[region].name, "unnamed region");
}

static void check_time(struct fm_validator *validator, const struct fm_survey_event *event)
{
    const struct fm_survey *survey = validator->survey;
    if (validator->any_event && event->time < validator->last_time) {
        fm_validator_find(validator, event->time,
                          "the time of this %s is earlier than %llu, that of the event before",
                          fm_survey_kind_name(event->kind),
                          (unsigned long long)validator->last_time);
    }
    bool outside = event->time < survey->clock_offset ||
                   event->time - survey->clock_offset > survey->clock_length;
    if (survey->has_clock && outside && !validator->left_clock) {
        validator->left_clock = true;
        fm_validator_find(validator, event->time,
                          "outside of the trace, which begins at %llu and lasts %llu ticks",
                          (unsigned long long)survey->clock_offset,
                          (unsigned long long)survey->clock_length);
    }
    validator->any_event = true;
    validator->last_time = event->time;
}

static void check_enter(struct fm_validator *validator, const struct fm_survey_event *event)
{
    if (fm_survey_find(&validator->survey->region_index, event->reference) == FM_SURVEY_NONE) {
        fm_validator_find(validator, event->time, "enters region %u, which is not defined",
                          event->reference);
    }
    fm_vector_push(&validator->stack, event->reference);
    fm_vector_push(&validator->entered, event->time);
    fm_validator_note_collective(validator, event);
}

static void end_collective(struct fm_validator *validator, struct fm_open_collective *collective,
                           uint64_t time, const char *record)
{
    if (!collective->is_open) {
        fm_validator_find(validator, time, "%sEnd without %sBegin", record, record);
    }
    collective->is_open = false;
}

static void begin_collective(struct fm_validator *validator, struct fm_open_collective *collective,
                             uint64_t time, const char *record)
{
    if (collective->is_open) {
        fm_validator_find(validator, time, "%sBegin, but the one before has no %sEnd", record,
                          record);
    }
    collective->is_open = true;
    collective->depth = validator->stack.count;
}

/* A collective operation ends in the call in which it began. */
static void leave_collective(struct fm_validator *validator, struct fm_open_collective *collective,
                             uint64_t time, const char *record)
{
    if (collective->is_open && collective->depth > validator->stack.count) {
        fm_validator_find(validator, time, "%sBegin without %sEnd in the same call", record,
                          record);
        collective->is_open = false;
    }
}

static void check_leave(struct fm_validator *validator, const struct fm_survey_event *event)
{
    size_t depth = validator->stack.count;
    while (depth > 0 && validator->stack.items[depth - 1] != event->reference) {
        depth--;
    }
    if (depth == 0) {
        fm_validator_find(validator, event->time, "leaves %.100s without having entered it",
                          region_name(validator->survey, event->reference));
        return;
    }
    if (depth < validator->stack.count) {
        uint32_t innermost = validator->stack.items[validator->stack.count - 1];
        fm_validator_find(validator, event->time, "leaves %.90s inside of %.90s",
                          region_name(validator->survey, event->reference),
                          region_name(validator->survey, innermost));
    }
    validator->stack.count = validator->entered.count = depth - 1;
    fm_validator_leave_messages(validator, event->time);
    leave_collective(validator, &validator->collective, event->time, "MpiCollective");
    leave_collective(validator, &validator->rma_collective, event->time, "RmaCollective");
}

typedef enum { ANY_RANK, RANK, ROOT, RANK_OR_ALL } rank_rule_t;
typedef enum { NO_SCOPE, COMM, WINDOW } scope_t;

/* Which references of the events of a kind have to be defined: its communicator or its window, in
 * which its peer has to be a rank, and its group. */
struct reference_rules {
    scope_t scope;
    rank_rule_t rank;
    bool has_group;
    bool has_parameter;
};

/* The rules that follow from the fields of a record. */
#define RULE_1(kind, name) FM_FIELD_##kind(RULE, name) RULE_2
#define RULE_2(kind, name) FM_FIELD_##kind(RULE, name) RULE_1
#define RULE_1_END
#define RULE_2_END
#define RULE(name, coding, member, check) RULE_##check
#define RULE_none
#define RULE_comm        .scope = COMM,
#define RULE_window      .scope = WINDOW,
#define RULE_group       .has_group = true,
#define RULE_parameter   .has_parameter = true,
#define RULE_rank        .rank = RANK,
#define RULE_root        .rank = ROOT,
#define RULE_rank_or_all .rank = RANK_OR_ALL,

static const struct reference_rules reference_rules[FM_SURVEY_KINDS] = {
#define FM_EVENT_RECORD(number, symbol, record, framing, fields, ...)                              \
    [FM_SURVEY_##symbol] = {FM_EACH_FIELD(RULE, fields)},
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
};

static bool is_valid_rank(uint32_t rank, uint32_t size, rank_rule_t rule)
{
    return rule == ANY_RANK || rank < size ||
           (rule == ROOT && rank >= OTF2_COLLECTIVE_ROOT_THIS_GROUP) ||
           (rule == RANK_OR_ALL && rank == OTF2_UNDEFINED_UINT32);
}

/* @param comm  index */
static void check_rank(struct fm_validator *validator, const struct fm_survey_event *event,
                       uint32_t comm, rank_rule_t rule)
{
    uint32_t size = fm_survey_comm_size(validator->survey, comm);
    if (!is_valid_rank(event->peer, size, rule)) {
        fm_validator_find(validator, event->time,
                          "%s names rank %u of communicator %u, which has %u ranks",
                          fm_survey_kind_name(event->kind), event->peer,
                          validator->survey->comms.items[comm].reference, size);
    }
}

static void check_comm(struct fm_validator *validator, const struct fm_survey_event *event,
                       rank_rule_t rule)
{
    uint32_t comm = fm_survey_find(&validator->survey->comm_index, event->reference);
    if (comm == FM_SURVEY_NONE) {
        fm_validator_find(validator, event->time, "%s on communicator %u, which is not defined",
                          fm_survey_kind_name(event->kind), event->reference);
    } else {
        check_rank(validator, event, comm, rule);
    }
}

static void check_window(struct fm_validator *validator, const struct fm_survey_event *event,
                         rank_rule_t rule)
{
    const struct fm_survey *survey = validator->survey;
    uint32_t window = fm_survey_find(&survey->window_index, event->reference);
    if (window == FM_SURVEY_NONE) {
        fm_validator_find(validator, event->time, "%s on window %u, which is not defined",
                          fm_survey_kind_name(event->kind), event->reference);
        return;
    }
    uint32_t comm = fm_survey_find(&survey->comm_index, survey->windows.items[window].comm);
    if (comm != FM_SURVEY_NONE) { /* otherwise check_comms() has reported it */
        check_rank(validator, event, comm, rule);
    }
}

static void check_group(struct fm_validator *validator, const struct fm_survey_event *event)
{
    if (fm_survey_find(&validator->survey->group_index, event->group) == FM_SURVEY_NONE) {
        fm_validator_find(validator, event->time, "%s with group %u, which is not defined",
                          fm_survey_kind_name(event->kind), event->group);
    }
}

static void check_parameter(struct fm_validator *validator, const struct fm_survey_event *event)
{
    const struct fm_survey *survey = validator->survey;
    uint32_t parameter = fm_survey_find(&survey->parameter_index, event->parameter);
    OTF2_ParameterType type = event->kind == FM_SURVEY_PARAMETER_STRING ? OTF2_PARAMETER_TYPE_STRING
                              : event->kind == FM_SURVEY_PARAMETER_INT  ? OTF2_PARAMETER_TYPE_INT64
                                                                       : OTF2_PARAMETER_TYPE_UINT64;
    if (parameter == FM_SURVEY_NONE) {
        fm_validator_find(validator, event->time, "%s of parameter %u, which is not defined",
                          fm_survey_kind_name(event->kind), event->parameter);
    } else if (survey->parameters.items[parameter].type != type) {
        fm_validator_find(validator, event->time,
                          "%s of parameter %u, which is defined with another type",
                          fm_survey_kind_name(event->kind), event->parameter);
    }
}

static void check_references(struct fm_validator *validator, const struct fm_survey_event *event)
{
    const struct reference_rules *rules = &reference_rules[event->kind];
    if (rules->has_group) {
        check_group(validator, event);
    }
    if (rules->has_parameter) {
        check_parameter(validator, event);
    }
    if (rules->scope == COMM) {
        check_comm(validator, event, rules->rank);
    } else if (rules->scope == WINDOW) {
        check_window(validator, event, rules->rank);
    }
}

void fm_validator_check_event(void *context, const struct fm_survey_event *event)
{
    struct fm_validator *validator = context;
    check_time(validator, event);
    fm_validator_count(validator, event);
    switch (event->kind) {
    case FM_SURVEY_ENTER:
        check_enter(validator, event);
        return;
    case FM_SURVEY_LEAVE:
        check_leave(validator, event);
        return;
    case FM_SURVEY_MPI_COLLECTIVE_BEGIN:
        begin_collective(validator, &validator->collective, event->time, "MpiCollective");
        return;
    case FM_SURVEY_MPI_COLLECTIVE_END:
        end_collective(validator, &validator->collective, event->time, "MpiCollective");
        break;
    case FM_SURVEY_RMA_COLLECTIVE_BEGIN:
        begin_collective(validator, &validator->rma_collective, event->time, "RmaCollective");
        return;
    case FM_SURVEY_RMA_COLLECTIVE_END:
        end_collective(validator, &validator->rma_collective, event->time, "RmaCollective");
        break;
    default:
        break;
    }
    check_references(validator, event);
    fm_validator_check_state(validator, event);
    fm_validator_note_message(validator, event);
    fm_validator_note_collective(validator, event);
}

/* Whether a collective operation is that of the innermost region. */
static bool is_innermost(const struct fm_validator *validator,
                         const struct fm_open_collective *collective)
{
    return collective->depth == validator->stack.count;
}

void fm_validator_end_location(struct fm_validator *validator)
{
    const size_t depth = validator->stack.count;
    const struct fm_open_collective *collectives[] = {&validator->collective,
                                                      &validator->rma_collective};
    const bool may_be_open =
        depth > 0 && validator->survey->locations.items[validator->location].states_end;
    bool is_open = false;
    validator->ends_inside |= may_be_open;
    validator->result.open_ends += may_be_open;
    if (depth > 0) {
        fm_validator_uncount(validator);
    }
    if (depth > 0 && !may_be_open) {
        fm_validator_find_untimed(
            validator, validator->location, "%llu calls never return; the innermost is %.100s",
            (unsigned long long)depth,
            region_name(validator->survey, validator->stack.items[depth - 1]));
    }
    for (int i = 0; i < 2; i++) {
        is_open |=
            collectives[i]->is_open && !(may_be_open && is_innermost(validator, collectives[i]));
    }
    if (is_open) {
        fm_validator_find_untimed(validator, validator->location,
                                  "the last collective operation has no end record");
    }
    validator->stack.count = validator->entered.count = 0;
    fm_validator_leave_messages(validator, UINT64_MAX);
}
