/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived metrics and the values of a parameter. */
#include "cube/derived/derived_values.h"
#include "export/json/json_fields.h"

static void put_values(struct fm_json *json, const char *key, const char *element,
                       const double *values, uint32_t count)
{
    fm_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == 0)
            continue;
        fm_json_object(json, NULL);
        fm_json_unsigned(json, element, i);
        fm_json_double(json, "value", values[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

fm_status_t fm_json_put_derived(struct fm_json *json, const struct fm_view *view,
                                const struct fm_json_derived *derived, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    fm_json_line(json, 1);
    fm_json_array(json, "derived");
    for (unsigned i = 0; i < derived->count && status == FM_OK; i++) {
        const struct fm_expression *expression = derived->definitions[i];
        struct fm_derived_values values;
        status = fm_derived_values_make(view->cube, &view->selection, expression, &values, error);
        if (status != FM_OK)
            break;
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "name", expression->name);
        fm_json_string(json, "expression", expression->text);
        fm_json_double(json, "value", values.total);
        put_values(json, "callpaths", "callpath", values.callpaths, view->cube->callpath_count);
        put_values(json, "locations", "location", values.locations, view->cube->location_count);
        fm_json_end(json);
        fm_derived_values_free(&values);
    }
    fm_json_end(json);
    return status;
}

void fm_json_put_parameter(struct fm_json *json, const struct fm_cube *cube,
                           const struct fm_json_derived *derived,
                           const struct fm_parameter_table *table)
{
    double ticks = (double)cube->experiment.ticks_per_second;
    fm_json_line(json, 1);
    fm_json_object(json, "parameter");
    fm_json_string(json, "name", derived->parameter);
    fm_json_array(json, "values");
    for (uint32_t row = 0; row < table->rows; row++) {
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_string(json, "value", row < table->groups.count ? table->groups.values[row] : NULL);
        fm_json_double(json, "time", (double)table->time[row] / ticks);
        fm_json_double(json, "waiting", (double)table->waiting[row] / ticks);
        fm_json_object(json, "derived");
        for (unsigned i = 0; i < derived->count; i++) {
            fm_json_double(json, derived->definitions[i]->name,
                           table->derived[(size_t)row * derived->count + i]);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}
