/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives. OTF2 has no types for them: they are written as the corresponding
 * collectives on the communicator with the topology, and distinguished by the region's name. */
#include "record/mpi/collective.h"

/* Whether the neighbour at this place exists (is not MPI_PROC_NULL). */
static bool exists(const struct fm_comm *c, int place)
{
    return place >= 64 || (c->missing >> place & 1) == 0;
}

static uint64_t existing(const struct fm_comm *c, int places)
{
    return (uint64_t)(places - __builtin_popcountll(c->missing));
}

static uint64_t sum(const struct fm_comm *c, struct fm_counts counts, MPI_Datatype type, int places)
{
    uint64_t elements = 0;
    for (int i = 0; i < places; i++) {
        elements += exists(c, i) ? fm_count_at(counts, i) : 0;
    }
    return elements * fm_type_size(type);
}

static uint64_t sum_of_types(const struct fm_comm *c, struct fm_counts counts,
                             const MPI_Datatype types[], int places)
{
    uint64_t bytes = 0;
    for (int i = 0; i < places; i++) {
        bytes += exists(c, i) ? fm_count_at(counts, i) * fm_type_size(types[i]) : 0;
    }
    return bytes;
}

/* `send` bytes to each target, `receive` bytes from each source. */
static struct fm_volume uniform(const struct fm_comm *c, uint64_t send, uint64_t receive)
{
    return (struct fm_volume){existing(c, c->targets) * send, existing(c, c->sources) * receive};
}

#define FM_AWAITS(thread, c, root) ((void)(c)) /* only neighbours */
#define FM_COUNT                   int
#define FM_DISPL                   int
#define FM_SUFFIX
#define FM_COUNTS(values) ((struct fm_counts){values, false})
#define FM_EARLIER        FM_COLLECTIVE_INIT
#include "record/mpi/counted/neighbor_counted.h"
#undef FM_COUNT
#undef FM_DISPL
#undef FM_SUFFIX
#undef FM_COUNTS
#undef FM_EARLIER
#define FM_COUNT          MPI_Count
#define FM_DISPL          MPI_Aint
#define FM_SUFFIX         _c
#define FM_COUNTS(values) ((struct fm_counts){values, true})
#define FM_EARLIER(...)
#include "record/mpi/counted/neighbor_counted.h"
