/* SPDX-License-Identifier: BSD-3-Clause */
/* Every mistake in a scenario is told with its line and reason; no bytes can do harm. */
#include "scenario/scenario.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "unit 1\nranks 4 threads 2\ncomm c 0 2\nwindow w c\nwindow v world\n"

struct mistake {
    const char *text;
    const char *message; /* begin of it, behind the file's name */
};

static const struct mistake mistakes[] = {
    /* definitions */
    {"", "the line \"ranks N\" is missing"},
    {"hello\n", "1: no such statement: \"hello\""},
    {"\xff\xfe\n", "1: no such statement: \"??\""},
    {"unit\n", "1: the unit is missing"},
    {"unit 0\n", "1: the unit is a positive number of seconds, not: \"0\""},
    {"unit -1\n", "1: the unit is a positive number"},
    {"unit abc\n", "1: the unit is a positive number"},
    {"unit 3\n", "1: 1000 ticks per unit give no integer number of ticks per second"},
    {"unit 2000\n", "1: 1000 ticks per unit give no integer number"},
    {"unit 1e-18\n", "1: the unit is too small"},
    {"unit 1\nunit 1\n", "2: the unit is given twice"},
    {"unit 1 s\n", "1: unexpected word at the end of the line: \"s\""},
    {"ranks\n", "1: the number of ranks is missing"},
    {"ranks 0\n", "1: the number of locations must be from 1 to"},
    {"ranks 4 threads 0\n", "1: the number of locations must be from 1 to"},
    {"ranks -1\n", "1: the number of ranks must be an integer from 0"},
    {"ranks 1000000000\n", "1: the number of ranks must be an integer from 0 to 1048576"},
    {"ranks 99999999999999999999999\n", "1: the number of ranks must be an integer"},
    {"ranks 1048576 threads 1048576\n", "1: the number of locations must be from 1 to 1048576"},
    {"phase a\n", "1: the line \"ranks N\" must come first"},
    {HEAD "phase\n", "6: the region is missing"},
    {HEAD "expect_phase\n", "6: the name of the value is missing"},
    {HEAD "expect_phase duration 0 1\n", "6: an expectation is NAME REGION ITERATION VALUE"},
    {HEAD "expect_phase duration step x 1\n", "6: the iteration must be an integer from 0"},
    {HEAD "expect_phase duration time step 1 x\n", "6: not a value: \"x\""},
    {HEAD "expect_matrix messages 0 1\n", "6: an expectation is NAME FROM TO VALUE [TOLERANCE]"},
    {HEAD "expect_matrix messages 4 1 1\n", "6: no such location among 4 ranks"},
    {HEAD "expect_matrix messages a 1 1\n", "6: a location is RANK or RANK.THREAD"},
    {HEAD "expect_matrix messages 0 0.2 1 0.5\n", "6: no such location among 4 ranks"},
    {HEAD "analyze\n", "6: the option is missing"},
    {HEAD "analyze --a=b --partition\n", "6: an option is --NAME=VALUE, not: \"--partition\""},
    {HEAD "analyze partition=a\n", "6: an option is --NAME=VALUE"},
    {"ranks 2 thread 1\n", "1: expected \"threads\", not: \"thread\""},
    {"ranks 2 threads\n", "1: the number of threads is missing"},
    {"ranks 2\nranks 2\n", "2: the number of ranks is given twice"},
    {"comm c 0\n", "1: the line \"ranks N\" must come first"},
    {"0 0 enter a\n", "1: the line \"ranks N\" must come first"},
    {"expect time * * 0\n", "1: the line \"ranks N\" must come first"},
    {"ranks 4\ncomm\n", "2: the name of the communicator is missing"},
    {"ranks 4\ncomm c\n", "2: a list of ranks is missing"},
    {"ranks 4\ncomm c 0 4\n", "2: a rank must be an integer from 0 to 3: \"4\""},
    {"ranks 4\ncomm c 1 2 1\n", "2: the rank is listed twice: \"1\""},
    {"ranks 4\ncomm world 0\n", "2: the name is defined twice: \"world\""},
    {"ranks 4\ncomm c 0\ncomm c 1\n", "3: the name is defined twice: \"c\""},
    {"ranks 4\nwindow w\n", "2: the communicator of the window is missing"},
    {"ranks 4\nwindow w nowhere\n", "2: no such communicator: \"nowhere\""},
    {"ranks 4\nwindow w world\nwindow w world\n", "3: the name is defined twice"},
    {"ranks 4\nwindow w world more\n", "2: unexpected word"},
    {"ranks 4\nnode\n", "2: the name of the node is missing"},
    {"ranks 4\nnode far\n", "2: a list of ranks is missing"},
    {"ranks 4\nnode far 4\n", "2: a rank must be an integer from 0 to 3: \"4\""},
    /* times and locations */
    {HEAD "0.0001 0 enter a\n", "6: a time has at most three decimals: \"0.0001\""},
    {HEAD "-1 0 enter a\n", "6: a time is a plain decimal number, not: \"-1\""},
    {HEAD "1e3 0 enter a\n", "6: a time is a plain decimal number"},
    {HEAD "1.2.3 0 enter a\n", "6: not a time"},
    {HEAD "99999999999999999999 0 enter a\n", "6: not a time from 0 to 10^15 units"},
    {HEAD "1\n", "6: the location is missing"},
    {HEAD "1 4 enter a\n", "6: no such location among 4 ranks with 2 threads: \"4\""},
    {HEAD "1 0.2 enter a\n", "6: no such location"},
    {HEAD "1 0.x enter a\n", "6: a location is RANK or RANK.THREAD"},
    {HEAD "1 0. enter a\n", "6: a location is RANK or RANK.THREAD"},
    {HEAD "1 * enter a\n", "6: a location is RANK or RANK.THREAD"},
    {HEAD "2 0 enter a\n1 0 leave a\n", "7: the time is earlier than that of the location's last"},
    /* events */
    {HEAD "1 0\n", "6: the event is missing"},
    {HEAD "1 0 jump\n", "6: no such event: \"jump\""},
    {HEAD "1 0 activity cache 1\n", "6: an activity is sm, warp or memory, not: \"cache\""},
    {HEAD "1 0 activity sm much\n", "6: not a decimal number: \"much\""},
    {HEAD "1 0 activity sm\n", "6: a field of the event is missing"},
    {HEAD "1 0 enter\n", "6: the name of the region is missing"},
    {HEAD "1 0 enter a\x1b[2J\n", "6: control character 0x1b"},
    {HEAD "1 0 send 1 2\n", "6: a field of the event is missing"},
    {HEAD "1 0 send 4 2 3\n", "6: the rank must be an integer from 0 to 3: \"4\""},
    {HEAD "1 0 send 2 2 3 c\n", "6: the rank must be an integer from 0 to 1: \"2\""},
    {HEAD "1 1 send 0 2 3 c\n", "6: rank 1 is not in the communicator: \"c\""},
    {"ranks 2\ncomm \xfc 0\n1 1 send 0 2 3 \xfc\n", "3: rank 1 is not in the communicator: \"?\""},
    {"ranks 1\n0 0 enter MPI_\xfc\n0 0 sample a\n",
     "3: the sample is not in a region that is open: \"MPI_?\""},
    {HEAD "1 0 send 1 2147483648 3\n", "6: the tag must be an integer"},
    {HEAD "1 0 send 1 2 -3\n", "6: the number of bytes must be an integer"},
    {HEAD "1 0 send 1 2 3 nowhere\n", "6: no such communicator: \"nowhere\""},
    {HEAD "1 0 send 1 2 3 c more\n", "6: unexpected word behind the event: \"more\""},
    {HEAD "1 0 isend 1 2 3 x\n", "6: the id must be an integer"},
    {HEAD "1 0 isend_complete 99999999999999999999\n", "6: the id must be an integer"},
    {HEAD "1 0 coll_begin world\n", "6: unexpected word"},
    {HEAD "1 0 coll_end BARRIER world - 0 0\n", "6: no such collective operation: \"BARRIER\""},
    {HEAD "1 0 coll_end barrier world\n", "6: a field of the event is missing"},
    {HEAD "1 0 coll_end bcast c 2 0 0\n", "6: the rank must be an integer from 0 to 1"},
    {HEAD "1 1 coll_end barrier c - 0 0\n", "6: rank 1 is not in the communicator"},
    {HEAD "1 0 win_create x\n", "6: no such window: \"x\""},
    {HEAD "1 1 put w 0 8 1\n", "6: rank 1 is not in the communicator"},
    {HEAD "1 0 put w all 8 1\n", "6: the rank must be an integer from 0 to 1: \"all\""},
    {HEAD "1 0 group_sync w\n", "6: a list of ranks is missing"},
    {HEAD "1 0 group_sync w 0 0\n", "6: the rank is listed twice"},
    {HEAD "1 0 group_sync w 2\n", "6: a rank must be an integer from 0 to 1"},
    {HEAD "1 0 lock_request w 0 0 q\n", "6: the type of a lock is x or s, not: \"q\""},
    {HEAD "1 0 lock_request w - 0\n", "6: the rank must be an integer"},
    {HEAD "1 0 rma_coll_end bcast v 0\n", "6: a field of the event is missing"},
    {HEAD "1 0 fork\n", "6: a field of the event is missing"},
    {HEAD "1 0 fork 4294967295\n", "6: the number must be an integer"},
    {HEAD "1 0 acquire_lock 1\n", "6: a field of the event is missing"},
    {HEAD "1 0 release_lock 1 1 0.0001\n", "6: a time has at most three decimals: \"0.0001\""},
    {HEAD "1 0 object -1\n", "6: the object must be an integer"},
    {HEAD "1 0 object 1 2\n", "6: unexpected word"},
    /* threads */
    {"team t 0\n", "1: the line \"ranks N\" must come first"},
    {HEAD "team\n", "6: the name of the team is missing"},
    {HEAD "team t\n", "6: the threads of the team are missing"},
    {HEAD "team t 0.0 0.2\n", "6: no such location among 4 ranks with 2 threads: \"0.2\""},
    {HEAD "team t 0.1 1.0\n", "6: not of the process of the team's first thread: \"1.0\""},
    {HEAD "team t 0.1 0 0.1\n", "6: the thread is listed twice: \"0.1\""},
    {HEAD "team t 0\nteam t 1\n", "7: the name is defined twice: \"t\""},
    {HEAD "1 0 team_begin c\n", "6: no such team: \"c\""},
    {HEAD "team t 0\n1 0 team_begin t 1\n", "7: unexpected word behind the event"},
    {HEAD "team t 0\n1 0 thread_begin t\n", "7: a field of the event is missing"},
    {HEAD "team t 0\n1 0 thread_begin t -1\n", "7: the number of the thread must be an integer"},
    {HEAD "team t 0\n1 0 task_create t 0\n", "7: a field of the event is missing"},
    {HEAD "team t 0\n1 0 task_create t 0 4294967295\n", "7: the generation must be an integer"},
    {HEAD "object_name\n", "6: the rank is missing"},
    {HEAD "object_name 4 1 a\n", "6: the rank must be an integer from 0 to 3: \"4\""},
    {HEAD "object_name 0 x a\n", "6: the object must be an integer"},
    {HEAD "object_name 0 1\n", "6: the name of the object is missing"},
    /* expectations */
    {HEAD "expect\n", "6: the metric is missing"},
    {HEAD "expect time\n", "6: an expectation is METRIC CALLPATH LOCATION VALUE [TOLERANCE]"},
    {HEAD "expect time main 0\n", "6: an expectation is"},
    {HEAD "expect time main 0 x\n", "6: not a value: \"x\""},
    {HEAD "expect time main 4 1\n", "6: no such location"},
    {HEAD "expect time main x 1\n", "6: a location is RANK or RANK.THREAD"},
    {HEAD "expect time main 0 1 -1\n", "6: a tolerance is not negative"},
    {HEAD "expect time main 0 1 x\n", "6: not a tolerance: \"x\""},
};

