/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes are a file of tiles, of which each can be read, or an error. With and without a right
 * checksum, so that what is behind it is reached. */
#include "view/tiles/tile_store.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TRAILER 40U

static void read_all(const uint8_t *bytes, size_t size, uint64_t key)
{
    struct fm_error error = {""};
    struct fm_tile_store *store = NULL;
    int fd = memfd_create("tiles", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    fm_status_t status = fm_tile_store_open(fd, key, &store, &error);
    if ((status == FM_OK) != (store != NULL) || (status != FM_OK) != (error.message[0] != '\0'))
        abort();
    for (uint64_t i = 0; store != NULL && i < fm_tile_store_count(store); i++) {
        unsigned char *tile;
        size_t length;
        if (fm_tile_store_read(store, i, &tile, &length, &error) != FM_OK || length > size)
            abort();
        free(tile);
    }
    fm_tile_store_close(store);
}

static uint64_t load(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all(data, size, 1);
    if (size < TRAILER)
        return 0;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    uint8_t *trailer = copy + size - TRAILER;
    uint64_t at = load(trailer + 8);
    if (at <= size - TRAILER) {
        uint64_t crc = crc32_z(0, copy + at, size - TRAILER - at + 24);
        memcpy(trailer + 24, &crc, sizeof crc);
        read_all(copy, size, load(trailer + 16));
    }
    free(copy);
    return 0;
}
