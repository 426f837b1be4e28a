/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions: equality by key, groups as ranges, merging of packed sets. */
#include "record/archive/define.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void equal_definitions_are_one(void **state)
{
    (void)state;
    struct fm_definitions set = {0};
    uint32_t first = fm_define_string(&set, "abc"), other = fm_define_string(&set, "abcd");
    assert_int_equal(fm_define_string(&set, "abc"), first);
    assert_int_not_equal(first, other);
    for (int i = 0; i < 1000; i++) {
        char text[16];
        snprintf(text, sizeof text, "text %d", i);
        assert_int_equal(fm_define_string(&set, text), 2 + i);
    }
    assert_string_equal(fm_defined_string(&set, other), "abcd");
    assert_string_equal(fm_defined_string(&set, 2 + 999), "text 999");
    assert_string_equal(fm_defined_string(&set, FM_DEFINE_NONE), "");
    fm_definitions_free(&set);
}

static void groups_keep_their_members_in_order(void **state)
{
    (void)state;
    static const int groups[][6] = {{0, 1, 2, 3, 4, 5},
                                    {5, 4, 3, 2, 1, 0},
                                    {0, 2, 4, 1, 3, 5},
                                    {7, 7, 7, 1, 2, 9},
                                    {3, 0, 9, 1, 20, 2}};
    struct fm_definitions set = {0};
    for (uint32_t g = 0; g < 5; g++) {
        assert_int_equal(fm_define_group(&set, OTF2_PARADIGM_MPI, groups[g], 6), g);
        assert_int_equal(fm_define_group(&set, OTF2_PARADIGM_MPI, groups[g], 6), g);
        const uint32_t *words = fm_defined(&set, FM_DEFINE_GROUP, g, NULL);
        assert_int_equal(words[FM_GROUP_MEMBERS], 6);
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(fm_group_member(words, i), groups[g][i]);
        }
    }
    assert_int_equal(fm_define_group(&set, OTF2_PARADIGM_MPI, NULL, 0), 5);
    fm_definitions_free(&set);
}

static void large_regular_groups_are_small(void **state)
{
    (void)state;
    enum { RANKS = 65536 };
    struct fm_definitions set = {0};
    int *ranks = malloc(RANKS * sizeof *ranks);
    assert_non_null(ranks);
    for (int i = 0; i < RANKS; i++) {
        ranks[i] = i;
    }
    size_t words;
    fm_defined(&set, FM_DEFINE_GROUP, fm_define_group(&set, OTF2_PARADIGM_MPI, ranks, RANKS),
               &words);
    assert_int_equal(words, 5);
    free(ranks);
    fm_definitions_free(&set);
}

static uint32_t define_comm(struct fm_definitions *set, uint32_t parent, uint32_t count,
                            uint32_t group, uint32_t name)
{
    const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_FROM_PARENT,
                                           [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
                                           [FM_COMM_A] = parent,
                                           [FM_COMM_B] = count,
                                           [FM_COMM_GROUP] = group,
                                           [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                           [FM_COMM_PARENT] = parent,
                                           [FM_COMM_NAME] = name};
    return fm_define(set, FM_DEFINE_COMM, words, FM_COMM_WORDS);
}

static void merging_translates_references(void **state)
{
    (void)state;
    struct fm_definitions a = {0}, b = {0};
    struct fm_define_map map;
    uint32_t world[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_WORLD,
                                     [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
                                     [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                     [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                     [FM_COMM_NAME] = FM_DEFINE_NONE};
    int all[] = {0, 1}, one[] = {1};
    /* The same world and child in both sets under different numbers; the name only in b. */
    world[FM_COMM_GROUP] = fm_define_group(&a, OTF2_PARADIGM_MPI, all, 2);
    uint32_t a_world = fm_define(&a, FM_DEFINE_COMM, world, FM_COMM_WORDS);
    uint32_t a_child = define_comm(&a, a_world, 1, world[FM_COMM_GROUP], FM_DEFINE_NONE);
    fm_define_string(&b, "other");
    fm_define_group(&b, OTF2_PARADIGM_MPI, one, 1);
    world[FM_COMM_GROUP] = fm_define_group(&b, OTF2_PARADIGM_MPI, all, 2);
    uint32_t b_world = fm_define(&b, FM_DEFINE_COMM, world, FM_COMM_WORDS);
    define_comm(&b, b_world, 0, world[FM_COMM_GROUP], FM_DEFINE_NONE);
    uint32_t b_child =
        define_comm(&b, b_world, 1, world[FM_COMM_GROUP], fm_define_string(&b, "child"));

    size_t bytes;
    void *block = fm_definitions_pack(&b, &bytes);
    assert_true(fm_definitions_merge(&a, block, bytes, &map));
    assert_int_equal(map.numbers[FM_DEFINE_COMM][b_world], a_world);
    assert_int_equal(map.numbers[FM_DEFINE_COMM][b_child], a_child);
    assert_int_equal(a.tables[FM_DEFINE_COMM].count, 3);
    uint32_t name = fm_defined(&a, FM_DEFINE_COMM, a_child, NULL)[FM_COMM_NAME];
    assert_string_equal(fm_defined_string(&a, name), "child");
    fm_define_map_free(&map);

    /* A block that is cut anywhere, or refers to what is not there, is refused. */
    for (size_t cut = 0; cut < bytes; cut += 4) {
        struct fm_definitions scrap = {0};
        assert_false(fm_definitions_merge(&scrap, block, cut, &map));
        fm_define_map_free(&map);
        fm_definitions_free(&scrap);
    }
    free(block);
    fm_definitions_free(&a);
    fm_definitions_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_definitions_are_one),
        cmocka_unit_test(groups_keep_their_members_in_order),
        cmocka_unit_test(large_regular_groups_are_small),
        cmocka_unit_test(merging_translates_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
