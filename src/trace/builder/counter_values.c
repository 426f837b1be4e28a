/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of counters: samples and processor times go to the call paths that they were taken in. */
#include "trace/builder/builder_internal.h"

#include <math.h>

/* The shares add up to exactly the amount; numbers are rounded, so that a single event belongs to
 * the call path in the middle of the computation. */
void fm_builder_spread(struct fm_location *location, const struct fm_processor_amount *amount)
{
    const uint64_t end = amount->end, whole = amount->stretch, begin = end - whole;
    const bool is_number =
        amount->which < FM_PROCESSOR_TIME_COUNT && fm_processor_time_is_number(amount->which);
    const uint64_t rounding = is_number ? whole / 2 : 0;
    uint64_t upper = end, shared = 0;
    size_t first = 0, count = location->state_since.count;
    while (first < count) { /* the states before the end */
        const size_t middle = first + (count - first) / 2;
        if (location->state_since.items[middle] < end) {
            first = middle + 1;
        } else {
            count = middle;
        }
    }
    for (size_t i = first; i-- > 0 && upper > begin;) {
        uint64_t since = location->state_since.items[i];
        uint32_t visit = location->state_visit.items[i];
        since = since < begin ? begin : since;
        if (since >= upper) {
            continue;
        }
        upper = since;
        uint64_t sum =
            (uint64_t)(((unsigned __int128)amount->amount * (end - upper) + rounding) / whole);
        if (visit != FM_NONE) {
            uint64_t *time = &location->profile.items[visit].processor_times[amount->which];
            *time = amount->takes_away ? *time - (sum - shared) : *time + (sum - shared);
        }
        shared = sum;
    }
}

/* In a sampled trace it is not known yet which call paths the computation is made of. */
static void spread(struct fm_builder *builder, unsigned which, uint64_t amount, bool takes_away)
{
    const struct fm_processor_amount added = {builder->now, builder->stretch, amount, which,
                                              takes_away};
    if (builder->is_sampled) {
        fm_vector_push(&builder->amounts, added);
    } else {
        fm_builder_spread(builder->location, &added);
    }
}

/* Divides the time without a processor of a stretch, as its values come in: its reason is unknown,
 * unless the run delay is known; then what exceeds the run delay is waiting. */
static void divide_stolen(struct fm_builder *builder, fm_processor_time_t which, uint64_t ticks)
{
    const uint64_t stolen = builder->stolen;
    if (which == FM_MEASURED_TIME) {
        builder->stolen = 0;
    } else if (which == FM_STOLEN_TIME) {
        builder->stolen = ticks;
        builder->open.blocked += ticks;
        spread(builder, FM_UNRESOLVED_TIME, ticks, false);
    } else if (which == FM_DELAY_MEASURED_TIME) {
        spread(builder, FM_UNRESOLVED_TIME, stolen, true);
        spread(builder, FM_BLOCKED_TIME, stolen, false);
    } else if (which == FM_RUN_DELAY) {
        const uint64_t delayed = ticks < stolen ? ticks : stolen;
        builder->open.blocked -= delayed < builder->open.blocked ? delayed : builder->open.blocked;
        builder->open.delayed += delayed;
        spread(builder, FM_BLOCKED_TIME, stolen, true);
        spread(builder, FM_BLOCKED_TIME, stolen > ticks ? stolen - ticks : 0, false);
    }
}

static void add_processor_time(struct fm_builder *builder, fm_processor_time_t which, double value)
{
    if (!(value > 0 && value < 0x1p62)) {
        return;
    }
    if (fm_processor_time_is_number(which)) {
        spread(builder, which, (uint64_t)value, false);
        return;
    }
    uint64_t ticks =
        (uint64_t)((unsigned __int128)value * builder->trace->ticks_per_second / 1000000000u);
    if (which == FM_READING_TIME) {
        builder->reading = ticks;
        return;
    }
    if (which == FM_MEASURED_TIME || which == FM_DELAY_MEASURED_TIME) {
        uint64_t most = builder->now - builder->location->begin;
        builder->stretch = ticks < most ? ticks : most;
    }
    ticks = ticks < builder->stretch ? ticks : builder->stretch;
    spread(builder, which, ticks, false);
    divide_stolen(builder, which, ticks);
}

