/* SPDX-License-Identifier: BSD-3-Clause */
/* What lines of source text are to constructs of OpenMP. */
#include "record/constructs/construct_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(const char *text, enum fm_construct construct, enum fm_directive_line expected)
{
    assert_int_equal(fm_directive_in_line(text, construct), expected);
}

static void directives_of_c(void **state)
{
    (void)state;
    check("#pragma omp barrier\n", FM_CONSTRUCT_BARRIER, FM_SOURCE_DIRECTIVE);
    check("  #  pragma omp   critical(name)", FM_CONSTRUCT_CRITICAL, FM_SOURCE_DIRECTIVE);
    check("    _Pragma(\"omp for\")", FM_CONSTRUCT_LOOP, FM_SOURCE_DIRECTIVE);
    check("#pragma omp parallel for", FM_CONSTRUCT_PARALLEL, FM_SOURCE_DIRECTIVE);
    check("#pragma omp parallel for", FM_CONSTRUCT_LOOP, FM_SOURCE_DIRECTIVE);
    check("#pragma omp parallel for ordered", FM_CONSTRUCT_ORDERED, FM_SOURCE_BEGIN);
    check("#pragma omp parallel sections", FM_CONSTRUCT_LOOP, FM_SOURCE_BEGIN);
    check("#pragma omp parallel sections", FM_CONSTRUCT_SECTIONS, FM_SOURCE_DIRECTIVE);
    check("#pragma omp teams num_teams(2)", FM_CONSTRUCT_TEAMS, FM_SOURCE_DIRECTIVE);
    check("#pragma omp teams distribute parallel for", FM_CONSTRUCT_TEAMS, FM_SOURCE_DIRECTIVE);
    check("#pragma omp teams distribute parallel for", FM_CONSTRUCT_PARALLEL, FM_SOURCE_DIRECTIVE);
    check("#pragma omp teams distribute parallel for", FM_CONSTRUCT_LOOP, FM_SOURCE_DIRECTIVE);
    check("#pragma omp teams distribute parallel for", FM_CONSTRUCT_BARRIER, FM_SOURCE_BEGIN);
    check("#pragma omp teams", FM_CONSTRUCT_PARALLEL, FM_SOURCE_OTHER);
    check("#pragma omp taskloop", FM_CONSTRUCT_TASKGROUP, FM_SOURCE_DIRECTIVE);
    check("#pragma omp masked", FM_CONSTRUCT_MASTER, FM_SOURCE_DIRECTIVE);
    check("#pragma omp for ordered", FM_CONSTRUCT_ORDERED, FM_SOURCE_OTHER);
    check("#pragma omp ordered", FM_CONSTRUCT_ORDERED, FM_SOURCE_DIRECTIVE);
    check("#pragma omp section", FM_CONSTRUCT_SECTIONS, FM_SOURCE_OTHER);
    check("for (int i = 0; i < n; i++) { /* omp for */", FM_CONSTRUCT_LOOP, FM_SOURCE_OTHER);
    check("compute(i);", FM_CONSTRUCT_BARRIER, FM_SOURCE_OTHER);
    check("", FM_CONSTRUCT_BARRIER, FM_SOURCE_OTHER);
}

static void directives_of_fortran(void **state)
{
    (void)state;
    check("!$OMP DO SCHEDULE(DYNAMIC)", FM_CONSTRUCT_LOOP, FM_SOURCE_DIRECTIVE);
    check("c$omp barrier", FM_CONSTRUCT_BARRIER, FM_SOURCE_DIRECTIVE);
    check("!$omp end do", FM_CONSTRUCT_LOOP, FM_SOURCE_OTHER);
    check("  !$omp parallel do", FM_CONSTRUCT_BARRIER, FM_SOURCE_BEGIN);
}

static void barriers_of_constructs(void **state)
{
    (void)state;
    check("#pragma omp for schedule(static)", FM_CONSTRUCT_IMPLICIT_BARRIER, FM_SOURCE_DIRECTIVE);
    check("#pragma omp single", FM_CONSTRUCT_IMPLICIT_BARRIER, FM_SOURCE_DIRECTIVE);
    check("#pragma omp for nowait", FM_CONSTRUCT_IMPLICIT_BARRIER, FM_SOURCE_OTHER);
    check("#pragma omp critical", FM_CONSTRUCT_IMPLICIT_BARRIER, FM_SOURCE_OTHER);
    check("#pragma omp barrier", FM_CONSTRUCT_IMPLICIT_BARRIER, FM_SOURCE_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directives_of_c),
        cmocka_unit_test(directives_of_fortran),
        cmocka_unit_test(barriers_of_constructs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