static void parse_and_compare(const char *text, size_t length, const char *message)
{
    struct fm_scenario *scenario = NULL;
    struct fm_error error = {""};
    char expected[256];
    fm_status_t status = fm_scenario_parse("f.scn", text, length, &scenario, &error);
    if (status != FM_ERR_DATA) {
        fail_msg("status %d for: %.200s", status, text);
    }
    assert_null(scenario);
    snprintf(expected, sizeof expected, "f.scn:%s%s",
             message[0] >= '0' && message[0] <= '9' ? "" : " ", message);
    if (strncmp(error.message, expected, strlen(expected)) != 0) {
        fail_msg("expected \"%s\", got \"%s\"", expected, error.message);
    }
}

static void mistakes_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        parse_and_compare(mistakes[i].text, strlen(mistakes[i].text), mistakes[i].message);
    }
}

static void nuls_are_found_everywhere(void **state)
{
    (void)state;
    static const char in_word[] = "ranks 1\n0 0 enter a\0b\n";
    static const char in_comment[] = "ranks 1\n# a\0b\n0 0 enter a\n";
    parse_and_compare(in_word, sizeof in_word - 1, "2: control character 0x00");
    parse_and_compare(in_comment, sizeof in_comment - 1, "2: control character 0x00");
}

static void long_lines_are_cut_in_messages(void **state)
{
    (void)state;
    size_t length = 1 << 20;
    char *text = malloc(length);
    memset(text, 'x', length);
    parse_and_compare(text, length, "1: no such statement: \"xxxxxxxxxx");
    memcpy(text, "ranks 1\n0 0 enter ", 18);
    struct fm_scenario *scenario = NULL;
    assert_int_equal(fm_scenario_parse("f.scn", text, length, &scenario, NULL), FM_OK);
    assert_int_equal(scenario->regions.keys[0].length, length - 18);
    fm_scenario_free(scenario);
    free(text);
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    struct fm_scenario *scenario = NULL;
    struct fm_error error;
    char missing[300];
    missing_path(missing, sizeof missing);
    assert_int_equal(fm_scenario_read(missing, &scenario, &error), FM_ERR_SYSTEM);
    assert_non_null(strstr(error.message, missing));
    remove_missing(missing);
    assert_int_equal(fm_scenario_read("/", &scenario, &error), FM_ERR_SYSTEM);
    assert_int_equal(fm_scenario_read("/dev/zero", &scenario, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, "control character"));
    assert_null(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(nuls_are_found_everywhere),
        cmocka_unit_test(long_lines_are_cut_in_messages),
        cmocka_unit_test(files_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
