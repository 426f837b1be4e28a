/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting time by time bins, which are equal parts of the run. */
#include "analysis/results/phases.h"

#include "analysis/results/statistics.h"
#include "base/containers/keyed_sort.h"

typedef FM_VECTOR(struct fm_cube_bin) bin_vector;

struct binning {
    const struct fm_formation *formation;
    uint64_t edges[FM_CUBE_TIME_BINS + 1]; /* ticks of the trace clock */
    uint32_t locations_per_row;
    uint32_t kind_count;
    uint32_t kinds[FM_METRIC_USER];       /* wait states */
    uint32_t kind_number[FM_METRIC_USER]; /* by metric: position in `kinds` */
    bin_vector *cells;                    /* by worker */
};

static void list_kinds(struct binning *binning)
{
    for (uint32_t metric = 0; metric < FM_METRIC_USER; ++metric) {
        if (fm_metric_info((fm_metric_t)metric)->is_wait_state) {
            binning->kind_number[metric] = binning->kind_count;
            binning->kinds[binning->kind_count++] = metric;
        }
    }
}

/* Waiting time of one row of locations. */
struct row_sums {
    uint64_t *ticks; /* [kind][bin] */
    bool *occurs;    /* [kind] */
};

/* @return the last bin that does not begin after `time` */
static uint32_t bin_of(const struct binning *binning, uint64_t time)
{
    uint32_t low = 0, high = FM_CUBE_TIME_BINS;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (binning->edges[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void add_location(const struct binning *binning, uint32_t location, struct row_sums *row)
{
    const struct fm_wait_list *waits = &binning->formation->busy_times[location].waits;
    for (uint32_t w = 0; w < waits->count; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        uint32_t kind = binning->kind_number[fm_wait_kind((fm_metric_t)wait->metric)];
        uint64_t *of_kind = &row->ticks[(size_t)kind * FM_CUBE_TIME_BINS];
        row->occurs[kind] = true;
        uint64_t from = wait->enter;
        for (uint32_t bin = bin_of(binning, from); from < wait->until; ++bin) {
            uint64_t edge = bin + 1 < FM_CUBE_TIME_BINS ? binning->edges[bin + 1] : UINT64_MAX;
            uint64_t to = wait->until < edge ? wait->until : edge;
            of_kind[bin] += to - from;
            from = to;
        }
    }
}

/* Moves the sums of a row's locations to the cells. */
static void end_row(const struct binning *binning, bin_vector *cells, struct row_sums *sums,
                    uint32_t row)
{
    for (uint32_t kind = 0; kind < binning->kind_count; ++kind) {
        for (uint32_t bin = 0; sums->occurs[kind] && bin < FM_CUBE_TIME_BINS; ++bin) {
            uint64_t *value = &sums->ticks[(size_t)kind * FM_CUBE_TIME_BINS + bin];
            if (*value != 0) {
                fm_vector_push(cells, (struct fm_cube_bin){binning->kinds[kind], row, bin, *value});
                *value = 0;
            }
        }
        sums->occurs[kind] = false;
    }
}

static void fill_bins(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct binning *binning = context;
    const struct fm_trace *trace = binning->formation->analysis->trace;
    struct row_sums sums = {
        .ticks = fm_allocate((size_t)binning->kind_count * FM_CUBE_TIME_BINS, sizeof *sums.ticks),
        .occurs = fm_allocate(binning->kind_count, sizeof *sums.occurs),
    };
    uint32_t row = FM_NONE;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        if (row != FM_NONE && row != l / binning->locations_per_row) {
            end_row(binning, &binning->cells[worker], &sums, row);
        }
        row = l / binning->locations_per_row;
        add_location(binning, l, &sums);
    }
    if (row != FM_NONE) {
        end_row(binning, &binning->cells[worker], &sums, row);
    }
    fm_free(sums.ticks);
    fm_free(sums.occurs);
}

static bool are_same(const struct fm_cube_bin *left, const struct fm_cube_bin *right)
{
    return left->metric == right->metric && left->row == right->row && left->bin == right->bin;
}

/* Sorts the cells, and adds up those of a row that several workers share. */
static void merge_cells(bin_vector *cells)
{
    size_t kept = 0;
    /* by (metric, row, bin) */
    fm_sort_by_three(cells->items, cells->count, sizeof *cells->items);
    for (size_t i = 0; i < cells->count; ++i) {
        if (kept > 0 && are_same(&cells->items[kept - 1], &cells->items[i])) {
            cells->items[kept - 1].ticks += cells->items[i].ticks;
        } else {
            cells->items[kept++] = cells->items[i];
        }
    }
    cells->count = kept;
}

struct fm_cube_bins fm_time_bins_compute(const struct fm_formation *formation, uint64_t begin,
                                         uint64_t end)
{
    struct fm_analysis *analysis = formation->analysis;
    unsigned workers = fm_engine_workers(analysis->engine);
    uint32_t locations = analysis->trace->location_count;
    struct binning binning = {
        .formation = formation,
        .locations_per_row = (locations + FM_CUBE_TIME_ROWS - 1) / FM_CUBE_TIME_ROWS,
        .cells = fm_allocate(workers, sizeof *binning.cells),
    };
    list_kinds(&binning);
    for (uint32_t i = 0; i <= FM_CUBE_TIME_BINS; ++i) {
        binning.edges[i] = begin + fm_cube_bin_edge(end - begin, FM_CUBE_TIME_BINS, i);
    }
    fm_engine_run(analysis->engine, fill_bins, &binning);
    bin_vector own = {0}, all = {0};
    for (unsigned w = 0; w < workers; ++w) {
        for (size_t i = 0; i < binning.cells[w].count; ++i) {
            fm_vector_push(&own, binning.cells[w].items[i]);
        }
        fm_vector_free(&binning.cells[w]);
    }
    fm_free(binning.cells);
    fm_team_collect_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    merge_cells(&all);
    return (struct fm_cube_bins){
        .bin_count = FM_CUBE_TIME_BINS,
        .locations_per_row = binning.locations_per_row,
        .cell_count = all.count,
        .cells = all.items,
    };
}
