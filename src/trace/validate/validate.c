/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/validate/validate.h"

#include "trace/validate/validator.h"

#include "base/containers/sort.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void report(struct fm_validator *validator, struct fm_finding *finding, const char *format,
                   va_list arguments)
{
    vsnprintf(finding->reason, sizeof finding->reason, format, arguments);
    validator->result.findings++;
    validator->handler(validator->context, validator->survey, finding);
}

void fm_validator_find(struct fm_validator *validator, uint64_t time, const char *format, ...)
{
    struct fm_finding finding = {.location = validator->location, .has_time = true, .time = time};
    va_list arguments;
    va_start(arguments, format);
    report(validator, &finding, format, arguments);
    va_end(arguments);
}

void fm_validator_find_untimed(struct fm_validator *validator, uint32_t location,
                               const char *format, ...)
{
    struct fm_finding finding = {.location = location};
    va_list arguments;
    va_start(arguments, format);
    report(validator, &finding, format, arguments);
    va_end(arguments);
}

static void check_location(struct fm_validator *validator, uint32_t location)
{
    struct fm_error error;
    uint64_t count = 0;
    validator->location = location;
    validator->any_event = false;
    validator->left_clock = false;
    validator->collective.is_open = false;
    validator->rma_collective.is_open = false;
    fm_status_t status = fm_survey_read(validator->survey, location, fm_validator_check_event,
                                        validator, &count, &error);
    validator->result.events += count;
    validator->result.locations++;
    const uint64_t defined = validator->survey->locations.items[location].defined_events;
    if (status != FM_OK) {
        fm_validator_find_untimed(validator, location, "%.200s (%llu of %llu events)",
                                  error.message, (unsigned long long)count,
                                  (unsigned long long)defined);
    } else if (count != defined) {
        fm_validator_find_untimed(validator, location,
                                  "%llu events, but its definition states %llu",
                                  (unsigned long long)count, (unsigned long long)defined);
    }
    validator->is_partial |= status != FM_OK || count != defined;
    fm_validator_end_location(validator);
}

struct order {
    uint32_t process, location;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left;
    const struct order *b = right;
    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

/* Process by process, since the threads of a process share requests, operations and locks. */
static void check_locations(struct fm_validator *validator)
{
    size_t count = validator->survey->locations.count;
    struct order *order = fm_allocate(count + 1, sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (struct order){validator->survey->locations.items[i].process, i};
    }
    fm_sort(order, count, sizeof *order, compare_order);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && order[end].process == order[begin].process;) {
            end++;
        }
        validator->several_threads = end - begin > 1;
        validator->is_partial = false;
        fm_members_begin(&validator->members,
                         fm_survey_find(&validator->survey->process_index, order[begin].process));
        for (size_t i = begin; i < end; i++) {
            check_location(validator, order[i].location);
        }
        const bool is_whole = !validator->is_partial && !validator->was_paused;
        fm_validator_end_process_messages(validator, is_whole);
        fm_validator_end_process_collectives(validator, is_whole);
        fm_validator_end_process(validator, order[begin].location);
    }
    fm_free(order);
}

fm_status_t fm_validate(const char *archive, fm_finding_handler_t handler,
                        fm_silence_handler_t *silence, void *context, struct fm_validation *result,
                        struct fm_error *error)
{
    struct fm_validator validator = {.handler = handler, .context = context};
    fm_status_t status = fm_survey_open(archive, &validator.survey, error);
    if (status != FM_OK) {
        return status;
    }
    fm_validator_check_definitions(&validator);
    fm_validator_begin_calls(&validator);
    fm_members_open(&validator.members, validator.survey);
    fm_validator_begin_messages(&validator);
    fm_validator_begin_collectives(&validator);
    check_locations(&validator);
    fm_validator_end_messages(&validator);
    fm_validator_end_collectives(&validator);
    fm_validator_end_calls(&validator, silence, context);
    *result = validator.result;
    if (result->findings > 0) {
        status = fm_fail(error, FM_ERR_FAILED, "%s: %llu findings", archive,
                         (unsigned long long)result->findings);
    }
    fm_map_free(&validator.requests);
    fm_map_free(&validator.operations);
    fm_map_free(&validator.locks);
    fm_map_free(&validator.thread_locks);
    fm_vector_free(&validator.stack);
    fm_vector_free(&validator.entered);
    fm_members_close(&validator.members);
    fm_survey_close(validator.survey);
    return status;
}
