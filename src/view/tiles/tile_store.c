/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/tiles/tile_store.h"

#include "base/containers/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define MAGIC        "FMTILES1"
#define MAGIC_SIZE   8U
#define ENTRY_SIZE   16U
#define TRAILER_SIZE (4 * 8U + MAGIC_SIZE)

struct entry {
    uint64_t offset, size;
};

static void store_u64(unsigned char *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t load_u64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* ---- writing ---- */

struct fm_tile_writer {
    FILE *stream;
    uint64_t offset;
    FM_VECTOR(struct entry) table;
};

struct fm_tile_writer *fm_tile_writer_create(FILE *stream)
{
    struct fm_tile_writer *writer = fm_allocate(1, sizeof *writer);
    writer->stream = stream;
    writer->offset = fwrite(MAGIC, 1, MAGIC_SIZE, stream);
    return writer;
}

void fm_tile_writer_put(struct fm_tile_writer *writer, uint64_t number, const void *bytes,
                        size_t size)
{
    while (writer->table.count <= number)
        fm_vector_push(&writer->table, (struct entry){0});
    writer->table.items[number] = (struct entry){writer->offset, size};
    fwrite(bytes, 1, size, writer->stream);
    writer->offset += size;
}

void fm_tile_writer_finish(struct fm_tile_writer *writer, uint64_t key)
{
    uLong crc = 0;
    unsigned char bytes[ENTRY_SIZE + 8];
    for (size_t i = 0; i < writer->table.count; i++) {
        store_u64(bytes, writer->table.items[i].offset);
        store_u64(bytes + 8, writer->table.items[i].size);
        crc = crc32_z(crc, bytes, ENTRY_SIZE);
        fwrite(bytes, 1, ENTRY_SIZE, writer->stream);
    }
    store_u64(bytes, writer->table.count);
    store_u64(bytes + 8, writer->offset);
    store_u64(bytes + 16, key);
    crc = crc32_z(crc, bytes, sizeof bytes);
    fwrite(bytes, 1, sizeof bytes, writer->stream);
    store_u64(bytes, crc);
    fwrite(bytes, 1, 8, writer->stream);
    fwrite(MAGIC, 1, MAGIC_SIZE, writer->stream);
    fm_vector_free(&writer->table);
    fm_free(writer);
}

/* ---- reading ---- */

struct fm_tile_store {
    int fd;
    uint64_t count;
    struct entry *table;
};

static fm_status_t read_at(int fd, void *bytes, size_t size, uint64_t offset,
                           struct fm_error *error)
{
    unsigned char *next = bytes;
    while (size > 0) {
        ssize_t done = pread(fd, next, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot read the timeline's tiles: %m");
        if (done == 0)
            return fm_fail(error, FM_ERR_DATA, "the file of the timeline's tiles is cut off");
        next += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return FM_OK;
}

static fm_status_t read_table(struct fm_tile_store *store, uint64_t file_size,
                              const unsigned char *trailer, uint64_t key, struct fm_error *error)
{
    uint64_t count = load_u64(trailer), at = load_u64(trailer + 8);
    if (memcmp(trailer + 32, MAGIC, MAGIC_SIZE) != 0 || at < MAGIC_SIZE ||
        at > file_size - TRAILER_SIZE || count != (file_size - TRAILER_SIZE - at) / ENTRY_SIZE ||
        (file_size - TRAILER_SIZE - at) % ENTRY_SIZE != 0)
        return fm_fail(error, FM_ERR_DATA, "this is no file of a timeline's tiles");
    if (load_u64(trailer + 16) != key)
        return fm_fail(error, FM_ERR_DATA, "the timeline's tiles are those of another report");
    size_t size = (size_t)count * ENTRY_SIZE;
    unsigned char *bytes = malloc(size + 1);
    store->table = malloc(((size_t)count + 1) * sizeof *store->table);
    if (bytes == NULL || store->table == NULL) {
        free(bytes);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    fm_status_t status = read_at(store->fd, bytes, size, at, error);
    if (status == FM_OK && crc32_z(crc32_z(0, bytes, size), trailer, 24) != load_u64(trailer + 24))
        status = fm_fail(error, FM_ERR_DATA, "the file of the timeline's tiles is damaged");
    for (uint64_t i = 0; i < count && status == FM_OK; i++) {
        struct entry *entry = &store->table[i];
        entry->offset = load_u64(bytes + i * ENTRY_SIZE);
        entry->size = load_u64(bytes + i * ENTRY_SIZE + 8);
        if (entry->offset > at || entry->size > at - entry->offset)
            status = fm_fail(error, FM_ERR_DATA, "tile %" PRIu64 " lies outside of its file", i);
    }
    store->count = count;
    free(bytes);
    return status;
}

fm_status_t fm_tile_store_open(int fd, uint64_t key, struct fm_tile_store **store,
                               struct fm_error *error)
{
    struct fm_tile_store *made = calloc(1, sizeof *made);
    struct stat info;
    unsigned char trailer[TRAILER_SIZE];
    fm_status_t status = FM_OK;
    if (made == NULL) {
        close(fd);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    made->fd = fd;
    if (fstat(fd, &info) != 0)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot read the timeline's tiles: %m");
    else if (!S_ISREG(info.st_mode) || info.st_size < (off_t)(MAGIC_SIZE + TRAILER_SIZE))
        status = fm_fail(error, FM_ERR_DATA, "this is no file of a timeline's tiles");
    if (status == FM_OK)
        status = read_at(fd, trailer, sizeof trailer, (uint64_t)info.st_size - TRAILER_SIZE, error);
    if (status == FM_OK)
        status = read_table(made, (uint64_t)info.st_size, trailer, key, error);
    if (status != FM_OK) {
        fm_tile_store_close(made);
        return status;
    }
    *store = made;
    return FM_OK;
}

void fm_tile_store_close(struct fm_tile_store *store)
{
    if (store == NULL)
        return;
    close(store->fd);
    free(store->table);
    free(store);
}

uint64_t fm_tile_store_count(const struct fm_tile_store *store)
{
    return store->count;
}

fm_status_t fm_tile_store_read(const struct fm_tile_store *store, uint64_t number,
                               unsigned char **bytes, size_t *size, struct fm_error *error)
{
    const struct entry *entry = &store->table[number];
    unsigned char *read = malloc((size_t)entry->size + 1);
    if (read == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    fm_status_t status = read_at(store->fd, read, (size_t)entry->size, entry->offset, error);
    if (status != FM_OK) {
        free(read);
        return status;
    }
    *bytes = read;
    *size = (size_t)entry->size;
    return FM_OK;
}
