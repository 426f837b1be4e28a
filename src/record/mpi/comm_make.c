/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that create or free communicators. They are recorded as collective operations on the
 * communicator that all participants have in common: the parent, or without one, the new one. */
#include "record/mpi/inside/unexpected_queue.h"
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/comm.h"
#include "record/mpi/objects/request.h"
#include "record/mpi/objects/topology.h"

#include <stdlib.h>
#include <string.h>

/* Ends a call that has created `made` (NULL: MPI_COMM_NULL or not recorded), and records it as a
 * collective on `common` (NULL: without an operation). */
static void record_creation(struct fm_thread *thread, const struct fm_comm *common,
                            const struct fm_comm *made)
{
    fm_thread_leave(thread, 0);
    if (common != NULL) {
        fm_put_creation(thread, common, made);
    }
    fm_thread_done(thread);
}

/* The thread for look-ups in a call that is not recorded: a library that is based on MPI may create
 * a communicator inside a recorded call of its own, and the program may use it later. */
static struct fm_thread *thread_or_self(struct fm_thread *thread)
{
    return thread != NULL ? thread : fm_thread_self;
}

/* The program's communicator, or NULL, also in a call that is not recorded. */
static struct fm_comm *find(struct fm_thread *thread, MPI_Comm comm)
{
    struct fm_thread *any = thread_or_self(thread);
    return any != NULL ? fm_comm_find(any, comm) : NULL;
}

/* Body of a constructor that is collective on `old`; `more` is executed if `made` is not NULL. */
#define FROM_PARENT(name, old, call, made_handle, more)                                            \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        struct fm_comm *parent = find(thread, old), *made = NULL;                                  \
        uint32_t count = parent != NULL ? parent->made++ : 0;                                      \
        if (thread != NULL) {                                                                      \
            fm_open_collective(thread, parent, -1);                                                \
        }                                                                                          \
        int result = call;                                                                         \
        if (result == MPI_SUCCESS) {                                                               \
            made = fm_comm_from_parent(parent, count, made_handle, thread != NULL);                \
            if (made != NULL) {                                                                    \
                more;                                                                              \
            }                                                                                      \
        }                                                                                          \
        if (thread != NULL) {                                                                      \
            record_creation(thread, result == MPI_SUCCESS ? parent : NULL, made);                  \
        }                                                                                          \
        return result;                                                                             \
    }

/* Body of a constructor whose participants have only the new communicator in common. */
#define FROM_MEMBERS(name, call, made_expression)                                                  \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_##name);                              \
        int result = call;                                                                         \
        struct fm_comm *made =                                                                     \
            result == MPI_SUCCESS && thread_or_self(thread) != NULL ? (made_expression) : NULL;    \
        if (thread != NULL) {                                                                      \
            record_creation(thread, made, made);                                                   \
        }                                                                                          \
        return result;                                                                             \
    }

static void inherit_topology(struct fm_comm *made, const struct fm_comm *parent)
{
    made->sources = parent->sources;
    made->targets = parent->targets;
    made->missing = parent->missing;
}

