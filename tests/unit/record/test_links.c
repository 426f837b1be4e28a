/* SPDX-License-Identifier: BSD-3-Clause */
/* Which connections of different worlds are the two sides of one: only if nothing else is possible.
 */
#include "record/worlds/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct fm_link_side side(uint32_t world, enum fm_link how, const char *detail,
                                uint64_t enter, uint64_t leave)
{
    return (struct fm_link_side){.world = world,
                                 .how = how,
                                 .detail = detail,
                                 .size = 1,
                                 .remote_size = 1,
                                 .is_root = true,
                                 .enter = enter,
                                 .leave = leave};
}

static void expect_pair(const struct fm_link_side *sides, uint32_t a, uint32_t b)
{
    assert_int_equal(sides[a].partner, b);
    assert_int_equal(sides[b].partner, a);
    assert_int_equal(sides[a].pair, sides[b].pair);
}

static void a_spawned_world_belongs_to_the_call_that_was_open(void **state)
{
    (void)state;
    struct fm_link_side sides[] = {
        side(0, FM_LINK_SPAWN, "", 10, 20),
        side(0, FM_LINK_SPAWN, "", 20, 30),
        side(1, FM_LINK_PARENT, "", 15, 25), /* has left MPI_Init late */
        side(2, FM_LINK_PARENT, "", 26, 31),
    };
    fm_links_match(sides, 4);
    expect_pair(sides, 0, 2);
    expect_pair(sides, 1, 3);
    assert_int_not_equal(sides[0].pair, sides[1].pair);
}

static void spawns_at_the_same_time_are_told_apart_by_the_root_only(void **state)
{
    (void)state;
    struct fm_link_side named[] = {
        side(0, FM_LINK_SPAWN, "7.0", 10, 20),
        side(0, FM_LINK_SPAWN, "7.1", 11, 21),
        side(1, FM_LINK_PARENT, "7.1", 15, 20),
        side(2, FM_LINK_PARENT, "7.0", 15, 20),
    };
    fm_links_match(named, 4);
    expect_pair(named, 0, 3);
    expect_pair(named, 1, 2);
    struct fm_link_side unnamed[] = {
        side(0, FM_LINK_SPAWN, "", 10, 20),
        side(0, FM_LINK_SPAWN, "", 11, 21),
        side(1, FM_LINK_PARENT, "", 15, 20),
        side(2, FM_LINK_PARENT, "", 15, 20),
    };
    fm_links_match(unnamed, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(unnamed[i].partner, FM_DEFINE_NONE);
    }
    unnamed[0].remote_size = unnamed[3].size = 2; /* sizes tell them apart, too */
    fm_links_match(unnamed, 4);
    expect_pair(unnamed, 0, 3);
    expect_pair(unnamed, 1, 2);
}

/* Both clients wait at the same time. The first one has left before the second call began. */
static void what_belongs_to_one_only_leaves_one_for_the_rest(void **state)
{
    (void)state;
    struct fm_link_side sides[] = {
        side(0, FM_LINK_ACCEPT, "port", 10, 20),  side(0, FM_LINK_ACCEPT, "port", 25, 30),
        side(1, FM_LINK_CONNECT, "port", 5, 31),  side(2, FM_LINK_CONNECT, "port", 6, 21),
        side(3, FM_LINK_CONNECT, "other", 6, 21),
    };
    fm_links_match(sides, 5);
    expect_pair(sides, 0, 3);
    expect_pair(sides, 1, 2);
    assert_int_equal(sides[4].partner, FM_DEFINE_NONE);
}

static void a_connection_has_two_worlds_whose_roots_were_in_it(void **state)
{
    (void)state;
    struct fm_link_side a = side(0, FM_LINK_JOIN, "x y", 10, 20);
    struct fm_link_side b = side(1, FM_LINK_JOIN, "x y", 15, 20);
    assert_true(fm_links_may_be_one(&a, &b));
    b.world = 0;
    assert_false(fm_links_may_be_one(&a, &b));
    b = side(1, FM_LINK_JOIN, "x z", 15, 20);
    assert_false(fm_links_may_be_one(&a, &b));
    b = side(1, FM_LINK_JOIN, "x y", 20, 25);
    assert_false(fm_links_may_be_one(&a, &b));
    b = side(1, FM_LINK_JOIN, "", 15, 20); /* a socket without a name */
    assert_true(fm_links_may_be_one(&a, &b));
    b.is_root = false;
    assert_false(fm_links_may_be_one(&a, &b));
    b = side(1, FM_LINK_ACCEPT, "x y", 15, 20);
    assert_false(fm_links_may_be_one(&a, &b));
    a = side(0, FM_LINK_CONNECT, "", 10, 20); /* ports always have a name */
    assert_false(fm_links_may_be_one(&a, &b));
}

static void times_with_errors_leave_more_possible(void **state)
{
    (void)state;
    struct fm_link_side a = side(0, FM_LINK_SPAWN, "", 10, 20);
    struct fm_link_side b = side(1, FM_LINK_PARENT, "", 5, 8),
                        c = side(1, FM_LINK_PARENT, "", 24, 30);
    assert_false(fm_links_may_be_one(&a, &b));
    assert_false(fm_links_may_be_one(&a, &c));
    b.error = c.error = 5;
    assert_false(fm_links_may_be_one(&a, &b)); /* cannot have been started by it */
    assert_true(fm_links_may_be_one(&a, &c));
    b.error = 6;
    assert_true(fm_links_may_be_one(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spawned_world_belongs_to_the_call_that_was_open),
        cmocka_unit_test(spawns_at_the_same_time_are_told_apart_by_the_root_only),
        cmocka_unit_test(what_belongs_to_one_only_leaves_one_for_the_rest),
        cmocka_unit_test(a_connection_has_two_worlds_whose_roots_were_in_it),
        cmocka_unit_test(times_with_errors_leave_more_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
