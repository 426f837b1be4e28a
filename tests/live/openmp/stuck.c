/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread 0 has a lock, and is in a critical construct; thread 1 waits for the lock, and thread 2
 * for the construct. File FOLDER/0 appears when they do, with the process id.
 *
 * usage: stuck FOLDER */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static omp_lock_t lock;
static int ready;

static void note(const char *folder)
{
    char path[4096], name[4096];
    snprintf(path, sizeof path, "%s/0.new", folder);
    snprintf(name, sizeof name, "%s/0", folder);
    FILE *out = fopen(path, "w");
    fprintf(out, "%d", getpid());
    fclose(out);
    rename(path, name);
}

static void stay(const char *folder)
{
    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) != 3) {
        usleep(1000);
    }
    note(folder);
    for (;;) {
        pause();
    }
}

static void wait_for_holder(void)
{
    while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) == 0) {
        usleep(1000);
    }
    __atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
}

int main(int argc, char **argv)
{
    omp_init_lock(&lock);
    if (argc < 2) {
        return 2;
    }
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) {
        omp_set_lock(&lock);
#pragma omp critical(part)
        stay(argv[1]);
    } else if (omp_get_thread_num() == 1) {
        wait_for_holder();
        omp_set_lock(&lock);
    } else {
        wait_for_holder();
#pragma omp critical(part)
        ready = 0;
    }
    return 0;
}
