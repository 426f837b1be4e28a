/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program does not notice of a section in which the recorder works: signals, errno, the
 * floating-point environment. */
#include "record/capture/guard.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static volatile sig_atomic_t arrived;

static void arrive(int number)
{
    (void)number;
    arrived++;
}

static bool is_blocked(int number)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number) == 1;
}

static void held_signals_come_at_the_end(void **state)
{
    (void)state;
    struct fm_guard guard;
    struct sigaction before, action = {.sa_handler = arrive};
    sigaction(SIGTERM, &action, &before);
    arrived = 0;
    fm_guard_begin(&guard);
    fm_guard_hold_signals();
    raise(SIGTERM);
    assert_int_equal(arrived, 0);
    fm_guard_end(&guard);
    assert_int_equal(arrived, 1);
    assert_false(is_blocked(SIGTERM));
    sigaction(SIGTERM, &before, NULL);
}

static void faults_are_not_held(void **state)
{
    (void)state;
    struct fm_guard guard;
    fm_guard_begin(&guard);
    fm_guard_hold_signals();
    assert_false(is_blocked(SIGSEGV));
    assert_false(is_blocked(SIGBUS));
    assert_false(is_blocked(SIGABRT));
    fm_guard_end(&guard);
}

static void what_writing_raises_is_gone(void **state)
{
    (void)state;
    struct fm_guard guard;
    struct sigaction before, action = {.sa_handler = arrive};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    sigaction(SIGPIPE, &action, &before);
    arrived = 0;
    errno = ENOTTY;
    fm_guard_begin(&guard);
    assert_int_equal(write(ends[1], "x", 1), -1);
    fm_guard_end(&guard);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(arrived, 0);
    sigaction(SIGPIPE, &before, NULL);
    close(ends[1]);
}

static void arithmetic_leaves_no_trace(void **state)
{
    (void)state;
    struct fm_guard guard;
    volatile double zero = 0;
    feclearexcept(FE_ALL_EXCEPT);
    fm_guard_begin(&guard);
    assert_true(1 / zero > 0);
    fm_guard_end(&guard);
    assert_int_equal(fetestexcept(FE_DIVBYZERO), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_signals_come_at_the_end),
        cmocka_unit_test(faults_are_not_held),
        cmocka_unit_test(what_writing_raises_is_gone),
        cmocka_unit_test(arithmetic_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
