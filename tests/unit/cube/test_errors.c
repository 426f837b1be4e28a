/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much times may be wrong: in the report file, in a part of a report, in merged reports. */
#include "check.h"
#include "cube/merge/unite.h"
#include "cube/view/view.h"
#include "sample_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char path[64];

/* An error that needs more than 4 bytes. */
#define LARGE (UINT64_C(1) << 40)

/* A call path whose times only samples tell; its region has no other. */
#define ESTIMATED 1

/* The sample with errors, all of them different numbers. */
static struct fm_cube *uncertain_cube(void)
{
    struct fm_cube *cube = sample_cube();
    cube->errors = (struct fm_cube_errors){true, 3, 50, 700, 400};
    cube->regions[cube->callpaths[ESTIMATED].region].is_estimated = true;
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        cube->statistics[i].error = 100 + i;
        cube->statistics[i].insignificant = 1;
        cube->statistics[i].insignificant_sum = 1;
    }
    struct fm_cube_phase *phase = &cube->phases[0];
    const size_t values = (size_t)phase->row_count * phase->kind_count;
    phase->errors = calloc(values, sizeof *phase->errors);
    assert_non_null(phase->errors);
    for (size_t i = 0; i < values; i++) {
        phase->errors[i] = 1000 + i + (i == 0 ? LARGE : 0);
        phase->rows[i / phase->kind_count].error += phase->errors[i];
    }
    struct fm_cube_matrix *delays = &cube->matrices[FM_MATRIX_DELAYS];
    for (size_t i = 0; i < delays->link_count; i++) {
        delays->links[i].error = 200 + i;
    }
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        struct fm_cube_lock *lock = &cube->locks[i];
        lock->error = 300 + i;
        for (uint32_t k = 0; k < lock->holder_count; k++) {
            lock->holders[k].caused_error = 400 + k;
        }
        for (uint32_t k = 0; k < lock->victim_count; k++) {
            lock->victims[k].waiting_error = 500 + k;
        }
    }
    uint64_t *errors = calloc(cube->callpath_count, sizeof *errors);
    assert_non_null(errors);
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        errors[c] = 600 + c;
    }
    const struct fm_cube_path_errors of_path = {9, 2, errors};
    assert_int_equal(fm_cube_set_path_errors(cube, &of_path, NULL), FM_OK);
    free(errors);
    return cube;
}

/* @param factor  by which the times of `b` are larger */
static void assert_same_errors(const struct fm_cube *a, const struct fm_cube *b, uint64_t factor)
{
    assert_true(a->errors.are_known && b->errors.are_known);
    for (uint32_t i = 0; i < a->statistics_count; i++) {
        assert_int_equal(factor * a->statistics[i].error, b->statistics[i].error);
        assert_int_equal(a->statistics[i].insignificant, b->statistics[i].insignificant);
    }
    const struct fm_cube_phase *p = &a->phases[0], *q = &b->phases[0];
    assert_non_null(q->errors);
    for (uint32_t row = 0; row < p->row_count; row++) {
        assert_int_equal(factor * p->rows[row].error, q->rows[row].error);
        for (uint32_t k = 0; k < p->kind_count; k++) {
            const size_t i = (size_t)row * p->kind_count + k;
            assert_int_equal(factor * p->errors[i], q->errors[i]);
        }
    }
    for (int m = 0; m < FM_MATRIX_COUNT; m++) {
        for (size_t i = 0; i < a->matrices[m].link_count; i++) {
            assert_int_equal(factor * a->matrices[m].links[i].error, b->matrices[m].links[i].error);
        }
    }
    for (uint32_t i = 0; i < a->lock_count; i++) {
        const struct fm_cube_lock *s = &a->locks[i], *t = &b->locks[i];
        assert_int_equal(factor * s->error, t->error);
        for (uint32_t k = 0; k < s->holder_count; k++) {
            assert_int_equal(factor * s->holders[k].caused_error, t->holders[k].caused_error);
        }
        for (uint32_t k = 0; k < s->victim_count; k++) {
            assert_int_equal(factor * s->victims[k].waiting_error, t->victims[k].waiting_error);
        }
    }
    for (uint32_t i = 0; i < b->region_count; i++) {
        const char *name = a->regions[a->callpaths[ESTIMATED].region].name;
        assert_int_equal(b->regions[i].is_estimated, strcmp(b->regions[i].name, name) == 0);
    }
    assert_int_equal(a->path_errors.turns, b->path_errors.turns);
    assert_int_equal(a->path_errors.insignificant, b->path_errors.insignificant);
    assert_non_null(b->path_errors.of_callpath);
}

static void test_the_file_has_them(void **state)
{
    (void)state;
    struct fm_cube *cube = uncertain_cube(), *again = NULL;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &again, NULL), FM_OK);
    assert_same_errors(cube, again, 1);
    const struct fm_cube_errors *written = &cube->errors, *read = &again->errors;
    assert_true(read->are_known);
    assert_int_equal(written->call, read->call);
    assert_int_equal(written->clock, read->clock);
    assert_int_equal(written->computation, read->computation);
    assert_int_equal(written->longest_computation, read->longest_computation);
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        assert_int_equal(again->path_errors.of_callpath[c], 600 + c);
    }
    /* A phase without rows of kinds has none. */
    assert_null(again->phases[1].errors);
    fm_cube_free(again);
    fm_cube_free(cube);
}

