#include "whatif/replay/steps.h"

void fm_steps_begin(struct fm_steps *steps, const struct fm_location *location,
                    const fm_polling_vector *pollings)
{
    steps->location = location;
    steps->pollings = pollings;
    steps->activity = 0;
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

bool fm_steps_next(struct fm_steps *steps, struct fm_step *step)
{
    const struct fm_location *location = steps->location;
    const bool more = steps->activity < location->enter.count;
    step->is_inside = steps->open.count != 0;
    if (steps->open.count != 0) {
        const struct fm_open_call *inner = &steps->open.items[steps->open.count - 1];
        const uint64_t leave = location->leave.items[inner->last];
        if (!more || leave <= location->enter.items[steps->activity]) {
            step->time = leave;
            step->first = inner->first;
            step->last = inner->last;
            step->is_leave = true;
            steps->open.count--;
            return true;
        }
    }
    if (!more) {
        return false;
    }
    step->time = location->enter.items[steps->activity];
    step->first = steps->activity;
    step->last = last_of_call(steps);
    step->is_leave = false;
    fm_vector_push(&steps->open, (struct fm_open_call){step->first, step->last});
    steps->activity = step->last + 1;
    return true;
}

void fm_steps_free(struct fm_steps *steps)
{
    fm_vector_free(&steps->open);
}
