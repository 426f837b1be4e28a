/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/finder.h"

#include "analysis/dependencies/dependency_transfer.h"
#include "engine/dispatch/dispatch.h"

/* A finding on its way to the owner of the call. */
struct sent_finding {
    uint32_t location;
    uint8_t is_part;
    uint8_t of_operations; /* of a candidate: its metric if the call is a one-sided operation */
    uint8_t unused[2];
    union {
        struct fm_candidate candidate;
        struct fm_part part;
    } content;
};

bool fm_found_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                   struct fm_call_ref cause, fm_metric_t metric)
{
    return fm_findings_add(&finder->analysis->findings[call.location],
                           &finder->analysis->trace->locations[call.location],
                           &(struct fm_candidate){
                               .t = t,
                               .activity = call.activity,
                               .cause_location = cause.location,
                               .cause_activity = cause.activity,
                               .precedence = finder->precedence,
                               .metric = (uint8_t)metric,
                           });
}

void fm_found_part(const struct fm_finder *finder, uint32_t location, const struct fm_part *part)
{
    fm_vector_push(&finder->analysis->findings[location].parts, *part);
}

void fm_found_count(const struct fm_finder *finder, struct fm_call_ref call, fm_metric_t metric,
                    uint64_t count)
{
    fm_findings_count(&finder->analysis->findings[call.location],
                      &finder->analysis->trace->locations[call.location], call.activity, metric,
                      count);
}

void fm_found_group_point(const struct fm_finder *finder, uint32_t location,
                          const struct fm_group_point *point)
{
    fm_vector_push(&finder->analysis->findings[location].points, *point);
}

/* ---- findings for other processes ---- */

static void send(const struct fm_finder *finder, const struct sent_finding *finding)
{
    fm_dispatch_send(finder->analysis->sent_findings, finder->worker,
                     fm_trace_process(finder->analysis->trace, finding->location), finding);
}

void fm_found_remote_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                          struct fm_call_ref cause, fm_metric_t metric, fm_metric_t of_operations)
{
    send(finder, &(struct sent_finding){
                     .location = call.location,
                     .of_operations = (uint8_t)of_operations,
                     .content.candidate =
                         {
                             .t = t,
                             .activity = call.activity,
                             .cause_location = cause.location,
                             .cause_activity = cause.activity,
                             .precedence = finder->precedence,
                             .metric = (uint8_t)metric,
                         },
                 });
}

void fm_found_remote_part(const struct fm_finder *finder, uint32_t location,
                          const struct fm_part *part)
{
    send(finder,
         &(struct sent_finding){.location = location, .is_part = true, .content.part = *part});
}

static void take_finding(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    const struct fm_analysis *analysis = context;
    const struct sent_finding *finding = record;
    struct fm_findings *findings = &analysis->findings[finding->location];
    if (finding->is_part) {
        fm_vector_push(&findings->parts, finding->content.part);
        return;
    }
    const struct fm_location *location = &analysis->trace->locations[finding->location];
    struct fm_candidate candidate = finding->content.candidate;
    if (finding->of_operations != candidate.metric &&
        analysis->own_metrics[fm_trace_region(location, candidate.activity)] ==
            FM_METRIC_MPI_RMA_COMMUNICATION) {
        candidate.metric = finding->of_operations;
    }
    fm_findings_add_inside(findings, location, &candidate);
}

void fm_finders_open(struct fm_analysis *analysis)
{
    analysis->sent_findings =
        fm_dispatch_create(analysis->engine, sizeof(struct sent_finding), take_finding, analysis);
    if (analysis->dependencies != NULL) {
        analysis->sent_dependencies = fm_dispatch_create(
            analysis->engine, fm_dependency_record_size(), fm_dependency_take, analysis);
    }
}

void fm_finders_close(struct fm_analysis *analysis)
{
    fm_dispatch_free(analysis->sent_findings);
    analysis->sent_findings = NULL;
    if (analysis->sent_dependencies != NULL) {
        fm_dispatch_free(analysis->sent_dependencies);
        analysis->sent_dependencies = NULL;
    }
}

void fm_finders_run(struct fm_analysis *analysis, fm_stage_t *stage, void *context)
{
    fm_dispatch_run(analysis->sent_findings, stage, context);
    if (analysis->sent_dependencies != NULL) {
        fm_dispatch_deliver(analysis->sent_dependencies);
    }
}
