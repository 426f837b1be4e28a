/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory is left, by files like those of the kernel, and by limits of the process. */
#include "check.h"

#include "base/process/memory_room.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char root[] = "/tmp/fermata-memory-room-XXXXXX";

/* Writes a file below the root, with its folders. */
static void put(const char *path, const char *text)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void begin(const char *groups)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf %s/proc %s/sys", root, root);
    assert_int_equal(system(command), 0);
    put("/proc/meminfo", "MemTotal:       24684096 kB\nMemFree:         1000 kB\n"
                         "MemAvailable:   8000000 kB\n");
    put("/proc/self/cgroup", groups);
}

static void check(uint64_t bytes, fm_memory_bound_t bound)
{
    const struct fm_memory_room room = fm_memory_room(root);
    assert_int_equal(room.bytes, bytes);
    assert_int_equal(room.bound, bound);
}

static void test_machine(void **state)
{
    (void)state;
    begin("0::/\n");
    check((uint64_t)8000000 * 1024, FM_MEMORY_OF_MACHINE);
    put("/proc/meminfo", "MemTotal:       24684096 kB\n");
    check(UINT64_MAX, FM_MEMORY_OF_MACHINE);
}

/* The group itself has no limit, one above it has; used memory that only caches files is free. */
static void test_groups_of_version_2(void **state)
{
    (void)state;
    begin("0::/job.slice/step/task\n");
    put("/sys/fs/cgroup/job.slice/step/task/memory.max", "max\n");
    put("/sys/fs/cgroup/job.slice/step/task/memory.current", "1000\n");
    put("/sys/fs/cgroup/job.slice/memory.max", "5000000\n");
    put("/sys/fs/cgroup/job.slice/memory.current", "3000000\n");
    check(2000000, FM_MEMORY_OF_CONTROL_GROUP);
    put("/sys/fs/cgroup/job.slice/memory.stat", "anon 1\ninactive_file 500000\nactive_file 7\n");
    check(2500000, FM_MEMORY_OF_CONTROL_GROUP);
    put("/sys/fs/cgroup/job.slice/memory.high", "4000000\n");
    check(1500000, FM_MEMORY_OF_CONTROL_GROUP);
    put("/sys/fs/cgroup/job.slice/memory.current", "9000000\n");
    check(0, FM_MEMORY_OF_CONTROL_GROUP);
}

/* A container whose groups are mounted elsewhere: its own group is where all groups would be. */
static void test_groups_of_version_1(void **state)
{
    (void)state;
    begin("9:name=systemd:/docker/4ad\n4:cpu,memory:/docker/4ad\n0::/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "6000000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2000000\n");
    check(4000000, FM_MEMORY_OF_CONTROL_GROUP);
    put("/sys/fs/cgroup/memory/memory.stat", "inactive_file 9\ntotal_inactive_file 1000000\n");
    check(5000000, FM_MEMORY_OF_CONTROL_GROUP);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    check((uint64_t)8000000 * 1024, FM_MEMORY_OF_MACHINE);
}

/* @return KiB of memory that count for RLIMIT_DATA */
static uint64_t data_now(void)
{
    char line[256];
    unsigned long long size = 0;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "VmData: %llu", &size);
    }
    fclose(file);
    return size;
}

static void test_limits_of_the_process(void **state)
{
    (void)state;
    const uint64_t left = (uint64_t)1 << 30;
    struct rlimit before, lower;
    begin("");
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    lower = (struct rlimit){data_now() * 1024 + left, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_DATA, &lower), 0);
    const struct fm_memory_room room = fm_memory_room(root);
    assert_int_equal(room.bound, FM_MEMORY_OF_DATA_LIMIT);
    assert_true(room.bytes <= left && room.bytes > left / 2);
    setrlimit(RLIMIT_DATA, &before);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    if (before.rlim_cur == RLIM_INFINITY) {
        assert_int_equal(room.mappable, UINT64_MAX);
        lower = (struct rlimit){(rlim_t)1 << 45, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_AS, &lower), 0);
        assert_true(fm_memory_room(root).mappable < (uint64_t)1 << 45);
        setrlimit(RLIMIT_AS, &before);
    }
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[PATH_MAX];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_groups_of_version_2),
        cmocka_unit_test(test_groups_of_version_1),
        cmocka_unit_test(test_limits_of_the_process),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
