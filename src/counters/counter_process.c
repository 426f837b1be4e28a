/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that a file of counters belongs to, and the requests that it gets from readers: the
 * interface fermata/counters.h. */
#include "counters/counter_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Start of a process by the kernel's clock; 0: it does not exist, or is not known. */
static uint64_t start_of(long process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    char *field = strrchr(text, ')');
    if (field == NULL || field[1] == '\0' || field[2] == 'Z') {
        return 0; /* ended, and its parent has not noticed so far */
    }
    for (int i = 2; field != NULL && i < 22; i++) {
        field = strchr(field + 1, ' ');
    }
    return field != NULL ? strtoull(field, NULL, 10) : 0;
}

int fermata_counters_state(const fermata_counters_t *c)
{
    char host[sizeof c->head.host] = "";
    long process = fermata_counters_process(c);
    gethostname(host, sizeof host - 1);
    if (c->head.state == FM_COUNTING_ENDED) {
        return FERMATA_PROCESS_ENDED;
    }
    if (strcmp(host, c->head.host) != 0) {
        return FERMATA_PROCESS_UNKNOWN;
    }
    bool exists = process > 0 &&
                  (c->head.process_start != 0 ? start_of(process) == c->head.process_start
                                              : kill((pid_t)process, 0) == 0 || errno == EPERM);
    return exists ? FERMATA_PROCESS_RUNNING : FERMATA_PROCESS_KILLED;
}

size_t fermata_counters_threads(const fermata_counters_t *c)
{
    return c->blocks > 0 ? c->blocks - 1 : 0; /* block 0 is that of the process */
}

double fermata_counters_since_call(const fermata_counters_t *c)
{
    struct timespec now;
    uint64_t last = c->head.start_ticks;
    for (size_t i = 0; i < c->blocks; i++) {
        uint64_t time = c->words[i * c->words_in_block + FM_BLOCK_TIME];
        last = time > last ? time : last;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    double since_start =
        (double)now.tv_sec - 1e-9 * (double)c->head.start_realtime + 1e-9 * (double)now.tv_nsec;
    double age = since_start - (double)(last - c->head.start_ticks) / fermata_counters_tick_rate(c);
    return age > 0 ? age : 0;
}

unsigned fermata_counters_rank(const fermata_counters_t *c)
{
    return c->head.rank;
}

unsigned fermata_counters_size(const fermata_counters_t *c)
{
    return c->head.size;
}

long fermata_counters_process(const fermata_counters_t *c)
{
    return (long)c->head.process;
}

const char *fermata_counters_host(const fermata_counters_t *c)
{
    return c->head.host;
}

const char *fermata_counters_program(const fermata_counters_t *c)
{
    return c->head.program;
}

double fermata_counters_tick_rate(const fermata_counters_t *c)
{
    return c->nanoseconds != 0 ? 1e9 * (double)c->ticks / (double)c->nanoseconds : 1e9;
}

uint64_t fermata_counters_start(const fermata_counters_t *c)
{
    return c->head.start_realtime;
}

/* ---- requests: the reset of watermarks ---- */

/* Maps the file up to the block of the process, for writing. @return NULL, with errno */
static void *map_for_writing(const fermata_counters_t *c, size_t size)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/self/fd/%d", c->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    void *map = MAP_FAILED;
    if (fstat(file, &about) == 0) {
        errno = EINVAL;
        map = about.st_size >= 0 && (uint64_t)about.st_size >= size
                  ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                  : MAP_FAILED;
    }
    int reason = errno;
    close(file);
    errno = reason;
    return map != MAP_FAILED ? map : NULL;
}

/* A watermark of the process, which threads raise meanwhile: the last store is the reset. */
static void store_level(uint64_t *watermark, const uint64_t *level)
{
    uint64_t present;
    do {
        present = __atomic_load_n(level, __ATOMIC_SEQ_CST);
        __atomic_store_n(watermark, present, __ATOMIC_SEQ_CST);
    } while (__atomic_load_n(level, __ATOMIC_SEQ_CST) != present);
}

int fermata_counters_reset_watermarks(fermata_counters_t *c)
{
    int is_bad = fm_counter_reader_head(c);
    uint64_t place = c->head.blocks_at, size = place + c->words_in_block * sizeof(uint64_t);
    if (is_bad || c->head.block_count == 0 || place % sizeof(uint64_t) != 0 || size < place) {
        errno = EINVAL;
        return -1;
    }
    if (fermata_counters_state(c) != FERMATA_PROCESS_RUNNING) {
        errno = ESRCH;
        return -1;
    }
    struct fm_counter_file_head *head = map_for_writing(c, size);
    if (head == NULL) {
        return -1;
    }
    uint64_t *process = (uint64_t *)(void *)((char *)head + place) + FM_BLOCK_HEAD;
    __atomic_add_fetch(&head->resets, 1, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < c->count; i++) {
        if (fermata_counters_can_reset(c, i)) {
            store_level(&process[c->counters[i].slot], &process[c->counters[i].sentinel]);
        }
    }
    munmap(head, size);
    return 0;
}

int fermata_counters_can_reset(const fermata_counters_t *c, size_t counter)
{
    return c->counters[counter].sentinel != 0;
}
