/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths in few words, and finding them by these. */
#include "check.h"
#include "cube/model/callpath_text.h"
#include "cube/view/callpath_pattern.h"
#include "sample_cube.h"

#include <stdint.h>
#include <stdlib.h>

/** Adds call paths from a root on; @return the last one. */
static uint32_t add_path(struct fm_cube *cube, uint32_t parent, const char *const *names)
{
    for (; *names != NULL; names++)
        parent =
            fm_cube_add_callpath(cube, parent, fm_cube_add_region(cube, *names, "user", NULL, 0));
    return parent;
}

/* app/read/loop/halo/MPI_Recv and app/loop/halo/{MPI_Recv,MPI_Send} */
static struct fm_cube *deep_cube(uint32_t paths[3])
{
    struct fm_cube *cube = empty_cube();
    uint32_t app = add_path(cube, FM_CUBE_NONE, (const char *[]){"app", NULL});
    paths[0] = add_path(cube, app, (const char *[]){"read", "loop", "halo", "MPI_Recv", NULL});
    uint32_t halo = add_path(cube, app, (const char *[]){"loop", "halo", NULL});
    paths[1] = add_path(cube, halo, (const char *[]){"MPI_Recv", NULL});
    paths[2] = add_path(cube, halo, (const char *[]){"MPI_Send", NULL});
    return cube;
}

static void assert_short(const struct fm_cube *cube, uint32_t callpath, size_t bytes,
                         const char *expected)
{
    char *text = fm_cube_callpath_short(cube, callpath, bytes);
    assert_string_equal(text, expected);
    free(text);
}

static void test_what_fits_is_not_shortened(void **state)
{
    (void)state;
    uint32_t paths[3];
    struct fm_cube *cube = deep_cube(paths);
    assert_short(cube, paths[0], SIZE_MAX, "app/read/loop/halo/MPI_Recv");
    assert_short(cube, paths[0], 27, "app/read/loop/halo/MPI_Recv");
    fm_cube_free(cube);
}

static void test_the_middle_is_left_out(void **state)
{
    (void)state;
    uint32_t paths[3];
    struct fm_cube *cube = deep_cube(paths);
    assert_short(cube, paths[2], 18, "app/.../MPI_Send");
    assert_short(cube, paths[2], 21, "app/.../halo/MPI_Send");
    fm_cube_free(cube);
}

static void assert_text(const struct fm_cube *cube, uint32_t callpath, const char *expected)
{
    char *text = fm_cube_callpath_text(cube, callpath, "/");
    assert_string_equal(text, expected);
    assert_int_equal(fm_cube_find_callpath(cube, expected), callpath);
    free(text);
}

/* The place of a call is named where it distinguishes calls of one function by the same caller. */
static void test_call_sites(void **state)
{
    (void)state;
    struct fm_cube *cube = empty_cube();
    const uint32_t app = add_path(cube, FM_CUBE_NONE, (const char *[]){"app", NULL});
    const uint32_t first = add_path(cube, app, (const char *[]){"solve", NULL});
    const uint32_t region = cube->callpaths[first].region;
    const uint32_t alone = add_path(cube, first, (const char *[]){"norm", NULL});
    const uint32_t second = fm_cube_add_callpath(cube, app, region);
    const uint32_t third = fm_cube_add_callpath(cube, app, region);
    cube->callpaths[first].site = fm_cube_add_site(cube, "/src/main.c", 20);
    cube->callpaths[alone].site = fm_cube_add_site(cube, "/src/solve.c", 3);
    cube->callpaths[second].site = fm_cube_add_site(cube, "/src/main.c", 35);
    cube->callpaths[third].site = fm_cube_add_site(cube, "a.out+0x1234", 0);
    assert_text(cube, first, "app/solve@main.c:20");
    assert_text(cube, alone, "app/solve@main.c:20/norm");
    assert_text(cube, second, "app/solve@main.c:35");
    assert_text(cube, third, "app/solve@a.out+0x1234");
    uint32_t found;
    assert_int_equal(fm_cube_match_callpaths(cube, "app/solve@main.c:35", &found), 1);
    assert_int_equal(found, second);
    fm_cube_free(cube);
}

static void test_what_is_left_is_unique(void **state)
{
    (void)state;
    uint32_t paths[3];
    struct fm_cube *cube = deep_cube(paths);
    /* .../loop/halo/MPI_Recv would be both: only the whole paths tell them apart */
    assert_short(cube, paths[0], 10, "app/read/loop/halo/MPI_Recv");
    assert_short(cube, paths[1], 10, "app/loop/halo/MPI_Recv");
    fm_cube_free(cube);
}

static void assert_fits(const struct fm_cube *cube, const char *pattern, uint32_t count,
                        uint32_t callpath)
{
    uint32_t first;
    assert_int_equal(fm_cube_match_callpaths(cube, pattern, &first), count);
    assert_int_equal(first, callpath);
}

static void test_patterns(void **state)
{
    (void)state;
    uint32_t paths[3];
    struct fm_cube *cube = deep_cube(paths);
    assert_fits(cube, "app/.../MPI_Send", 1, paths[2]);
    assert_fits(cube, "/app/.../MPI_Send", 1, paths[2]);
    assert_fits(cube, ".../MPI_Recv", 2, paths[0]);
    assert_fits(cube, ".../read/.../MPI_Recv", 1, paths[0]);
    assert_fits(cube, "app/.../loop/halo/MPI_Recv", 2, paths[0]); /* no level counts, too */
    assert_fits(cube, "app/loop/halo/MPI_Recv", 1, paths[1]);
    assert_fits(cube, ".../app/loop/.../MPI_Recv", 1, paths[1]);
    assert_fits(cube, ".../PI_Recv", 0, FM_CUBE_NONE);
    assert_fits(cube, "app/.../MPI_Rec", 0, FM_CUBE_NONE);
    assert_fits(cube, "app/...", 0, FM_CUBE_NONE);
    assert_fits(cube, "", 0, FM_CUBE_NONE);
    fm_cube_free(cube);
}

static void test_short_texts_find_their_call_path(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        for (size_t bytes = 0; bytes < 40; bytes++) {
            char *text = fm_cube_callpath_short(cube, i, bytes);
            assert_fits(cube, text, 1, i);
            free(text);
        }
    }
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_fits_is_not_shortened),
        cmocka_unit_test(test_the_middle_is_left_out),
        cmocka_unit_test(test_what_is_left_is_unique),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_call_sites),
        cmocka_unit_test(test_short_texts_find_their_call_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
