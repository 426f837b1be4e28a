/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/arrow_columns.h"

void fm_arrow_columns_add(struct fm_arrow_columns *columns, uint64_t begin, uint64_t window,
                          unsigned kind, const struct fm_arrow_end *tail,
                          const struct fm_arrow_end *head, uint64_t bytes)
{
    fm_vector_push(&columns->window, window);
    fm_vector_push(&columns->kind, kind);
    fm_vector_push(&columns->tail, tail->location);
    fm_vector_push(&columns->head, head->location);
    fm_vector_push(&columns->since, tail->time - begin);
    fm_vector_push(&columns->time, head->time - tail->time);
    fm_vector_push(&columns->bytes, bytes);
}

void fm_arrow_columns_move(struct fm_bundle *bundle, struct fm_arrow_columns *columns)
{
    fm_column_move(bundle, "arrow_window", &columns->window, true);
    fm_column_move(bundle, "arrow_kind", &columns->kind, false);
    fm_column_move(bundle, "arrow_tail", &columns->tail, true);
    fm_column_move(bundle, "arrow_head", &columns->head, true);
    fm_column_move(bundle, "arrow_since", &columns->since, true);
    fm_column_move(bundle, "arrow_time", &columns->time, false);
    fm_column_move(bundle, "arrow_bytes", &columns->bytes, false);
}

void fm_lock_arrows(const struct fm_trace *trace, uint32_t where, fm_lock_arrow_sink *sink,
                    void *context)
{
    const struct fm_location *location = &trace->locations[where];
    for (size_t i = 0; i < location->rma.count; i++) {
        const struct fm_rma *rma = &location->rma.items[i];
        if (rma->type != FM_RMA_LOCK_ACQUIRE || rma->window >= trace->window_count ||
            rma->peer == FM_NONE)
            continue;
        uint32_t target = fm_trace_member(trace, trace->windows[rma->window].communicator,
                                          rma->peer, location->process);
        if (target == FM_NONE || target == location->process)
            continue;
        const struct fm_arrow_end tail = {where, rma->activity,
                                          location->enter.items[rma->activity]};
        const struct fm_arrow_end head = {trace->processes[target].first_location, FM_NONE,
                                          location->leave.items[rma->activity]};
        sink(context, &tail, &head);
    }
}
