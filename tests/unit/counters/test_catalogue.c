/* SPDX-License-Identifier: BSD-3-Clause */
/* The catalogue of counters: complete, without double names, and the lists that select from it. */
#include "check.h"
#include "counters/catalogue.h"
#include "counters/counter_layout.h"

#include <stdlib.h>
#include <string.h>

static void has_all_of_open_mpi(void **state)
{
    (void)state;
    size_t spc = 0, calls = 0, algorithms = 0, offered = 0, hooked = 0, own = 0;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *counter = fm_counter_at(i);
        spc += counter->is_spc;
        offered += counter->spc_offers;
        hooked += counter->is_spc && counter->is_hooked;
        own += !counter->is_spc && counter->is_hooked;
        algorithms += counter->is_spc && counter->kind == FM_COUNTER_COLLECTIVE_BINS;
        calls += counter->is_spc && strncmp(counter->meaning, "calls of ", 9) == 0;
    }
    assert_int_equal(spc, 161);
    assert_int_equal(calls, 95);
    assert_int_equal(algorithms, 43);
    assert_int_equal(offered, 108);
    assert_int_equal(hooked, 53);
    assert_int_equal(own, 24);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(fm_counter_at(i)->name, fm_counter_at(j)->name);
        }
        assert_ptr_equal(fm_counter_named(fm_counter_at(i)->name), fm_counter_at(i));
    }
}

static void unavailable_ones_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *counter = fm_counter_at(i);
        bool unavailable = counter->tier == FM_TIER_UNAVAILABLE;
        assert_true(unavailable == (counter->source == NULL));
        assert_true(unavailable == (counter->reason != NULL));
        assert_true(counter->meaning[0] != '\0' && counter->unit[0] != '\0');
        if (counter->is_spc && !unavailable) { /* its source is a counter of files */
            bool of_function = strncmp(counter->source, FM_COUNTER_CALLS, 6) == 0;
            assert_true(of_function || fm_counter_named(counter->source) != NULL);
        }
    }
}

/* Open MPI has a variable of it however it was built. */
static void a_variable_is_read_if_it_is_named(void **state)
{
    (void)state;
    size_t variables = 0;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *counter = fm_counter_at(i);
        variables += counter->is_variable;
        assert_true(!counter->is_variable ||
                    strstr(counter->reason, "variables of Open MPI") != NULL);
        assert_true(counter->is_variable || counter->reason == NULL ||
                    strstr(counter->reason, "variable") == NULL);
    }
    assert_int_equal(variables, 1);
    assert_null(strstr(fm_counter_named("UNEXPECTED_IN_QUEUE")->reason, "enable-spc"));
    assert_true(fm_counter_named("UNEXPECTED_IN_QUEUE")->is_variable);
}

/* Persistent collectives have two names, and one counter of Open MPI. */
static void sums_of_two_names(void **state)
{
    (void)state;
    size_t sums = 0;
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *counter = fm_counter_at(i);
        if (counter->summands[0] != NULL) {
            sums++;
            assert_string_equal(counter->source, counter->name);
            assert_ptr_equal(fm_counter_sum_ending(counter->summands[1]), counter);
            assert_null(fm_counter_sum_ending(counter->summands[0]));
        }
    }
    assert_int_equal(sums, 22);
    const struct fm_counter_entry *bcast = fm_counter_named("OMPI_SPC_BCAST_INIT");
    assert_int_equal(bcast->tier, FM_TIER_EXACT);
    assert_string_equal(bcast->summands[0], "calls:MPI_Bcast_init");
    assert_string_equal(bcast->summands[1], "calls:MPIX_Bcast_init");
    assert_string_equal(fm_counter_source("OMPI_SPC_BCAST_INIT"), "BCAST_INIT");
    assert_true(fm_counter_selected("BCAST_INIT", "calls:MPIX_Bcast_init"));
    assert_true(fm_counter_selected("OMPI_SPC_BCAST_*", "calls:MPI_Bcast_init"));
    assert_true(fm_counter_selected("OMPI_SPC_BCAST_INIT", "BCAST_INIT"));
    assert_false(fm_counter_selected("calls:MPI_Bcast_init", "BCAST_INIT"));
    assert_false(fm_counter_selected("BCAST_INIT", "time:MPI_Bcast_init"));
}

static void open_mpi_names_are_aliases(void **state)
{
    (void)state;
    assert_string_equal(fm_counter_source("OMPI_SPC_SEND"), "calls:MPI_Send");
    assert_string_equal(fm_counter_source("SENDRECV_REPLACE"), "calls:MPI_Sendrecv_replace");
    assert_string_equal(fm_counter_source("BYTES_SENT_USER"), "mpi.bytes_sent");
    assert_string_equal(fm_counter_source("mpi.bytes_sent"), "mpi.bytes_sent");
    assert_string_equal(fm_counter_source("time:MPI_Send"), "time:MPI_Send");
    assert_null(fm_counter_source("OMPI_SPC_UNEXPECTED"));
    assert_null(fm_counter_source("nonsense"));
    assert_null(fm_counter_named("OMPI_SPC_mpi.bytes_sent"));
    assert_int_equal(fm_counter_named("BYTES_GET")->tier, FM_TIER_LOWER_BOUND);
}

