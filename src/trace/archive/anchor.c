/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/archive/anchor.h"

#include "base/memory.h"
#include "trace/archive/otf2_error.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* An anchor file, up to its properties: two bytes, of which the second is the byte order, "OTF2",
 * and numbers of fixed length; then machine, creator and description as strings; then the
 * number of properties. */
#define BYTE_ORDER_AT   1
#define BIG_ENDIAN_MARK '#'
#define NAME_AT         2
#define STRINGS_AT      46
#define STRINGS         3
#define PROPERTY_BYTES  2 /* at least: name and value, both empty */
#define LARGEST_CONTENT ((size_t)1 << 20)

/* @return DIR/traces.otf2 */
static char *in_directory(const char *directory)
{
    static const char file[] = "/traces.otf2";
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/') {
        length--;
    }
    char *path = fm_resize(NULL, 0, length + sizeof file);
    memcpy(path, directory, length);
    memcpy(path + length, file, sizeof file);
    return path;
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text);
    size_t own = strlen(suffix);
    return length >= own && strcmp(text + length - own, suffix) == 0;
}

fm_status_t fm_anchor_find(const char *archive, char **anchor, struct fm_error *error)
{
    struct stat status;
    if (stat(archive, &status) != 0) {
        return fm_fail(error, FM_ERR_DATA, "%s: %m", archive);
    }
    bool is_directory = S_ISDIR(status.st_mode);
    char *path = is_directory ? in_directory(archive) : fm_copy_string(archive);
    fm_status_t result = FM_OK;
    if (is_directory && stat(path, &status) != 0) {
        result = fm_fail(error, FM_ERR_DATA,
                         "%s: the directory holds no trace (traces.otf2): %m; name the "
                         "directory of an experiment",
                         archive);
    } else if (!is_directory && !has_suffix(archive, ".otf2")) {
        result =
            fm_fail(error, FM_ERR_DATA,
                    "%s: neither an experiment directory nor an anchor file (*.otf2)", archive);
    } else if (!S_ISREG(status.st_mode) || status.st_size == 0 ||
               status.st_size > (off_t)LARGEST_CONTENT) {
        result = fm_fail(error, FM_ERR_DATA,
                         "%s: not the anchor file of an OTF2 archive: %s; "
                         "record the program again or restore the file",
                         path,
                         !S_ISREG(status.st_mode) ? "not a regular file"
                         : status.st_size == 0    ? "empty"
                                                  : "too large");
    }
    if (result == FM_OK) {
        *anchor = path;
    } else {
        fm_free(path);
    }
    return result;
}

/* @return whether the number of properties fits into the file. With a number that does not fit,
 * OTF2 3.0 keeps reading for minutes. OTF2 itself reports any other damage. */
static bool properties_fit(const unsigned char *content, size_t size)
{
    size_t at = STRINGS_AT;
    if (size < at || memcmp(content + NAME_AT, "OTF2", 4) != 0) {
        return true;
    }
    for (int i = 0; i < STRINGS; i++) {
        const unsigned char *end = memchr(content + at, '\0', size - at);
        if (end == NULL) {
            return true;
        }
        at = (size_t)(end - content) + 1;
    }
    if (size - at < 4) {
        return true;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        size_t shift = content[BYTE_ORDER_AT] == BIG_ENDIAN_MARK ? 3 - i : i;
        count |= (uint32_t)content[at + i] << 8 * shift;
    }
    return count <= (size - at - 4) / PROPERTY_BYTES;
}

static fm_status_t check(const char *anchor, struct fm_error *error)
{
    FILE *file = fopen(anchor, "rb");
    if (file == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: %m", anchor);
    }
    struct stat status;
    size_t room = fstat(fileno(file), &status) == 0 && status.st_size < (off_t)LARGEST_CONTENT
                      ? (size_t)status.st_size
                      : LARGEST_CONTENT;
    unsigned char *content = fm_allocate(room, 1);
    size_t size = fread(content, 1, room, file);
    fclose(file);
    bool fits = properties_fit(content, size);
    fm_free(content);
    return fits ? FM_OK
                : fm_fail(error, FM_ERR_DATA,
                          "%s: damaged anchor file: too many properties; record the program "
                          "again or restore the file",
                          anchor);
}

fm_status_t fm_anchor_open(const char *anchor, OTF2_Reader **reader, struct fm_error *error)
{
    fm_status_t status = check(anchor, error);
    if (status != FM_OK) {
        return status;
    }
    fm_otf2_error_capture();
    (void)fm_otf2_error_take();
    OTF2_Reader *opened = OTF2_Reader_Open(anchor);
    if (opened == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: not a readable OTF2 archive: %s", anchor,
                       fm_otf2_error_take());
    }
    *reader = opened;
    return FM_OK;
}

bool fm_anchor_has_file(const char *anchor, const char *rest)
{
    size_t length = strlen(anchor);
    size_t base = length > 5 && strcmp(anchor + length - 5, ".otf2") == 0 ? length - 5 : 0;
    size_t room = base + strlen(rest) + 1;
    char *path = fm_allocate(room, 1);
    struct stat status;
    snprintf(path, room, "%.*s%s", (int)base, anchor, rest);
    bool exists = base > 0 && stat(path, &status) == 0;
    fm_free(path);
    return exists;
}

bool fm_anchor_has_definitions(const char *anchor, uint64_t location)
{
    char rest[32];
    snprintf(rest, sizeof rest, "/%" PRIu64 ".def", location);
    return fm_anchor_has_file(anchor, rest);
}

bool fm_anchor_is_own(const char *creator)
{
    return creator != NULL && strncmp(creator, "fermata ", strlen("fermata ")) == 0;
}
