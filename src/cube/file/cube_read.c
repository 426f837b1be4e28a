/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/cube_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

const char fm_cube_section_tags[FM_CUBE_SECTION_COUNT][5] = {
    "EXPT", "METR", "REGN", "CALL", "LOCN", "SEVR", "STAT", "PATH", "WARN", "LOCK",
    "OPTS", "PHAS", "BINS", "MATX", "TOPO", "PROB", "BLAM", "STRM", "CLCK", "UNCT",
    "UMET", "PRED", "SOFF", "PROF", "PART", "FIND", "WRLD", "UNEX", "SITE", "HANG"};

fm_status_t fm_cube_damaged(const struct fm_cube_reader *reader, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fm_fail(reader->error, FM_ERR_DATA, "%s: damaged report: %s", reader->path, reason);
}

static fm_status_t find_sections(struct fm_cube_reader *reader, const unsigned char *bytes,
                                 size_t size)
{
    const char *path = reader->path;
    if (size < FM_CUBE_FILE_MAGIC_SIZE ||
        memcmp(bytes, FM_CUBE_FILE_MAGIC, FM_CUBE_FILE_MAGIC_SIZE) != 0)
        return fm_fail(reader->error, FM_ERR_DATA, "%s: not a fermata report", path);
    if (size < FM_CUBE_FILE_HEADER_SIZE + FM_CUBE_FILE_CHECKSUM_SIZE)
        return fm_cube_damaged(reader, "only %zu bytes long", size);
    struct fm_source source = {bytes + FM_CUBE_FILE_MAGIC_SIZE, size - FM_CUBE_FILE_MAGIC_SIZE,
                               false};
    uint32_t version = fm_source_u32(&source);
    if (version != FM_CUBE_FILE_VERSION) {
        return fm_fail(
            reader->error, FM_ERR_DATA,
            "%s: report of format version %u; this program reads version %d: run `fermata "
            "analyze` on the experiment again",
            path, version, FM_CUBE_FILE_VERSION);
    }
    uint32_t section_count = fm_source_u32(&source);
    uint64_t stated_size = fm_source_u64(&source);
    if (stated_size != size)
        return fm_cube_damaged(reader, "%zu bytes long instead of %llu", size,
                               (unsigned long long)stated_size);
    struct fm_source checksum = {bytes + size - FM_CUBE_FILE_CHECKSUM_SIZE,
                                 FM_CUBE_FILE_CHECKSUM_SIZE, false};
    if (fm_source_u64(&checksum) != crc32_z(0, bytes, size - FM_CUBE_FILE_CHECKSUM_SIZE))
        return fm_cube_damaged(reader, "the checksum does not match");

    source.left -= FM_CUBE_FILE_CHECKSUM_SIZE;
    for (uint32_t i = 0; i < section_count; i++) {
        const unsigned char *tag = fm_source_bytes(&source, 4);
        uint32_t flags = fm_source_u32(&source);
        uint64_t length = fm_source_u64(&source);
        if (source.failed || length > source.left)
            return fm_cube_damaged(reader, "section %u exceeds the file", i);
        struct fm_source payload = {fm_source_bytes(&source, (size_t)length), (size_t)length,
                                    false};
        unsigned known = 0;
        while (known < FM_CUBE_SECTION_COUNT && memcmp(fm_cube_section_tags[known], tag, 4) != 0)
            known++;
        if (known < FM_CUBE_SECTION_COUNT) {
            if (reader->present[known])
                return fm_cube_damaged(reader, "two sections %s", fm_cube_section_tags[known]);
            reader->present[known] = true;
            reader->sections[known] = payload;
        } else if (flags & FM_CUBE_SECTION_REQUIRED) {
            return fm_fail(reader->error, FM_ERR_DATA,
                           "%s: the report needs a newer version of this program", path);
        }
    }
    if (source.left != 0)
        return fm_cube_damaged(reader, "%zu bytes behind the last section", source.left);
    for (unsigned i = 0; i < FM_SECTION_LOCK; i++) {
        if (!reader->present[i])
            return fm_cube_damaged(reader, "section %s is missing", fm_cube_section_tags[i]);
    }
    return FM_OK;
}

/** Reads a whole regular file. @return its bytes, to be freed; NULL on failure, with the reason in
 * `*status`. */
static unsigned char *load(const char *path, size_t *size, fm_status_t *status,
                           struct fm_error *error)
{
    unsigned char *bytes = NULL;
    /* Without O_NONBLOCK, open() of a named pipe blocks until a writer opens it. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        *status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot open the report: %m", path);
        return NULL;
    }
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        *status = fm_fail(error, FM_ERR_DATA, "%s: not a regular file", path);
        goto close_file;
    }
    size_t wanted = (size_t)info.st_size;
    bytes = malloc(wanted + 1);
    if (bytes == NULL) {
        *status = fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory for %zu bytes", path, wanted);
        goto close_file;
    }
    *size = 0;
    while (*size < wanted) {
        ssize_t count = read(descriptor, bytes + *size, wanted - *size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            *status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot read the report: %m", path);
            free(bytes);
            bytes = NULL;
            goto close_file;
        }
        if (count == 0)
            break;
        *size += (size_t)count;
    }
close_file:
    close(descriptor);
    return bytes;
}

fm_status_t fm_cube_read(const char *path, struct fm_cube **cube, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    size_t size = 0;
    unsigned char *bytes = load(path, &size, &status, error);
    if (bytes == NULL)
        return status;
    struct fm_cube_reader reader = {.path = path, .error = error, .cube = fm_cube_create()};
    if (reader.cube == NULL)
        status = fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory for the report", path);
    if (status == FM_OK)
        status = find_sections(&reader, bytes, size);
    if (status == FM_OK)
        status = fm_cube_read_sections(&reader);
    if (status == FM_OK)
        status = fm_cube_seal(reader.cube, error);
    fm_cube_reader_release(&reader);
    free(bytes);
    if (status != FM_OK) {
        fm_cube_free(reader.cube);
        return status;
    }
    *cube = reader.cube;
    return FM_OK;
}
