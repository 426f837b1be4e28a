/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned communication of MPI 4, which parameters describe (base/partitioned_names.h). */
#include "trace/builder/builder_internal.h"

void fm_builder_partitioned(struct fm_builder *builder, fm_parameter_t parameter, uint64_t value)
{
    struct fm_location *location = builder->location;
    struct fm_partition_call *last =
        location->partitions.count == 0
            ? NULL
            : &location->partitions.items[location->partitions.count - 1];
    switch (parameter) {
    case FM_PARAMETER_PARTITIONED_OPERATION:
        builder->partitioned = (struct fm_partitioned_message){.operation = value};
        break;
    case FM_PARAMETER_PARTITIONS:
        builder->partitioned.partitions = (uint32_t)value;
        break;
    case FM_PARAMETER_PARTITIONED_REQUEST:
        builder->partition_request = value;
        break;
    case FM_PARAMETER_PARTITION:
        if (builder->current_activity != FM_NONE) {
            fm_vector_push(&location->partitions,
                           (struct fm_partition_call){.request = builder->partition_request,
                                                      .activity = builder->current_activity,
                                                      .first = (uint32_t)value,
                                                      .last = (uint32_t)value});
        }
        break;
    default: /* FM_PARAMETER_LAST_PARTITION */
        if (last != NULL && last->activity == builder->current_activity && value >= last->first) {
            last->last = (uint32_t)value;
        }
        break;
    }
}

struct fm_partitioned_message fm_builder_take_partitioned(struct fm_builder *builder)
{
    const struct fm_partitioned_message taken = builder->partitioned;
    builder->partitioned = (struct fm_partitioned_message){0};
    return taken;
}

uint32_t fm_location_partitioned(struct fm_location *location,
                                 struct fm_partitioned_message partitioned, uint64_t request)
{
    if (partitioned.operation == 0) {
        return 0;
    }
    partitioned.request = request;
    fm_vector_push(&location->partitioned, partitioned);
    return (uint32_t)location->partitioned.count;
}
