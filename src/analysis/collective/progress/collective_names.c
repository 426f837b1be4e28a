/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/progress/collective_names.h"

#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *plural;
    uint8_t operation; /* of its record */
} names[FM_COLLECTIVE_NAMES] = {
    {"Barrier", "barriers", OTF2_COLLECTIVE_OP_BARRIER},
    {"Bcast", "bcasts", OTF2_COLLECTIVE_OP_BCAST},
    {"Scatter", "scatters", OTF2_COLLECTIVE_OP_SCATTER},
    {"Scatterv", "scattervs", OTF2_COLLECTIVE_OP_SCATTERV},
    {"Reduce", "reduces", OTF2_COLLECTIVE_OP_REDUCE},
    {"Gather", "gathers", OTF2_COLLECTIVE_OP_GATHER},
    {"Gatherv", "gathervs", OTF2_COLLECTIVE_OP_GATHERV},
    {"Allreduce", "allreduces", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"Allgather", "allgathers", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"Allgatherv", "allgathervs", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"Alltoall", "alltoalls", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"Alltoallv", "alltoallvs", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"Alltoallw", "alltoallws", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"Reduce_scatter", "reduce_scatters", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"Reduce_scatter_block", "reduce_scatter_blocks", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"Scan", "scans", OTF2_COLLECTIVE_OP_SCAN},
    {"Exscan", "exscans", OTF2_COLLECTIVE_OP_EXSCAN},
};

const char *fm_collective_plural(unsigned number)
{
    return names[number].plural;
}

struct fm_collective_name fm_collective_name(const struct fm_region *region)
{
    const char *name = strchr(region->name, '_');
    struct fm_collective_name found = {.number = FM_COLLECTIVE_NAMES};
    if (region->paradigm != FM_PARADIGM_MPI || name == NULL) {
        return found;
    }
    ++name;
    const bool starts = *name == 'I' || *name == 'i';
    name += starts;
    for (uint8_t n = 0; n < FM_COLLECTIVE_NAMES; ++n) {
        const size_t length = strlen(names[n].name);
        const char *rest = name + length;
        if (strncasecmp(name, names[n].name, length) == 0 &&
            (*rest == '\0' || strcasecmp(rest, "_c") == 0 || strcmp(rest, "_") == 0 ||
             strncasecmp(rest, "_init", 5) == 0)) {
            found.number = n;
            found.starts = starts;
        }
    }
    return found;
}

bool fm_may_start_collectives(const struct fm_region *region)
{
    const char *name = strchr(region->name, '_');
    return region->paradigm == FM_PARADIGM_MPI && name != NULL &&
           (fm_collective_name(region).starts || strncasecmp(name + 1, "Start", 5) == 0);
}

uint8_t fm_collective_name_of_operation(uint8_t operation)
{
    uint8_t number = 0;
    while (number < FM_COLLECTIVE_NAMES && names[number].operation != operation) {
        ++number;
    }
    return number;
}
