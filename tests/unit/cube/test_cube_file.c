/* SPDX-License-Identifier: BSD-3-Clause */
/* The report file: round trip, files of other versions, damage of every kind. */
#include "check.h"
#include "cube/file/cube_format.h"
#include "sample_cube.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/fermata-test-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/report.fer", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails if anything was left behind */
}

static unsigned char *load(size_t *size)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    unsigned char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, stream);
    fclose(stream);
    return bytes;
}

static void store(const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/** Makes the checksum at the end right again, after the bytes were changed. */
static void fix_checksum(unsigned char *bytes, size_t size)
{
    uint64_t crc = crc32_z(0, bytes, size - 8);
    for (int i = 0; i < 8; i++)
        bytes[size - 8 + (size_t)i] = (unsigned char)(crc >> (8 * i));
}

static void assert_same_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static void assert_same_topologies(const struct fm_cube *a, const struct fm_cube *b)
{
    assert_int_equal(a->topology_count, b->topology_count);
    for (uint32_t i = 0; i < a->topology_count; i++) {
        const struct fm_cube_topology *s = &a->topologies[i];
        const struct fm_cube_topology *t = &b->topologies[i];
        assert_same_text(s->name, t->name);
        assert_int_equal(s->dimension_count, t->dimension_count);
        for (uint32_t d = 0; d < s->dimension_count; d++) {
            assert_same_text(s->dimensions[d].name, t->dimensions[d].name);
            assert_int_equal(s->dimensions[d].size, t->dimensions[d].size);
            assert_int_equal(s->dimensions[d].periodic, t->dimensions[d].periodic);
        }
        assert_int_equal(s->member_count, t->member_count);
        for (uint32_t m = 0; m < s->member_count; m++)
            assert_int_equal(s->locations[m], t->locations[m]);
        for (uint32_t c = 0; c < s->member_count * s->dimension_count; c++)
            assert_int_equal(s->coordinates[c], t->coordinates[c]);
    }
}

static void assert_same_numbers(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(a[i], b[i]);
}

static void assert_same_parties(uint32_t count, const struct fm_cube_lock_party *s,
                                const struct fm_cube_lock_party *t)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(s[i].location == t[i].location && s[i].epochs == t[i].epochs &&
                    s[i].held == t[i].held && s[i].caused == t[i].caused &&
                    s[i].waits == t[i].waits && s[i].waiting == t[i].waiting);
}

static void assert_same_places(uint32_t count, const struct fm_cube_lock_place *s,
                               const struct fm_cube_lock_place *t)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(s[i].callpath == t[i].callpath && s[i].waits == t[i].waits &&
                    s[i].waiting == t[i].waiting);
}

static void assert_same_lock(const struct fm_cube_lock *s, const struct fm_cube_lock *t)
{
    assert_int_equal(s->window, t->window);
    assert_same_text(s->name, t->name);
    assert_int_equal(s->target, t->target);
    assert_true(s->exclusive == t->exclusive && s->shared == t->shared && s->held == t->held &&
                s->waits == t->waits && s->waiting == t->waiting && s->begin == t->begin &&
                s->end == t->end && s->longest_queue == t->longest_queue &&
                s->longest_chain == t->longest_chain);
    assert_int_equal(s->chain_count, t->chain_count);
    assert_memory_equal(s->chain, t->chain, sizeof s->chain);
    assert_int_equal(s->holder_count, t->holder_count);
    assert_same_parties(s->holder_count, s->holders, t->holders);
    assert_int_equal(s->victim_count, t->victim_count);
    assert_same_parties(s->victim_count, s->victims, t->victims);
    assert_int_equal(s->held_in_count, t->held_in_count);
    assert_same_places(s->held_in_count, s->held_in, t->held_in);
    assert_int_equal(s->waited_in_count, t->waited_in_count);
    assert_same_places(s->waited_in_count, s->waited_in, t->waited_in);
    assert_int_equal(s->bin_count, t->bin_count);
    for (uint32_t i = 0; i < s->bin_count; i++)
        assert_true(s->queue[i] == t->queue[i]);
}

