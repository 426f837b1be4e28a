/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies of a page: where each process is, and nothing that contradicts itself. */
#include "check.h"

#include "analysis/results/topologies.h"
#include "view/report/topology_data.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Text and columns of a bundle. */
struct content {
    unsigned char bytes[65536];
    char *text;
    const unsigned char *columns;
};

/** The topologies of a trace, by way of the report. */
static void open_bundle(struct content *content, struct fm_trace *trace)
{
    struct fm_process processes[6];
    struct fm_cube *cube = fm_cube_create();
    for (uint32_t i = 0; i < 6; i++) {
        processes[i] = (struct fm_process){.first_location = i, .location_count = 1};
        assert_int_equal(fm_cube_add_location(cube, i, i, 0, "node", "rank"), i);
    }
    trace->processes = processes;
    trace->process_count = 6;
    assert_int_equal(fm_topologies_add(trace, cube, NULL), FM_OK);
    struct fm_bundle *bundle = fm_bundle_create();
    unsigned char *packed;
    size_t size;
    uLongf length = sizeof content->bytes - 1;
    fm_topology_data_add(bundle, cube);
    fm_cube_free(cube);
    assert_int_equal(fm_bundle_finish(bundle, &packed, &size, NULL), FM_OK);
    assert_int_equal(uncompress(content->bytes, &length, packed, size), Z_OK);
    fm_free(packed);
    fm_bundle_free(bundle);
    size_t text = content->bytes[0] | (size_t)content->bytes[1] << 8;
    content->text = (char *)content->bytes + 4;
    content->columns = content->bytes + 4 + text;
}

static void test_places(void **state)
{
    (void)state;
    uint32_t members[] = {0, 1, 2, 3, 4, 5}, sizes[] = {2, 3};
    bool periodic[] = {false, true};
    /* Rank 4 is outside, and where rank 5 is nobody knows. */
    uint32_t coordinates[] = {0, 0, 0, 1, 0, 2, 1, 0, 2, 1, FM_NONE, FM_NONE};
    char *names[] = {NULL, (char *)"y"};
    struct fm_topology grid = {2, sizes, periodic, coordinates, NULL, names};
    struct fm_communicator communicators[] = {
        {.name = (char *)"world", .size = 6, .members = members},
        {.name = (char *)"a \"grid\"", .size = 6, .members = members, .topology = &grid},
    };
    struct fm_trace trace = {.communicators = communicators, .communicator_count = 2};
    struct content content;
    open_bundle(&content, &trace);
    assert_non_null(strstr(content.text,
                           "\"topologies\":[{\"name\":\"a \\\"grid\\\"\",\"sizes\":[2,3],"
                           "\"periodic\":[false,true],\"dimensions\":[\"\",\"y\"],"
                           "\"ranks\":4}]"));
    /* Differences, zigzag-coded: 0, 1, 2, 3. */
    assert_memory_equal(content.columns, "\0\2\2\2", 4);
    assert_memory_equal(content.columns + 4, "\0\2\2\2", 4);
}

static void test_nonsense_is_left_out(void **state)
{
    (void)state;
    uint32_t members[] = {0}, zero[] = {0, 4}, huge[] = {1U << 31, 1U << 31, 4}, one[] = {1};
    uint32_t coordinates[] = {0, 0, 0}, outside[] = {1};
    bool periodic[] = {false, false, false};
    char *names[] = {NULL, NULL, NULL};
    struct fm_topology topologies[] = {{2, zero, periodic, coordinates, NULL, names},
                                       {3, huge, periodic, coordinates, NULL, names},
                                       {0, NULL, NULL, NULL, NULL, NULL},
                                       {1, one, periodic, outside, NULL, names}};
    struct fm_communicator communicators[4];
    for (unsigned i = 0; i < 4; i++)
        communicators[i] =
            (struct fm_communicator){.size = 1, .members = members, .topology = &topologies[i]};
    struct fm_trace trace = {.communicators = communicators, .communicator_count = 4};
    struct content content;
    open_bundle(&content, &trace);
    assert_non_null(strstr(content.text, "\"topologies\":[],"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_nonsense_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
