/* SPDX-License-Identifier: BSD-3-Clause */
/* write_reports hostile|large|ended|traffic FILE: reports that are hard on the viewer. hostile: the
 * sample of tests/support with names that try to break out of the page; large: 10^6 severities;
 * ended: of counters only, of processes that were killed, so that no time is known; traffic: the
 * same with a message from rank 0 to rank 1. write_reports sources FILE NAME...: a report whose
 * call paths are at line 20 of files of these names. */
#include "sample_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_NAME      10000
#define LARGE_RANKS    1000
#define LARGE_PATHS    500
#define LARGE_FUNCTION 25

static const char *const hostile_names[] = {
    "<img src=x onerror=\"window.evil=1\" data-evil=1>",
    "</script><script data-evil=2>window.evil=2</script>",
    "<!--<script>window.evil=3",
    "{{constructor.constructor('window.evil=4')()}} ${window.evil=4}",
    ("\xe2\x80\xae"
     "gnp.exe\xe2\x80\x8b\xef\xbb\xbf"), /* bidi override, zero width space, byte order mark */
    "\"'`;javascript:window.evil=5//\\",
    "\x01\x1b[31m\xff\xfe\xc0\x80 no UTF-8",
    "__proto__",
    "constructor",
};

#define HOSTILE_NAMES (sizeof hostile_names / sizeof hostile_names[0])

static void must(int holds)
{
    if (!holds)
        abort();
}

/** Call paths below the root with each of the names, every one with time, a wait and a chain. */
static struct fm_cube *hostile_cube(void)
{
    struct fm_cube *cube = fm_cube_create();
    struct fm_error error;
    char name[LONG_NAME + 1];
    memset(name, 'x', LONG_NAME);
    name[LONG_NAME] = '\0';
    cube->experiment.ticks_per_second = 1000000;
    cube->experiment.end = 5000000;
    cube->experiment.process_count = 2;
    must(fm_cube_set_text(&cube->experiment.title, hostile_names[1], &error) == FM_OK);
    must(fm_cube_set_text(&cube->experiment.command, hostile_names[0], &error) == FM_OK);
    must(fm_cube_set_text(&cube->experiment.machine, hostile_names[4], &error) == FM_OK);
    must(fm_cube_warn(cube, &error, "%s", hostile_names[0]) == FM_OK);
    uint32_t root = fm_cube_add_callpath(
        cube, FM_CUBE_NONE, fm_cube_add_region(cube, name, "user", hostile_names[1], 7));
    for (size_t i = 0; i < HOSTILE_NAMES; i++) {
        uint32_t region =
            fm_cube_add_region(cube, hostile_names[i], hostile_names[i], hostile_names[i], 1);
        must(fm_cube_add_callpath(cube, root, region) != FM_CUBE_NONE);
    }
    must(fm_cube_add_location(cube, 0, 0, 0, hostile_names[0], hostile_names[1]) == 0);
    must(fm_cube_add_location(cube, 1, 1, 0, hostile_names[2], name) == 1);
    for (uint32_t path = 0; path <= HOSTILE_NAMES; path++) {
        for (uint32_t location = 0; location < 2; location++) {
            must(fm_cube_add(cube, FM_METRIC_COMP, path, location, 100000 + path, &error) == FM_OK);
            must(fm_cube_add(cube, FM_METRIC_MPI_LATESENDER, path, location, 200000 + location,
                             &error) == FM_OK);
        }
    }
    struct fm_cube_statistics record = {
        .metric = FM_METRIC_MPI_LATESENDER,
        .count = 10,
        .sum = 2000000,
        .min = 1,
        .lower_quartile = 2,
        .median = 3,
        .upper_quartile = 4,
        .max = 200000,
        .worst_count = 1,
        .worst = {{.location = 0,
                   .callpath = 1,
                   .enter = 5,
                   .wait = 200000,
                   .cause_location = 1,
                   .cause_callpath = 2,
                   .chain_length = 1,
                   .chain = {{.location = 1,
                              .callpath = 3,
                              .metric = FM_METRIC_NONE,
                              .permille = 900,
                              .ticks = 150000}}}},
    };
    must(fm_cube_add_statistics(cube, &record, &error) == FM_OK);
    struct fm_cube_lock lock = {.window = 1, .name = (char *)hostile_names[1], .end = 10};
    must(fm_cube_add_lock(cube, &lock, &error) == FM_OK);
    must(fm_cube_seal(cube, &error) == FM_OK);
    return cube;
}

