/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/composition.h"

#include "base/containers/sort.h"
#include "trace/composition/borrowing.h"
#include "trace/composition/estimates_writer.h"
#include "trace/composition/kinds.h"
#include "trace/composition/placement.h"
#include "trace/composition/pools.h"

/** A sample of a block. */
struct timed_sample {
    uint64_t time;
    uint32_t number;
};

/** Parts of a stretch. */
struct composed {
    size_t first;
    uint32_t count;
    bool is_composed; /**< false: its states stay as they are */
};

struct composer {
    const struct fm_trace *trace;
    struct fm_location *location;
    const struct fm_stretches *stretches;
    struct fm_kinds kinds;
    struct fm_pools pools;
    struct fm_lenders lenders;
    struct fm_placement placement;
    struct fm_estimates_writer writer;
    FM_VECTOR(struct timed_sample) samples; /**< of a block */
    FM_VECTOR(uint32_t)
    offsets; /**< [stretch with samples of a block]: number of its first sample */
    FM_VECTOR(uint32_t) time_order; /**< samples of a block */
    fm_shares shares;
    fm_composed_parts parts;
    struct composed *of; /**< [stretch] */
    FM_VECTOR(struct fm_sized) block;
};

/* ---- compositions ---- */

static void add_part(struct composer *composer, uint64_t ticks, uint32_t visit)
{
    if (ticks != 0) {
        fm_vector_push(&composer->parts, (struct fm_composed_part){ticks, visit});
    }
}

/* Lays the shares out in a stretch. Without any, the time is the common caller's, and so is what
 * had no CPU time. Outside of all functions nothing is known but what the archive says. */
static void compose(struct composer *composer, uint32_t number)
{
    const struct fm_stretch *stretch = &composer->stretches->items.items[number];
    const uint32_t caller = composer->kinds.items[stretch->kind].caller;
    const uint64_t ticks = fm_stretch_ready(stretch);
    struct composed *composed = &composer->of[number];
    if (caller == FM_NONE) {
        return;
    }
    *composed = (struct composed){.first = composer->parts.count, .is_composed = true};
    add_part(composer, stretch->end - stretch->begin - ticks, caller);
    if (composer->shares.count == 0) {
        add_part(composer, ticks, caller);
    } else {
        fm_place(&composer->placement, composer->trace, composer->location, composer->stretches,
                 stretch, &composer->shares, &composer->parts);
    }
    composed->count = (uint32_t)(composer->parts.count - composed->first);
}

/* ---- what the compositions rest on ---- */

static int compare_times(const void *a, const void *b)
{
    const struct timed_sample *left = a, *right = b;
    return left->time != right->time
               ? (left->time < right->time ? -1 : 1)
               : (left->number > right->number) - (left->number < right->number);
}

/* Notes the samples of the block that the pools have begun. */
static void note_samples(struct composer *composer, uint32_t caller)
{
    const struct fm_pools *pools = &composer->pools;
    fm_estimates_begin_block(&composer->writer, caller);
    composer->samples.count = composer->offsets.count = composer->time_order.count = 0;
    for (size_t i = 0; i < pools->sampled.count; i++) {
        const struct fm_stretch *stretch =
            &composer->stretches->items.items[pools->sampled.items[i].stretch];
        fm_vector_push(&composer->offsets, (uint32_t)composer->samples.count);
        for (uint32_t s = 0; s < stretch->sample_count; s++) {
            const struct fm_stack_sample *sample =
                &composer->stretches->samples.items[stretch->first_sample + s];
            const uint32_t number = (uint32_t)composer->samples.count;
            fm_vector_push(&composer->samples, (struct timed_sample){sample->time, number});
            fm_estimates_add_sample(&composer->writer, sample->visit, sample->weight);
        }
    }
    fm_vector_push(&composer->offsets, (uint32_t)composer->samples.count);
    fm_sort(composer->samples.items, composer->samples.count, sizeof *composer->samples.items,
            compare_times);
    for (size_t i = 0; i < composer->samples.count; i++) {
        fm_vector_push(&composer->time_order, composer->samples.items[i].number);
    }
    fm_estimates_end_block(&composer->writer, composer->time_order.items);
}

