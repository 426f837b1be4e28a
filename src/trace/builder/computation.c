/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of computation between the recorded events of a location, and the samples in them. */
#include "trace/builder/builder_internal.h"

#include "trace/composition/composition.h"

#include <string.h>

/* Instead of the key of a call stack and of a call: no recorded event is there. */
enum { NOTHING = 0 };

static uint64_t mixed(uint64_t begin, uint64_t end)
{
    return fm_hash(fm_hash(begin) + end);
}

void fm_builder_begin_computation(struct fm_builder *builder, uint64_t key, uint32_t call)
{
    if (!builder->is_sampled || builder->is_paused || fm_builder_is_in_call(builder)) {
        return;
    }
    builder->has_stretch = true;
    builder->open = (struct fm_stretch){
        .begin = builder->now,
        .first_sample = (uint32_t)builder->stretches.samples.count,
        .first_state = (uint32_t)builder->location->state_since.count,
    };
    builder->open_key = key;
    builder->open_ends = (struct fm_stretch_ends){
        .calls = call,
        .from = fm_builder_innermost(builder),
        .before = fm_builder_innermost(builder),
        .recorded = fm_builder_recorded(builder),
    };
}

/* A sample at the begin of a stretch belongs to it, also if it was taken before the call there. */
static void take_first_samples(struct fm_stretches *stretches, struct fm_stretch *stretch)
{
    for (; stretch->first_sample > 0; stretch->first_sample--) {
        const struct fm_stack_sample *sample = &stretches->samples.items[stretch->first_sample - 1];
        if (sample->time != stretch->begin ||
            sample->recorded != stretches->ends.items[stretch->kind].recorded) {
            break;
        }
    }
    if (stretches->items.count != 0) {
        struct fm_stretch *before = &stretches->items.items[stretches->items.count - 1];
        const uint32_t most = stretch->first_sample - before->first_sample;
        before->sample_count = before->sample_count < most ? before->sample_count : most;
    }
}

/* @return the kind of the open stretch, which ends here */
static uint32_t find_kind(struct fm_builder *builder, uint64_t key, uint32_t call, uint32_t to)
{
    struct fm_stretches *stretches = &builder->stretches;
    struct fm_stretch_ends ends = builder->open_ends;
    const uint64_t stacks = mixed(builder->open_key, key);
    const uint32_t next = (uint32_t)stretches->ends.count;
    const uint32_t kind =
        *fm_map_at(&stretches->kind_of, mixed(stacks, (uint64_t)ends.from << 32 | to), next);
    if (kind == next) {
        ends.to = to;
        ends.after = fm_builder_innermost(builder);
        ends.calls = mixed(ends.calls, call);
        fm_vector_push(&stretches->ends, ends);
    }
    return kind;
}

void fm_builder_end_computation(struct fm_builder *builder, uint64_t key, uint32_t call,
                                uint32_t to)
{
    if (!builder->has_stretch) {
        return;
    }
    builder->has_stretch = false;
    if (builder->now == builder->open.begin) {
        return;
    }
    struct fm_stretch stretch = builder->open;
    stretch.end = builder->now;
    stretch.kind = find_kind(builder, key, call, to);
    take_first_samples(&builder->stretches, &stretch);
    stretch.sample_count = (uint32_t)builder->stretches.samples.count - stretch.first_sample;
    stretch.state_end = (uint32_t)builder->location->state_since.count;
    fm_vector_push(&builder->stretches.items, stretch);
}

/* The outermost function that is entered where nothing was recorded before was there at the first
 * event. */
static void note_begin(struct fm_builder *builder, uint32_t visit)
{
    if (!builder->has_stretch && !fm_builder_is_in_call(builder) && !builder->is_paused) {
        const uint32_t outer =
            builder->frames.count == 1 ? FM_NONE : builder->location->profile.items[visit].parent;
        fm_builder_begin_computation(builder, NOTHING, NOTHING);
        builder->open_ends.from = builder->open_ends.before = outer;
        builder->open.first_state--;
    }
    if (builder->has_stretch && builder->open.begin == builder->now && builder->frames.count == 1 &&
        builder->open_ends.from == FM_NONE) {
        builder->open_ends.from = visit;
    }
}

void fm_builder_note_estimate(struct fm_builder *builder, uint32_t visit, bool begins)
{
    if (begins) {
        note_begin(builder, visit);
    } else if (builder->left_at != builder->now) {
        builder->left_at = builder->now;
        builder->left_from = visit;
    }
}