static void lists_select(void **state)
{
    (void)state;
    assert_true(fm_counter_selected("all", "calls:MPI_Send"));
    assert_true(fm_counter_selected("yes", "mpi.bytes_sent"));
    assert_false(fm_counter_selected("", "mpi.bytes_sent"));
    assert_true(fm_counter_selected("SEND,mpi.bytes_*", "calls:MPI_Send"));
    assert_true(fm_counter_selected("SEND, mpi.bytes_*", "mpi.bytes_received"));
    assert_false(fm_counter_selected("SEND,mpi.bytes_*", "calls:MPI_Recv"));
    assert_false(fm_counter_selected("SEND,mpi.bytes_*", "time:MPI_Send"));
    assert_true(fm_counter_selected("OMPI_SPC_I*", "calls:MPI_Isend"));
    assert_true(fm_counter_selected("OMPI_SPC_*", "UNEXPECTED"));
    assert_true(fm_counter_selected("OMPI_SPC_*", "mpi.bytes_sent"));
    assert_false(fm_counter_selected("OMPI_SPC_*", "usage.time_user"));
    assert_true(fm_counter_list_names_spc("OMPI_SPC_*", "UNEXPECTED"));
    assert_false(fm_counter_list_names_spc("OMPI_SPC_*,all", "OOS_MATCH_TIME"));
    assert_true(fm_counter_list_names_spc("OOS_*", "OOS_MATCH_TIME"));
    assert_string_equal(fm_counter_list_unknown("OMPI_SPC_OOS_MATCH_TIME"),
                        "OMPI_SPC_OOS_MATCH_TIME");
    assert_true(fm_counter_list_names("all,perf:cyc*", "perf:", "perf:cycles"));
    assert_false(fm_counter_list_names("all,perf:cyc*", "perf:", "perf:instructions"));
    assert_false(fm_counter_list_names("all,*", "perf:", "perf:cycles"));
    assert_null(fm_counter_list_unknown("user:whatever,perf:cycles,perf:*"));
    assert_string_equal(fm_counter_list_unknown("mpi.*,perf:cycle"), "perf:cycle");
    assert_true(fm_counter_list_is_none("none"));
    assert_true(fm_counter_list_is_none(NULL));
    assert_false(fm_counter_list_is_none("all"));
    assert_null(fm_counter_list_unknown("all"));
    assert_null(fm_counter_list_unknown("none"));
    assert_null(fm_counter_list_unknown("OMPI_SPC_SEND,time:MPI_*,shmem.*,UNEXPECTED"));
    assert_string_equal(fm_counter_list_unknown("SEND,nonsense,also"), "nonsense");
}

static void bins_have_names(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(
        fm_counter_bin_name("mpi.message_sizes", FM_COUNTER_HISTOGRAM, 0, 0, text, 64), "0");
    assert_string_equal(
        fm_counter_bin_name("mpi.message_sizes", FM_COUNTER_HISTOGRAM, 7, 0, text, 64), "64-127");
    assert_string_equal(
        fm_counter_bin_name("mpi.message_sizes", FM_COUNTER_HISTOGRAM, 64, 0, text, 64),
        "9223372036854775808-18446744073709551615");
    assert_string_equal(fm_counter_bin_name("mpi.collectives", FM_COUNTER_BINS, 11, 0, text, 64),
                        "allreduce");
    assert_string_equal(
        fm_counter_bin_name("mpi.messages_by_boundary", FM_COUNTER_BINS, 1, 1000, text, 64),
        "above 1000");
}

static void boundaries_are_those_of_the_parameters(void **state)
{
    static const struct {
        const char *text;
        uint32_t boundary;
    } texts[] = {{"1000", 1000}, {"0", 0},      {"", 12288},
                 {"-1", 12288},  {"1k", 12288}, {"99999999999", 12288}};
    (void)state;
    unsetenv("OMPI_MCA_mpi_spc_p2p_message_boundary");
    unsetenv("OMPI_MCA_mpi_spc_collective_comm_boundary");
    assert_int_equal(fm_counter_boundary(FM_BOUNDARY_MESSAGE), 12288);
    assert_int_equal(fm_counter_boundary(FM_BOUNDARY_COMMUNICATOR), 64);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        setenv("OMPI_MCA_mpi_spc_p2p_message_boundary", texts[i].text, 1);
        assert_int_equal(fm_counter_boundary(FM_BOUNDARY_MESSAGE), texts[i].boundary);
    }
    unsetenv("OMPI_MCA_mpi_spc_p2p_message_boundary");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_of_open_mpi),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(unavailable_ones_say_why),
        cmocka_unit_test(a_variable_is_read_if_it_is_named),
        cmocka_unit_test(sums_of_two_names),
        cmocka_unit_test(open_mpi_names_are_aliases),
        cmocka_unit_test(lists_select),
        cmocka_unit_test(bins_have_names),
        cmocka_unit_test(boundaries_are_those_of_the_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
