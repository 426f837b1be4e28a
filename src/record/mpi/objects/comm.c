/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/objects/comm.h"

#include "record/mpi/inside/unexpected_queue.h"

#include <stdlib.h>

struct fm_handle_map fm_comms = FM_HANDLE_MAP(FM_COMMS_CACHE);

bool fm_comm_has_begun;

static bool has_places;     /* fm_process_places_begin was called */
static uint32_t self_likes; /* number of communicators of this process alone */

/* Number of communicators created from a group, or from a pair of groups. */
static struct fm_handle_map counts = FM_HANDLE_MAP(0);

/* A hash of a string tag (FNV-1a); 0: there is none. Two tags that groups use at once would have to
 * differ by the number of communicators made so far to be confused. */
static uint32_t hash_of(const char *tag)
{
    uint32_t hash = tag != NULL ? 2166136261U : 0;
    for (; tag != NULL && *tag != '\0'; tag++) {
        hash = (hash ^ (unsigned char)*tag) * 16777619U;
    }
    return hash;
}

/* The number of a new communicator among those of the same origin. */
static uint32_t next_count(uint64_t key, const char *tag)
{
    const uint32_t hash = hash_of(tag);
    key ^= (uint64_t)hash << 32 | hash;
    uintptr_t count = (uintptr_t)fm_handles_remove(&counts, key);
    count = count != 0 ? count : 1;
    fm_handles_insert(&counts, key, (void *)(count + 1));
    return (uint32_t)count - 1 + hash;
}

static uint32_t remote_group(MPI_Comm comm, uint32_t *first)
{
    MPI_Group group;
    PMPI_Comm_remote_group(comm, &group);
    uint32_t number = fm_group_define(group, first);
    PMPI_Group_free(&group);
    return number;
}

static uint32_t local_group(MPI_Comm comm, uint32_t *first)
{
    MPI_Group group;
    PMPI_Comm_group(comm, &group);
    uint32_t number = fm_group_define(group, first);
    PMPI_Group_free(&group);
    return number;
}

/* The properties of a new communicator that are available without communication; NULL if the place
 * of a member is not known, or without memory. */
static struct fm_comm *describe(MPI_Comm comm, bool recorded)
{
    struct fm_comm *c = calloc(1, sizeof *c);
    int inter = 0;
    uint32_t other_leader = UINT32_MAX;
    if (c == NULL) {
        return NULL;
    }
    c->is_recorded = recorded;
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    PMPI_Comm_test_inter(comm, &inter);
    c->group = FM_DEFINE_NONE;
    c->other_group = FM_DEFINE_NONE;
    if (!inter && c->size == 1) {
        return c; /* OTF2 has one group for all communicators of one process */
    }
    c->group = local_group(comm, &c->leader);
    if (inter) {
        PMPI_Comm_remote_size(comm, &c->remote_size);
        c->other_group = remote_group(comm, &other_leader);
    }
    if (c->group == FM_DEFINE_NONE || (inter && c->other_group == FM_DEFINE_NONE)) {
        free(c);
        return NULL;
    }
    if (inter && other_leader < c->leader) {
        uint32_t group = c->group;
        c->group = c->other_group;
        c->other_group = group;
        c->leader = other_leader;
    }
    return c;
}

static uint32_t define(const struct fm_comm *c, const uint32_t origin[4], uint32_t parent,
                       const char *name)
{
    const uint32_t words[FM_COMM_WORDS] = {
        [FM_COMM_ORIGIN] = origin[0],
        [FM_COMM_PARADIGM] = OTF2_PARADIGM_MPI,
        [FM_COMM_A] = origin[1],
        [FM_COMM_B] = origin[2],
        [FM_COMM_C] = origin[3],
        [FM_COMM_FLAGS] =
            c->is_recorded ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE,
        [FM_COMM_GROUP] = c->group,
        [FM_COMM_SECOND_GROUP] = c->other_group,
        [FM_COMM_PARENT] = parent,
        [FM_COMM_NAME] = name != NULL ? fm_session_string(name) : FM_DEFINE_NONE};
    return fm_session_define(FM_DEFINE_COMM, words, FM_COMM_WORDS);
}

/* Defines a communicator and stores its handle. Takes ownership of `c`. */
static struct fm_comm *enter(struct fm_comm *c, MPI_Comm comm, const uint32_t origin[4],
                             uint32_t parent, const char *name)
{
    c->number = define(c, origin, parent, name);
    if (c->number == FM_DEFINE_NONE) {
        free(c);
        return NULL;
    }
    fm_handles_insert(&fm_comms, FM_HANDLE(comm), c);
    fm_unexpected_queue_begins(comm);
    return c;
}

static struct fm_comm *enter_self_like(struct fm_comm *c, MPI_Comm comm, uint32_t parent,
                                       const char *name)
{
    uint32_t count = __atomic_fetch_add(&self_likes, 1, __ATOMIC_RELAXED);
    return enter(c, comm, (const uint32_t[4]){FM_COMM_SELF_LIKE, count}, parent, name);
}

void fm_comm_begin_sessions(MPI_Group all)
{
    fm_process_places_begin(all);
    has_places = true;
    __atomic_store_n(&fm_comm_has_begun, true, __ATOMIC_RELEASE);
}

