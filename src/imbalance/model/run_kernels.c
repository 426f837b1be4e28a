/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/run_kernels.h"

#include "imbalance/model/composite.h"
#include "imbalance/model/rank_of_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of a file with its rank. */
struct ranked_kernel {
    uint32_t rank;
    const struct fm_kernel *kernel;
};
typedef FM_VECTOR(struct ranked_kernel) kernel_list;

/* ---- ranks ---- */

static const struct fm_process_rank *find_process(const struct fm_gpu_sources *sources,
                                                  const struct fm_kernel *kernel)
{
    for (size_t f = 0; f < sources->files.count; f++) {
        const struct fm_input_file *file = sources->files.items[f];
        for (size_t i = 0; i < file->map.count; i++) {
            const struct fm_process_rank *row = &file->map.items[i];
            if (row->process == kernel->process &&
                (row->host[0] == '\0' || strcmp(row->host, kernel->host) == 0)) {
                return row;
            }
        }
    }
    return NULL;
}

static bool has_map(const struct fm_gpu_sources *sources)
{
    for (size_t f = 0; f < sources->files.count; f++) {
        if (sources->files.items[f]->map.count > 0) {
            return true;
        }
    }
    return false;
}

/* Whether all kernels of a file are of one process. */
static bool is_of_one_process(const struct fm_input_file *file)
{
    for (size_t i = 1; i < file->table.kernels.count; i++) {
        const struct fm_kernel *a = &file->table.kernels.items[i - 1], *b = a + 1;
        if (a->process != b->process || strcmp(a->host, b->host) != 0) {
            return false;
        }
    }
    return true;
}

static size_t count_profiles(const struct fm_gpu_sources *sources)
{
    size_t count = 0;
    for (size_t f = 0; f < sources->files.count; f++) {
        count += sources->files.items[f]->table.kernels.count > 0;
    }
    return count;
}

/* The rank of all kernels of a file that state none. */
static fm_status_t rank_of_file(const struct fm_gpu_sources *sources,
                                const struct fm_gpu_request *request,
                                const struct fm_input_file *file, uint32_t *rank,
                                struct fm_error *error)
{
    if (!is_of_one_process(file)) {
        return fm_fail(error, FM_ERR_DATA,
                       "%.400s: the file has kernels of several processes: a table `process,rank` "
                       "must state their ranks",
                       file->path);
    }
    enum fm_rank_answer answer = fm_rank_in_name(file->path, request->rank_pattern, rank);
    if (answer == FM_RANK_UNSTATED && request->rank_pattern == NULL &&
        count_profiles(sources) == 1) {
        *rank = 0;
        answer = FM_RANK_STATED;
    }
    if (answer == FM_RANK_AMBIGUOUS) {
        return fm_fail(error, FM_ERR_DATA,
                       "%.400s: the name of the file has several numbers: --rank-pattern, the name "
                       "with %%r where the rank stands, tells which one is the rank",
                       file->path);
    }
    if (answer == FM_RANK_UNSTATED) {
        return fm_fail(error, FM_ERR_DATA,
                       "%.400s: the name of the file does not tell a rank%s%.100s (--rank-pattern)",
                       file->path, request->rank_pattern != NULL ? " by the pattern " : "",
                       request->rank_pattern != NULL ? request->rank_pattern : "");
    }
    return FM_OK;
}

static fm_status_t add_file(const struct fm_gpu_sources *sources,
                            const struct fm_gpu_request *request, const struct fm_input_file *file,
                            kernel_list *list, bool *is_modelled, struct fm_error *error)
{
    const bool mapped = has_map(sources);
    uint32_t of_file = FM_RANK_NONE;
    for (size_t i = 0; i < file->table.kernels.count; i++) {
        const struct fm_kernel *kernel = &file->table.kernels.items[i];
        if (request->kernels != NULL && regexec(request->kernels, kernel->name, 0, NULL, 0) != 0) {
            continue;
        }
        uint32_t rank = kernel->rank;
        if (rank == FM_RANK_NONE && mapped) {
            const struct fm_process_rank *row = find_process(sources, kernel);
            if (row == NULL) {
                return fm_fail(error, FM_ERR_DATA,
                               "%.400s:%lu: the table of processes has no rank of process %llu",
                               file->path, kernel->line, (unsigned long long)kernel->process);
            }
            rank = row->rank;
        } else if (rank == FM_RANK_NONE) {
            fm_status_t status = FM_OK;
            if (of_file == FM_RANK_NONE) {
                status = rank_of_file(sources, request, file, &of_file, error);
            }
            if (status != FM_OK) {
                return status;
            }
            rank = of_file;
        }
        *is_modelled |= strncmp(kernel->device, "model", 5) == 0;
        fm_vector_push(list, (struct ranked_kernel){.rank = rank, .kernel = kernel});
    }
    return FM_OK;
}

