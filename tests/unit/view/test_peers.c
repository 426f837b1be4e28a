/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections without the token: limited in number, the oldest ends first. */
#include "check.h"
#include "view/server/peers.h"

static void test_the_oldest_stranger_gives_way(void **state)
{
    (void)state;
    struct fm_peers peers = {0};
    struct fm_peer all[2 * FM_STRANGERS];
    for (unsigned i = 0; i < FM_STRANGERS; i++)
        assert_null(fm_peers_enter(&peers, &all[i], (int)i));
    for (unsigned i = FM_STRANGERS; i < 2 * FM_STRANGERS; i++) {
        struct fm_peer *closed = fm_peers_enter(&peers, &all[i], (int)i);
        assert_ptr_equal(closed, &all[i - FM_STRANGERS]);
        assert_int_equal(closed->socket, i - FM_STRANGERS);
        fm_peers_leave(&peers, closed); /* its end is reported later */
    }
    assert_int_equal(peers.count, FM_STRANGERS);
}

static void test_trusted_peers_are_never_closed(void **state)
{
    (void)state;
    struct fm_peers peers = {0};
    struct fm_peer trusted, strangers[3 * FM_STRANGERS];
    assert_null(fm_peers_enter(&peers, &trusted, 1));
    fm_peers_trust(&peers, &trusted);
    fm_peers_trust(&peers, &trusted); /* with each request */
    assert_int_equal(peers.count, 0);
    for (unsigned i = 0; i < 3 * FM_STRANGERS; i++)
        assert_ptr_not_equal(fm_peers_enter(&peers, &strangers[i], 2), &trusted);
    fm_peers_leave(&peers, &trusted);
    assert_int_equal(peers.count, FM_STRANGERS);
}

static void test_strangers_leave_in_any_order(void **state)
{
    (void)state;
    struct fm_peers peers = {0};
    struct fm_peer all[4];
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
    for (unsigned order = 0; order < 4; order++) {
        for (int i = 0; i < 4; i++)
            fm_peers_enter(&peers, &all[i], i);
        for (int i = 0; i < 4; i++)
            fm_peers_leave(&peers, &all[orders[order][i]]);
        assert_int_equal(peers.count, 0);
        assert_null(peers.oldest);
        assert_null(peers.newest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_oldest_stranger_gives_way),
        cmocka_unit_test(test_trusted_peers_are_never_closed),
        cmocka_unit_test(test_strangers_leave_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