static void assert_same_problems(const struct fm_cube *a, const struct fm_cube *b)
{
    assert_int_equal(a->problem_count, b->problem_count);
    for (uint32_t i = 0; i < a->problem_count; i++) {
        const struct fm_cube_problem *s = &a->problems[i];
        const struct fm_cube_problem *t = &b->problems[i];
        assert_true(s->kind == t->kind && s->callpath == t->callpath && s->phase == t->phase &&
                    s->lock == t->lock && s->cost == t->cost);
        assert_int_equal(s->location_count, t->location_count);
        assert_same_numbers(s->locations, t->locations, s->location_count);
        assert_int_equal(s->occasion_count, t->occasion_count);
        assert_memory_equal(s->occasions, t->occasions, s->occasion_count * sizeof s->occasions[0]);
        assert_true(
            s->excess.is_known == t->excess.is_known && s->excess.there == t->excess.there &&
            s->excess.elsewhere == t->excess.elsewhere && s->excess.longest == t->excess.longest);
        assert_true(s->gain.is_known == t->gain.is_known && s->gain.balanced == t->gain.balanced &&
                    s->gain.removed == t->gain.removed);
        assert_int_equal(s->consequence_of, t->consequence_of);
        assert_int_equal(s->prediction_count, t->prediction_count);
        for (uint32_t j = 0; j < s->prediction_count; j++) {
            const struct fm_cube_prediction *u = &s->predictions[j];
            const struct fm_cube_prediction *v = &t->predictions[j];
            assert_true(u->change == v->change && u->callpath == v->callpath &&
                        u->saved == v->saved && u->freed == v->freed && u->moved == v->moved &&
                        u->instead == v->instead);
        }
        assert_int_equal(s->symptom_count, t->symptom_count);
        for (uint32_t j = 0; j < s->symptom_count; j++) {
            const struct fm_cube_symptom *u = &s->symptoms[j];
            const struct fm_cube_symptom *v = &t->symptoms[j];
            assert_true(u->metric == v->metric && u->callpath == v->callpath &&
                        u->cost == v->cost && u->location_count == v->location_count);
            assert_same_numbers(u->locations, v->locations, u->location_count);
        }
    }
}

