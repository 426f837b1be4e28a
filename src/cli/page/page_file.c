/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/page/page_file.h"

#include "base/memory.h"
#include "cli/report/report_file.h"

#include <jansson.h>
#include <stdlib.h>

char *fm_read_environment(const char *place)
{
    char *file = fm_path_beside_report(place, "environment.json");
    json_t *environment = file == NULL ? NULL : json_load_file(file, 0, NULL);
    char *text = environment == NULL ? NULL : json_dumps(environment, JSON_COMPACT);
    json_decref(environment);
    free(file);
    return text;
}

fm_status_t fm_write_page(const char *const *places, const struct fm_cube *const *cubes,
                          size_t count, const struct fm_page_events *events, bool sources,
                          const char *page, struct fm_error *error)
{
    struct fm_page_run *runs = fm_allocate(count, sizeof *runs);
    char **environments = fm_allocate(count, sizeof *environments);
    for (size_t i = 0; i < count; i++) {
        environments[i] = fm_read_environment(places[i]);
        runs[i] = (struct fm_page_run){cubes[i], {places[i], environments[i], sources}};
    }
    fm_status_t status = fm_page_write(runs, count, events, page, error);
    for (size_t i = 0; i < count; i++)
        free(environments[i]);
    fm_free(environments);
    fm_free(runs);
    return status;
}
