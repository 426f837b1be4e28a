/* Statistics of the wait states: distribution of each kind's waiting times, and the worst ones. */
#include "analysis/severity.h"

#include <string.h>

/* A wait state, with what decides between equally long ones. */
struct instance {
    uint64_t wait;
    uint32_t location;
    uint32_t candidate;
};

typedef FM_VECTOR(struct instance) instance_vector;

struct collecting {
    struct fm_analysis *analysis;
    instance_vector (*instances)[FM_METRIC_COUNT]; /* by worker */
};

static void collect(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct collecting *collecting = context;
    const struct fm_trace *trace = collecting->analysis->trace;
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t l = process->first_location;
             l < process->first_location + process->location_count; ++l) {
            const struct fm_findings *findings = &collecting->analysis->findings[l];
            for (size_t i = 0; i < findings->waits.count; ++i) {
                uint32_t index = findings->waits.items[i];
                const struct fm_candidate *wait = &findings->candidates.items[index];
                uint64_t ticks = wait->t - trace->locations[l].enter.items[wait->activity];
                instance_vector *list = &collecting->instances[worker][wait->metric];
                fm_vector_push(list, (struct instance){ticks, l, index});
            }
        }
    }
}

static bool is_less(const struct instance *a, const struct instance *b)
{
    if (a->wait != b->wait) {
        return a->wait < b->wait;
    }
    /* Of equally long ones, the one of the lower location, then the earlier one, is worse. */
    return a->location != b->location ? a->location > b->location : a->candidate > b->candidate;
}

static void swap(struct instance *a, struct instance *b)
{
    struct instance other = *a;
    *a = *b;
    *b = other;
}

/* Puts the element that belongs at `position` there, smaller ones before, larger ones behind it. */
static void select_element(struct instance *items, size_t count, size_t position)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (is_less(&items[middle], &items[low])) {
            swap(&items[middle], &items[low]);
        }
        if (is_less(&items[high - 1], &items[low])) {
            swap(&items[high - 1], &items[low]);
        }
        if (is_less(&items[high - 1], &items[middle])) {
            swap(&items[high - 1], &items[middle]);
        }
        struct instance pivot = items[middle];
        size_t left = low, right = high - 1;
        while (left <= right) {
            while (is_less(&items[left], &pivot)) {
                ++left;
            }
            while (is_less(&pivot, &items[right])) {
                --right;
            }
            if (left <= right) {
                swap(&items[left++], &items[right]);
                if (right == 0) {
                    break;
                }
                --right;
            }
        }
        if (position <= right && right < high) {
            high = right + 1;
        } else if (position >= left) {
            low = left;
        } else {
            return;
        }
    }
}

static struct fm_cube_instance describe(const struct fm_analysis *analysis,
                                        const struct instance *instance)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[instance->location];
    const struct fm_candidate *wait =
        &analysis->findings[instance->location].candidates.items[instance->candidate];
    const struct fm_location *cause = &trace->locations[wait->cause_location];
    return (struct fm_cube_instance){
        .location = instance->location,
        .callpath = location->profile.items[location->visit.items[wait->activity]].callpath,
        .enter = location->enter.items[wait->activity],
        .wait = instance->wait,
        .cause_location = wait->cause_location,
        .cause_callpath = cause->profile.items[cause->visit.items[wait->cause_activity]].callpath,
    };
}

static struct fm_cube_statistics summarize(const struct fm_analysis *analysis,
                                           const struct fm_cube *cube, fm_metric_t metric,
                                           struct instance *items, size_t count)
{
    struct fm_cube_statistics statistics = {.metric = metric, .count = count};
    for (size_t i = 0; i < count; ++i) {
        statistics.sum += items[i].wait;
    }
    /* Each selection works on what the one before has left behind its position. */
    size_t positions[4] = {0, (count - 1) / 4, (count - 1) / 2, (count - 1) * 3 / 4};
    uint64_t *values[4] = {&statistics.min, &statistics.lower_quartile, &statistics.median,
                           &statistics.upper_quartile};
    size_t done = 0;
    for (unsigned q = 0; q < 4; ++q) {
        select_element(items + done, count - done, positions[q] - done);
        *values[q] = items[positions[q]].wait;
        done = positions[q];
    }
    statistics.worst_count = (uint32_t)(count < FM_CUBE_WORST ? count : FM_CUBE_WORST);
    for (uint32_t i = 0; i < statistics.worst_count; ++i) {
        size_t position = count - 1 - i;
        done = done < position ? done : position;
        select_element(items + done, position + 1 - done, position - done);
        statistics.worst[i] = describe(analysis, &items[position]);
        statistics.worst[i].enter -= cube->experiment.begin;
    }
    statistics.max = statistics.worst[0].wait;
    return statistics;
}

/* @return the kind that a metric is a form of: wrong order is a form of Late Sender */
static fm_metric_t kind_of(fm_metric_t metric)
{
    switch (metric) {
    case FM_METRIC_MPI_LSWO_SAME:
    case FM_METRIC_MPI_LSWO_DIFFERENT:
        return FM_METRIC_MPI_LATESENDER;
    case FM_METRIC_MPI_LATERECEIVER_WO:
        return FM_METRIC_MPI_LATERECEIVER;
    default:
        return metric;
    }
}

fm_status_t fm_statistics_fill(struct fm_analysis *analysis, struct fm_cube *cube,
                               struct fm_error *error)
{
    unsigned workers = fm_engine_workers(analysis->engine);
    struct collecting collecting = {analysis, fm_allocate(workers, sizeof *collecting.instances)};
    fm_engine_run(analysis->engine, collect, &collecting);
    fm_status_t status = FM_OK;
    for (fm_metric_t kind = 0; kind < FM_METRIC_COUNT && status == FM_OK; ++kind) {
        instance_vector all = {0};
        for (fm_metric_t metric = kind; metric < FM_METRIC_COUNT; ++metric) {
            for (unsigned w = 0; kind_of(metric) == kind && w < workers; ++w) {
                const instance_vector *list = &collecting.instances[w][metric];
                fm_vector_reserve(&all, list->count);
                if (list->count != 0) {
                    memcpy(all.items + all.count, list->items, list->count * sizeof *list->items);
                }
                all.count += list->count;
            }
        }
        if (all.count != 0) {
            struct fm_cube_statistics statistics =
                summarize(analysis, cube, kind, all.items, all.count);
            status = fm_cube_add_statistics(cube, &statistics, error);
        }
        fm_vector_free(&all);
    }
    for (unsigned w = 0; w < workers; ++w) {
        for (unsigned metric = 0; metric < FM_METRIC_COUNT; ++metric) {
            fm_vector_free(&collecting.instances[w][metric]);
        }
    }
    fm_free(collecting.instances);
    return status;
}
