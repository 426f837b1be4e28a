/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/nesting.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_BYTES = 4096 };

bool fm_nesting_grow(struct fm_nesting *nesting)
{
    int saved = errno;
    size_t before = nesting->room * sizeof *nesting->regions;
    size_t bytes = before != 0 ? 2 * before : FIRST_BYTES;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved;
    if (pages == MAP_FAILED) {
        return false;
    }
    if (before != 0) {
        memcpy(pages, nesting->regions, before);
        munmap(nesting->regions, before);
    }
    nesting->regions = pages;
    nesting->room = bytes / sizeof *nesting->regions;
    return true;
}

void fm_nesting_free(struct fm_nesting *nesting)
{
    if (nesting->room != 0) {
        munmap(nesting->regions, nesting->room * sizeof *nesting->regions);
    }
    *nesting = (struct fm_nesting){0};
}
