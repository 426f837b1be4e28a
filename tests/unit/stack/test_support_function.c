/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions are left out of call paths where they call each other. */
#include "record/stack/support_function.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void functions_of_the_program_are_none(void **state)
{
    (void)state;
    assert_false(fm_is_support_function("solve", "/home/user/a.out", "/home/user/solve.cpp"));
    assert_false(fm_is_support_function("solve", "/usr/bin/lmp", NULL));
    assert_false(fm_is_support_function("solve", "/usr/lib/liblammps.so.0", NULL));
    assert_false(fm_is_support_function("stdlib::sort", "/home/user/libmath.so", "include/sort.h"));
    assert_false(fm_is_support_function("f", "/home/user/libmodel.so", NULL)); /* no libm.so */
}

static void functions_of_languages_are_some(void **state)
{
    (void)state;
    assert_true(fm_is_support_function("std::__invoke_impl<void>", "/home/user/a.out", NULL));
    assert_true(fm_is_support_function("__gthread_mutex_lock", "/home/user/a.out", NULL));
    assert_true(fm_is_support_function("__sin_fma", "/lib/x86_64-linux-gnu/libm.so.6", "s_sin.c"));
    assert_true(fm_is_support_function("libstdc++.so.6+0xd4490", "/usr/lib/libstdc++.so.6", NULL));
    assert_true(fm_is_support_function("matmul", "/lib/libgfortran.so.5", "matmul_r8.c"));
}

static void functions_of_installed_headers_are_some(void **state)
{
    (void)state;
    assert_true(fm_is_support_function("Eigen::internal::gebp", "a.out",
                                       "/usr/include/eigen3/Eigen/src/Core/gebp.h"));
    assert_true(fm_is_support_function("_mm_add_pd", "a.out",
                                       "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h"));
    assert_true(fm_is_support_function("operator()", "a.out",
                                       "/opt/llvm/bin/../include/c++/v1/functional"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_the_program_are_none),
        cmocka_unit_test(functions_of_languages_are_some),
        cmocka_unit_test(functions_of_installed_headers_are_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
