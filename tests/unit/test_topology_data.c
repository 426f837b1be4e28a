/* Topologies of a page: where each process is, and nothing that contradicts itself. */
#include "check.h"

#include "view/topology_data.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Text and columns of a bundle. */
struct content {
    unsigned char bytes[65536];
    char *text;
    const unsigned char *columns;
};

static void open_bundle(struct content *content, const struct fm_trace *trace)
{
    struct fm_bundle *bundle = fm_bundle_create();
    unsigned char *packed;
    size_t size;
    uLongf length = sizeof content->bytes - 1;
    fm_topology_data_add(bundle, trace);
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
    struct fm_topology grid = {2, sizes, periodic, coordinates};
    struct fm_communicator communicators[] = {
        {.name = (char *)"world", .size = 6, .members = members},
        {.name = (char *)"a \"grid\"", .size = 6, .members = members, .topology = &grid},
    };
    const struct fm_trace trace = {.communicators = communicators, .communicator_count = 2};
    struct content content;
    open_bundle(&content, &trace);
    assert_non_null(strstr(content.text,
                           "\"topologies\":[{\"name\":\"a \\\"grid\\\"\",\"sizes\":[2,3],"
                           "\"periodic\":[false,true],\"ranks\":4}]"));
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
    struct fm_topology topologies[] = {{2, zero, periodic, coordinates},
                                       {3, huge, periodic, coordinates},
                                       {0, NULL, NULL, NULL},
                                       {1, one, periodic, outside}};
    struct fm_communicator communicators[4];
    for (unsigned i = 0; i < 4; i++)
        communicators[i] =
            (struct fm_communicator){.size = 1, .members = members, .topology = &topologies[i]};
    const struct fm_trace trace = {.communicators = communicators, .communicator_count = 4};
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
