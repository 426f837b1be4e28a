/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose libraries are whose: by their names, and by where they lie. */
#include "base/files/file_tree.h"
#include "record/stack/libraries.h"
#include "temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[4096];

static const char *in_folder(const char *name)
{
    static char paths[4][sizeof folder + 64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void make_file(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fclose(file);
}

/* As distributions have it: libraries in one folder are links into others. */
static int make_folders(void **state)
{
    static const char *const folders[] = {"real", "real/plugins", "program", "own", "own/lib"};
    (void)state;
    temporary_path(folder, sizeof folder, "fermata-libraries");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        mkdir(in_folder(folders[i]), 0700);
    }
    make_file("real/libmpi.so.40.30");
    make_file("real/plugins/mca_btl_tcp.so");
    make_file("real/libmpi_extra.so");
    make_file("program/libmpisolver.so");
    make_file("program/mca_own.so");
    if (symlink(folder, in_folder("usr")) != 0 || symlink("../real", in_folder("own/real")) != 0) {
        return -1;
    }
    return symlink("../../real/libmpi.so.40.30", in_folder("own/lib/libmpi.so.40"));
}

static int remove_folders(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

static void expect_others(void)
{
    assert_false(fm_library_communicates(in_folder("program/libmpisolver.so")));
    assert_false(fm_library_communicates(in_folder("program/mca_own.so")));
    assert_false(fm_library_communicates(in_folder("real/libsolver.so")));
    assert_false(fm_library_communicates("/srv/libmpi_not_there.so"));
    assert_false(fm_library_communicates("/usr/bin/app"));
    assert_true(fm_library_communicates("/usr/lib/python3/mpi4py/MPI.cpython-311.so"));
    assert_false(fm_library_communicates("/usr/lib/python3/mpi4py/dl.cpython-311.so"));
    assert_false(fm_library_communicates("/home/user/own/MPI.cpython-311.so"));
    assert_false(fm_library_communicates(""));
}

static void names_are_known(void **state)
{
    static const char *const names[] = {"/opt/mpi/libmpi.so.40",
                                        "/opt/mpi/libmpi_usempif08-gfortran.so.40",
                                        "/opt/libucp.so.0",
                                        "libpmix.so.2",
                                        "/opt/libfermata-mpi-openmpi.so",
                                        "/opt/libopen-pal.so.40"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(fm_library_communicates(names[i]));
    }
    assert_false(fm_library_communicates("/home/user/app/libucphysics.so"));
    assert_false(fm_library_communicates("/home/user/app/libucp_model.so"));
    assert_false(fm_library_communicates("/home/user/app/libmpisolver.so"));
    assert_false(fm_library_communicates("/home/user/app/libfermatanumbers.so"));
    assert_true(fm_library_is_c("/lib/x86_64-linux-gnu/libc.so.6"));
    assert_false(fm_library_is_c("/lib/x86_64-linux-gnu/libcurl.so.4"));
}

static void parts_lie_where_the_library_lies(void **state)
{
    (void)state;
    expect_others();
    assert_false(fm_library_communicates(in_folder("real/plugins/mca_btl_tcp.so")));
    assert_true(fm_library_communicates(in_folder("own/lib/libmpi.so.40")));
    assert_true(fm_library_communicates(in_folder("real/plugins/mca_btl_tcp.so")));
    assert_true(fm_library_communicates(in_folder("own/real/plugins/mca_btl_tcp.so")));
    assert_true(fm_library_communicates(in_folder("usr/real/libmpi_extra.so")));
    expect_others();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_known),
        cmocka_unit_test(parts_lie_where_the_library_lies),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