static void assert_same_cube(const struct fm_cube *a, const struct fm_cube *b)
{
    assert_same_text(a->experiment.title, b->experiment.title);
    assert_same_text(a->experiment.command, b->experiment.command);
    assert_same_text(a->experiment.creator, b->experiment.creator);
    assert_same_text(a->experiment.machine, b->experiment.machine);
    assert_true(a->experiment.ticks_per_second == b->experiment.ticks_per_second);
    assert_true(a->experiment.begin == b->experiment.begin);
    assert_true(a->experiment.end == b->experiment.end);
    assert_true(a->experiment.event_count == b->experiment.event_count);
    assert_int_equal(a->experiment.process_count, b->experiment.process_count);
    assert_true(a->experiment.duration == b->experiment.duration);
    assert_true(a->experiment.ideal_duration == b->experiment.ideal_duration);
    assert_int_equal(a->experiment.lack_of_processors, b->experiment.lack_of_processors);
    assert_int_equal(a->experiment.page_fault, b->experiment.page_fault);
    assert_int_equal(a->experiment.overhead, b->experiment.overhead);
    assert_int_equal(a->experiment.overhead_is_least, b->experiment.overhead_is_least);
    assert_int_equal(a->experiment.costliest, b->experiment.costliest);
    assert_int_equal(a->experiment.sample_rate, b->experiment.sample_rate);
    assert_int_equal(a->region_count, b->region_count);
    for (uint32_t i = 0; i < a->region_count; i++) {
        assert_same_text(a->regions[i].name, b->regions[i].name);
        assert_same_text(a->regions[i].paradigm, b->regions[i].paradigm);
        assert_same_text(a->regions[i].file, b->regions[i].file);
        assert_int_equal(a->regions[i].line, b->regions[i].line);
    }
    assert_int_equal(a->callpath_count, b->callpath_count);
    for (uint32_t i = 0; i < a->callpath_count; i++)
        assert_memory_equal(&a->callpaths[i], &b->callpaths[i], sizeof a->callpaths[i]);
    assert_int_equal(a->site_count, b->site_count);
    for (uint32_t i = 0; i < a->site_count; i++) {
        assert_string_equal(a->sites[i].file, b->sites[i].file);
        assert_int_equal(a->sites[i].line, b->sites[i].line);
    }
    assert_int_equal(a->location_count, b->location_count);
    for (uint32_t i = 0; i < a->location_count; i++) {
        assert_true(a->locations[i].id == b->locations[i].id);
        assert_int_equal(a->locations[i].rank, b->locations[i].rank);
        assert_int_equal(a->locations[i].thread, b->locations[i].thread);
        assert_same_text(a->locations[i].node, b->locations[i].node);
        assert_same_text(a->locations[i].name, b->locations[i].name);
    }
    assert_int_equal(a->cell_count, b->cell_count);
    for (size_t i = 0; i < a->cell_count; i++) {
        assert_int_equal(a->cells[i].metric, b->cells[i].metric);
        assert_int_equal(a->cells[i].callpath, b->cells[i].callpath);
        assert_int_equal(a->cells[i].location, b->cells[i].location);
        assert_true(a->cells[i].value == b->cells[i].value);
    }
    assert_int_equal(a->statistics_count, b->statistics_count);
    for (uint32_t i = 0; i < a->statistics_count; i++) {
        const struct fm_cube_statistics *s = &a->statistics[i];
        const struct fm_cube_statistics *t = &b->statistics[i];
        assert_int_equal(s->metric, t->metric);
        assert_true(s->count == t->count && s->sum == t->sum && s->min == t->min &&
                    s->lower_quartile == t->lower_quartile && s->median == t->median &&
                    s->upper_quartile == t->upper_quartile && s->max == t->max);
        assert_int_equal(s->worst_count, t->worst_count);
        for (uint32_t j = 0; j < s->worst_count; j++) {
            assert_int_equal(s->worst[j].location, t->worst[j].location);
            assert_int_equal(s->worst[j].callpath, t->worst[j].callpath);
            assert_true(s->worst[j].enter == t->worst[j].enter);
            assert_true(s->worst[j].wait == t->worst[j].wait);
            assert_int_equal(s->worst[j].cause_location, t->worst[j].cause_location);
            assert_int_equal(s->worst[j].cause_callpath, t->worst[j].cause_callpath);
            assert_int_equal(s->worst[j].blamed.location, t->worst[j].blamed.location);
            assert_int_equal(s->worst[j].blamed.callpath, t->worst[j].blamed.callpath);
            assert_true(s->worst[j].blamed.ticks == t->worst[j].blamed.ticks);
        }
    }
    assert_int_equal(a->lock_count, b->lock_count);
    for (uint32_t i = 0; i < a->lock_count; i++)
        assert_same_lock(&a->locks[i], &b->locks[i]);
    assert_true(a->left_out_locks == b->left_out_locks &&
                a->left_out_locks_waiting == b->left_out_locks_waiting);
    assert_int_equal(a->phase_count, b->phase_count);
    for (uint32_t i = 0; i < a->phase_count; i++) {
        const struct fm_cube_phase *s = &a->phases[i];
        const struct fm_cube_phase *t = &b->phases[i];
        assert_int_equal(s->region, t->region);
        assert_true(s->iteration_count == t->iteration_count);
        assert_int_equal(s->row_count, t->row_count);
        assert_memory_equal(s->rows, t->rows, s->row_count * sizeof *s->rows);
        assert_int_equal(s->kind_count, t->kind_count);
        if (s->kind_count > 0) {
            assert_memory_equal(s->kinds, t->kinds, s->kind_count * sizeof *s->kinds);
            assert_memory_equal(s->waiting, t->waiting,
                                (size_t)s->row_count * s->kind_count * sizeof *s->waiting);
        }
    }
    assert_int_equal(a->bins.bin_count, b->bins.bin_count);
    assert_int_equal(a->bins.locations_per_row, b->bins.locations_per_row);
    assert_int_equal(a->bins.cell_count, b->bins.cell_count);
    for (size_t i = 0; i < a->bins.cell_count; i++) {
        const struct fm_cube_bin *s = &a->bins.cells[i];
        const struct fm_cube_bin *t = &b->bins.cells[i];
        assert_true(s->metric == t->metric && s->row == t->row && s->bin == t->bin &&
                    s->ticks == t->ticks);
    }
    for (int m = 0; m < FM_MATRIX_COUNT; m++) {
        const struct fm_cube_matrix *s = &a->matrices[m];
        const struct fm_cube_matrix *t = &b->matrices[m];
        assert_true(s->omitted_links == t->omitted_links && s->omitted_count == t->omitted_count &&
                    s->omitted_amount == t->omitted_amount);
        assert_int_equal(s->link_count, t->link_count);
        for (size_t i = 0; i < s->link_count; i++)
            assert_true(s->links[i].from == t->links[i].from && s->links[i].to == t->links[i].to &&
                        s->links[i].metric == t->links[i].metric &&
                        s->links[i].count == t->links[i].count &&
                        s->links[i].amount == t->links[i].amount);
    }
    assert_same_topologies(a, b);
    assert_same_problems(a, b);
    assert_int_equal(a->path_from_init_to_finalize, b->path_from_init_to_finalize);
    assert_int_equal(a->is_profile, b->is_profile);
    assert_int_equal(a->partition_count, b->partition_count);
    for (uint32_t i = 0; i < a->partition_count; i++)
        assert_same_text(a->partition_names[i], b->partition_names[i]);
    for (uint32_t i = 0; a->partition_count > 0 && i < a->location_count; i++)
        assert_int_equal(a->partition_of[i], b->partition_of[i]);
    assert_int_equal(a->warning_count, b->warning_count);
    for (uint32_t i = 0; i < a->warning_count; i++)
        assert_same_text(a->warnings[i], b->warnings[i]);
}

