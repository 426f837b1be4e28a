/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/cubex/cubex_archive.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SIZE_DIGITS = 12, TYPE_AT = 156, MAGIC_AT = 257 };

/* ---- the file ---- */

/* Reads all of a file, which zlib decompresses if it is compressed. */
static fm_status_t read_all(const char *path, struct fm_cubex_archive *archive,
                            struct fm_error *error)
{
    enum { PIECE = 1 << 24 };
    struct stat info;
    errno = 0;
    gzFile file = gzopen(path, "rbe");
    if (file == NULL || stat(path, &info) != 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %s", path,
                       errno != 0 ? strerror(errno) : "out of memory");
    }
    size_t room = (size_t)info.st_size + 1;
    archive->bytes = fm_resize(NULL, 0, room);
    int count;
    do {
        if (archive->size == room) {
            archive->bytes = fm_resize(archive->bytes, room, 2 * room);
            room *= 2;
        }
        const size_t rest = room - archive->size;
        count =
            gzread(file, archive->bytes + archive->size, (unsigned)(rest < PIECE ? rest : PIECE));
        archive->size += count > 0 ? (size_t)count : 0;
    } while (count > 0);
    int problem = Z_OK;
    const char *message = gzerror(file, &problem);
    fm_status_t status = FM_OK;
    if (count < 0) {
        status = problem == Z_ERRNO ? fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path)
                                    : fm_fail(error, FM_ERR_DATA, "%s: damaged: %s", path, message);
    }
    gzclose(file);
    return status;
}

/* ---- its members ---- */

static bool is_header(const struct fm_cubex_archive *archive, size_t at)
{
    return archive->size >= BLOCK && at <= archive->size - BLOCK &&
           memcmp(archive->bytes + at + MAGIC_AT, "ustar", 5) == 0;
}

/* @return the value of an octal number; SIZE_MAX: it is none */
static size_t octal(const unsigned char *digits, size_t count)
{
    size_t value = 0;
    for (size_t i = 0; i < count && digits[i] != '\0' && digits[i] != ' '; i++) {
        if (digits[i] < '0' || digits[i] > '7') {
            return SIZE_MAX;
        }
        value = value * 8 + (size_t)(digits[i] - '0');
    }
    return value;
}

/* Finds the size of the next member in an extended header, "29 size=...": of members that are too
 * large for their own. @return SIZE_MAX: it has none */
static size_t extended_size(const unsigned char *bytes, size_t size)
{
    static const char key[] = " size=";
    for (size_t i = 0; size >= sizeof key && i < size - sizeof key; i++) {
        if (memcmp(bytes + i, key, sizeof key - 1) == 0) {
            size_t value = 0;
            for (i += sizeof key - 1; i < size && bytes[i] >= '0' && bytes[i] <= '9'; i++) {
                if (value > (SIZE_MAX - 9) / 10) {
                    return SIZE_MAX;
                }
                value = value * 10 + (size_t)(bytes[i] - '0');
            }
            return value;
        }
    }
    return SIZE_MAX;
}

static void add_member(struct fm_cubex_archive *archive, size_t header, size_t size)
{
    archive->members = fm_resize(archive->members, archive->member_count * sizeof *archive->members,
                                 (archive->member_count + 1) * sizeof *archive->members);
    archive->members[archive->member_count++] = (struct fm_cubex_member){
        .name = strndup((const char *)archive->bytes + header, NAME),
        .bytes = archive->bytes + header + BLOCK,
        .size = size,
    };
}

static fm_status_t find_members(const char *path, struct fm_cubex_archive *archive,
                                struct fm_error *error)
{
    size_t at = 0, next_size = SIZE_MAX;
    while (is_header(archive, at)) {
        const unsigned char *header = archive->bytes + at;
        const char type = (char)header[TYPE_AT];
        const size_t room = archive->size - at - BLOCK;
        const size_t size =
            next_size != SIZE_MAX ? next_size : octal(header + SIZE_AT, SIZE_DIGITS);
        if (size > room) {
            return fm_fail(error, FM_ERR_DATA, "%s: cut off or damaged: in a member at byte %zu",
                           path, at);
        }
        next_size = SIZE_MAX;
        if (type == '0' || type == '\0') {
            add_member(archive, at, size);
        } else if (type == 'x') {
            next_size = extended_size(header + BLOCK, size);
        }
        const size_t blocks = size / BLOCK + (size % BLOCK != 0);
        at += BLOCK + (blocks * BLOCK <= room ? blocks * BLOCK : room);
        if (size != 0 && size % BLOCK == 0 && !is_header(archive, at)) {
            at += BLOCK;
        }
    }
    return archive->member_count != 0
               ? FM_OK
               : fm_fail(error, FM_ERR_DATA, "%s: not a Cube file: no tar archive", path);
}

fm_status_t fm_cubex_archive_open(const char *path, struct fm_cubex_archive *archive,
                                  struct fm_error *error)
{
    *archive = (struct fm_cubex_archive){0};
    fm_status_t status = read_all(path, archive, error);
    if (status == FM_OK) {
        status = find_members(path, archive, error);
    }
    if (status != FM_OK) {
        fm_cubex_archive_close(archive);
    }
    return status;
}

void fm_cubex_archive_close(struct fm_cubex_archive *archive)
{
    for (size_t i = 0; i < archive->member_count; i++) {
        free(archive->members[i].name);
    }
    fm_free(archive->members);
    fm_free(archive->bytes);
    *archive = (struct fm_cubex_archive){0};
}

const struct fm_cubex_member *fm_cubex_archive_find(const struct fm_cubex_archive *archive,
                                                    const char *name)
{
    for (size_t i = 0; i < archive->member_count; i++) {
        if (archive->members[i].name != NULL && strcmp(archive->members[i].name, name) == 0) {
            return &archive->members[i];
        }
    }
    return NULL;
}
