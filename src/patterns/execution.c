/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/execution.h"

#include "patterns/language.h"

fm_status_t fm_execution_open(const struct fm_script *script, const struct fm_event_index *index,
                              uint32_t location, fm_report_t *report, void *context,
                              struct fm_execution **execution, struct fm_error *error)
{
    const struct fm_execution base = {script, index, report, context, location};
    return script->language->open(&base, execution, error);
}

void fm_execution_close(struct fm_execution *execution)
{
    if (execution != NULL) {
        execution->script->language->close(execution);
    }
}

fm_status_t fm_execution_event(struct fm_execution *execution, fm_event_kind_t kind,
                               const struct fm_event *event, struct fm_error *error)
{
    return execution->script->language->event(execution, kind, event, error);
}

fm_status_t fm_execution_instance(struct fm_execution *execution, size_t number,
                                  const struct fm_event *event, struct fm_error *error)
{
    return execution->script->language->instance(execution, number, event, error);
}

fm_status_t fm_execution_finish(struct fm_execution *execution, struct fm_error *error)
{
    return execution->script->language->finish(execution, error);
}

fm_status_t fm_execution_combine(struct fm_execution *execution, const struct fm_cube *cube,
                                 struct fm_severity *severities, size_t count,
                                 struct fm_error *error)
{
    return execution->script->language->combine(execution, cube, severities, count, error);
}
