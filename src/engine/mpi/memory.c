/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements base/memory.h in a module by the allocator of the program that has loaded it, since
 * contents of packets are allocated on one side and freed on the other. */
#include "base/memory.h"

#include "engine/mpi/mpi_transport.h"

#include <stdint.h>
#include <string.h>

static struct fm_transport_memory host;

void fm_mpi_use_memory(const struct fm_transport_memory *memory)
{
    host = *memory;
}

void *fm_resize(void *block, size_t old_bytes, size_t new_bytes)
{
    return host.resize(block, old_bytes, new_bytes);
}

void *fm_allocate(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        bytes = SIZE_MAX; /* the host reports that there is no memory */
    }
    return memset(host.resize(NULL, 0, bytes), 0, bytes);
}

void fm_free(void *block)
{
    host.free(block);
}
