/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of Open MPI's monitoring components: their sums, and that damage is refused. */
#include "check.h"
#include "counters/traffic/monitoring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/fermata-monitoring-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static fm_status_t read_all(struct fm_monitoring *monitoring, struct fm_error *error)
{
    char prefix[128];
    snprintf(prefix, sizeof prefix, "%s/run", folder);
    return fm_monitoring_read(prefix, monitoring, error);
}

static void check(const struct fm_rank_link *link, enum fm_monitored kind, uint32_t from,
                  uint32_t to, uint64_t bytes, uint64_t messages)
{
    assert_int_equal(link->kind, kind);
    assert_int_equal(link->from, from);
    assert_int_equal(link->to, to);
    assert_int_equal(link->bytes, bytes);
    assert_int_equal(link->messages, messages);
}

/* Seven messages of 100 bytes and two of 50,000, four broadcasts of 64; a put and a get. */
static void sums(void **state)
{
    struct fm_monitoring monitoring;
    struct fm_error error;
    (void)state;
    write_file("run.0.prof",
               "# POINT TO POINT\n"
               "E\t0\t1\t100700 bytes\t9 msgs sent\t0,0,0,0,0,0,0,7,0,0,0,0,0,0,0,0,2\n"
               "I\t0\t1\t256 bytes\t4 msgs sent\n"
               "# OSC\n"
               "S\t0\t1\t64 bytes\t1 msgs sent\n"
               "R\t0\t1\t32 bytes\t1 msgs sent\n"
               "# COLLECTIVES\n"
               "C\t0\t1\t256 bytes\t4 msgs sent\n"
               "D\tMPI COMM WORLD\tprocs: 0,1\n"
               "O2A\t256 bytes\t4 msgs sent\n");
    write_file("run.10.prof", "E\t10\t0\t5 bytes\t1 msgs sent\t0,0,0,1\n"
                              "E\t10\t0\t6 bytes\t1 msgs sent\t0,0,0,1\n");
    write_file("run.x.prof", "E\tbad\n");
    write_file("other.1.prof", "E\tbad\n");
    assert_int_equal(read_all(&monitoring, &error), FM_OK);
    assert_int_equal(monitoring.ranks, 11);
    assert_int_equal(monitoring.links.count, 6);
    check(&monitoring.links.items[0], FM_MONITORED_USER, 0, 1, 100700, 9);
    check(&monitoring.links.items[1], FM_MONITORED_USER, 10, 0, 11, 2);
    check(&monitoring.links.items[2], FM_MONITORED_LIBRARY, 0, 1, 256, 4);
    check(&monitoring.links.items[3], FM_MONITORED_PUT, 0, 1, 64, 1);
    check(&monitoring.links.items[4], FM_MONITORED_GET, 0, 1, 32, 1);
    check(&monitoring.links.items[5], FM_MONITORED_COLLECTIVE, 0, 1, 256, 4);
    assert_int_equal(monitoring.sizes[7], 7);
    assert_int_equal(monitoring.sizes[16], 2);
    assert_int_equal(monitoring.sizes[3], 2);
    fm_monitoring_free(&monitoring);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"run.0.prof", "run.10.prof", "run.x.prof",
                                            "other.1.prof"};
        remove_file(names[i]);
    }
}

static void damage(void **state)
{
    static const char *const rows[] = {
        "E\t0\n",
        "E\t0\t1\t5 bytes\n",
        "E\t0\t1\t5 bytes\t2 messages\n",
        "E\t99999999\t1\t5 bytes\t2 msgs sent\n",
        "E\t0\t1\t5 bytes\t2 msgs sent\t1,x\n",
    };
    struct fm_monitoring monitoring;
    struct fm_error error;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_file("run.0.prof", rows[i]);
        assert_int_equal(read_all(&monitoring, &error), FM_ERR_DATA);
        assert_non_null(strstr(error.message, "run.0.prof:1: not a row"));
        fm_monitoring_free(&monitoring);
    }
    remove_file("run.0.prof");
    assert_int_equal(read_all(&monitoring, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, "there is no file"));
    fm_monitoring_free(&monitoring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(damage),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
