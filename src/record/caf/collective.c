/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations. Bytes are counted as for MPI: one transfer for each image that data goes
 * to or comes from, the image itself included. */
#include "record/caf/caf.h"

static void record(struct fm_thread *thread, OTF2_CollectiveOp operation,
                   const struct fm_caf_team *team, uint32_t root, uint64_t sent, uint64_t received,
                   OTF2_RmaSyncLevel level)
{
    if (team != NULL && team->size != 0) {
        uint64_t *r =
            fm_thread_leave(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_put_rma_collective(r, operation, team->window, root, sent, received, level);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_caf_synchronize(struct fm_thread *thread, OTF2_CollectiveOp operation,
                        const struct fm_caf_team *team)
{
    record(thread, operation, team, OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
           OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
}

void fm_caf_broadcast(struct fm_thread *thread, const struct fm_caf_array *a, int source_image)
{
    uint64_t bytes = fm_caf_section_bytes(a, NULL);
    uint32_t root = (uint32_t)source_image - 1;
    record(thread, OTF2_COLLECTIVE_OP_BCAST, fm_caf_team, root,
           fm_caf_team->rank + 1 == source_image ? (uint64_t)fm_caf_team->size * bytes : 0, bytes,
           OTF2_RMA_SYNC_LEVEL_NONE);
}

void fm_caf_reduce(struct fm_thread *thread, const struct fm_caf_array *a, int result_image)
{
    uint64_t bytes = fm_caf_section_bytes(a, NULL), all = (uint64_t)fm_caf_team->size * bytes;
    if (result_image == 0) {
        record(thread, OTF2_COLLECTIVE_OP_ALLREDUCE, fm_caf_team, OTF2_COLLECTIVE_ROOT_NONE, all,
               all, OTF2_RMA_SYNC_LEVEL_NONE);
    } else {
        record(thread, OTF2_COLLECTIVE_OP_REDUCE, fm_caf_team, (uint32_t)result_image - 1, bytes,
               fm_caf_team->rank + 1 == result_image ? all : 0, OTF2_RMA_SYNC_LEVEL_NONE);
    }
}