static void test_without_errors_the_file_has_none(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube(), *again = NULL;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &again, NULL), FM_OK);
    assert_false(again->errors.are_known);
    assert_null(again->phases[0].errors);
    assert_null(again->path_errors.of_callpath);
    fm_cube_free(again);
    fm_cube_free(cube);
}

static void test_errors_that_no_sum_can_have_are_refused(void **state)
{
    (void)state;
    struct fm_cube *cube = uncertain_cube(), *again = NULL;
    struct fm_error error;
    cube->matrices[FM_MATRIX_DELAYS].links[0].error = UINT64_MAX;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &again, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, "error of times"));
    cube->matrices[FM_MATRIX_DELAYS].links[0].error = 1;
    cube->path_errors.insignificant = cube->path_errors.turns + 1;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &again, &error), FM_ERR_DATA);
    fm_cube_free(cube);
}

/* @return the bytes of a file, to be freed */
static unsigned char *load(size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Writes a file with the checksum that it needs. */
static void store(unsigned char *bytes, size_t size)
{
    uint64_t sum = crc32(0, bytes, (unsigned)size - 8);
    for (int i = 0; i < 8; i++, sum >>= 8) {
        bytes[size - 8 + (size_t)i] = (unsigned char)sum;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Each byte of the section may be anything: what is read holds together, or is refused. */
static void test_malformed_errors_never_crash(void **state)
{
    (void)state;
    static const unsigned char changes[] = {0x01, 0x80, 0xff};
    struct fm_cube *cube = uncertain_cube();
    size_t size, first = 0, refused = 0;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    fm_cube_free(cube);
    unsigned char *bytes = load(&size);
    while (first + 4 < size && memcmp(bytes + first, "UNCT", 4) != 0) {
        first++;
    }
    uint64_t length = 0;
    memcpy(&length, bytes + first + 8, sizeof length);
    assert_true(length > 500 && first + 16 + length < size);
    for (size_t i = first + 16; i < first + 16 + length; i++) {
        const unsigned char change = changes[i % sizeof changes];
        struct fm_cube *again = NULL;
        bytes[i] ^= change;
        store(bytes, size);
        const fm_status_t status = fm_cube_read(path, &again, NULL);
        assert_true(status == FM_OK || status == FM_ERR_DATA);
        refused += status != FM_OK;
        fm_cube_free(again);
        bytes[i] ^= change;
    }
    assert_true(refused > 50); /* counts and indices; errors may be nearly any number */
    free(bytes);
}

static void test_a_part_of_the_report_has_its_call_paths(void **state)
{
    (void)state;
    struct fm_cube *cube = uncertain_cube(), *part = NULL;
    const uint32_t root = 1;
    assert_int_equal(fm_cube_restrict(cube, root, &part, NULL), FM_OK);
    assert_true(part->callpath_count > 0);
    assert_int_equal(part->path_errors.of_callpath[0], 600 + root);
    assert_true(part->regions[part->callpaths[0].region].is_estimated); /* root is ESTIMATED */
    fm_cube_free(part);
    fm_cube_free(cube);
}

/* The other report has a clock that is twice as fast, and its errors are known, too. */
static void test_merged_reports_have_them(void **state)
{
    (void)state;
    struct fm_cube *cube = uncertain_cube(), *other = empty_cube(), *merged = NULL;
    other->experiment.ticks_per_second = 2 * cube->experiment.ticks_per_second;
    other->errors.are_known = true;
    const struct fm_cube *cubes[] = {other, cube};
    const char *names[] = {"first", "second"};
    assert_int_equal(fm_cube_merge(cubes, names, 2, &merged, NULL), FM_OK);
    assert_same_errors(cube, merged, 2);
    fm_cube_free(merged);
    other->errors.are_known = false;
    assert_int_equal(fm_cube_merge(cubes, names, 2, &merged, NULL), FM_OK);
    assert_false(merged->errors.are_known);
    fm_cube_free(merged);
    fm_cube_free(other);
    fm_cube_free(cube);
}

/* Sums of iterations saturate, by kind as in all. */
static void test_totals_of_phases(void **state)
{
    (void)state;
    struct fm_cube *cube = uncertain_cube();
    struct fm_cube_iteration total;
    uint64_t waiting[2], errors[2];
    fm_cube_phase_total(&cube->phases[0], &total, waiting, errors);
    assert_int_equal(errors[0], LARGE + 20 * 1000 + 2 * 190);
    assert_int_equal(errors[1], 20 * 1001 + 2 * 190);
    assert_int_equal(total.error, errors[0] + errors[1]);
    cube->phases[0].errors[0] = UINT64_MAX;
    fm_cube_phase_total(&cube->phases[0], &total, waiting, errors);
    assert_true(errors[0] == UINT64_MAX);
    fm_cube_free(cube);
}

static int make_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/fermata-errors-%d.fer", (int)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_file_has_them),
        cmocka_unit_test(test_without_errors_the_file_has_none),
        cmocka_unit_test(test_errors_that_no_sum_can_have_are_refused),
        cmocka_unit_test(test_malformed_errors_never_crash),
        cmocka_unit_test(test_a_part_of_the_report_has_its_call_paths),
        cmocka_unit_test(test_merged_reports_have_them),
        cmocka_unit_test(test_totals_of_phases),
    };
    return cmocka_run_group_tests(tests, make_path, remove_file);
}
