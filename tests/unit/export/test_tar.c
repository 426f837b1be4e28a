/* SPDX-License-Identifier: BSD-3-Clause */
/* Tar archives: their headers, and the extended headers of members of 8 GiB and more. */
#include "check.h"
#include "export/cubex/tar.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512

/* What is written of an archive whose only member has `size` bytes, of which `put` are written. */
static char *written(uint64_t size, size_t put, bool end, size_t *length)
{
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, length);
    struct fm_tar tar = {.stream = stream};
    char *content = calloc(1, put + 1);
    memset(content, 'x', put);
    assert_true(fm_tar_begin(&tar, "7.data", size));
    assert_true(fm_tar_put(&tar, content, put));
    if (end) {
        assert_true(fm_tar_end_member(&tar));
        assert_true(fm_tar_end(&tar));
    }
    free(content);
    fclose(stream);
    return bytes;
}

/* The sum of a header's bytes, that of its checksum field as spaces. */
static unsigned sum_of(const char *header)
{
    unsigned sum = 8 * ' ';
    for (int i = 0; i < BLOCK; i++) {
        sum += i >= 148 && i < 156 ? 0 : (unsigned char)header[i];
    }
    return sum;
}

static void check_header(const char *header, const char *name, char kind, const char *size)
{
    assert_string_equal(header, name);
    assert_memory_equal(header + 100, "000600 ", 8);
    assert_memory_equal(header + 124, size, 12);
    assert_int_equal(strtoul(header + 148, NULL, 8), sum_of(header));
    assert_memory_equal(header + 154, "\0 ", 2);
    assert_int_equal(header[156], kind);
    assert_memory_equal(header + 257,
                        "ustar\0"
                        "00",
                        8);
}

static void blocks_are_filled(void **state)
{
    (void)state;
    size_t length;
    char *bytes = written(700, 700, true, &length);
    check_header(bytes, "7.data", '0', "00000001274 ");
    assert_int_equal(bytes[BLOCK + 699], 'x');
    for (size_t i = BLOCK + 700; i < length; i++) {
        assert_int_equal(bytes[i], 0);
    }
    assert_int_equal(length, 20 * BLOCK);
    free(bytes);
    /* The content ends with a record: two empty blocks need another one. */
    bytes = written(19 * BLOCK, 19 * BLOCK, true, &length);
    assert_int_equal(length, 40 * BLOCK);
    free(bytes);
}

static void large_members_have_extended_headers(void **state)
{
    (void)state;
    size_t length;
    char *bytes = written(((uint64_t)1 << 33) - 1, 0, false, &length);
    assert_int_equal(length, BLOCK);
    check_header(bytes, "7.data", '0', "77777777777 ");
    free(bytes);
    bytes = written((uint64_t)1 << 33, 0, false, &length);
    assert_int_equal(length, 3 * BLOCK);
    check_header(bytes, "PaxHeader/7.data", 'x', "00000000023 ");
    assert_string_equal(bytes + BLOCK, "19 size=8589934592\n");
    check_header(bytes + 2 * BLOCK, "7.data", '0', "100000000000");
    free(bytes);
    bytes = written((uint64_t)1 << 40, 0, false, &length);
    assert_string_equal(bytes + BLOCK, "22 size=1099511627776\n");
    check_header(bytes + 2 * BLOCK, "7.data", '0', "777777777777");
    free(bytes);
}

static void full_disks_are_noticed(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) {
        skip();
    }
    setvbuf(full, NULL, _IONBF, 0);
    struct fm_tar tar = {.stream = full};
    assert_false(fm_tar_begin(&tar, "7.data", 1));
    assert_false(fm_tar_end_member(&(struct fm_tar){.stream = full, .written = 1}));
    assert_false(fm_tar_end(&tar));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_filled),
        cmocka_unit_test(large_members_have_extended_headers),
        cmocka_unit_test(full_disks_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
