#include "analysis/comparison.h"

#include <string.h>

/* The causing location's wait states inside an interval. */
struct inner_waits {
    uint64_t ticks; /* together, without what lies before the interval */
    uint64_t cut;   /* ticks of the first one that lie before the interval */
};

static struct inner_waits waits_inside(const struct fm_wait_list *waits,
                                       const struct fm_interval *interval)
{
    struct inner_waits inner = {0};
    uint32_t first = interval->first_wait;
    if (first < interval->wait_end) {
        inner.cut =
            waits->enter[first] < interval->begin ? interval->begin - waits->enter[first] : 0;
        inner.ticks = waits->before[interval->wait_end] - waits->before[first] - inner.cut;
    }
    return inner;
}

static void add_part(struct fm_caused_waits *caused, uint32_t visit, double part)
{
    fm_vector_push(&caused->visits, visit);
    fm_vector_push(&caused->parts, part);
}

/* The numbers that stand before the parts. */
static void add_extras(struct fm_caused_waits *caused, struct fm_caused_wait *wait,
                       const struct fm_wait_list *waits, const struct inner_waits *inner,
                       double ratio)
{
    if (inner->cut != 0) {
        wait->traits |= FM_CAUSED_CUT;
        uint64_t whole = waits->until[wait->inner] - waits->enter[wait->inner];
        add_part(caused, FM_NONE, (double)(whole - inner->cut));
    }
    if (ratio != 1) {
        wait->traits |= FM_CAUSED_PARTLY;
        add_part(caused, FM_NONE, ratio);
    }
}

static uint64_t *waiter_time(const struct fm_comparison *c, uint32_t visit)
{
    return &c->waiter_time[c->location->profile.items[visit].callpath];
}

double fm_compare_sides(const struct fm_comparison *c)
{
    const struct fm_interval *interval = c->interval;
    for (uint32_t i = 0; i < c->share_count; ++i) {
        memcpy(&c->waiter_time[c->shares[i].callpath], c->shares[i].ticks, sizeof(uint64_t));
    }
    uint64_t delay = 0;
    for (uint32_t i = 0; i < interval->count; ++i) {
        uint64_t other = *waiter_time(c, interval->visits[i]);
        delay += interval->ticks[i] > other ? interval->ticks[i] - other : 0;
    }
    struct inner_waits inner = waits_inside(c->waits, interval);
    double wait = (double)c->waiter->wait;
    double whole = (double)delay + (double)inner.ticks;
    c->wait->whole = whole;
    if (whole > 0) {
        add_extras(c->caused, c->wait, c->waits, &inner, 1);
        for (uint32_t i = 0; i < interval->count; ++i) {
            uint64_t other = *waiter_time(c, interval->visits[i]);
            if (interval->ticks[i] > other) {
                add_part(c->caused, interval->visits[i],
                         (double)(interval->ticks[i] - other) / whole);
            }
        }
    } else {
        c->wait->traits |= FM_CAUSED_UNATTRIBUTED;
    }
    for (uint32_t i = 0; i < c->share_count; ++i) {
        c->waiter_time[c->shares[i].callpath] = 0;
    }
    return whole > 0 ? wait * ((double)delay / whole) : wait;
}

double fm_compare_owner(const struct fm_comparison *c)
{
    const struct fm_interval *interval = c->interval;
    const struct fm_waiter_side *waiter = c->waiter;
    struct inner_waits inner = waits_inside(c->waits, interval);
    double wait = (double)waiter->wait;
    uint64_t busy = 0;
    for (uint32_t i = 0; i < interval->count; ++i) {
        busy += interval->ticks[i];
    }
    double ratio = 0; /* part of the waiting that goes back to the owner's own waiting */
    if (inner.ticks > 0) {
        ratio =
            busy <= waiter->busy || inner.ticks >= waiter->wait ? 1 : (double)inner.ticks / wait;
    } else if (busy == 0) {
        c->wait->traits |= FM_CAUSED_UNATTRIBUTED;
        return wait;
    }
    c->wait->whole = (double)inner.ticks;
    add_extras(c->caused, c->wait, c->waits, &inner, ratio);
    for (uint32_t i = 0; i < interval->count && ratio < 1; ++i) {
        add_part(c->caused, interval->visits[i],
                 (1 - ratio) * ((double)interval->ticks[i] / (double)busy));
    }
    return (1 - ratio) * wait;
}