static void check_round_trip(struct fm_cube *cube)
{
    struct fm_error error;
    struct fm_cube *again;
    assert_int_equal(fm_cube_write(cube, path, &error), FM_OK);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(fm_cube_read(path, &again, &error), FM_OK);
    assert_same_cube(cube, again);
    fm_cube_free(again);
    fm_cube_free(cube);
}

/** `solve` is called in a line, `MPI_Recv` at an address. */
static struct fm_cube *cube_with_sites(void)
{
    struct fm_cube *cube = sample_cube();
    cube->callpaths[SAMPLE_SOLVE].site = fm_cube_add_site(cube, "main.c", 20);
    cube->callpaths[SAMPLE_RECV].site = fm_cube_add_site(cube, "a.out+0x1234", 0);
    return cube;
}

static void test_round_trip(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    cube->experiment.overhead_is_least = true;
    check_round_trip(cube);
    check_round_trip(cube_with_sites());
    check_round_trip(empty_cube());
}

static void test_equal_cubes_give_equal_files(void **state)
{
    (void)state;
    size_t sizes[2];
    unsigned char *bytes[2];
    for (int i = 0; i < 2; i++) {
        struct fm_cube *cube = sample_cube();
        assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
        bytes[i] = load(&sizes[i]);
        fm_cube_free(cube);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void assert_refused(void)
{
    struct fm_cube *cube = NULL;
    struct fm_error error = {""};
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_ERR_DATA);
    assert_null(cube);
    assert_non_null(strstr(error.message, path));
}

static unsigned char *sample_file(size_t *size)
{
    struct fm_cube *cube = sample_cube();
    assert_int_equal(fm_cube_write(cube, path, NULL), FM_OK);
    fm_cube_free(cube);
    return load(size);
}

/** Every attempt reads the whole file: of a long one, not every position can be tried. */
/* Some thousand places of a file; more with FERMATA_TEST_FACTOR (tests/README.md). */
static size_t stride(size_t size)
{
    const char *factor = getenv("FERMATA_TEST_FACTOR");
    size_t places = 1500 * (factor != NULL && atoi(factor) > 0 ? (size_t)atoi(factor) : 1);
    return size / places + 1;
}

static void test_truncated_files_are_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    for (size_t length = 0; length < size; length += stride(size)) {
        store(bytes, length);
        assert_refused();
    }
    free(bytes);
}

