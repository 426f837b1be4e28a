/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of any bytes: parsed or refused with a reason; what is parsed decides about any name, and
 * a name that is written as a pattern matches itself. */
#include "filter/filter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_written(const char *name)
{
    char *text = NULL;
    size_t length;
    struct fm_filter *filter = NULL;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL || name[0] == '\0') {
        abort();
    }
    fputs("REGION_NAMES_BEGIN EXCLUDE ", file);
    fm_filter_write_name(file, name);
    fputs(" REGION_NAMES_END", file);
    if (fclose(file) != 0 || fm_filter_parse(text, length, "f", &filter, NULL) != FM_OK ||
        !fm_filter_excludes(filter, name, NULL, NULL)) {
        abort();
    }
    fm_filter_free(filter);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fm_filter *filter = NULL;
    struct fm_error error = {""};
    char *name = malloc(size + 2);
    if (name == NULL) {
        return 0;
    }
    memcpy(name, data, size);
    name[size] = '\0';
    if (fm_filter_parse((const char *)data, size, "fuzz", &filter, &error) == FM_OK) {
        fm_filter_excludes(filter, name, "symbol", "/folder/file.c");
        fm_filter_excludes(filter, "f", name, name);
    } else if (error.message[0] == '\0') {
        abort();
    }
    fm_filter_free(filter);
    if (size != 0 && name[0] != '\0') {
        check_written(name);
    }
    free(name);
    return 0;
}