void fm_comm_begin(void)
{
    if (!has_places) {
        MPI_Group all;
        PMPI_Comm_group(MPI_COMM_WORLD, &all);
        fm_process_places_begin(all);
        has_places = true;
    }
    struct fm_comm *world = describe(MPI_COMM_WORLD, true), *self = describe(MPI_COMM_SELF, true);
    if (world != NULL) {
        enter(world, MPI_COMM_WORLD, (const uint32_t[4]){FM_COMM_WORLD}, FM_DEFINE_NONE,
              "MPI_COMM_WORLD");
    }
    if (self != NULL) {
        enter_self_like(self, MPI_COMM_SELF, FM_DEFINE_NONE, "MPI_COMM_SELF");
    }
    __atomic_store_n(&fm_comm_has_begun, true, __ATOMIC_RELEASE);
}

struct fm_comm *fm_comm_find_first(struct fm_thread *thread, MPI_Comm comm)
{
    static fm_lock_t lock = FM_LOCK_FREE;
    if (thread->function - fm_first_function >= FM_FUNCTION_COUNT) {
        return NULL; /* inside a call of another library */
    }
    int initialized =
        0; /* not in a session of MPI 4 without MPI_Init: there is no MPI_COMM_WORLD */
    PMPI_Initialized(&initialized);
    if (!initialized) {
        return NULL;
    }
    fm_lock(&lock);
    if (!fm_comm_has_begun) {
        fm_comm_begin();
    }
    fm_unlock(&lock);
    return fm_handles_find_in(&fm_comms, FM_COMMS_CACHE, thread, FM_HANDLE(comm));
}

struct fm_comm *fm_comm_from_parent(struct fm_comm *parent, uint32_t count, MPI_Comm comm,
                                    bool recorded)
{
    struct fm_comm *c = parent != NULL && comm != MPI_COMM_NULL ? describe(comm, recorded) : NULL;
    if (c == NULL) {
        return NULL;
    }
    if (c->size == 1 && c->remote_size == 0) {
        return enter_self_like(c, comm, FM_DEFINE_NONE, NULL);
    }
    return enter(c, comm,
                 (const uint32_t[4]){FM_COMM_FROM_PARENT, parent->number, count, c->leader},
                 parent->number, NULL);
}

struct fm_comm *fm_comm_from_group(struct fm_comm *parent, MPI_Comm comm, const char *tag,
                                   bool recorded)
{
    struct fm_comm *c = comm != MPI_COMM_NULL ? describe(comm, recorded) : NULL;
    if (c == NULL) {
        return NULL;
    }
    if (c->size == 1) {
        return enter_self_like(c, comm, FM_DEFINE_NONE, tag);
    }
    uint32_t count = next_count((uint64_t)c->group << 32 | UINT32_MAX, tag);
    return enter(c, comm, (const uint32_t[4]){FM_COMM_FROM_GROUP, c->group, count},
                 parent != NULL ? parent->number : FM_DEFINE_NONE, tag);
}

struct fm_comm *fm_comm_from_pair(MPI_Comm comm, const char *tag, bool recorded)
{
    struct fm_comm *c = comm != MPI_COMM_NULL ? describe(comm, recorded) : NULL;
    if (c == NULL) {
        return NULL;
    }
    uint32_t count = next_count((uint64_t)c->group << 32 | c->other_group, tag);
    return enter(c, comm, (const uint32_t[4]){FM_COMM_FROM_PAIR, c->group, c->other_group, count},
                 FM_DEFINE_NONE, tag);
}

/* Whether the remote group of a communicator is in this MPI_COMM_WORLD. */
static bool is_here(MPI_Comm comm)
{
    MPI_Group group;
    PMPI_Comm_remote_group(comm, &group);
    bool here = fm_process_places_are_here(group);
    PMPI_Group_free(&group);
    return here;
}

struct fm_comm *fm_comm_connected(MPI_Comm comm, const struct fm_connection *connection,
                                  bool recorded)
{
    if (comm == MPI_COMM_NULL || is_here(comm)) {
        return fm_comm_from_pair(comm, NULL, recorded);
    }
    struct fm_comm *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->is_recorded = recorded;
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    PMPI_Comm_remote_size(comm, &c->remote_size);
    c->group = local_group(comm, &c->leader);
    uint32_t count = next_count((uint64_t)c->group << 32 | (UINT32_MAX - 1), NULL);
    uint64_t link = c->group != FM_DEFINE_NONE
                        ? fm_link_define(comm, c->group, count, connection, &c->other_group)
                        : 0;
    if (link == 0) {
        free(c);
        return NULL;
    }
    return enter(c, comm,
                 (const uint32_t[4]){FM_COMM_ACROSS, (uint32_t)link, (uint32_t)(link >> 32)},
                 FM_DEFINE_NONE, NULL);
}

uint32_t fm_comm_define_duplicate(const struct fm_comm *parent, uint32_t count, const char *name)
{
    struct fm_comm duplicate = *parent;
    if (parent->size == 1 && parent->remote_size == 0) {
        return FM_DEFINE_NONE;
    }
    duplicate.is_recorded = false;
    return define(&duplicate,
                  (const uint32_t[4]){FM_COMM_FROM_PARENT, parent->number, count, parent->leader},
                  parent->number, name);
}
