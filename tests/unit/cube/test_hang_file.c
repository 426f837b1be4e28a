/* SPDX-License-Identifier: BSD-3-Clause */
/* The section of open calls in a report file: round trip, and damage that the checksum does not
 * show. */
#include "check.h"
#include "cube/model/cube.h"
#include "sample_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LARGEST_FILE = 1 << 20, SECTION_HEAD = 16, CHECKSUM = 8 };

static char path[] = "/tmp/fermata-test-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Location 0 waits for 1 and the other way around; all others are elsewhere. */
static struct fm_cube *cube_with_hang(void)
{
    static char object[] = "MPI_COMM_WORLD", note[] = "", place[] = "fill (cache.c:17)";
    struct fm_cube *cube = sample_cube();
    struct fm_cube_hang_part parts[] = {
        {.awaits = FM_AWAITS_MESSAGE, .is_any = true, .target_count = 1, .tag = 7},
        {.awaits = FM_AWAITS_LOCK, .first_target = 1, .target_count = 1, .tag = FM_CUBE_NONE}};
    struct fm_cube_hang_wait waits[] = {
        {.callpath = SAMPLE_RECV, .since = 17, .counts = true, .is_any = true, .part_count = 1},
        {.location = 1,
         .callpath = FM_CUBE_NONE,
         .is_stuck = true,
         .first_part = 1,
         .part_count = 1}};
    uint32_t targets[] = {1, 0}, cycle[] = {0, 1};
    struct fm_cube_hang_place *places = calloc(cube->location_count, sizeof *places);
    assert_true(cube->location_count > 2);
    for (uint32_t l = 2; l < cube->location_count; l++) {
        places[l - 2] = (struct fm_cube_hang_place){
            .location = l, .callpath = SAMPLE_SOLVE, .has_ended = l % 2 == 0};
    }
    for (int i = 0; i < 2; i++) {
        parts[i].place = SAMPLE_SOLVE;
        parts[i].object = object;
        parts[i].note = note;
        parts[i].taken_in = place;
    }
    const struct fm_cube_hang hang = {.kind = FM_HANG_DEADLOCK,
                                      .since = 12345,
                                      .open_ends = 2,
                                      .waits = waits,
                                      .wait_count = 2,
                                      .parts = parts,
                                      .part_count = 2,
                                      .targets = targets,
                                      .target_count = 2,
                                      .cycle = cycle,
                                      .cycle_count = 2,
                                      .places = places,
                                      .place_count = cube->location_count - 2};
    assert_int_equal(fm_cube_set_hang(cube, &hang, NULL), FM_OK);
    free(places);
    return cube;
}

static void assert_same_part(const struct fm_cube_hang_part *s, const struct fm_cube_hang_part *t)
{
    assert_int_equal(s->awaits, t->awaits);
    assert_true(s->is_any == t->is_any && s->is_others == t->is_others &&
                s->is_there == t->is_there && s->is_never == t->is_never);
    assert_true(s->first_target == t->first_target && s->target_count == t->target_count);
    assert_true(s->tag == t->tag && s->place == t->place);
    assert_string_equal(s->taken_in, t->taken_in);
    assert_string_equal(s->object, t->object);
    assert_string_equal(s->note, t->note);
}

