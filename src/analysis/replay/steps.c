/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/replay/steps.h"

void fm_steps_begin(struct fm_steps *steps, const struct fm_location *location,
                    const fm_polling_vector *pollings, const fm_mark_vector *marks)
{
    steps->location = location;
    steps->pollings = pollings;
    steps->marks = marks;
    steps->activity = steps->mark = 0;
    steps->polling = 0;
    steps->open.count = 0;
}

/* @return the last activity of the call that begins with the next one */
static uint32_t last_of_call(struct fm_steps *steps)
{
    while (steps->polling < steps->pollings->count &&
           steps->pollings->items[steps->polling].first < steps->activity) {
        steps->polling++;
    }
    const bool polls = steps->polling < steps->pollings->count &&
                       steps->pollings->items[steps->polling].first == steps->activity;
    return polls ? steps->pollings->items[steps->polling].last : steps->activity;
}

/* @return the mark that stands before the next call is entered; NULL: none */
static const struct fm_mark *next_mark(const struct fm_steps *steps)
{
    if (steps->mark >= steps->marks->count) {
        return NULL;
    }
    const struct fm_mark *mark = &steps->marks->items[steps->mark];
    return mark->next_activity <= steps->activity ? mark : NULL;
}

/* @return whether the innermost open call is left before the mark, or before the next call */
static bool is_left_first(const struct fm_steps *steps, const struct fm_mark *mark)
{
    const struct fm_location *location = steps->location;
    const struct fm_open_call *inner = &steps->open.items[steps->open.count - 1];
    const uint64_t leave = location->leave.items[inner->last];
    if (mark != NULL) {
        const bool is_in_call =
            mark->activity != FM_NONE && mark->activity >= inner->first && mark->time == leave;
        return leave < mark->time || (leave == mark->time && !is_in_call);
    }
    return steps->activity >= location->enter.count ||
           leave <= location->enter.items[steps->activity];
}

bool fm_steps_next(struct fm_steps *steps, struct fm_step *step)
{
    const struct fm_location *location = steps->location;
    const struct fm_mark *mark = next_mark(steps);
    step->is_inside = steps->open.count != 0;
    if (steps->open.count != 0 && is_left_first(steps, mark)) {
        const struct fm_open_call *inner = &steps->open.items[--steps->open.count];
        step->time = location->leave.items[inner->last];
        step->first = inner->first;
        step->last = inner->last;
        step->kind = FM_STEP_LEAVE;
        return true;
    }
    if (mark != NULL) {
        step->time = mark->time;
        step->first = step->last = steps->mark++;
        step->kind = FM_STEP_MARK;
        return true;
    }
    if (steps->activity >= location->enter.count) {
        return false;
    }
    step->time = location->enter.items[steps->activity];
    step->first = steps->activity;
    step->last = last_of_call(steps);
    step->kind = FM_STEP_ENTER;
    fm_vector_push(&steps->open, (struct fm_open_call){step->first, step->last});
    steps->activity = step->last + 1;
    return true;
}

void fm_steps_free(struct fm_steps *steps)
{
    fm_vector_free(&steps->open);
}