static void test_changed_bytes_are_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    for (size_t i = 0; i < size; i += stride(size)) {
        bytes[i] ^= 0xff;
        store(bytes, size);
        assert_refused();
        bytes[i] ^= 0xff;
    }
    free(bytes);
}

static void test_longer_files_are_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    bytes[size] = 0;
    store(bytes, size + 1);
    assert_refused();
    free(bytes);
}

/* With the checksum made right, the reader must find out by itself: it may accept what still makes
 * sense, but what it accepts must hold together, and nothing may crash. */
static void test_malformed_contents_never_crash(void **state)
{
    (void)state;
    static const unsigned char masks[] = {0xff, 0x01, 0x80};
    size_t size;
    size_t refused = 0;
    unsigned char *bytes = sample_file(&size);
    size_t tried = 0;
    for (size_t i = 0; i + 8 < size; i += stride(size)) {
        unsigned char mask = masks[i % sizeof masks];
        bytes[i] ^= mask;
        fix_checksum(bytes, size);
        store(bytes, size);
        struct fm_cube *cube = NULL;
        fm_status_t status = fm_cube_read(path, &cube, NULL);
        if (status == FM_OK) {
            for (size_t k = 0; k < cube->cell_count; k++) {
                assert_true(cube->cells[k].metric < FM_METRIC_COUNT);
                assert_true(cube->cells[k].callpath < cube->callpath_count);
                assert_true(cube->cells[k].location < cube->location_count);
            }
            fm_cube_free(cube);
        } else {
            assert_int_equal(status, FM_ERR_DATA);
            refused++;
        }
        bytes[i] ^= mask;
        tried++;
    }
    assert_true(refused > tried / 7); /* most bytes are those of amounts, which are all valid */
    free(bytes);
}

/** Replaces the one occurrence of a text in the file by another one of the same length. */
static void replace(unsigned char *bytes, size_t size, const char *old, const char *new)
{
    unsigned char *place = memmem(bytes, size, old, strlen(old));
    assert_non_null(place);
    assert_int_equal(strlen(old), strlen(new));
    memcpy(place, new, strlen(new));
}

static void test_unknown_metrics_count_as_their_parents(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    replace(bytes, size, "mpi_lswo_same", "mpi_lswo_what");
    replace(bytes, size, "visits", "vizits");
    replace(bytes, size, "mpi_barrier_wait", "mpi_barrier_nook");
    fix_checksum(bytes, size);
    store(bytes, size);
    struct fm_cube *cube;
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_MPI_LATESENDER_WO, SAMPLE_RECV, 1), 60000);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_MPI_LSWO_SAME, SAMPLE_RECV, 1), 0);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_VISITS, SAMPLE_MAIN, 0), 0);
    /* added to the value that the parent has already */
    assert_int_equal(fm_cube_value(cube, FM_METRIC_MPI_SYNC_COLLECTIVE, SAMPLE_BARRIER, 0), 200000);
    assert_null(fm_cube_metric_statistics(cube, FM_METRIC_MPI_BARRIER_WAIT));
    assert_int_equal(cube->warning_count, 4);
    fm_cube_free(cube);
    free(bytes);
}

