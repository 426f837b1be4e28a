/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes are settings, each of which is one, or an error that names file and line. */
#include "record/settings/configuration_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fm_settings settings = {0};
    struct fm_error error = {""};
    fm_status_t status = fm_configuration_parse((const char *)data, size, "a.conf", &settings,
                                                FM_SET_BY_FILE, &error);
    if (status != FM_OK && (status != FM_ERR_USAGE || strncmp(error.message, "a.conf:", 7) != 0)) {
        fprintf(stderr, "status %d: %s\n", status, error.message);
        abort();
    }
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const struct fm_setting_value *value = &settings.values[id];
        if (value->text != NULL && fm_settings_set(&settings, (enum fm_setting_id)id, value->text,
                                                   FM_SET_BY_DEFAULT, "again", &error) != FM_OK) {
            fprintf(stderr, "%s\n", error.message);
            abort();
        }
    }
    fm_settings_free(&settings);
    return 0;
}
