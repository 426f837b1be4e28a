/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/wait_columns.h"

static uint32_t callpath_of(const struct fm_location *location, uint32_t activity)
{
    return location->profile.items[location->visit.items[activity]].callpath;
}

void fm_wait_columns_add(struct fm_wait_columns *columns, const struct fm_trace *trace,
                         uint64_t begin, uint64_t window, uint32_t where,
                         const struct fm_candidate *wait)
{
    const struct fm_location *location = &trace->locations[where];
    uint64_t enter = fm_trace_begin(location, wait->activity);
    bool is_known = wait->cause_location < trace->location_count &&
                    wait->cause_activity < trace->locations[wait->cause_location].enter.count;
    fm_vector_push(&columns->window, window);
    fm_vector_push(&columns->location, where);
    fm_vector_push(&columns->enter, enter - begin);
    fm_vector_push(&columns->time, wait->t - enter);
    fm_vector_push(&columns->rest, location->leave.items[wait->activity] - wait->t);
    fm_vector_push(&columns->metric, wait->metric);
    fm_vector_push(&columns->callpath, callpath_of(location, wait->activity));
    fm_vector_push(&columns->cause_location, is_known ? wait->cause_location + UINT64_C(1) : 0);
    fm_vector_push(
        &columns->cause_callpath,
        is_known ? callpath_of(&trace->locations[wait->cause_location], wait->cause_activity) +
                       UINT64_C(1)
                 : 0);
}

void fm_wait_columns_move(struct fm_bundle *bundle, struct fm_wait_columns *columns)
{
    fm_column_move(bundle, "wait_window", &columns->window, true);
    fm_column_move(bundle, "wait_location", &columns->location, true);
    fm_column_move(bundle, "wait_enter", &columns->enter, true);
    fm_column_move(bundle, "wait_time", &columns->time, false);
    fm_column_move(bundle, "wait_rest", &columns->rest, false);
    fm_column_move(bundle, "wait_metric", &columns->metric, false);
    fm_column_move(bundle, "wait_callpath", &columns->callpath, false);
    fm_column_move(bundle, "wait_cause_location", &columns->cause_location, false);
    fm_column_move(bundle, "wait_cause_callpath", &columns->cause_callpath, false);
}
