/** @file
 * Bounds of stacks. Unwinding reads no memory outside of them.
 */
#ifndef FERMATA_RECORD_STACK_BOUNDS_H
#define FERMATA_RECORD_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/** Bounds of the calling thread's own stack; low == high: unknown. Not async-signal-safe. errno is
 * preserved. */
void fm_bounds_own(uint64_t *low, uint64_t *high);

/** Range of pages that are known to exist. Zeroed = empty. */
struct fm_bounds_pages {
    uint64_t low, high;
};

/** Whether the page of `address` is mapped. Makes one system call for each page outside of `pages`.
 * Async-signal-safe; errno is preserved. */
bool fm_bounds_page_exists(struct fm_bounds_pages *pages, uint64_t address);

#endif