/* ---- efficiencies of a row ---- */

/* What a row of a profile states. NAN: nothing. */
struct facts {
    double time, sm, warp, composite, sm_imbalance;
};

static double fraction(double value, bool *too_large)
{
    *too_large |= value > 1;
    return value > 1 ? 1 : value;
}

static struct facts facts_of(const struct fm_kernel *kernel, bool *too_large)
{
    const double *values = kernel->values;
    struct facts facts = {.time = values[FM_GPU_TIME], .sm_imbalance = NAN};
    double sm = values[FM_GPU_SM_EFFICIENCY];
    if (isnan(sm) && values[FM_GPU_SM_ELAPSED] > 0) {
        sm = values[FM_GPU_SM_CYCLES] / values[FM_GPU_SM_ELAPSED];
    }
    facts.sm = fraction(sm, too_large);
    facts.warp = fraction(values[FM_GPU_WARP_EFFICIENCY], too_large);
    facts.composite = fm_composite(kernel, facts.sm, facts.warp);
    if (kernel->sm_cycles != NULL) {
        facts.sm_imbalance = fm_load_imbalance_of(kernel->sm_cycles, kernel->sm_count).imbalance;
    } else if (values[FM_GPU_SM_CYCLES] > 0) {
        facts.sm_imbalance = values[FM_GPU_SM_CYCLES_MAX] / values[FM_GPU_SM_CYCLES] - 1;
    }
    return facts;
}

/* ---- sums ---- */

/* A mean with two kinds of weights: time, and launches. */
struct mean {
    double by_time, time, by_launch, launches;
    bool lacks_time;
};

static void add_to(struct mean *mean, double value, double time, uint64_t launches)
{
    if (isnan(value)) {
        return;
    }
    mean->by_launch += value * (double)launches;
    mean->launches += (double)launches;
    if (isnan(time)) {
        mean->lacks_time = true;
    } else {
        mean->by_time += value * time * (double)launches;
        mean->time += time * (double)launches;
    }
}

static double unweighted(const struct mean *mean)
{
    return mean->launches > 0 ? mean->by_launch / mean->launches : NAN;
}

static double weighted(const struct mean *mean)
{
    return !mean->lacks_time && mean->time > 0 ? mean->by_time / mean->time : unweighted(mean);
}

/* The rows of one kernel of one rank: from profiles of times, and of efficiencies. */
struct kernel_sum {
    struct mean sm, warp, efficiency, composite, sm_imbalance;
    double time, replayed_time;               /* of all launches; 0: not known */
    uint64_t launches, timed, replayed_timed; /* launches in rows with efficiencies, with times */
};

static void add_row(struct kernel_sum *sum, const struct fm_kernel *kernel, bool *too_large)
{
    const struct facts facts = facts_of(kernel, too_large);
    const uint64_t n = kernel->launches;
    if (!isnan(facts.time)) {
        *(kernel->is_replayed ? &sum->replayed_time : &sum->time) += facts.time * (double)n;
        *(kernel->is_replayed ? &sum->replayed_timed : &sum->timed) += n;
    }
    if (!isnan(facts.sm) || !isnan(facts.warp)) {
        sum->launches += n;
    }
    add_to(&sum->sm, facts.sm, facts.time, n);
    add_to(&sum->warp, facts.warp, facts.time, n);
    add_to(&sum->efficiency, facts.sm * facts.warp, facts.time, n);
    add_to(&sum->composite, facts.composite, facts.time, n);
    add_to(&sum->sm_imbalance, facts.sm_imbalance, facts.time, n);
}

/* What a rank's kernels are together. */
struct rank_sum {
    struct mean sm, warp, efficiency, composite, sm_imbalance, one_each;
    double time;
    uint64_t launches;
    bool lacks_time, is_replayed;
};

/* Adds a kernel; its values count as one of mean time for all of its launches. */
static void add_kernel(struct rank_sum *rank, const struct kernel_sum *sum)
{
    double time = NAN;
    uint64_t launches = sum->launches;
    if (sum->timed > 0) {
        time = sum->time;
        launches = sum->timed;
    } else if (sum->replayed_timed > 0) {
        time = sum->replayed_time;
        launches = sum->replayed_timed;
        rank->is_replayed = true;
    }
    if (launches == 0) {
        return;
    }
    const double each = time / (double)launches;
    double efficiency = weighted(&sum->efficiency);
    double composite = weighted(&sum->composite);
    if (isnan(efficiency)) { /* its two factors come from different profiles */
        struct fm_kernel nothing = fm_kernel_of("", 0);
        efficiency = weighted(&sum->sm) * weighted(&sum->warp);
        composite = fm_composite(&nothing, weighted(&sum->sm), weighted(&sum->warp));
    }
    rank->launches += launches;
    rank->lacks_time |= isnan(time);
    rank->time += isnan(time) ? 0 : time;
    add_to(&rank->sm, weighted(&sum->sm), each, launches);
    add_to(&rank->warp, weighted(&sum->warp), each, launches);
    add_to(&rank->efficiency, efficiency, each, launches);
    add_to(&rank->composite, composite, each, launches);
    add_to(&rank->sm_imbalance, weighted(&sum->sm_imbalance), each, launches);
    const double once = unweighted(&sum->efficiency);
    add_to(&rank->one_each, isnan(once) ? efficiency : once, NAN, launches);
}