int fm_MPI_Comm_dup(MPI_Comm comm,
                    MPI_Comm *newcomm) FROM_PARENT(MPI_Comm_dup, comm, PMPI_Comm_dup(comm, newcomm),
                                                   *newcomm, inherit_topology(made, parent))

    int fm_MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) FROM_PARENT(
        MPI_Comm_dup_with_info, comm, PMPI_Comm_dup_with_info(comm, info, newcomm), *newcomm,
        inherit_topology(made, parent))

        int fm_MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) FROM_PARENT(
            MPI_Comm_split, comm, PMPI_Comm_split(comm, color, key, newcomm), *newcomm, (void)0)

            int fm_MPI_Comm_split_type(
                MPI_Comm comm, int split_type, int key, MPI_Info info,
                MPI_Comm *newcomm) FROM_PARENT(MPI_Comm_split_type, comm,
                                               PMPI_Comm_split_type(comm, split_type, key, info,
                                                                    newcomm),
                                               *newcomm, (void)0)

                int fm_MPI_Comm_create(MPI_Comm comm, MPI_Group group,
                                       MPI_Comm *newcomm) FROM_PARENT(MPI_Comm_create, comm,
                                                                      PMPI_Comm_create(comm, group,
                                                                                       newcomm),
                                                                      *newcomm, (void)0)

                    int fm_MPI_Intercomm_merge(
                        MPI_Comm intercomm, int high,
                        MPI_Comm *newintercomm) FROM_PARENT(MPI_Intercomm_merge, intercomm,
                                                            PMPI_Intercomm_merge(intercomm, high,
                                                                                 newintercomm),
                                                            *newintercomm, (void)0)

                        int fm_MPI_Cart_create(
                            MPI_Comm old_comm, int ndims, const int dims[], const int periods[],
                            int reorder,
                            MPI_Comm *comm_cart) FROM_PARENT(MPI_Cart_create, old_comm,
                                                             PMPI_Cart_create(old_comm, ndims, dims,
                                                                              periods, reorder,
                                                                              comm_cart),
                                                             *comm_cart,
                                                             fm_topology_cartesian(made,
                                                                                   *comm_cart))

                            int fm_MPI_Cart_sub(
                                MPI_Comm comm, const int remain_dims[],
                                MPI_Comm *new_comm) FROM_PARENT(MPI_Cart_sub, comm,
                                                                PMPI_Cart_sub(comm, remain_dims,
                                                                              new_comm),
                                                                *new_comm,
                                                                fm_topology_cartesian(made,
                                                                                      *new_comm))

                                int fm_MPI_Graph_create(
                                    MPI_Comm comm_old, int nnodes, const int index[],
                                    const int edges[], int reorder,
                                    MPI_Comm *comm_graph) FROM_PARENT(MPI_Graph_create, comm_old,
                                                                      PMPI_Graph_create(
                                                                          comm_old, nnodes, index,
                                                                          edges, reorder,
                                                                          comm_graph),
                                                                      *comm_graph,
                                                                      fm_topology_graph(
                                                                          made, *comm_graph))

                                    int fm_MPI_Dist_graph_create(
                                        MPI_Comm comm_old, int n, const int nodes[],
                                        const int degrees[], const int targets[],
                                        const int weights[], MPI_Info info, int reorder,
                                        MPI_Comm *newcomm) FROM_PARENT(MPI_Dist_graph_create,
                                                                       comm_old,
                                                                       PMPI_Dist_graph_create(
                                                                           comm_old, n, nodes,
                                                                           degrees, targets,
                                                                           weights, info, reorder,
                                                                           newcomm),
                                                                       *newcomm,
                                                                       fm_topology_distributed(
                                                                           made, *newcomm))

                                        int fm_MPI_Dist_graph_create_adjacent(
                                            MPI_Comm comm_old, int indegree, const int sources[],
                                            const int sourceweights[], int outdegree,
                                            const int destinations[], const int destweights[],
                                            MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
                                            FROM_PARENT(MPI_Dist_graph_create_adjacent, comm_old,
                                                        PMPI_Dist_graph_create_adjacent(
                                                            comm_old, indegree, sources,
                                                            sourceweights, outdegree, destinations,
                                                            destweights, info, reorder,
                                                            comm_dist_graph),
                                                        *comm_dist_graph,
                                                        fm_topology_distributed(made,
                                                                                *comm_dist_graph))

                                                int fm_MPI_Comm_create_group(
                                                    MPI_Comm comm, MPI_Group group, int tag,
                                                    MPI_Comm *newcomm)
                                                    FROM_MEMBERS(
                                                        MPI_Comm_create_group,
                                                        PMPI_Comm_create_group(comm, group, tag,
                                                                               newcomm),
                                                        fm_comm_from_group(find(thread, comm),
                                                                           *newcomm, NULL,
                                                                           thread !=
                                                                               NULL))

                                                        int fm_MPI_Intercomm_create(
                                                            MPI_Comm local_comm, int local_leader,
                                                            MPI_Comm bridge_comm, int remote_leader,
                                                            int tag, MPI_Comm *newintercomm)
                                                            FROM_MEMBERS(MPI_Intercomm_create,
                                                                         PMPI_Intercomm_create(
                                                                             local_comm,
                                                                             local_leader,
                                                                             bridge_comm,
                                                                             remote_leader,
                                                                             tag, newintercomm),
                                                                         fm_comm_from_pair(
                                                                             *newintercomm, NULL,
                                                                             thread != NULL))

                                                                int fm_MPI_Comm_create_from_group(
                                                                    MPI_Group group,
                                                                    const char *stringtag,
                                                                    MPI_Info info,
                                                                    MPI_Errhandler errhandler,
                                                                    MPI_Comm *newcomm)
                                                                    FROM_MEMBERS(
                                                                        MPI_Comm_create_from_group,
                                                                        PMPI_Comm_create_from_group(
                                                                            group, stringtag, info,
                                                                            errhandler, newcomm),
                                                                        fm_comm_from_group(
                                                                            NULL, *newcomm,
                                                                            stringtag,
                                                                            thread != NULL))

                                                                        int fm_MPI_Intercomm_create_from_groups(
                                                                            MPI_Group local_group,
                                                                            int local_leader,
                                                                            MPI_Group remote_group,
                                                                            int remote_leader,
                                                                            const char *stringtag,
                                                                            MPI_Info info,
                                                                            MPI_Errhandler
                                                                                errhandler,
                                                                            MPI_Comm *newintercomm)
                                                                            FROM_MEMBERS(
                                                                                MPI_Intercomm_create_from_groups,
                                                                                PMPI_Intercomm_create_from_groups(
                                                                                    local_group,
                                                                                    local_leader,
                                                                                    remote_group,
                                                                                    remote_leader,
                                                                                    stringtag, info,
                                                                                    errhandler,
                                                                                    newintercomm),
                                                                                fm_comm_from_pair(
                                                                                    *newintercomm,
                                                                                    stringtag,
                                                                                    thread != NULL))

    /* Before the library's call: the parent of the duplicate, and which one it is. */
    struct duplicate {
    struct fm_comm *parent;
    uint32_t count;
};

static struct duplicate next_duplicate(struct fm_thread *thread, MPI_Comm comm)
{
    struct fm_comm *parent = fm_comm_find(thread, comm);
    return (struct duplicate){parent, parent != NULL ? parent->made++ : 0};
}

/* Ends a call that has begun to duplicate a communicator. */
static void record_idup(struct fm_thread *thread, int result, struct duplicate duplicate,
                        MPI_Comm *newcomm, MPI_Request handle)
{
    const struct fm_comm *parent = duplicate.parent;
    struct fm_comm *copy = parent != NULL ? malloc(sizeof *copy) : NULL;
    fm_thread_leave(thread, 0);
    if (result == MPI_SUCCESS && copy != NULL) {
        *copy = *parent;
        struct fm_request entry = {.kind = FM_REQUEST_COMM,
                                   .active = true,
                                   .id = fm_thread_new_id(thread),
                                   .ref = parent->number,
                                   .comm = newcomm,
                                   .parent = copy,
                                   .count = duplicate.count};
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_REQUEST),
                  FM_RECORD_COLLECTIVE_REQUEST, 0, entry.id);
        fm_request_add(handle, &entry);
    } else {
        free(copy);
    }
    fm_thread_done(thread);
}