void fm_builder_end_last_computation(struct fm_builder *builder)
{
    const uint32_t to =
        builder->left_at == builder->now ? builder->left_from : fm_builder_innermost(builder);
    fm_builder_end_computation(builder, NOTHING, NOTHING, to);
}

void fm_builder_sample(struct fm_builder *builder, double weight)
{
    const uint32_t visit = builder->frames.items[builder->frames.count - 1].visit;
    builder->location->profile.items[visit].samples++;
    if (builder->polling.is_open) {
        fm_polling_sample(builder, visit);
    }
    if (builder->has_stretch && weight > 0) {
        fm_vector_push(
            &builder->stretches.samples,
            (struct fm_stack_sample){builder->now, weight, visit, fm_builder_recorded(builder)});
    }
}

void fm_builder_reset_computation(struct fm_builder *builder)
{
    fm_stretches_clear(&builder->stretches);
    builder->amounts.count = 0;
    builder->left_at = UINT64_MAX;
    builder->has_stretch = false;
}

static uint32_t child(void *context, uint32_t parent, uint32_t like)
{
    struct fm_builder *builder = context;
    const struct fm_visit_profile *profile = &builder->location->profile.items[like];
    return fm_builder_visit(builder, parent,
                            fm_builder_call(builder, profile->region, profile->line));
}

static void spread_part(struct fm_location *location, const struct fm_processor_amount *all,
                        uint64_t end, uint64_t stretch, uint64_t amount)
{
    const struct fm_processor_amount part = {end, stretch, amount, all->which, all->takes_away};
    if (stretch != 0 && amount != 0) {
        fm_builder_spread(location, &part);
    }
}

/* @return ticks that a stretch, as the compositions have it, begins with: those in which the thread
 * waited, or it is not known why it did not run.
 * @param stolen  value of FM_STOLEN_TIME; those behind it may tell a run delay of the same stretch
 */
static uint64_t blocked_ticks(const struct fm_builder *builder, size_t stolen)
{
    const struct fm_processor_amount *amounts = builder->amounts.items;
    const uint64_t ticks = amounts[stolen].amount;
    for (size_t i = stolen + 1; i < builder->amounts.count && amounts[i].end == amounts[stolen].end;
         i++) {
        if (amounts[i].which == FM_RUN_DELAY) {
            return amounts[i].amount < ticks ? ticks - amounts[i].amount : 0;
        }
    }
    return ticks;
}

/* Spreads processor times over the compositions: waiting belongs to the begin of the stretch, lack
 * of a processor to the code that ran. */
static void spread_amounts(struct fm_builder *builder)
{
    uint64_t blocked = 0, of = UINT64_MAX; /* of the stretch that ends then */
    for (size_t i = 0; i < builder->amounts.count; i++) {
        const struct fm_processor_amount *amount = &builder->amounts.items[i];
        const uint64_t begin = amount->end - amount->stretch;
        if (amount->which == FM_STOLEN_TIME) {
            blocked = blocked_ticks(builder, i);
            of = amount->end;
        }
        const uint64_t first = amount->end == of ? blocked : 0;
        if (amount->which == FM_STOLEN_TIME) {
            spread_part(builder->location, amount, begin + first, first, first);
            spread_part(builder->location, amount, amount->end, amount->stretch - first,
                        amount->amount - first);
        } else if (amount->which == FM_RUN_DELAY) {
            spread_part(builder->location, amount, amount->end, amount->stretch - first,
                        amount->amount);
        } else if (amount->which >= FM_BLOCKED_TIME) {
            spread_part(builder->location, amount, begin + amount->amount, amount->amount,
                        amount->amount);
        } else {
            spread_part(builder->location, amount, amount->end, amount->stretch, amount->amount);
        }
    }
}

/* Leaves out the first stretch if it has no samples, but others have: recorders begin to sample
 * with the first event, or later, and a program may have been starting for seconds before, of which
 * no sample can tell. */
static void forget_start(struct fm_stretches *stretches)
{
    bool are_samples = false;
    for (size_t i = 0; i < stretches->items.count && !are_samples; i++) {
        are_samples = stretches->items.items[i].sample_count != 0;
    }
    if (are_samples && stretches->items.items[0].sample_count == 0) {
        memmove(stretches->items.items, stretches->items.items + 1,
                --stretches->items.count * sizeof *stretches->items.items);
    }
}

void fm_builder_compose(struct fm_builder *builder)
{
    forget_start(&builder->stretches);
    if (builder->stretches.items.count != 0) {
        fm_compose(builder->trace, builder->location, &builder->stretches,
                   (struct fm_child_finder){child, builder});
    }
    spread_amounts(builder);
}
