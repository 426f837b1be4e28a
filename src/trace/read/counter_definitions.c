/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/counter_definitions.h"

#include "base/containers/sort.h"
#include "base/processor_time.h"
#include "base/stack_samples.h"

#include <math.h>
#include <string.h>

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type,
                                   OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                   int64_t exponent, OTF2_StringRef unit)
{
    (void)description;
    (void)type;
    (void)value_type;
    struct fm_raw_counters *raw = data;
    OTF2_MetricMode kind = mode & OTF2_METRIC_VALUE_MASK;
    struct fm_raw_counter counter = {.reference = self, .name = name, .unit = unit};
    counter.is_total = kind != OTF2_METRIC_VALUE_ABSOLUTE;
    counter.is_relative = kind == OTF2_METRIC_VALUE_RELATIVE;
    counter.is_since_begin =
        counter.is_relative || (kind == OTF2_METRIC_VALUE_ACCUMULATED &&
                                (mode & OTF2_METRIC_TIMING_MASK) == OTF2_METRIC_TIMING_START);
    counter.scale = pow(base == OTF2_BASE_BINARY ? 2 : 10, (double)exponent);
    fm_vector_push(&raw->counters, counter);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t count,
                                  const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    (void)recorder;
    struct fm_raw_counters *raw = data;
    struct fm_raw_metric metric = {.reference = self,
                                   .like = FM_NONE,
                                   .first = raw->members.count,
                                   .count = count,
                                   .is_apart = occurrence == OTF2_METRIC_ASYNCHRONOUS};
    for (uint8_t i = 0; i < count; i++)
        fm_vector_push(&raw->members, members[i]);
    fm_vector_push(&raw->metrics, metric);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                     OTF2_LocationRef recorder, OTF2_MetricScope scope_kind,
                                     uint64_t scope)
{
    (void)recorder;
    (void)scope_kind;
    (void)scope;
    struct fm_raw_counters *raw = data;
    struct fm_raw_metric metric = {.reference = self, .like = class};
    fm_vector_push(&raw->metrics, metric);
    return OTF2_CALLBACK_SUCCESS;
}

void fm_raw_counters_register(OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_instance);
}

/* Counters with equal names, units and kinds are the same. */
struct identity {
    const char *name, *unit;
    const struct fm_raw_counter *raw;
    uint32_t index; /* in the raw definitions */
};

static int compare_identities(const void *left, const void *right)
{
    const struct identity *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    order = order != 0 ? order : strcmp(a->unit, b->unit);
    order = order != 0 ? order : a->raw->is_total - b->raw->is_total;
    order = order != 0 ? order : a->raw->is_relative - b->raw->is_relative;
    order = order != 0 ? order : (a->raw->scale > b->raw->scale) - (a->raw->scale < b->raw->scale);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static const char *text_of(const struct fm_trace_private *trace, uint32_t string, const char *none)
{
    uint32_t index = fm_references_find(&trace->strings, string);
    return index == FM_NONE ? none : trace->text.items[index];
}

static bool are_same(const struct identity *a, const struct identity *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 &&
           a->raw->is_total == b->raw->is_total && a->raw->is_relative == b->raw->is_relative &&
           !(a->raw->scale < b->raw->scale) && !(a->raw->scale > b->raw->scale);
}

/* @return for each raw counter the first one that is the same */
static uint32_t *find_first_ones(const struct fm_raw_counters *raw,
                                 const struct fm_trace_private *trace)
{
    size_t count = raw->counters.count;
    struct identity *order = fm_allocate(count, sizeof *order);
    uint32_t *first = fm_allocate(count, sizeof *first);
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_raw_counter *counter = &raw->counters.items[i];
        order[i] = (struct identity){text_of(trace, counter->name, "unnamed counter"),
                                     text_of(trace, counter->unit, ""), counter, i};
    }
    fm_sort(order, count, sizeof *order, compare_identities);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && are_same(&order[i - 1], &order[i]);
        first[order[i].index] = same ? first[order[i - 1].index] : order[i].index;
    }
    fm_free(order);
    return first;
}

