#include "cli/page/page_file.h"

#include "cli/report/report_file.h"
#include "view/page.h"

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

fm_status_t fm_write_page(const char *place, const struct fm_cube *cube,
                          const struct fm_detail *detail, bool sources, const char *page,
                          struct fm_error *error)
{
    char *environment = fm_read_environment(place);
    const struct fm_page_extras extras = {environment, sources};
    fm_status_t status = fm_page_write(cube, detail, &extras, page, error);
    free(environment);
    return status;
}