/* Books the growth of a total on the call path that the location is in, or on its first one. */
static void add_growth(struct fm_builder *builder, uint32_t number, double value)
{
    const struct fm_trace *trace = builder->trace;
    const struct fm_counter *counter = &trace->counters[number];
    struct fm_location *location = builder->location;
    if (!counter->is_total || builder->frames.count == 0 || !isfinite(value)) {
        return;
    }
    if (builder->last_values == NULL) {
        builder->last_values = fm_allocate(trace->counter_count, sizeof *builder->last_values);
    }
    double amount = counter->is_relative ? value : value - builder->last_values[number];
    builder->last_values[number] = value;
    if (amount <= 0) {
        return;
    }
    size_t frame = counter->is_apart ? 0 : builder->frames.count - 1;
    uint32_t visit = builder->frames.items[frame].visit;
    uint32_t row = *fm_map_at(&builder->growth, visit | (uint64_t)number << 32,
                              (uint32_t)location->growth.count);
    if (row == location->growth.count) {
        fm_vector_push(&location->growth, (struct fm_counter_growth){visit, number, 0});
    }
    location->growth.items[row].amount += amount * counter->scale;
}

/* Of several values in a kernel the last one counts. */
static void note_activity(struct fm_builder *builder, const struct fm_counter *counter,
                          double value)
{
    if (!builder->location->is_stream || builder->frames.count == 0 ||
        builder->frames.items[0].call == builder->trace->idle_region) {
        return;
    }
    if (!builder->has_kernel_activity) {
        for (unsigned i = 0; i < FM_KERNEL_ACTIVITY_COUNT; i++) {
            builder->kernel[i] = NAN;
        }
        builder->has_kernel_activity = true;
    }
    builder->kernel[counter->activity] =
        fm_kernel_fraction(counter->activity, value * counter->scale);
}

/* A kernel of which one efficiency is known only is none that was measured. */
void fm_builder_end_kernel(struct fm_builder *builder, uint32_t visit, uint64_t ticks)
{
    if (!builder->has_kernel_activity) {
        return;
    }
    builder->has_kernel_activity = false;
    if (!isnan(builder->kernel[FM_KERNEL_SM]) && !isnan(builder->kernel[FM_KERNEL_WARP])) {
        const struct fm_kernel_load load = fm_kernel_load_of(ticks, builder->kernel);
        uint64_t *counts = fm_builder_counts_of(builder, visit);
        counts[FM_COUNT_KERNEL_IDLE] += load.idle;
        counts[FM_COUNT_KERNEL_INACTIVE] += load.inactive;
        counts[FM_COUNT_KERNEL_ADJUSTED] += load.adjusted;
        counts[FM_COUNT_KERNEL_COMPOSITE] += load.composite;
    }
}

void fm_builder_counter(struct fm_builder *builder, uint32_t counter, double value)
{
    const struct fm_trace *trace = builder->trace;
    if (counter == FM_COUNTER_OF_SAMPLES) {
        if (builder->frames.count != 0) {
            fm_builder_sample(builder, value);
        }
    } else if (counter >= FM_COUNTER_OF_PROCESSOR_TIME &&
               counter < FM_COUNTER_OF_PROCESSOR_TIME + FM_PROCESSOR_TIME_COUNT) {
        add_processor_time(builder, (fm_processor_time_t)(counter - FM_COUNTER_OF_PROCESSOR_TIME),
                           value);
    } else if (counter != FM_NONE) {
        if (trace->counters[counter].activity != FM_KERNEL_ACTIVITY_COUNT) {
            note_activity(builder, &trace->counters[counter], value);
        }
        add_growth(builder, counter, value);
        if (trace->in_detail) {
            fm_counters_add(&builder->location->counters, &builder->next_counter,
                            &trace->counters[counter], counter, builder->now, value);
        }
    }
}