/* Of kinds of wait states that are not known, phases, bins, matrices and problems keep nothing. */
static void test_unknown_wait_states_are_left_out(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    replace(bytes, size, "mpi_barrier_wait", "mpi_barrier_nook");
    fix_checksum(bytes, size);
    store(bytes, size);
    struct fm_cube *cube;
    struct fm_cube *whole = sample_cube();
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_int_equal(cube->phase_count, whole->phase_count);
    assert_int_equal(whole->phases[0].kind_count, 2);
    assert_int_equal(cube->phases[0].kind_count, 1);
    assert_int_equal(cube->phases[0].kinds[0], FM_METRIC_MPI_LATESENDER);
    for (uint32_t i = 0; i < cube->phases[0].row_count; i++) {
        assert_true(cube->phases[0].rows[i].waiting == whole->phases[0].rows[i].waiting);
        assert_true(cube->phases[0].waiting[i] == whole->phases[0].waiting[2 * i]);
    }
    assert_int_equal(cube->bins.cell_count, whole->bins.cell_count);
    assert_int_equal(cube->matrices[FM_MATRIX_DELAYS].link_count,
                     whole->matrices[FM_MATRIX_DELAYS].link_count - 2);
    assert_int_equal(cube->problems[0].symptom_count, whole->problems[0].symptom_count - 1);
    fm_cube_free(cube);
    fm_cube_free(whole);
    free(bytes);
}

/** A profile must be known as one: otherwise it would state that nobody waits. */
static void test_profiles(void **state)
{
    (void)state;
    struct fm_cube *expected = sample_cube(), *cube;
    expected->is_profile = true;
    assert_int_equal(fm_cube_write(expected, path, NULL), FM_OK);
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_same_cube(expected, cube);
    fm_cube_free(cube);
    fm_cube_free(expected);
    size_t size;
    unsigned char *bytes = load(&size);
    unsigned char *section = memmem(bytes, size, "PROF", 4);
    assert_non_null(section);
    section[16]++; /* another version of the section */
    fix_checksum(bytes, size);
    store(bytes, size);
    assert_refused();
    section[3] = '-'; /* a program that does not know the section refuses the file */
    fix_checksum(bytes, size);
    store(bytes, size);
    assert_refused();
    free(bytes);
}

static void test_unknown_sections(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    /* a section of 4 bytes before the checksum */
    static const unsigned char extra[20] = {'N', 'E', 'W', '!', 0, 0, 0, 0, 4, 0,
                                            0,   0,   0,   0,   0, 0, 1, 2, 3, 4};
    memcpy(bytes + size - 8, extra, sizeof extra);
    size += sizeof extra;
    bytes[12]++;
    bytes[16] = (unsigned char)size;
    bytes[17] = (unsigned char)(size >> 8);
    fix_checksum(bytes, size);
    store(bytes, size);
    struct fm_cube *cube;
    struct fm_cube *expected = sample_cube();
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_same_cube(expected, cube);
    fm_cube_free(cube);
    fm_cube_free(expected);
    bytes[size - 8 - sizeof extra + 4] = 1; /* now it must be understood */
    fix_checksum(bytes, size);
    store(bytes, size);
    assert_refused();
    free(bytes);
}

/** Makes an optional section one of another version, then one that is not there (its tag is
 * unknown): the file can be read, and `is_left_out` holds. */
static void check_optional_section(const char *tag, bool (*is_left_out)(const struct fm_cube *))
{
    size_t size;
    unsigned char *bytes = sample_file(&size);
    unsigned char *section = memmem(bytes, size, tag, 4);
    assert_non_null(section);
    struct fm_cube *cube;
    section[16]++;
    fix_checksum(bytes, size);
    store(bytes, size);
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_true(is_left_out(cube));
    assert_int_equal(cube->warning_count, 2);
    char version[32];
    snprintf(version, sizeof version, "in version %d ", section[16]);
    assert_non_null(strstr(cube->warnings[1], version));
    fm_cube_free(cube);
    section[0] = '-';
    fix_checksum(bytes, size);
    store(bytes, size);
    assert_int_equal(fm_cube_read(path, &cube, NULL), FM_OK);
    assert_true(is_left_out(cube));
    assert_int_equal(cube->warning_count, 1);
    fm_cube_free(cube);
    free(bytes);
}

static bool has_no_locks(const struct fm_cube *cube)
{
    return cube->lock_count == 0 && cube->problems[1].lock == FM_CUBE_NONE;
}

static bool has_no_options(const struct fm_cube *cube)
{
    return cube->partition_count == 0 && !cube->path_from_init_to_finalize;
}

