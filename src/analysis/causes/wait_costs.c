/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the costs and the classes of wait states, after phi is computed. */
#include "analysis/causes/caused_waits.h"
#include "analysis/causes/cost_table.h"
#include "cube/model/delay_kind.h"

struct booking {
    struct fm_formation *formation;
    const struct fm_caused_waits *caused; /* by location */
};

static void book_own(struct fm_cost_table *table, const struct fm_location *location,
                     const struct fm_wait_list *waits)
{
    for (uint32_t w = 0; w < waits->count; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        const struct fm_delay_metrics *metrics =
            fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric));
        uint32_t visit = location->visit.items[wait->activity];
        fm_cost_table_add(table, visit, metrics->count, 1);
        fm_cost_table_add(table, visit, wait->propagates ? metrics->propagating : metrics->terminal,
                          (int64_t)fm_wait_ticks(wait));
    }
}

/* Each part gets its share of the wait state (short-term costs) and of phi (long-term costs). */
static void book_parts(struct fm_cost_table *table, const struct fm_caused_waits *caused,
                       const struct fm_caused_wait *wait)
{
    const struct fm_delay_metrics *metrics = fm_delay_metrics((fm_delay_kind_t)wait->delay_kind);
    for (uint32_t p = wait->first; p < wait->end; ++p) {
        uint32_t visit = caused->visits.items[p];
        if (visit != FM_NONE) {
            double part = caused->parts.items[p];
            fm_cost_table_add_ticks(table, visit, metrics->short_term, part * (double)wait->wait);
            fm_cost_table_add_ticks(table, visit, metrics->long_term, part * wait->phi);
        }
    }
}

static void book_caused(struct fm_cost_table *table, const struct fm_caused_waits *caused)
{
    for (size_t i = 0; i < caused->waits.count; ++i) {
        const struct fm_caused_wait *wait = &caused->waits.items[i];
        if (wait->traits & FM_CAUSED_UNATTRIBUTED) {
            fm_cost_table_add_ticks(table, wait->visit, FM_METRIC_DELAY_UNATTRIBUTED,
                                    (double)wait->wait + wait->phi);
        } else {
            book_parts(table, caused, wait);
        }
    }
}

static void book(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct booking *booking = context;
    struct fm_formation *formation = booking->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    struct fm_cost_table table = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_caused_waits *caused = &booking->caused[l];
        if (!formation->is_circular) {
            fm_cost_table_begin(&table, formation, l);
            book_own(&table, &trace->locations[l], &formation->busy_times[l].waits);
            book_caused(&table, caused);
            fm_cost_table_end(&table, formation, worker, l);
        }
    }
    fm_cost_table_free(&table);
}

void fm_wait_costs_book(struct fm_formation *formation, const struct fm_caused_waits *caused)
{
    fm_engine_run(formation->analysis->engine, book, &(struct booking){formation, caused});
}

static void forget(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_formation *formation = context;
    const struct fm_trace *trace = formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct fm_caused_waits *caused = &formation->caused[l];
        fm_vector_free(&caused->waits);
        fm_vector_free(&caused->parts);
        fm_vector_free(&caused->visits);
        fm_side_differences_free(caused->differences);
    }
}

void fm_formation_forget_caused(struct fm_formation *formation)
{
    if (formation->caused != NULL) {
        fm_engine_run(formation->analysis->engine, forget, formation);
        fm_free(formation->caused);
        formation->caused = NULL;
    }
}
