/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reading of the interpreter's memory. In a signal handler a structure may be half written, so that
 * a pointer in it may lead anywhere: the system is asked first whether each page exists.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_PEEK_H
#define FERMATA_RECORD_STACK_PYTHON_PEEK_H

#include "record/stack/bounds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FM_PEEK_PAGES = 64, FM_PEEK_PAGE_BITS = 12 };

/** Pages that exist, each at the place that the lowest bits of its number give. Zeroed = empty. */
struct fm_peek_pages {
    uint64_t numbers[FM_PEEK_PAGES];
};

struct fm_peek {
    struct fm_peek_pages *pages; /**< of memory that is checked; NULL: all memory is trusted */
};

/** Whether `size` bytes at an address exist. Async-signal-safe. */
static inline bool fm_peek_exists(struct fm_peek peek, uint64_t address, uint64_t size)
{
    if (peek.pages == NULL) {
        return address != 0;
    }
    const uint64_t first = address >> FM_PEEK_PAGE_BITS;
    const uint64_t last = (address + size - 1) >> FM_PEEK_PAGE_BITS;
    if (first == 0 || last < first || size >> 32 != 0) {
        return false;
    }
    for (uint64_t page = first; page <= last; page++) {
        uint64_t *known = &peek.pages->numbers[page % FM_PEEK_PAGES];
        struct fm_bounds_pages none = {0};
        if (*known != page) {
            if (!fm_bounds_page_exists(&none, page << FM_PEEK_PAGE_BITS)) {
                return false;
            }
            *known = page;
        }
    }
    return true;
}

/** Reads bytes. @return false: they do not exist */
static inline bool fm_peek_bytes(struct fm_peek peek, uint64_t address, void *to, uint64_t size)
{
    if (!fm_peek_exists(peek, address, size)) {
        return false;
    }
    memcpy(to, (const void *)(uintptr_t)address, size);
    return true;
}

static inline bool fm_peek_word(struct fm_peek peek, uint64_t address, uint64_t *word)
{
    return fm_peek_bytes(peek, address, word, sizeof *word);
}

#endif
