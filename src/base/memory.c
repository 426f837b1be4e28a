/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Blocks of this size and more go to the file once there is a limit. */
#define LARGE_BLOCK ((size_t)256 << 10)

/* Larger blocks are given back as soon as they are freed, which keeps holes small. */
#define KEPT_BLOCK (32 << 20)

/* A large block in the file; the list is short because the blocks are large. */
struct mapping {
    void *start;
    size_t bytes;
    off_t offset;
    struct mapping *next;
};

static struct {
    size_t limit;
    int file;
    off_t file_size;
    struct mapping *mappings;
    atomic_size_t mapped_since_relax;
    pthread_mutex_t lock;
} spill = {.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void exhausted(const char *what, size_t bytes) __attribute__((noreturn, cold));

static void exhausted(const char *what, size_t bytes)
{
    fprintf(stderr, "fermata: %s for %zu bytes: %m\n", what, bytes);
    exit(FM_ERR_SYSTEM);
}

void fm_memory_exhausted(void)
{
    fputs("fermata: no memory\n", stderr);
    exit(FM_ERR_SYSTEM);
}

void fm_memory_limit(size_t bytes, const char *directory)
{
    spill.limit = bytes;
    if (bytes != 0 && spill.file < 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/fermata-tables-XXXXXX", directory);
        spill.file = mkostemp(path, O_CLOEXEC);
        if (spill.file < 0) {
            exhausted("cannot make a file for tables beyond the memory limit", bytes);
        }
        unlink(path);
    }
}

void fm_memory_keep(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

static size_t round_to_pages(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

/* Extends the file by a block. Its room is allocated now: a disk that is full when a page is
 * written would end the process. @return the place of the block */
static off_t extend_file(size_t length)
{
    const off_t offset = spill.file_size;
    spill.file_size += (off_t)length;
    if (fallocate(spill.file, 0, offset, (off_t)length) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG ||
         ftruncate(spill.file, spill.file_size) != 0)) {
        exhausted("cannot extend the file of tables", length);
    }
    return offset;
}

static void *map_block(size_t bytes)
{
    size_t length = round_to_pages(bytes);
    struct mapping *mapping = malloc(sizeof *mapping);
    if (mapping == NULL) {
        exhausted("no memory", sizeof *mapping);
    }
    pthread_mutex_lock(&spill.lock);
    const off_t offset = extend_file(length);
    void *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, spill.file, offset);
    if (start == MAP_FAILED) {
        exhausted("cannot map the file of tables", length);
    }
    *mapping = (struct mapping){start, length, offset, spill.mappings};
    spill.mappings = mapping;
    pthread_mutex_unlock(&spill.lock);
    if (atomic_fetch_add(&spill.mapped_since_relax, length) > spill.limit / 4) {
        fm_memory_relax();
    }
    return start;
}

/* Unmaps the block if it lies in the file. */
static bool unmap_block(void *block)
{
    if (spill.file < 0 || ((uintptr_t)block & 4095) != 0) {
        return false;
    }
    pthread_mutex_lock(&spill.lock);
    struct mapping **link = &spill.mappings;
    while (*link != NULL && (*link)->start != block) {
        link = &(*link)->next;
    }
    struct mapping *mapping = *link;
    if (mapping != NULL) {
        *link = mapping->next;
        munmap(mapping->start, mapping->bytes);
        (void)fallocate(spill.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, mapping->offset,
                        (off_t)mapping->bytes);
        free(mapping);
    }
    pthread_mutex_unlock(&spill.lock);
    return mapping != NULL;
}

static bool is_mapped(const void *block)
{
    pthread_mutex_lock(&spill.lock);
    const struct mapping *mapping = spill.mappings;
    while (mapping != NULL && mapping->start != block) {
        mapping = mapping->next;
    }
    pthread_mutex_unlock(&spill.lock);
    return mapping != NULL;
}

void fm_memory_relax(void)
{
    if (spill.file < 0) {
        return;
    }
    pthread_mutex_lock(&spill.lock);
    for (struct mapping *m = spill.mappings; m != NULL; m = m->next) {
        /* The pages of a shared mapping keep their content in the file. */
        madvise(m->start, m->bytes, MADV_DONTNEED);
    }
    atomic_store(&spill.mapped_since_relax, 0);
    pthread_mutex_unlock(&spill.lock);
}

static size_t bytes_of(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        exhausted("no memory", SIZE_MAX);
    }
    return bytes;
}

void *fm_allocate(size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    if (spill.file >= 0 && bytes >= LARGE_BLOCK) {
        return map_block(bytes);
    }
    void *block = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
    if (block == NULL) {
        exhausted("no memory", bytes);
    }
    return block;
}

void *fm_allocate_written(size_t count, size_t size)
{
    size_t bytes = bytes_of(count, size);
    return memset(fm_resize(NULL, 0, bytes), 0, bytes);
}

void *fm_allocate_apart(size_t count, size_t size)
{
    size_t bytes = bytes_of(bytes_of(count, size) / FM_APART + 1, FM_APART);
    void *block = aligned_alloc(FM_APART, bytes);
    if (block == NULL) {
        exhausted("no memory", bytes);
    }
    return memset(block, 0, bytes);
}

void *fm_resize(void *block, size_t old_bytes, size_t new_bytes)
{
    bool was_mapped = spill.file >= 0 && old_bytes >= LARGE_BLOCK && is_mapped(block);
    bool map = spill.file >= 0 && new_bytes >= LARGE_BLOCK;
    if (was_mapped || map) {
        if (round_to_pages(old_bytes) == round_to_pages(new_bytes) && was_mapped && map) {
            return block;
        }
        void *moved = map ? map_block(new_bytes) : malloc(new_bytes == 0 ? 1 : new_bytes);
        if (moved == NULL) {
            exhausted("no memory", new_bytes);
        }
        if (block != NULL) {
            memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
            fm_free(block);
        }
        return moved;
    }
    void *resized = realloc(block, new_bytes == 0 ? 1 : new_bytes);
    if (resized == NULL) {
        exhausted("no memory", new_bytes);
    }
    return resized;
}

void fm_free(void *block)
{
    if (block != NULL && !unmap_block(block)) {
        free(block);
    }
}

char *fm_copy_string(const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    size_t bytes = strlen(text) + 1;
    return memcpy(fm_resize(NULL, 0, bytes), text, bytes);
}