static void note_stretch(struct composer *composer, uint32_t number, uint32_t pool)
{
    const struct fm_stretch *stretch = &composer->stretches->items.items[number];
    composer->location->estimates.stretches.items[number] = (struct fm_estimated_stretch){
        .begin = stretch->begin,
        .end = stretch->end,
        .running =
            (float)((double)fm_stretch_ticks(stretch) / (double)(stretch->end - stretch->begin)),
        .pool = composer->of[number].is_composed ? pool : FM_NONE,
    };
}

static void compose_block(struct composer *composer, uint32_t caller, const uint32_t *stretches,
                          uint32_t count)
{
    composer->block.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_stretch *stretch = &composer->stretches->items.items[stretches[i]];
        fm_vector_push(&composer->block,
                       (struct fm_sized){fm_stretch_ticks(stretch), stretches[i]});
    }
    fm_sort(composer->block.items, count, sizeof *composer->block.items, fm_compare_sized);
    fm_pools_begin(&composer->pools, composer->stretches, composer->block.items, count);
    note_samples(composer, caller);
    uint64_t ticks = 0;
    uint32_t pool = fm_estimates_add_pool(&composer->writer, 0, 0);
    composer->shares.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (composer->block.items[i].ticks != ticks) {
            ticks = composer->block.items[i].ticks;
            fm_pools_shares(&composer->pools, ticks, &composer->shares);
            pool = fm_estimates_add_pool(&composer->writer,
                                         composer->offsets.items[composer->pools.low],
                                         composer->offsets.items[composer->pools.high]);
        }
        compose(composer, composer->block.items[i].stretch);
        note_stretch(composer, composer->block.items[i].stretch, pool);
    }
}

/* A kind whose stretches borrow samples: their pools are taken to be that of the first one. */
static void compose_few(struct composer *composer, const struct fm_kind *kind,
                        const uint32_t *stretches)
{
    uint32_t pool = FM_NONE;
    for (uint32_t i = 0; i < kind->count; i++) {
        fm_borrow_shares(&composer->lenders, stretches[i], &composer->shares);
        compose(composer, stretches[i]);
        if (pool == FM_NONE) {
            uint32_t samples = 0;
            fm_estimates_begin_block(&composer->writer, kind->caller);
            for (size_t s = 0; s < composer->shares.count; s++) {
                const struct fm_share *share = &composer->shares.items[s];
                for (uint32_t n = 0; n < share->count; n++, samples++) {
                    fm_estimates_add_sample(&composer->writer, share->visit,
                                            share->share / (double)share->count);
                }
            }
            fm_estimates_end_block(&composer->writer, NULL);
            pool = fm_estimates_add_pool(&composer->writer, 0, samples);
        }
        note_stretch(composer, stretches[i], pool);
    }
}

static void compose_kind(struct composer *composer, const struct fm_kind *kind)
{
    const uint32_t *stretches = composer->kinds.order + kind->first;
    if (kind->samples < FM_OWN_SAMPLES) {
        compose_few(composer, kind, stretches);
        return;
    }
    for (uint32_t first = 0, count; first < kind->count; first += count) {
        count = fm_kind_block(&composer->kinds, composer->stretches, kind, first);
        compose_block(composer, kind->caller, stretches + first, count);
    }
}

/* ---- states ---- */

/** The states of a location as they are written anew. */
struct states {
    FM_VECTOR(uint64_t) since;
    FM_VECTOR(uint32_t) visit;
    size_t read;   /**< states of the archive that are written or replaced */
    size_t record; /**< records of threads that are renumbered */
};

static void put_state(struct states *states, uint64_t since, uint32_t visit)
{
    fm_vector_push(&states->since, since);
    fm_vector_push(&states->visit, visit);
}

/* Gives the records before state `end` of the archive the numbers of the new states.
 * @param shift  of these numbers */
static void renumber(struct composer *composer, struct states *states, size_t end, size_t shift)
{
    struct fm_location *location = composer->location;
    while (states->record < location->threads.count &&
           location->threads.items[states->record].next_state < end) {
        struct fm_thread_record *record = &location->threads.items[states->record++];
        record->next_state = (uint32_t)(record->next_state + shift);
    }
}

/* Writes the states of the archive before number `end`. */
static void copy_states(struct composer *composer, struct states *states, size_t end)
{
    const struct fm_location *location = composer->location;
    renumber(composer, states, end, states->since.count - states->read);
    for (; states->read < end; states->read++) {
        put_state(states, location->state_since.items[states->read],
                  location->state_visit.items[states->read]);
    }
}

