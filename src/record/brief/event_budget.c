/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/brief/event_budget.h"

#include "record/experiment/kept_variables.h"

#include <stdlib.h>
#include <string.h>

/* Events that two sections have in the archive, in the mean: a task has nine in six. */
enum { EVENTS_OF_TWO = 3 };

/* Reads the number at the begin of a text: digits, with a point among or in front of them.
 * Independent of the locale. @return the text behind it; NULL: there is none */
static const char *read_number(const char *text, double *number)
{
    double unit = 1;
    bool has_digit = false, has_point = false;
    *number = 0;
    for (;; text++) {
        if (*text >= '0' && *text <= '9') {
            has_digit = true;
            unit *= has_point ? 0.1 : 1;
            *number = has_point ? *number + unit * (*text - '0') : 10 * *number + (*text - '0');
        } else if (*text == '.' && !has_point) {
            has_point = true;
        } else {
            return has_digit ? text : NULL;
        }
    }
}

bool fm_event_budget_read(const char *text, double *share)
{
    double percent;
    if (strcmp(text, "off") == 0) {
        *share = 0;
        return true;
    }
    const char *end = read_number(text, &percent);
    if (end == NULL || strcmp(end, "%") != 0 || percent <= 0 || percent > 100) {
        return false;
    }
    *share = percent / 100;
    return true;
}

struct fm_event_budget fm_event_budget_get(uint64_t resolution, double bias,
                                           const uint32_t *threads)
{
    const char *text = fm_variable("FERMATA_EVENT_BUDGET");
    struct fm_event_budget budget = {.share = FM_BUDGET_SHARE,
                                     .event = resolution / FM_BUDGET_EVENTS,
                                     .room = resolution / 1000 * FM_BUDGET_ROOM,
                                     .bias = bias,
                                     .threads = threads};
    if (text != NULL) {
        fm_event_budget_read(text, &budget.share);
    }
    return budget;
}

/* Notes what a section has taken whose event is not merged. */
static void note_cost(struct fm_event_bucket *bucket, double ticks)
{
    enum { WEIGHT = 8 };
    bucket->cost = bucket->cost == 0 ? ticks : bucket->cost + (ticks - bucket->cost) / WEIGHT;
}

bool fm_event_budget_take(const struct fm_event_budget *budget, struct fm_event_bucket *bucket,
                          uint64_t now, uint32_t sections, uint64_t ticks, bool merges)
{
    const int64_t room = (int64_t)budget->room;
    if (budget->share == 0) {
        return false;
    }
    if (bucket->filled == 0) {
        bucket->credit = room;
    } else if (now > bucket->filled) {
        bucket->credit += (int64_t)(now - bucket->filled);
    }
    bucket->filled = now;
    if (!merges) {
        note_cost(bucket, (double)ticks > budget->bias ? (double)ticks - budget->bias : 1);
    }
    const double by_time = bucket->cost / budget->share;
    const double by_number = (double)budget->event * EVENTS_OF_TWO / 2 *
                             (double)__atomic_load_n(budget->threads, __ATOMIC_RELAXED);
    const double needed = (by_time > by_number ? by_time : by_number) * sections;
    bucket->credit = needed < (double)(2 * room) ? bucket->credit - (int64_t)needed : -room;
    bucket->credit = bucket->credit > room ? room : bucket->credit < -room ? -room : bucket->credit;
    return merges ? bucket->credit < room / 2 : bucket->credit < 0;
}