/** Without its phase, a problem has no iterations. */
static bool has_no_phases(const struct fm_cube *cube)
{
    const struct fm_cube_problem *problem = &cube->problems[0];
    return cube->phase_count == 0 && problem->phase == FM_CUBE_NONE &&
           problem->occasions[0].last == 0 && problem->occasions[0].end == 760000 &&
           !problem->excess.is_known;
}

static bool has_no_bins(const struct fm_cube *cube)
{
    return cube->bins.bin_count == 0 && cube->bins.cell_count == 0;
}

static bool has_no_matrices(const struct fm_cube *cube)
{
    return cube->matrices[0].link_count + cube->matrices[1].link_count +
               cube->matrices[2].link_count + cube->matrices[3].link_count ==
           0;
}

static bool blames_nobody(const struct fm_cube *cube)
{
    return cube->statistics[0].worst[0].blamed.location == FM_CUBE_NONE;
}

static bool has_no_topologies(const struct fm_cube *cube)
{
    return cube->topology_count == 0;
}

static bool has_no_problems(const struct fm_cube *cube)
{
    return cube->problem_count == 0;
}

static bool has_no_predictions(const struct fm_cube *cube)
{
    return cube->experiment.duration == 0 && cube->problems[0].prediction_count == 0;
}

/* Files of versions before or after. */
static void test_sections_of_other_versions_are_left_out(void **state)
{
    (void)state;
    check_optional_section("LOCK", has_no_locks);
    check_optional_section("OPTS", has_no_options);
    check_optional_section("PHAS", has_no_phases);
    check_optional_section("BINS", has_no_bins);
    check_optional_section("MATX", has_no_matrices);
    check_optional_section("TOPO", has_no_topologies);
    check_optional_section("PROB", has_no_problems);
    check_optional_section("BLAM", blames_nobody);
    check_optional_section("PRED", has_no_predictions);
}

static void test_other_versions_are_refused_as_such(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = sample_file(&size);
    bytes[8] = FM_CUBE_FILE_VERSION + 1;
    fix_checksum(bytes, size);
    store(bytes, size);
    struct fm_cube *cube = NULL;
    struct fm_error error;
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_ERR_DATA);
    char expected[32];
    snprintf(expected, sizeof expected, "version %d", FM_CUBE_FILE_VERSION + 1);
    assert_non_null(strstr(error.message, expected));
    free(bytes);
}

static void test_things_that_are_no_files(void **state)
{
    (void)state;
    struct fm_cube *cube = NULL;
    struct fm_error error;
    assert_int_equal(fm_cube_read(folder, &cube, &error), FM_ERR_DATA);
    assert_int_equal(fm_cube_read("/dev/zero", &cube, &error), FM_ERR_DATA);
    unlink(path);
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_ERR_SYSTEM);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_ERR_DATA);
    assert_null(cube);
}

static void test_failing_writes_leave_nothing(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_error error;
    char missing[300];
    snprintf(missing, sizeof missing, "%s/missing/report.fer", folder);
    assert_int_equal(fm_cube_write(cube, missing, &error), FM_ERR_SYSTEM);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0); /* cannot be replaced by a file */
    assert_int_equal(fm_cube_write(cube, path, &error), FM_ERR_SYSTEM);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(rmdir(path), 0);
    /* the group's end checks that the folder is empty */
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_equal_cubes_give_equal_files),
        cmocka_unit_test(test_truncated_files_are_refused),
        cmocka_unit_test(test_changed_bytes_are_refused),
        cmocka_unit_test(test_longer_files_are_refused),
        cmocka_unit_test(test_malformed_contents_never_crash),
        cmocka_unit_test(test_unknown_metrics_count_as_their_parents),
        cmocka_unit_test(test_unknown_wait_states_are_left_out),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_unknown_sections),
        cmocka_unit_test(test_sections_of_other_versions_are_left_out),
        cmocka_unit_test(test_other_versions_are_refused_as_such),
        cmocka_unit_test(test_things_that_are_no_files),
        cmocka_unit_test(test_failing_writes_leave_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