static struct fm_rank_kernels close_rank(uint32_t rank, const struct rank_sum *sum)
{
    return (struct fm_rank_kernels){
        .rank = rank,
        .launches = sum->launches,
        .time = sum->lacks_time ? NAN : sum->time,
        .sm = weighted(&sum->sm),
        .warp = weighted(&sum->warp),
        .efficiency = weighted(&sum->efficiency),
        .unweighted = unweighted(&sum->one_each),
        .composite = weighted(&sum->composite),
        .sm_imbalance = weighted(&sum->sm_imbalance),
    };
}

/* ---- the run ---- */

/* By rank, then by name, then by file and line as they were. */
static int compare(const void *left, const void *right)
{
    const struct ranked_kernel *a = left, *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    const int order = strcmp(a->kernel->name, b->kernel->name);
    if (order != 0) {
        return order;
    }
    return (a->kernel->line > b->kernel->line) - (a->kernel->line < b->kernel->line);
}

static int compare_names(const void *left, const void *right)
{
    const struct ranked_kernel *a = left, *b = right;
    return strcmp(a->kernel->name, b->kernel->name);
}

static uint64_t count_names(kernel_list *list)
{
    uint64_t count = list->count > 0;
    qsort(list->items, list->count, sizeof *list->items, compare_names);
    for (size_t i = 1; i < list->count; i++) {
        count += compare_names(&list->items[i - 1], &list->items[i]) != 0;
    }
    return count;
}

static void add_ranks(const kernel_list *list, struct fm_run_kernels *kernels,
                      struct fm_gpu_run *run)
{
    bool too_large = false, is_replayed = false;
    kernels->ranks = fm_allocate(list->count, sizeof *kernels->ranks);
    for (size_t begin = 0, end; begin < list->count; begin = end) {
        const uint32_t rank = list->items[begin].rank;
        struct rank_sum sum = {.time = 0};
        for (end = begin; end < list->count && list->items[end].rank == rank;) {
            const char *name = list->items[end].kernel->name;
            struct kernel_sum kernel = {.time = 0};
            for (; end < list->count && list->items[end].rank == rank &&
                   strcmp(list->items[end].kernel->name, name) == 0;
                 end++) {
                add_row(&kernel, list->items[end].kernel, &too_large);
            }
            add_kernel(&sum, &kernel);
        }
        is_replayed |= sum.is_replayed;
        kernels->ranks[kernels->count++] = close_rank(rank, &sum);
    }
    if (too_large) {
        fm_gpu_run_warn(run, "An efficiency is above 100 %%: it counts as 100 %%.");
    }
    if (is_replayed) {
        fm_gpu_run_warn(run,
                        "The time of kernels is that of a run in which they were measured, and "
                        "perhaps replayed: take times from a run without metrics.");
    }
}

fm_status_t fm_run_kernels_make(const struct fm_gpu_sources *sources,
                                const struct fm_gpu_request *request,
                                struct fm_run_kernels *kernels, struct fm_gpu_run *run,
                                struct fm_error *error)
{
    kernel_list list = {0};
    fm_status_t status = FM_OK;
    size_t known = 0;
    for (size_t f = 0; f < sources->files.count && status == FM_OK; f++) {
        known += sources->files.items[f]->table.kernels.count;
        status =
            add_file(sources, request, sources->files.items[f], &list, &run->is_modelled, error);
    }
    if (status == FM_OK && known > 0 && list.count == 0) {
        status = fm_fail(error, FM_ERR_DATA, "no name of a kernel matches --kernel");
    }
    if (status == FM_OK && list.count > 0) {
        kernels->names = count_names(&list);
        qsort(list.items, list.count, sizeof *list.items, compare);
        add_ranks(&list, kernels, run);
    }
    fm_vector_free(&list);
    return status;
}

void fm_run_kernels_free(struct fm_run_kernels *kernels)
{
    fm_free(kernels->ranks);
    *kernels = (struct fm_run_kernels){.ranks = NULL};
}
