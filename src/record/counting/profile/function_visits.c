/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/profile/function_visits.h"

#include <stddef.h>

_Static_assert((int)FM_VISITS_FUNCTIONS <= UINT16_MAX + 1, "numbers in the hash table");

/* @return position in the table; 0: there is no room */
static uint32_t find(struct fm_visits *visits, uint32_t site)
{
    enum { MASK = 2 * FM_VISITS_FUNCTIONS - 1 };
    size_t i = (size_t)(site * UINT64_C(0x9e3779b97f4a7c15) >> 40) & MASK;
    for (; visits->index[i] != 0; i = (i + 1) & MASK) {
        if (visits->functions[visits->index[i]].site == site) {
            return visits->index[i];
        }
    }
    if (visits->count == FM_VISITS_FUNCTIONS) {
        return 0;
    }
    uint32_t number = visits->count++;
    visits->functions[number].site = site;
    visits->index[i] = (uint16_t)number;
    return number;
}

void fm_visits_enter(struct fm_visits *visits, uint32_t site, uint64_t time)
{
    uint32_t function = find(visits, site);
    visits->functions[function].visits++;
    if (visits->depth++ < FM_VISITS_DEEPEST) {
        visits->open[visits->depth - 1] =
            (struct fm_open_visit){.function = function, .enter = time};
    }
}

/* Functions that began in a pause have the time of their begin, which may lie before the end of
 * others: no time is less than 0. */
static void end_innermost(struct fm_visits *visits, uint64_t time)
{
    const struct fm_open_visit ended = visits->open[visits->depth - 1];
    struct fm_function_visits *function = &visits->functions[ended.function];
    uint64_t whole = time > ended.enter ? time - ended.enter : 0;
    function->ticks += whole > ended.inner ? whole - ended.inner : 0;
    function->leads_to_call |= ended.leads_to_call;
    if (visits->depth > 1) {
        visits->open[visits->depth - 2].inner += whole;
        visits->open[visits->depth - 2].leads_to_call |= ended.leads_to_call;
    }
}

void fm_visits_leave(struct fm_visits *visits, uint32_t kept, uint64_t time)
{
    for (; visits->depth > kept; visits->depth--) {
        if (visits->depth <= FM_VISITS_DEEPEST) {
            end_innermost(visits, time);
        }
    }
}
