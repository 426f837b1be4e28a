/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/json/json_fields.h"

void fm_json_index(struct fm_json *json, const char *key, uint32_t index)
{
    if (index == FM_CUBE_NONE) {
        fm_json_null(json, key);
    } else {
        fm_json_unsigned(json, key, index);
    }
}

void fm_json_seconds(struct fm_json *json, const char *key, const struct fm_cube *cube,
                     uint64_t ticks)
{
    fm_json_double(json, key, (double)ticks / (double)cube->experiment.ticks_per_second);
}

void fm_json_error(struct fm_json *json, const char *key, const struct fm_cube *cube,
                   uint64_t ticks)
{
    if (cube->errors.are_known) {
        fm_json_seconds(json, key, cube, ticks);
    } else {
        fm_json_null(json, key);
    }
}

void fm_json_put_path_errors(struct fm_json *json, const struct fm_cube *cube)
{
    const struct fm_cube_path_errors *errors = &cube->path_errors;
    if (errors->of_callpath == NULL) {
        fm_json_null(json, "critical_path_errors");
        return;
    }
    fm_json_object(json, "critical_path_errors");
    fm_json_unsigned(json, "turns", errors->turns);
    fm_json_unsigned(json, "insignificant_turns", errors->insignificant);
    fm_json_array(json, "callpaths");
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        if (errors->of_callpath[c] != 0) {
            fm_json_object(json, NULL);
            fm_json_unsigned(json, "callpath", c);
            fm_json_seconds(json, "error", cube, errors->of_callpath[c]);
            fm_json_end(json);
        }
    }
    fm_json_end(json);
    fm_json_end(json);
}

void fm_json_put_clock(struct fm_json *json, const struct fm_cube *cube)
{
    static const char *const modes[] = {
        [FM_CUBE_CLOCK_LINEAR] = "linear",
        [FM_CUBE_CLOCK_LOGICAL] = "clc",
        [FM_CUBE_CLOCK_NONE] = "none",
    };
    const struct fm_cube_clock *clock = &cube->clock;
    fm_json_object(json, "clock");
    fm_json_string(json, "mode", modes[clock->mode]);
    fm_json_bool(json, "estimated", clock->is_estimated);
    if (clock->is_estimated) {
        fm_json_seconds(json, "error", cube, clock->error);
        fm_json_unsigned(json, "unbounded_processes", clock->unbounded);
    } else {
        fm_json_null(json, "error");
        fm_json_null(json, "unbounded_processes");
    }
    fm_json_unsigned(json, "violations_before", clock->violations_before);
    fm_json_unsigned(json, "violations_after", clock->violations_after);
    fm_json_end(json);
}

void fm_json_put_options(struct fm_json *json, const struct fm_cube *cube)
{
    fm_json_object(json, "options");
    fm_json_string(json, "critical_path",
                   cube->path_from_init_to_finalize ? "init-finalize" : "run");
    fm_json_array(json, "switched_off");
    for (uint32_t i = 0; i < cube->switched_off_count; i++) {
        fm_json_string(json, NULL, cube->switched_off[i]);
    }
    fm_json_end(json);
    fm_json_array(json, "partitions");
    for (uint32_t p = 0; p < cube->partition_count; p++) {
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "name", cube->partition_names[p]);
        fm_json_array(json, "locations");
        for (uint32_t l = 0; l < cube->location_count; l++) {
            if (cube->partition_of[l] == p) {
                fm_json_unsigned(json, NULL, l);
            }
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}