static void count_time(struct fm_location *location, uint32_t visit, uint64_t ticks)
{
    if (visit != FM_NONE) {
        location->profile.items[visit].time += ticks;
    }
}

/* Takes the times of a stretch that the archive states out of the call tree.
 * @param visit  node of the state at its begin */
static void forget_times(struct fm_location *location, const struct fm_stretch *stretch,
                         uint32_t visit)
{
    uint64_t since = stretch->begin;
    for (uint32_t i = stretch->first_state; i < stretch->state_end; i++) {
        count_time(location, visit, since - location->state_since.items[i]);
        since = location->state_since.items[i];
        visit = location->state_visit.items[i];
    }
    count_time(location, visit, since - stretch->end);
}

/* Replaces the states of a stretch. */
static void write_states(struct composer *composer, struct states *states, uint32_t number)
{
    const struct fm_stretch *stretch = &composer->stretches->items.items[number];
    const struct composed *composed = &composer->of[number];
    struct fm_location *location = composer->location;
    const struct fm_stretch_ends *ends = &composer->stretches->ends.items[stretch->kind];
    forget_times(location, stretch, ends->before);
    uint64_t since = stretch->begin;
    uint32_t visit = ends->before;
    const size_t first = states->since.count;
    for (uint32_t i = 0; i < composed->count; i++) {
        const struct fm_composed_part *part = &composer->parts.items[composed->first + i];
        if (part->visit != visit) {
            put_state(states, since, part->visit);
            visit = part->visit;
        }
        count_time(location, visit, part->ticks);
        since += part->ticks;
    }
    if (visit != ends->after) {
        put_state(states, stretch->end, ends->after);
    }
    /* Records within the stretch: the first state that is not before them. */
    size_t next = first;
    while (states->record < location->threads.count &&
           location->threads.items[states->record].next_state < stretch->state_end) {
        struct fm_thread_record *record = &location->threads.items[states->record++];
        while (next < states->since.count && states->since.items[next] < record->time) {
            next++;
        }
        record->next_state = (uint32_t)next;
    }
    states->read = stretch->state_end;
}

static void rewrite_states(struct composer *composer)
{
    struct fm_location *location = composer->location;
    struct states states = {0};
    for (uint32_t i = 0; i < composer->stretches->items.count; i++) {
        if (composer->of[i].is_composed) {
            copy_states(composer, &states, composer->stretches->items.items[i].first_state);
            write_states(composer, &states, i);
        }
    }
    copy_states(composer, &states, location->state_since.count);
    renumber(composer, &states, SIZE_MAX, states.since.count - states.read);
    fm_vector_free(&location->state_since);
    fm_vector_free(&location->state_visit);
    location->state_since.items = states.since.items;
    location->state_since.count = states.since.count;
    location->state_since.capacity = states.since.capacity;
    location->state_visit.items = states.visit.items;
    location->state_visit.count = states.visit.count;
    location->state_visit.capacity = states.visit.capacity;
}

void fm_compose(const struct fm_trace *trace, struct fm_location *location,
                const struct fm_stretches *stretches, struct fm_child_finder nodes)
{
    struct composer composer = {
        .trace = trace,
        .location = location,
        .stretches = stretches,
        .kinds = fm_kinds_of(location, stretches),
        .of = fm_allocate(stretches->items.count, sizeof *composer.of),
    };
    composer.writer.trace = trace;
    composer.writer.location = location;
    fm_vector_reserve(&location->estimates.stretches, stretches->items.count);
    location->estimates.stretches.count = stretches->items.count;
    composer.lenders = fm_lenders_of(location, stretches, &composer.kinds, nodes);
    for (uint32_t k = 0; k < composer.kinds.count; k++) {
        compose_kind(&composer, &composer.kinds.items[k]);
    }
    rewrite_states(&composer);
    fm_kinds_free(&composer.kinds);
    fm_pools_free(&composer.pools);
    fm_lenders_free(&composer.lenders);
    fm_placement_free(&composer.placement);
    fm_estimates_writer_free(&composer.writer);
    fm_vector_free(&composer.samples);
    fm_vector_free(&composer.offsets);
    fm_vector_free(&composer.time_order);
    fm_vector_free(&composer.shares);
    fm_vector_free(&composer.parts);
    fm_vector_free(&composer.block);
    fm_free(composer.of);
}
