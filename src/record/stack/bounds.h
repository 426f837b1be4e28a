/** @file
 * Where stacks end: nothing beyond is read.
 */
#ifndef FERMATA_RECORD_STACK_BOUNDS_H
#define FERMATA_RECORD_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/** The calling thread's own stack; low == high: unknown. Not async-signal-safe. */
void fm_bounds_own(uint64_t *low, uint64_t *high);

/** Pages that are known to exist; begin with zeros. */
struct fm_bounds_pages {
    uint64_t low, high;
};

/** Whether the memory at `address` exists, as far as its page goes. Asks the system once for each
 * further page. Async-signal-safe; errno is preserved. */
bool fm_bounds_page_exists(struct fm_bounds_pages *pages, uint64_t address);

#endif
