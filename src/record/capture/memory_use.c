/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/memory_use.h"

#include <stdatomic.h>
#include <sys/mman.h>

static _Atomic uint64_t used, most;

void fm_memory_use_add(size_t bytes)
{
    uint64_t now = atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed) + bytes;
    uint64_t before = atomic_load_explicit(&most, memory_order_relaxed);
    while (now > before && !atomic_compare_exchange_weak_explicit(
                               &most, &before, now, memory_order_relaxed, memory_order_relaxed)) {
    }
}

void fm_memory_use_remove(size_t bytes)
{
    atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed);
}

uint64_t fm_memory_use_most(void)
{
    return atomic_load_explicit(&most, memory_order_relaxed);
}

void *fm_memory_use_map(size_t bytes, int flags)
{
    void *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    fm_memory_use_add(bytes);
    return pages;
}
