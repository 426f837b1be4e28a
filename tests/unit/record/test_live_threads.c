/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread does, by the files of its folder in /proc. */
#include "check.h"
#include "record/rebuild/live_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[] = "/tmp/fermata-test-XXXXXX";
static const char *const names[] = {"stat", "syscall", "wchan"};

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    if (text != NULL) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put(names[i], NULL);
    }
    return rmdir(folder);
}

/* @param expected  NULL: nothing is known */
static void check(const char *stat, const char *call, const char *wchan, const char *expected)
{
    char text[512] = "";
    put("stat", stat);
    put("syscall", call);
    put("wchan", wchan);
    const bool is_known = fm_live_thread_describe(folder, (uint32_t)getpid(), text, sizeof text);
    assert_int_equal(is_known, expected != NULL);
    if (expected != NULL) {
        assert_string_equal(text, expected);
    }
}

static void test_states(void **state)
{
    (void)state;
    check(NULL, NULL, NULL, NULL);
    check("", NULL, NULL, NULL);
    check("1 (a) Z 1", NULL, NULL, NULL);
    check("1 (a) R 1", NULL, NULL, "running");
    check("1 (a) S 1) R 1", NULL, NULL, "running");
    check("1 (a) t 1", NULL, NULL, "stopped");
    check("1 (a) S 1", "running\n", NULL, "blocked in the system");
    check("1 (a) D 1", NULL, NULL, "waiting for a disk or a device");
}

static void test_system_calls(void **state)
{
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "%d 0x0 0x0\n", SYS_clock_nanosleep);
    check("1 (a) S 1", line, "hrtimer_nanosleep", "in clock_nanosleep (asleep)");
    snprintf(line, sizeof line, "%d 0x3e7 0x0\n", SYS_read);
    check("1 (a) S 1", line, "pipe_read", "in read of file descriptor 999");
    check("1 (a) S 1", "99999 0x0\n", NULL, "in system call 99999");
}

/* The system call may not be read. */
static void test_functions_of_the_kernel(void **state)
{
    (void)state;
    check("1 (a) S 1", NULL, "pipe_read", "blocked in the system (pipe_read of the kernel)");
    check("1 (a) S 1", NULL, "0", "blocked in the system");
    check("1 (a) S 1", "-1 0x0 0x0\n", "do_wait", "blocked in the system (do_wait of the kernel)");
    check("1 (a) D 1", NULL, "folio_wait_bit",
          "waiting for a disk or a device (folio_wait_bit of the kernel)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_system_calls),
        cmocka_unit_test(test_functions_of_the_kernel),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