static void assert_same_wait(const struct fm_cube_hang_wait *s, const struct fm_cube_hang_wait *t)
{
    assert_true(s->location == t->location && s->callpath == t->callpath && s->since == t->since);
    assert_true(s->counts == t->counts && s->is_any == t->is_any && s->is_stuck == t->is_stuck);
    assert_true(s->first_part == t->first_part && s->part_count == t->part_count);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct fm_cube *cube = cube_with_hang(), *again;
    const struct fm_cube_hang *s = &cube->hang;
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &again, NULL), FM_OK);
    const struct fm_cube_hang *t = &again->hang;
    assert_true(s->kind == t->kind && s->since == t->since && s->open_ends == t->open_ends);
    assert_int_equal(t->part_count, 2);
    assert_int_equal(t->wait_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_same_part(&s->parts[i], &t->parts[i]);
        assert_same_wait(&s->waits[i], &t->waits[i]);
    }
    assert_int_equal(t->target_count, 2);
    assert_memory_equal(s->targets, t->targets, 2 * sizeof *s->targets);
    assert_int_equal(t->cycle_count, 2);
    assert_memory_equal(s->cycle, t->cycle, 2 * sizeof *s->cycle);
    assert_int_equal(s->place_count, t->place_count);
    for (uint32_t i = 0; i < t->place_count; i++) {
        assert_true(s->places[i].location == t->places[i].location &&
                    s->places[i].callpath == t->places[i].callpath &&
                    s->places[i].has_ended == t->places[i].has_ended);
    }
    fm_cube_free(again);
    fm_cube_free(cube);
}

/* Checks that what was accepted refers to nothing that is not there. */
static void assert_consistent(const struct fm_cube *cube)
{
    const struct fm_cube_hang *hang = &cube->hang;
    assert_true(hang->kind <= FM_HANG_NO_PROGRESS);
    assert_true(hang->wait_count <= cube->location_count);
    assert_true(hang->place_count <= cube->location_count);
    assert_true(hang->cycle_count <= cube->location_count);
    for (uint32_t i = 0; i < hang->wait_count; i++) {
        assert_true(hang->waits[i].location < cube->location_count);
        assert_true((uint64_t)hang->waits[i].first_part + hang->waits[i].part_count <=
                    hang->part_count);
    }
    for (uint32_t i = 0; i < hang->part_count; i++) {
        assert_true((uint64_t)hang->parts[i].first_target + hang->parts[i].target_count <=
                    hang->target_count);
        assert_true(hang->parts[i].awaits < FM_AWAITS_COUNT);
    }
    for (uint32_t i = 0; i < hang->cycle_count; i++) {
        assert_non_null(fm_cube_hang_wait_of(hang, hang->cycle[i]));
    }
    for (uint32_t i = 0; i < hang->place_count; i++) {
        assert_true(hang->places[i].location < cube->location_count);
        assert_true(i == 0 || hang->places[i - 1].location < hang->places[i].location);
    }
}

static void store(unsigned char *bytes, size_t size)
{
    const uint64_t checksum = crc32_z(0, bytes, size - CHECKSUM);
    for (size_t i = 0; i < CHECKSUM; i++) {
        bytes[size - CHECKSUM + i] = (unsigned char)(checksum >> (8 * i));
    }
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Each byte of the section is changed in several ways. */
static void test_damage_is_refused_or_consistent(void **state)
{
    (void)state;
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    struct fm_cube *cube = cube_with_hang();
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    fm_cube_free(cube);
    unsigned char *bytes = malloc(LARGEST_FILE);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    const size_t size = fread(bytes, 1, LARGEST_FILE, stream);
    fclose(stream);
    unsigned char *section = memmem(bytes, size, "HANG", 4);
    assert_non_null(section);
    uint64_t length;
    memcpy(&length, section + 8, sizeof length);
    unsigned refused = 0, tried = 0;
    for (size_t i = 4; i < length; i++) { /* after the version */
        for (size_t m = 0; m < sizeof masks; m++, tried++) {
            section[SECTION_HEAD + i] ^= masks[m];
            store(bytes, size);
            const fm_status_t status = fm_cube_read(path, &cube, NULL);
            if (status == FM_OK) {
                assert_consistent(cube);
                fm_cube_free(cube);
            } else {
                assert_int_equal(status, FM_ERR_DATA);
                refused++;
            }
            section[SECTION_HEAD + i] ^= masks[m];
        }
    }
    assert_true(refused > tried / 3);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage_is_refused_or_consistent),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
