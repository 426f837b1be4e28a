/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/closing/kept_tables.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 + 64 };

void fm_kept_tables_path(char *path, size_t size, const char *directory, uint32_t rank,
                         uint32_t thread)
{
    snprintf(path, size, "%s/counters/tables.%u.%u", directory, rank, thread);
}

struct fm_kept_tables *fm_kept_tables_new(const char *directory, uint32_t rank, uint32_t thread)
{
    char path[PATH_SIZE];
    fm_kept_tables_path(path, sizeof path, directory, rank, thread);
    int file = thread < FM_KEPT_THREADS
                   ? open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
                   : -1;
    if (file < 0) {
        return NULL;
    }
    /* A full file system must not end the program later, when a page is used first. */
    struct fm_kept_tables *tables = MAP_FAILED;
    if (fallocate(file, 0, 0, sizeof *tables) == 0) {
        tables = mmap(NULL, sizeof *tables, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
    if (tables == MAP_FAILED) {
        unlink(path);
        return NULL;
    }
    tables->rank = rank;
    tables->thread = thread;
    tables->bytes = sizeof *tables;
    fm_profile_begin(&tables->profile);
    fm_peer_traffic_begin(&tables->traffic);
    __atomic_store_n(&tables->magic, FM_KEPT_TABLES_MAGIC, __ATOMIC_RELEASE);
    return tables;
}

void fm_kept_tables_remove(const char *directory, uint32_t rank)
{
    char path[PATH_SIZE];
    for (uint32_t thread = 0; thread < FM_KEPT_THREADS; thread++) {
        fm_kept_tables_path(path, sizeof path, directory, rank, thread);
        unlink(path);
    }
}
