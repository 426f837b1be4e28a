/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of which one side was not recorded are matched around, and told from those that lack it.
 */
#include "check.h"

#include "analysis/p2p/matching.h"

#include <string.h>

enum { TAG = 7 };

static uint32_t members[] = {0, 1};
static struct fm_communicator world = {.size = 2, .first_group_size = 2, .members = members};
static struct fm_process processes[] = {{.first_location = 0, .location_count = 1},
                                        {.first_location = 1, .location_count = 1}};
static char receive_name[] = "MPI_Recv";
static struct fm_region regions[] = {{.name = receive_name}};
static struct fm_location locations[2];
static const struct fm_trace trace = {
    .communicators = &world,
    .communicator_count = 1,
    .processes = processes,
    .process_count = 2,
    .locations = locations,
    .location_count = 2,
    .regions = regions,
    .region_count = 1,
};
static struct fm_gaps gaps;
static struct fm_receiver receiver;

/* `plan` is what process 1 does, in order: r receives from process 0, 1 to 9 are receives in a
 * pause.
 */
static void open(const char *plan, bool any_gaps)
{
    struct fm_location *location = &locations[1];
    uint64_t time = 10;
    fm_vector_push(&location->profile, (struct fm_visit_profile){.region = 0});
    for (const char *step = plan; *step != '\0'; ++step, time += 10) {
        if (*step != 'r') {
            fm_vector_push(&location->unrecorded,
                           (struct fm_unrecorded){time, (uint64_t)(*step - '0'), 0, 0, TAG,
                                                  FM_SERIES_RECEIVES});
            continue;
        }
        uint32_t call = (uint32_t)location->enter.count;
        fm_vector_push(&location->enter, time);
        fm_vector_push(&location->leave, time + 5);
        fm_vector_push(&location->visit, 0);
        fm_vector_push(&location->receives,
                       (struct fm_message_end){call, call, 1, 0, 0, TAG, 0, 0});
    }
    fm_receiver_open(&receiver, &trace, 1, any_gaps ? &gaps : NULL, false);
}

/* What process 0 does: s sends, 1 to 9 are sends in a pause. */
static void take(const char *plan)
{
    uint32_t call = 0;
    for (const char *step = plan; *step != '\0'; ++step) {
        struct fm_sent sent = {.tag = TAG, .never_waits = 1, .start = call};
        if (*step == 's') {
            ++call;
        } else {
            sent.enter = (uint64_t)(*step - '0');
            sent.start = FM_NONE;
        }
        fm_receiver_take(&receiver, &sent);
    }
    fm_receiver_finish(&receiver);
}

static void close_all(void)
{
    fm_receiver_close(&receiver);
    fm_gaps_free(&gaps);
    fm_vector_free(&locations[1].enter);
    fm_vector_free(&locations[1].leave);
    fm_vector_free(&locations[1].visit);
    fm_vector_free(&locations[1].profile);
    fm_vector_free(&locations[1].receives);
    fm_vector_free(&locations[1].unrecorded);
    locations[1] = (struct fm_location){0};
}

/* `pairs`: for each receive the number of its send, - for none. */
static void expect(const char *receives, const char *sends, const char *pairs, uint64_t cut_off,
                   uint64_t unmatched_receives, uint64_t unmatched_sends, bool any_gaps)
{
    open(receives, any_gaps);
    take(sends);
    assert_int_equal(receiver.count, strlen(pairs));
    for (uint32_t i = 0; i < receiver.count; ++i) {
        bool matched = receiver.arrivals[i].location != FM_NONE;
        assert_int_equal(matched ? '0' + (int)receiver.arrivals[i].start : '-', pairs[i]);
    }
    assert_int_equal(receiver.cut_off, cut_off);
    assert_int_equal(receiver.unmatched_receives, unmatched_receives);
    assert_int_equal(receiver.unmatched_sends, unmatched_sends);
    close_all();
}

static void all_is_recorded(void **state)
{
    (void)state;
    expect("rr", "ss", "01", 0, 0, 0, false);
    expect("rr", "s", "0-", 0, 1, 0, false);
    expect("r", "ss", "0", 0, 0, 1, false);
}

static void gaps_stand_between(void **state)
{
    (void)state;
    expect("r2r", "s2s", "01", 0, 0, 0, true);
    expect("r2r", "ssss", "03", 2, 0, 0, true);
    expect("rrrr", "s2s", "0--1", 2, 0, 0, true);
    expect("r1rr", "1sss", "-12", 2, 0, 0, true);
}

static void gaps_stand_at_the_ends(void **state)
{
    (void)state;
    expect("2r", "sss", "2", 2, 0, 0, true);
    expect("r2", "sss", "0", 2, 0, 0, true);
    expect("rrr", "s2", "0--", 2, 0, 0, true);
    expect("rrr", "2s", "--0", 2, 0, 0, true);
    expect("3", "sss", "", 3, 0, 0, true);
    expect("rrr", "3", "---", 3, 0, 0, true);
}

static void what_is_lost_is_still_lost(void **state)
{
    (void)state;
    expect("r1", "sss", "0", 1, 0, 1, true);
    expect("rrrr", "s2", "0---", 2, 1, 0, true);
    expect("rr", "s", "0-", 0, 1, 0, true); /* others have gaps */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_recorded),
        cmocka_unit_test(gaps_stand_between),
        cmocka_unit_test(gaps_stand_at_the_ends),
        cmocka_unit_test(what_is_lost_is_still_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
