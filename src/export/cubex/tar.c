/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/cubex/tar.h"

#include <inttypes.h>
#include <string.h>

#define BLOCK  512
#define RECORD (20 * BLOCK) /* the archive's size is a multiple of it */

/* Sizes with more than 11 octal digits are in an extended header, too, those with more than 12 only
 * there. */
#define PLAIN_SIZE ((uint64_t)1 << 33)
#define FIELD_SIZE ((uint64_t)1 << 36)

/* A header block. Numbers are octal and end with a space, a zero byte or the field. */
struct header {
    char name[100], mode[8], user[8], group[8], size[12], time[12], checksum[8], kind, target[100];
    char magic[8], user_name[32], group_name[32], major[8], minor[8], prefix[155], rest[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

bool fm_tar_put(struct fm_tar *tar, const void *bytes, size_t size)
{
    tar->written += size;
    return fwrite(bytes, 1, size, tar->stream) == size;
}

static bool put_zeros(struct fm_tar *tar, size_t size)
{
    static const char zeros[RECORD];
    return fm_tar_put(tar, zeros, size);
}

/* @return the bytes up to the next multiple of `unit` */
static size_t missing(const struct fm_tar *tar, size_t unit)
{
    return (unit - tar->written % unit) % unit;
}

/* Fills a field with text that need not end with a zero byte. */
static void set(char *field, const char *text)
{
    memcpy(field, text, strlen(text));
}

static bool put_header(struct fm_tar *tar, const char *name, char kind, uint64_t size)
{
    struct header header = {.kind = kind};
    char digits[24];
    set(header.name, name);
    set(header.mode, "000600 ");
    set(header.user, "000000 ");
    set(header.group, "000000 ");
    snprintf(digits, sizeof digits, "%011" PRIo64 " ", size < FIELD_SIZE ? size : FIELD_SIZE - 1);
    memcpy(header.size, digits, sizeof header.size);
    set(header.time, "00000000000 ");
    set(header.checksum, "        ");
    set(header.magic, "ustar");
    memcpy(header.magic + 6, "00", 2); /* the version, after a zero byte */
    set(header.major, "000000 ");
    set(header.minor, "000000 ");
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof header; i++) {
        sum += ((const unsigned char *)&header)[i];
    }
    snprintf(header.checksum, sizeof header.checksum, "%06o", sum); /* a zero byte, and a space */
    return fm_tar_put(tar, &header, sizeof header);
}

/* The extended header of a member: its size, as a record of "LENGTH size=SIZE". */
static bool put_extended(struct fm_tar *tar, const char *name, uint64_t size)
{
    char extended[100], content[40], record[48];
    int length = snprintf(content, sizeof content, " size=%" PRIu64 "\n", size) + 2;
    snprintf(record, sizeof record, "%d%s", length, content);
    snprintf(extended, sizeof extended, "PaxHeader/%.80s", name);
    return put_header(tar, extended, 'x', (uint64_t)length) &&
           fm_tar_put(tar, record, (size_t)length) && fm_tar_end_member(tar);
}

bool fm_tar_begin(struct fm_tar *tar, const char *name, uint64_t size)
{
    return (size < PLAIN_SIZE || put_extended(tar, name, size)) && put_header(tar, name, '0', size);
}

bool fm_tar_end_member(struct fm_tar *tar)
{
    return put_zeros(tar, missing(tar, BLOCK));
}

bool fm_tar_end(struct fm_tar *tar)
{
    return put_zeros(tar, 2 * BLOCK) && put_zeros(tar, missing(tar, RECORD));
}
