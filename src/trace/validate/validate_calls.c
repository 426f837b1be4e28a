/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions are called, and which kinds of records their calls have. */
#include "trace/validate/validator.h"

void fm_validator_begin_calls(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    validator->functions = fm_allocate(survey->regions.count, sizeof *validator->functions);
    for (size_t r = 0; r < survey->regions.count; r++) {
        const struct fm_survey_region *region = &survey->regions.items[r];
        const char *name = fm_survey_name(survey, region->name, "");
        const fm_paradigm_t paradigm = fm_paradigm_classify(region->paradigm, name);
        validator->functions[r] = (struct fm_called_function){
            .name = name,
            .paradigm = paradigm,
            .call = fm_call_classify(paradigm, name, region->role),
        };
    }
}

static unsigned kind_of(fm_survey_kind_t kind)
{
    switch (kind) {
    case FM_SURVEY_MPI_SEND:
    case FM_SURVEY_MPI_ISEND:
    case FM_SURVEY_MPI_RECV:
    case FM_SURVEY_MPI_IRECV:
    case FM_SURVEY_MPI_IRECV_REQUEST:
        return FM_RECORDED_MESSAGE;
    case FM_SURVEY_MPI_COLLECTIVE_END:
    case FM_SURVEY_NON_BLOCKING_COLLECTIVE_REQUEST:
        return FM_RECORDED_COLLECTIVE;
    case FM_SURVEY_RMA_COLLECTIVE_END:
        return FM_RECORDED_WINDOW_COLLECTIVE;
    case FM_SURVEY_RMA_GROUP_SYNC:
        return FM_RECORDED_GROUP_SYNC;
    case FM_SURVEY_THREAD_WAIT:
        return FM_RECORDED_COLLECTIVE;
    case FM_SURVEY_PARAMETER_UNSIGNED_INT: /* what threads synchronize by; work that is launched */
        return FM_RECORDED_GROUP_SYNC;
    case FM_SURVEY_THREAD_ACQUIRE_LOCK:
    case FM_SURVEY_RMA_REQUEST_LOCK:
    case FM_SURVEY_RMA_ACQUIRE_LOCK:
        return FM_RECORDED_LOCK;
    case FM_SURVEY_RMA_RELEASE_LOCK:
        return FM_RECORDED_RELEASE;
    case FM_SURVEY_RMA_PUT:
    case FM_SURVEY_RMA_GET:
    case FM_SURVEY_RMA_ATOMIC:
        return FM_RECORDED_OPERATION;
    case FM_SURVEY_RMA_OP_COMPLETE_BLOCKING:
    case FM_SURVEY_RMA_OP_COMPLETE_NON_BLOCKING:
    case FM_SURVEY_RMA_OP_COMPLETE_REMOTE:
    case FM_SURVEY_RMA_SYNC:
        return FM_RECORDED_COMPLETION;
    case FM_SURVEY_IO_OPERATION_BEGIN:
        return FM_RECORDED_ACCESS;
    default:
        return 0;
    }
}

void fm_validator_count(struct fm_validator *validator, const struct fm_survey_event *event)
{
    const struct fm_survey *survey = validator->survey;
    const bool enters = event->kind == FM_SURVEY_ENTER;
    const unsigned kind = kind_of(event->kind);
    validator->has_teams |= event->kind == FM_SURVEY_THREAD_TEAM_BEGIN;
    validator->has_tasks |= event->kind == FM_SURVEY_THREAD_TASK_COMPLETE;
    if (!enters && (kind == 0 || validator->stack.count == 0)) {
        return;
    }
    const uint32_t region = fm_survey_find(
        &survey->region_index,
        enters ? event->reference : validator->stack.items[validator->stack.count - 1]);
    if (region != FM_SURVEY_NONE) {
        validator->functions[region].calls += enters;
        validator->functions[region].records |= kind;
    }
}

void fm_validator_uncount(struct fm_validator *validator)
{
    const uint32_t region = fm_survey_find(&validator->survey->region_index,
                                           validator->stack.items[validator->stack.count - 1]);
    if (region != FM_SURVEY_NONE) {
        validator->functions[region].calls--;
    }
}

void fm_validator_end_calls(struct fm_validator *validator, fm_silence_handler_t *handler,
                            void *context)
{
    fm_silent_calls_note_threads(validator->functions, validator->survey->regions.count,
                                 validator->has_teams, validator->has_tasks);
    if (handler != NULL) {
        fm_silent_calls_report(validator->functions, validator->survey->regions.count,
                               fm_survey_is_own(validator->survey), handler, context);
    }
    fm_free(validator->functions);
}
