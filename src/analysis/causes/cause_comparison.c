/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/cause_comparison.h"

#include "analysis/causes/charge.h"

struct fm_inner_waits fm_waits_inside(const struct fm_wait_list *waits,
                                      const struct fm_interval *interval)
{
    struct fm_inner_waits inner = {0};
    if (interval->first_wait < interval->wait_end) {
        uint64_t enter = waits->items[interval->first_wait].enter;
        inner.cut = enter < interval->begin ? interval->begin - enter : 0;
        inner.ticks =
            waits->before[interval->wait_end] - waits->before[interval->first_wait] - inner.cut;
    }
    return inner;
}

static void add_part(struct fm_caused_waits *caused, uint32_t visit, double part)
{
    fm_vector_push(&caused->visits, visit);
    fm_vector_push(&caused->parts, part);
}

/* Adds the numbers that precede the parts: see FM_CAUSED_CUT and FM_CAUSED_PARTLY. */
static void add_extras(struct fm_caused_waits *caused, struct fm_caused_wait *wait,
                       const struct fm_wait_list *waits, const struct fm_inner_waits *inner,
                       double ratio)
{
    if (inner->cut != 0) {
        wait->traits |= FM_CAUSED_CUT;
        uint64_t whole = fm_wait_ticks(&waits->items[wait->inner]);
        add_part(caused, FM_NONE, (double)(whole - inner->cut));
    }
    if (ratio != 1) {
        wait->traits |= FM_CAUSED_PARTLY;
        add_part(caused, FM_NONE, ratio);
    }
}

double fm_compare_sides(const struct fm_cause_comparison *c)
{
    uint64_t delay = fm_excess_compare(c->excess, &c->sides);
    double wait = (double)c->waiter->wait;
    double whole = (double)delay + (double)c->inner.ticks;
    c->wait->whole = whole;
    if (whole > 0) {
        add_extras(c->caused, c->wait, c->waits, &c->inner, 1);
        for (uint32_t i = 0; i < c->sides.own_count; ++i) {
            double part = fm_excess_in(c->excess, &c->sides.own[i]);
            if (part > 0) {
                add_part(c->caused, c->sides.own[i].visit, part / whole);
            }
        }
    } else {
        c->wait->traits |= FM_CAUSED_UNATTRIBUTED;
    }
    if (c->caused->differences != NULL &&
        fm_charge_of((fm_delay_kind_t)c->wait->delay_kind) == FM_CHARGE_DELAY) {
        fm_side_differences_note(c->caused->differences, c->trace, &c->sides,
                                 c->excess->waiter_time, c->waiter->position, c->waiter->begin);
    }
    fm_excess_forget(c->excess, &c->sides);
    return whole > 0 ? wait * ((double)delay / whole) : wait;
}

double fm_compare_owner(const struct fm_cause_comparison *c)
{
    const struct fm_waiter_side *waiter = c->waiter;
    double wait = (double)waiter->wait;
    uint64_t busy = 0;
    for (uint32_t i = 0; i < c->sides.own_count; ++i) {
        busy += c->sides.own[i].ticks;
    }
    double ratio = 0; /* share of the waiting that is caused by the owner's own waiting */
    if (c->inner.ticks > 0) {
        ratio = busy <= waiter->busy || c->inner.ticks >= waiter->wait
                    ? 1
                    : (double)c->inner.ticks / wait;
    } else if (busy == 0) {
        c->wait->traits |= FM_CAUSED_UNATTRIBUTED;
        return wait;
    }
    c->wait->whole = (double)c->inner.ticks;
    add_extras(c->caused, c->wait, c->waits, &c->inner, ratio);
    for (uint32_t i = 0; i < c->sides.own_count && ratio < 1; ++i) {
        add_part(c->caused, c->sides.own[i].visit,
                 (1 - ratio) * ((double)c->sides.own[i].ticks / (double)busy));
    }
    return (1 - ratio) * wait;
}