/* @return the number of a counter of processor times (counters.h), or FM_NONE */
static uint32_t find_processor_time(const char *name)
{
    static const char *const names[] = {
#define FM_PROCESSOR_TIME(symbol, name, unit) name,
        FM_PROCESSOR_TIMES(FM_PROCESSOR_TIME)
#undef FM_PROCESSOR_TIME
    };
    for (uint32_t i = 0; i < FM_PROCESSOR_TIME_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            return FM_COUNTER_OF_PROCESSOR_TIME + i;
        }
    }
    return FM_NONE;
}

static void resolve_members(const struct fm_raw_counters *raw, struct fm_trace_private *into)
{
    struct fm_references *numbers = &into->counter_numbers;
    uint32_t *first = find_first_ones(raw, into);
    into->trace.counters = fm_allocate(raw->counters.count, sizeof *into->trace.counters);
    for (uint32_t i = 0; i < raw->counters.count; i++) {
        const struct fm_raw_counter *from = &raw->counters.items[i];
        uint32_t number = into->trace.counter_count;
        const char *name = text_of(into, from->name, "unnamed counter");
        uint32_t processor_time = find_processor_time(name);
        if (strcmp(name, FM_STACK_SAMPLES) == 0) {
            number = FM_COUNTER_OF_SAMPLES;
        } else if (processor_time != FM_NONE) {
            number = processor_time;
        } else if (first[i] != i) {
            number = fm_references_find(numbers, raw->counters.items[first[i]].reference);
        } else {
            into->trace.counters[into->trace.counter_count++] = (struct fm_counter){
                .name = fm_copy_string(name),
                .unit = fm_copy_string(text_of(into, from->unit, "")),
                .is_total = from->is_total,
                .is_relative = from->is_relative,
                .is_since_begin = from->is_since_begin,
                .scale = from->scale,
                .activity = fm_kernel_activity_named(name),
            };
        }
        fm_references_define(numbers, from->reference, number);
    }
    fm_free(first);
}

/* Marks the counters of asynchronous metrics. */
static void mark_apart(const struct fm_raw_counters *raw, struct fm_trace_private *into)
{
    for (size_t i = 0; i < raw->metrics.count; i++) {
        const struct fm_raw_metric *metric = &raw->metrics.items[i];
        for (uint8_t k = 0; metric->like == FM_NONE && metric->is_apart && k < metric->count; k++) {
            uint32_t number =
                fm_references_find(&into->counter_numbers, raw->members.items[metric->first + k]);
            if (number < into->trace.counter_count) {
                into->trace.counters[number].is_apart = true;
            }
        }
    }
}

void fm_raw_counters_resolve(const struct fm_raw_counters *raw, struct fm_trace_private *into)
{
    resolve_members(raw, into);
    mark_apart(raw, into);
    for (size_t i = 0; i < raw->metrics.count; i++) {
        const struct fm_raw_metric *metric = &raw->metrics.items[i];
        if (metric->like != FM_NONE)
            continue;
        struct fm_counter_set set = {into->set_members.count, metric->count};
        for (uint8_t k = 0; k < metric->count; k++)
            fm_vector_push(
                &into->set_members,
                fm_references_find(&into->counter_numbers, raw->members.items[metric->first + k]));
        fm_references_define(&into->metrics, metric->reference, (uint32_t)into->sets.count);
        fm_vector_push(&into->sets, set);
    }
    for (size_t i = 0; i < raw->metrics.count; i++) {
        const struct fm_raw_metric *metric = &raw->metrics.items[i];
        uint32_t set =
            metric->like == FM_NONE ? FM_NONE : fm_references_find(&into->metrics, metric->like);
        if (set != FM_NONE)
            fm_references_define(&into->metrics, metric->reference, set);
    }
}

void fm_raw_counters_free(struct fm_raw_counters *raw)
{
    fm_vector_free(&raw->counters);
    fm_vector_free(&raw->metrics);
    fm_vector_free(&raw->members);
}
