/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json/json_writer.h"
#include "imbalance/output/output.h"

#include <math.h>

/* NAN becomes null. */
static void put_spread(struct fm_json *json, const struct fm_gpu_run *run, fm_load_t load)
{
    const struct fm_load_imbalance *spread = &run->loads[load];
    fm_json_object(json, fm_load_id(load));
    fm_json_unsigned(json, "ranks", spread->count);
    fm_json_double(json, "largest", spread->largest);
    fm_json_double(json, "average", spread->average);
    if (spread->count > 0) {
        fm_json_unsigned(json, "rank_of_largest", run->ranks.items[spread->where].rank);
    } else {
        fm_json_null(json, "rank_of_largest");
    }
    fm_json_double(json, "imbalance", spread->imbalance);
    fm_json_double(json, "correlation", run->correlation[load]);
    fm_json_double(json, "improvement",
                   load > FM_LOAD_MEASURED ? fm_gpu_improvement(run->correlation[FM_LOAD_MEASURED],
                                                                run->correlation[load])
                                           : NAN);
    fm_json_end(json);
}

static void put_rank(struct fm_json *json, const struct fm_gpu_rank *rank)
{
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "rank", rank->rank);
    fm_json_unsigned(json, "launches", rank->launches);
    fm_json_double(json, "sm_efficiency", rank->sm);
    fm_json_double(json, "warp_efficiency", rank->warp);
    fm_json_double(json, "gpu_efficiency", rank->efficiency);
    fm_json_double(json, "gpu_efficiency_unweighted", rank->unweighted);
    fm_json_double(json, "composite_efficiency", rank->composite);
    fm_json_double(json, "sm_imbalance", rank->sm_imbalance);
    fm_json_object(json, "loads");
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        fm_json_double(json, fm_load_id((fm_load_t)l), rank->loads[l]);
    }
    fm_json_end(json);
    fm_json_object(json, "differences");
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        fm_json_double(json, fm_load_id((fm_load_t)l), rank->difference[l]);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void put_run(struct fm_json *json, const struct fm_gpu_run *run)
{
    fm_json_object(json, NULL);
    fm_json_string(json, "label", run->label);
    fm_json_string(json, "set", run->set);
    fm_json_bool(json, "modelled", run->is_modelled);
    fm_json_unsigned(json, "kernels", run->kernels);
    fm_json_object(json, "loads");
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        put_spread(json, run, (fm_load_t)l);
    }
    fm_json_end(json);
    fm_json_array(json, "ranks");
    for (size_t i = 0; i < run->ranks.count; i++) {
        put_rank(json, &run->ranks.items[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "threads");
    for (size_t i = 0; i < run->threads.count; i++) {
        fm_json_double(json, NULL, run->threads.items[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "warnings");
    for (size_t i = 0; i < run->warnings.count; i++) {
        fm_json_string(json, NULL, run->warnings.items[i]);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static const char *const load_keys[FM_SWEEP_LOADS] = {"computation", "measured", "adjusted",
                                                      "composite"};

static void put_set(struct fm_json *json, const struct fm_sweep *sweep,
                    const struct fm_sweep_set *set)
{
    fm_json_object(json, NULL);
    fm_json_string(json, "set", set->name);
    fm_json_object(json, "mean_error");
    for (int l = 0; l < FM_SWEEP_LOADS; l++) {
        fm_json_double(json, load_keys[l], set->error[l]);
    }
    fm_json_end(json);
    fm_json_object(json, "largest_error");
    for (int l = 0; l < FM_SWEEP_LOADS; l++) {
        fm_json_double(json, load_keys[l], set->worst[l]);
    }
    fm_json_end(json);
    fm_json_array(json, "problems");
    for (size_t i = set->begin; i < set->end; i++) {
        const struct fm_sweep_row *row = &sweep->rows.items[i];
        fm_json_object(json, NULL);
        fm_json_string(json, "problem", row->problem);
        for (int c = 0; c < FM_SWEEP_COLUMN_COUNT; c++) {
            fm_json_double(json, fm_sweep_column_name((fm_sweep_column_t)c), row->values[c]);
        }
        fm_json_bool(json, "adjusted_is_nearer",
                     fm_sweep_is_nearer(row, FM_SWEEP_LOAD_ADJUSTED, FM_SWEEP_LOAD_MEASURED));
        fm_json_bool(json, "composite_is_nearer",
                     fm_sweep_is_nearer(row, FM_SWEEP_LOAD_COMPOSITE, FM_SWEEP_LOAD_MEASURED));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

void fm_imbalance_write_json(const struct fm_imbalance_result *result, FILE *stream)
{
    struct fm_json json = fm_json_begin(stream, FM_JSON_INDENTED);
    fm_json_object(&json, NULL);
    fm_json_array(&json, "runs");
    for (size_t i = 0; i < result->run_count; i++) {
        put_run(&json, &result->runs[i]);
    }
    fm_json_end(&json);
    if (result->sweep == NULL) {
        fm_json_null(&json, "sweep");
    } else {
        fm_json_object(&json, "sweep");
        fm_json_bool(&json, "composite_is_estimated", result->sweep->is_composite_estimated);
        fm_json_array(&json, "sets");
        for (size_t s = 0; s < result->sweep->sets.count; s++) {
            put_set(&json, result->sweep, &result->sweep->sets.items[s]);
        }
        fm_json_end(&json);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    putc('\n', stream);
}
