/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/export.h"

#include <string.h>

#define FM_EXPORT_FORMAT(name) extern const struct fm_export_format fm_export_##name;
#include "export/formats.def"
#undef FM_EXPORT_FORMAT

const struct fm_export_format *const fm_export_formats[] = {
#define FM_EXPORT_FORMAT(name) &fm_export_##name,
#include "export/formats.def"
#undef FM_EXPORT_FORMAT
    NULL,
};

const struct fm_export_format *fm_export_format_by_name(const char *name)
{
    for (size_t i = 0; fm_export_formats[i] != NULL; i++) {
        if (strcmp(fm_export_formats[i]->name, name) == 0) {
            return fm_export_formats[i];
        }
    }
    return NULL;
}
