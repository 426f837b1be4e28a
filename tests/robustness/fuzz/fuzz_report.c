/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes are a report or an error that names the file. Size and checksum are made right first:
 * damage that they tell is found anyway, what lies behind them is to be reached. */
#include "cube/file/cube_format.h"
#include "cube/model/cube.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 24, CHECKSUM = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static const char magic[8] = "\x89"
                                 "FERMATA";
    if (size < HEAD + CHECKSUM) {
        return 0;
    }
    if (path[0] == '\0') {
        strcpy(path, "/tmp/fuzz-report-XXXXXX");
        close(mkstemp(path));
    }
    uint8_t *bytes = malloc(size);
    memcpy(bytes, data, size);
    uint64_t length = size;
    const uint32_t version = FM_CUBE_FILE_VERSION;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + 8, &version, sizeof version);
    memcpy(bytes + 16, &length, sizeof length);
    uint64_t checksum = crc32_z(0, bytes, size - CHECKSUM);
    memcpy(bytes + size - CHECKSUM, &checksum, sizeof checksum);

    int file = open(path, O_WRONLY | O_TRUNC);
    if (write(file, bytes, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    free(bytes);
    struct fm_cube *cube = NULL;
    struct fm_error error = {""};
    fm_status_t status = fm_cube_read(path, &cube, &error);
    if (status == FM_OK) {
        fm_cube_free(cube);
    } else if (status != FM_ERR_DATA || strncmp(error.message, path, strlen(path)) != 0) {
        fprintf(stderr, "status %d: %s\n", status, error.message);
        abort();
    }
    return 0;
}