int fm_MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_idup);
    if (thread == NULL) {
        return PMPI_Comm_idup(comm, newcomm, request);
    }
    struct duplicate duplicate = next_duplicate(thread, comm);
    int result = PMPI_Comm_idup(comm, newcomm, request);
    record_idup(thread, result, duplicate, newcomm, *request);
    return result;
}

int fm_MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm,
                               MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_idup_with_info);
    if (thread == NULL) {
        return PMPI_Comm_idup_with_info(comm, info, newcomm, request);
    }
    struct duplicate duplicate = next_duplicate(thread, comm);
    int result = PMPI_Comm_idup_with_info(comm, info, newcomm, request);
    record_idup(thread, result, duplicate, newcomm, *request);
    return result;
}

/* Free and disconnect. The handle is removed first, because the library may reuse it for another
 * thread as soon as it is free. */
static int free_comm(struct fm_thread *thread, MPI_Comm *comm, int (*call)(MPI_Comm *))
{
    MPI_Comm handle = *comm;
    struct fm_comm *c = fm_handles_remove(&fm_comms, FM_HANDLE(handle));
    fm_unexpected_queue_ends(handle);
    if (thread != NULL) {
        fm_open_collective(thread, c, -1);
    }
    int result = call(comm);
    if (thread == NULL) {
        free(c);
        return result;
    }
    fm_thread_leave(thread, 0);
    if (c != NULL && result != MPI_SUCCESS) {
        fm_handles_insert(&fm_comms, FM_HANDLE(handle), c);
    } else if (c != NULL) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_BEGIN),
                    FM_RECORD_COLLECTIVE_BEGIN, 0);
        if (c->is_recorded) {
            fm_put_mark(fm_thread_reserve(thread, FM_WORDS_COMM_DESTROY), FM_RECORD_COMM_DESTROY,
                        c->number);
        }
        fm_put_collective(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_END),
                          OTF2_COLLECTIVE_OP_DESTROY_HANDLE, c->number, OTF2_COLLECTIVE_ROOT_NONE,
                          0, 0);
        free(c);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Comm_free(MPI_Comm *comm)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_free);
    return free_comm(thread, comm, PMPI_Comm_free);
}

int fm_MPI_Comm_disconnect(MPI_Comm *comm)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_disconnect);
    return free_comm(thread, comm, PMPI_Comm_disconnect);
}

int fm_MPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Comm_set_name);
    int result = PMPI_Comm_set_name(comm, comm_name);
    if (thread != NULL) {
        struct fm_comm *c = result == MPI_SUCCESS ? fm_comm_find(thread, comm) : NULL;
        fm_thread_leave(thread, 0);
        if (c != NULL) {
            fm_session_name(FM_DEFINE_COMM, c->number, comm_name);
        }
        fm_thread_done(thread);
    }
    return result;
}
