/* SPDX-License-Identifier: BSD-3-Clause */
/* PE i + 1 makes call i, which waits for PE 0, and PE 0 makes none. Files FOLDER/<PE> appear when a
 * PE is about to be stuck, with its process id.
 *
 * usage: stuck FOLDER CALL... */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int pe;
static long lock, changed, source = 1, target;
static long sync_words[SHMEM_BCAST_SYNC_SIZE];

static void note(const char *folder)
{
    char path[4096], name[4096];
    snprintf(path, sizeof path, "%s/%d.new", folder, pe);
    snprintf(name, sizeof name, "%s/%d", folder, pe);
    FILE *out = fopen(path, "w");
    fprintf(out, "%d", getpid());
    fclose(out);
    rename(path, name);
}

static void call(const char *name)
{
    if (strcmp(name, "shmem_wait") == 0) {
        shmem_long_wait_until(&changed, SHMEM_CMP_NE, 0);
    } else if (strcmp(name, "shmem_lock") == 0) {
        shmem_set_lock(&lock);
    } else if (strcmp(name, "shmem_barrier") == 0) {
        shmem_barrier_all();
    } else if (strcmp(name, "shmem_broadcast") == 0) {
        shmem_broadcast64(&target, &source, 1, 0, 0, 0, pe + 1, sync_words);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    pe = shmem_my_pe();
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++) {
        sync_words[i] = SHMEM_SYNC_VALUE;
    }
    if (pe == 0) {
        shmem_set_lock(&lock);
    }
    shmem_barrier_all();
    note(argv[1]);
    if (pe > 0 && pe + 1 < argc) {
        call(argv[pe + 1]);
    }
    for (;;) {
        pause();
    }
}
