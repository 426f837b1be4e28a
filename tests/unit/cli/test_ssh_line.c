/* SPDX-License-Identifier: BSD-3-Clause */
/* The command that forwards the viewer's port from a remote machine. */
#include "check.h"
#include "cli/page/ssh_line.h"

#include <stdlib.h>
#include <string.h>

static bool is_here(const char *address)
{
    return strcmp(address, "192.0.2.1") == 0 || strcmp(address, "2001:db8::1") == 0;
}

static void check_line(const char *connection, const char *host, const char *expected)
{
    char *line = fm_ssh_line(connection, is_here, host, 8000);
    if (expected == NULL)
        assert_null(line);
    else
        assert_string_equal(line, expected);
    free(line);
}

static void test_this_machine(void **state)
{
    (void)state;
    check_line("198.51.100.9 50000 192.0.2.1 22", "n1", "ssh -L 8000:127.0.0.1:8000 192.0.2.1");
    check_line("2001:db8::9 50000 2001:db8::1 22", "n1", "ssh -L 8000:127.0.0.1:8000 2001:db8::1");
}

static void test_a_node_behind_a_login_node(void **state)
{
    (void)state;
    check_line("198.51.100.9 50000 192.0.2.2 22", "n17",
               "ssh -J 192.0.2.2 -L 8000:127.0.0.1:8000 n17");
    check_line("2001:db8::9 50000 2001:db8::2 22", "n17",
               "ssh -J [2001:db8::2] -L 8000:127.0.0.1:8000 n17");
    check_line("198.51.100.9 50000 192.0.2.2 22", "-oProxyCommand=x",
               "ssh -L 8000:127.0.0.1:8000 192.0.2.2");
}

static void test_no_session_and_other_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "a",
                                        "a b",
                                        "a b ",
                                        "a b c",
                                        "a b $(reboot) 22",
                                        "198.51.100.9 50000 192.0.2.1x 22",
                                        "a b \x1b[31m 22"};
    check_line(NULL, "n1", NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_line(texts[i], "n1", NULL);
    char longer[2000];
    memset(longer, '1', sizeof longer);
    memcpy(longer, "a b ", 4);
    longer[sizeof longer - 1] = '\0';
    check_line(longer, "n1", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_a_node_behind_a_login_node),
        cmocka_unit_test(test_no_session_and_other_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
