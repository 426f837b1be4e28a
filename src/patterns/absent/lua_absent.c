/* What stands for the interpreter where fermata is built without Lua. No script is loaded, so that
 * none is executed. */
#include "patterns/execution.h"
#include "patterns/lua/declaration.h"

fm_status_t fm_script_declare(struct fm_script *script, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_USAGE,
                   "--pattern: %s: this fermata is built without Lua 5.4, which patterns need",
                   script->path);
}

fm_status_t fm_execution_open(const struct fm_script *script, const struct fm_event_index *index,
                              fm_report_t *report, void *context, struct fm_execution **execution,
                              struct fm_error *error)
{
    (void)index, (void)report, (void)context, (void)execution;
    return fm_fail(error, FM_ERR_USAGE, "%s: built without Lua 5.4", script->path);
}

void fm_execution_close(struct fm_execution *execution)
{
    (void)execution;
}

fm_status_t fm_execution_event(struct fm_execution *execution, fm_event_kind_t kind,
                               const struct fm_event *event, struct fm_error *error)
{
    (void)execution, (void)kind, (void)event, (void)error;
    return FM_OK;
}

fm_status_t fm_execution_instance(struct fm_execution *execution, size_t number,
                                  const struct fm_event *event, struct fm_error *error)
{
    (void)execution, (void)number, (void)event, (void)error;
    return FM_OK;
}

fm_status_t fm_execution_finish(struct fm_execution *execution, struct fm_error *error)
{
    (void)execution, (void)error;
    return FM_OK;
}

fm_status_t fm_execution_combine(struct fm_execution *execution, const struct fm_cube *cube,
                                 struct fm_severity *severities, size_t count,
                                 struct fm_error *error)
{
    (void)execution, (void)cube, (void)severities, (void)count, (void)error;
    return FM_OK;
}
