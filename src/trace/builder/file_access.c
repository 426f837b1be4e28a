/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of files by MPI: I/O operations inside its calls. Those of other models (POSIX,
 * C's streams) are not counted, also where they are recorded inside MPI's. */
#include "trace/builder/builder_internal.h"

#include <otf2/otf2.h>

enum { HANDLE_SHIFT = 40 };

/* Numbers of operations are unique for their handle only. */
static uint64_t key_of(uint32_t handle, uint64_t id)
{
    return (uint64_t)handle << HANDLE_SHIFT ^ id;
}

void fm_builder_access_begin(struct fm_builder *builder, uint32_t handle, uint8_t mode,
                             uint64_t bytes, uint64_t id)
{
    const bool reads = mode == OTF2_IO_OPERATION_MODE_READ;
    if (builder->frames.count == 0 || (!reads && mode != OTF2_IO_OPERATION_MODE_WRITE)) {
        return;
    }
    const struct fm_location *location = builder->location;
    const uint32_t visit = builder->frames.items[builder->frames.count - 1].visit;
    const struct fm_visit_profile *profile = &location->profile.items[visit];
    if (builder->trace->regions[profile->region].paradigm != FM_PARADIGM_MPI) {
        return;
    }
    uint64_t *values = fm_builder_counts(builder);
    const fm_count_t kind = reads ? FM_COUNT_FILE_BYTES_READ : FM_COUNT_FILE_BYTES_WRITTEN;
    values[kind] += bytes;
    values[FM_COUNT_FILE_OPERATIONS]++;
    *fm_map_at(&builder->access_by_id, key_of(handle, id), 0) = (uint32_t)builder->accesses.count;
    fm_vector_push(&builder->accesses, (struct fm_open_access){bytes, profile->counts, kind});
}

void fm_builder_access_end(struct fm_builder *builder, uint32_t handle, uint64_t bytes, uint64_t id)
{
    const uint32_t row = fm_map_take(&builder->access_by_id, key_of(handle, id));
    if (row != FM_MAP_ABSENT) {
        const struct fm_open_access *access = &builder->accesses.items[row];
        builder->location->counts.items[access->counts].values[access->kind] +=
            bytes - access->bytes;
        if (row + 1 == builder->accesses.count) {
            builder->accesses.count--;
        }
    }
}
