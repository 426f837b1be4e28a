/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks with and without a limit on what stays in memory. */
#include "check.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS    40
#define MAX_BYTES ((size_t)3 << 20)

static void test_allocate_gives_zeros(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < (size_t)4 << 20; bytes = bytes * 3 + 1) {
        unsigned char *block = fm_allocate(1, bytes);
        for (size_t i = 0; i < bytes; ++i) {
            assert_int_equal(block[i], 0);
        }
        memset(block, 0xff, bytes);
        fm_free(block);
    }
    fm_free(NULL);
}

static void test_kinds_of_blocks(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < (size_t)1 << 20; bytes = bytes * 5 + 1) {
        unsigned char *written = fm_allocate_written(bytes, 1);
        unsigned char *apart = fm_allocate_apart(1, bytes);
        assert_int_equal((uintptr_t)apart % FM_APART, 0);
        for (size_t i = 0; i < bytes; ++i) {
            assert_int_equal(written[i], 0);
            assert_int_equal(apart[i], 0);
        }
        memset(written, 0xff, bytes);
        memset(apart, 0xff, bytes);
        fm_free(written);
        fm_free(apart);
    }
    fm_free(fm_allocate_written(0, 8));
    fm_free(fm_allocate_apart(0, 8));
}

static void test_copies_of_strings(void **state)
{
    (void)state;
    char *copy = fm_copy_string("fermata");
    assert_string_equal(copy, "fermata");
    fm_free(copy);
    assert_null(fm_copy_string(NULL));
}

static unsigned char pattern(size_t block, size_t position)
{
    return (unsigned char)(block * 31 + position / 7);
}

/* Blocks grow and shrink over the size from which on they go to the file; none touches another. */
static void resize_at_random(void)
{
    uint64_t random = 11;
    unsigned char *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    for (int step = 0; step < 400; ++step) {
        size_t b = (size_t)(next_random(&random) % BLOCKS);
        size_t bytes = (size_t)(next_random(&random) % MAX_BYTES) >> (next_random(&random) % 12);
        blocks[b] = fm_resize(blocks[b], sizes[b], bytes);
        size_t kept = sizes[b] < bytes ? sizes[b] : bytes;
        for (size_t i = 0; i < kept; i += 97) {
            assert_int_equal(blocks[b][i], pattern(b, i));
        }
        for (size_t i = kept; i < bytes; ++i) {
            blocks[b][i] = pattern(b, i);
        }
        sizes[b] = bytes;
        if (step % 50 == 0) {
            fm_memory_relax();
        }
    }
    for (size_t b = 0; b < BLOCKS; ++b) {
        for (size_t i = 0; i < sizes[b]; i += 101) {
            assert_int_equal(blocks[b][i], pattern(b, i));
        }
        fm_free(blocks[b]);
    }
}

static void test_resize_keeps_the_content(void **state)
{
    (void)state;
    resize_at_random();
}

/* Runs last: the limit holds for the rest of the process. */
static void test_resize_beyond_the_limit(void **state)
{
    (void)state;
    fm_memory_limit((size_t)1 << 20, getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR"));
    resize_at_random();
    test_allocate_gives_zeros(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocate_gives_zeros),
        cmocka_unit_test(test_kinds_of_blocks),
        cmocka_unit_test(test_copies_of_strings),
        cmocka_unit_test(test_resize_keeps_the_content),
        cmocka_unit_test(test_resize_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