/** 1,000 ranks, 500 call paths, at each a computing time and, where MPI is called, waiting. */
static struct fm_cube *large_cube(void)
{
    struct fm_cube *cube = fm_cube_create();
    struct fm_error error;
    uint64_t random = 1;
    cube->experiment.ticks_per_second = 1000000000;
    cube->experiment.end = UINT64_C(60000000000);
    cube->experiment.process_count = LARGE_RANKS;
    for (uint32_t rank = 0; rank < LARGE_RANKS; rank++) {
        char name[32], node[32];
        snprintf(name, sizeof name, "MPI Rank %u", rank);
        snprintf(node, sizeof node, "node%03u", rank / 64);
        must(fm_cube_add_location(cube, rank, rank, 0, node, name) == rank);
    }
    for (uint32_t path = 0; path < LARGE_PATHS; path++) {
        char name[32];
        snprintf(name, sizeof name, "function_%u", path % LARGE_FUNCTION);
        uint32_t region = fm_cube_add_region(cube, name, "user", "code.c", path);
        uint32_t parent = path == 0 ? FM_CUBE_NONE : (path - 1) / 4;
        must(fm_cube_add_callpath(cube, parent, region) == path);
        for (uint32_t rank = 0; rank < LARGE_RANKS; rank++) {
            static const fm_metric_t metrics[] = {FM_METRIC_COMP, FM_METRIC_MPI_LATESENDER};
            for (unsigned i = 0; i < 2; i++) {
                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                int64_t value = (int64_t)(random >> 40) + 1000;
                must(fm_cube_add(cube, metrics[i], path, rank, value, &error) == FM_OK);
            }
        }
    }
    must(fm_cube_seal(cube, &error) == FM_OK);
    return cube;
}

/** What counters are left of two processes that were killed.
 * @param has_traffic  the report also has a message of 64 bytes from rank 0 to rank 1 */
static struct fm_cube *ended_cube(bool has_traffic)
{
    struct fm_cube_link message = {
        .from = 0, .to = 1, .metric = FM_METRIC_COMMS_SEND, .count = 1, .amount = 64};
    const struct fm_cube_matrix messages = {.link_count = 1, .links = &message};
    struct fm_cube *cube = fm_cube_create();
    struct fm_error error;
    cube->experiment.ticks_per_second = 1000000000;
    cube->experiment.process_count = 2;
    cube->is_profile = true;
    uint32_t path = fm_cube_add_callpath(cube, FM_CUBE_NONE,
                                         fm_cube_add_region(cube, "main", "user", "code.c", 1));
    for (uint32_t rank = 0; rank < 2; rank++) {
        must(fm_cube_add_location(cube, rank, rank, 0, "node", "rank") == rank);
        must(fm_cube_add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, path, rank, 41, &error) ==
             FM_OK);
    }
    must(!has_traffic || fm_cube_set_matrix(cube, FM_MATRIX_MESSAGES, &messages, &error) == FM_OK);
    must(fm_cube_seal(cube, &error) == FM_OK);
    return cube;
}

/** A call path for each file. */
static struct fm_cube *cube_of_sources(char **files, int count)
{
    struct fm_cube *cube = fm_cube_create();
    struct fm_error error;
    cube->experiment.ticks_per_second = 1000;
    cube->experiment.end = 1000;
    cube->experiment.process_count = 1;
    must(fm_cube_add_location(cube, 0, 0, 0, "node", "rank 0") == 0);
    for (int i = 0; i < count; i++) {
        uint32_t region = fm_cube_add_region(cube, "function", "user", files[i], 20);
        uint32_t path = fm_cube_add_callpath(cube, i == 0 ? FM_CUBE_NONE : 0, region);
        must(fm_cube_add(cube, FM_METRIC_COMP, path, 0, 100, &error) == FM_OK);
    }
    must(fm_cube_seal(cube, &error) == FM_OK);
    return cube;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    struct fm_cube *cube = strcmp(argv[1], "sources") == 0   ? cube_of_sources(argv + 3, argc - 3)
                           : strcmp(argv[1], "hostile") == 0 ? hostile_cube()
                           : strcmp(argv[1], "large") == 0   ? large_cube()
                           : strcmp(argv[1], "ended") == 0   ? ended_cube(false)
                           : strcmp(argv[1], "traffic") == 0 ? ended_cube(true)
                                                             : sample_cube();
    struct fm_error error;
    fm_status_t status = fm_cube_write(cube, argv[2], &error);
    if (status != FM_OK)
        fprintf(stderr, "%s\n", error.message);
    fm_cube_free(cube);
    return (int)status;
}
