/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/counter_descriptions.h"

#include "counters/catalogue.h"

#include <stdio.h>

static const char *list; /* of the counters that are asked for */

static struct fm_counter_description describe(const char *prefix, const char *name, uint32_t kind,
                                              const char *unit, uint32_t slot, uint32_t bins)
{
    struct fm_counter_description description = {.kind = kind,
                                                 .slot = slot,
                                                 .bins = bins,
                                                 .tier = FM_TIER_EXACT,
                                                 .sentinel = fm_counter_sentinel(slot)};
    snprintf(description.name, sizeof description.name, "%s%s%s", prefix,
             prefix[0] != '\0' ? "." : "", name);
    snprintf(description.unit, sizeof description.unit, "%s", unit);
    if (kind == FM_COUNTER_BINS && bins == 2) {
        description.boundary = fm_counter_boundary(FM_BOUNDARY_MESSAGE);
    } else if (kind == FM_COUNTER_COLLECTIVE_BINS) {
        description.boundary = fm_counter_boundary(FM_BOUNDARY_COLLECTIVE);
        description.communicator_boundary = fm_counter_boundary(FM_BOUNDARY_COMMUNICATOR);
    }
    description.is_selected = fm_counter_selected(list, description.name);
    return description;
}

void fm_counter_describe_all(struct fm_counter_description *each, const char *asked)
{
    static const char *const prefixes[] = {
#define FM_COUNTER_MODEL(symbol, prefix, paradigm) prefix,
#include "counters/definitions/counter_models.def"
#undef FM_COUNTER_MODEL
    };
    list = asked;
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)                                \
    *each++ = describe("", name, FM_COUNTER_##kind, unit, FM_SLOT_##symbol, bins);
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)                                        \
    *each++ = describe("", name, FM_COUNTER_##kind, unit, FM_SLOT_##symbol, 1);                    \
    each[-1].tier = FM_TIER_KERNEL;
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
    for (uint32_t model = 0; model < FM_COUNTER_MODELS; model++) {
#define FM_COUNTER(symbol, name, kind, unit, bins, moment, meaning)
#define FM_USAGE_COUNTER(symbol, name, kind, unit, meaning)
#define FM_MODEL_COUNTER(symbol, name, kind, unit, bins, meaning)                                  \
    *each++ = describe(prefixes[model], name, FM_COUNTER_##kind, unit,                             \
                       FM_SLOTS_SINGLE + model * FM_MODEL_SLOTS + FM_MODEL_SLOT_##symbol, bins);
#include "counters/definitions/recorded.def"
#undef FM_COUNTER
#undef FM_USAGE_COUNTER
#undef FM_MODEL_COUNTER
    }
}

struct fm_counter_description fm_counter_describe(const struct fm_added_counter *counter,
                                                  uint32_t slot)
{
    struct fm_counter_description description = describe(
        "", counter->name, counter->kind, counter->unit, slot, slot != 0 ? counter->bins : 0);
    description.tier = counter->tier;
    description.sentinel = counter->sentinel;
    if (counter->rules != NULL) {
        description.rules = slot + counter->bins;
        description.boundary = 0;
    }
    snprintf(description.meaning, sizeof description.meaning, "%s", counter->meaning);
    return description;
}
