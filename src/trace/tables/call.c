#include "trace/tables/call.h"

#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

struct named_call {
    const char *name;
    fm_call_t call;
};

/* MPI functions whose names do not follow one of the prefixes below. Names are without "MPI_". */
static const struct named_call named_calls[] = {
    {"Bsend", FM_CALL_BUFFERED_SEND},
    {"Ibsend", FM_CALL_BUFFERED_SEND},
    {"Mprobe", FM_CALL_MATCHED_PROBE},
    {"Improbe", FM_CALL_MATCHED_PROBE},
    {"Mrecv", FM_CALL_MATCHED_RECEIVE},
    {"Barrier", FM_CALL_BARRIER},
    {"Allreduce", FM_CALL_ALL_TO_ALL},
    {"Allgather", FM_CALL_ALL_TO_ALL},
    {"Allgatherv", FM_CALL_ALL_TO_ALL},
    {"Alltoall", FM_CALL_ALL_TO_ALL},
    {"Alltoallv", FM_CALL_ALL_TO_ALL},
    {"Alltoallw", FM_CALL_ALL_TO_ALL},
    {"Reduce_scatter", FM_CALL_ALL_TO_ALL},
    {"Reduce_scatter_block", FM_CALL_ALL_TO_ALL},
    {"Bcast", FM_CALL_ONE_TO_ALL},
    {"Scatter", FM_CALL_ONE_TO_ALL},
    {"Scatterv", FM_CALL_ONE_TO_ALL},
    {"Reduce", FM_CALL_ALL_TO_ONE},
    {"Gather", FM_CALL_ALL_TO_ONE},
    {"Gatherv", FM_CALL_ALL_TO_ONE},
    {"Scan", FM_CALL_SCAN},
    {"Exscan", FM_CALL_SCAN},
    {"Init", FM_CALL_INIT},
    {"Init_thread", FM_CALL_INIT},
    {"Finalize", FM_CALL_FINALIZE},
    {"Comm_create_group", FM_CALL_DETACHED_COMMUNICATOR},
    {"Intercomm_create", FM_CALL_DETACHED_COMMUNICATOR},
    {"Comm_spawn", FM_CALL_DETACHED_COMMUNICATOR},
    {"Comm_spawn_multiple", FM_CALL_DETACHED_COMMUNICATOR},
    {"Comm_connect", FM_CALL_DETACHED_COMMUNICATOR},
    {"Comm_accept", FM_CALL_DETACHED_COMMUNICATOR},
    {"Comm_join", FM_CALL_DETACHED_COMMUNICATOR},
    {"Intercomm_merge", FM_CALL_COMMUNICATOR},
    {"Cart_create", FM_CALL_COMMUNICATOR},
    {"Cart_sub", FM_CALL_COMMUNICATOR},
    {"Graph_create", FM_CALL_COMMUNICATOR},
    {"Dist_graph_create", FM_CALL_COMMUNICATOR},
    {"Dist_graph_create_adjacent", FM_CALL_COMMUNICATOR},
    {"File_open", FM_CALL_FILE},
    {"File_close", FM_CALL_FILE},
    {"File_set_view", FM_CALL_FILE},
    {"File_set_size", FM_CALL_FILE},
    {"Win_create", FM_CALL_WINDOW_CREATE},
    {"Win_create_dynamic", FM_CALL_WINDOW_CREATE},
    {"Win_allocate", FM_CALL_WINDOW_CREATE},
    {"Win_allocate_shared", FM_CALL_WINDOW_CREATE},
    {"Win_free", FM_CALL_WINDOW_FREE},
    {"Win_fence", FM_CALL_FENCE},
    {"Win_start", FM_CALL_START},
    {"Win_complete", FM_CALL_COMPLETE},
    {"Win_post", FM_CALL_POST},
    {"Win_wait", FM_CALL_WAIT},
    {"Win_test", FM_CALL_WAIT},
    {"Win_lock", FM_CALL_LOCK},
    {"Win_lock_all", FM_CALL_LOCK},
    {"Win_unlock", FM_CALL_UNLOCK},
    {"Win_unlock_all", FM_CALL_UNLOCK},
    {"Win_flush", FM_CALL_FLUSH},
    {"Win_flush_all", FM_CALL_FLUSH_ALL},
    {"Win_flush_local", FM_CALL_FLUSH_LOCAL},
    {"Win_flush_local_all", FM_CALL_FLUSH_LOCAL_ALL},
    {"Rput", FM_CALL_REQUEST_OPERATION},
    {"Rget", FM_CALL_REQUEST_OPERATION},
    {"Raccumulate", FM_CALL_REQUEST_OPERATION},
    {"Rget_accumulate", FM_CALL_REQUEST_OPERATION},
};

fm_paradigm_t fm_paradigm_classify(uint8_t otf2_paradigm, const char *name)
{
    switch (otf2_paradigm) {
    case OTF2_PARADIGM_MPI:
        return FM_PARADIGM_MPI;
    case OTF2_PARADIGM_SHMEM:
        return FM_PARADIGM_SHMEM;
    case OTF2_PARADIGM_OPENMP:
        return FM_PARADIGM_OPENMP;
    case OTF2_PARADIGM_PTHREAD:
        return FM_PARADIGM_PTHREAD;
    case OTF2_PARADIGM_MEASUREMENT_SYSTEM:
        return FM_PARADIGM_MEASUREMENT;
    default:
        /* OTF2 has no paradigm for ARMCI, and some recorders name none at all. */
        if (strncmp(name, "ARMCI_", 6) == 0) {
            return FM_PARADIGM_ARMCI;
        }
        if (otf2_paradigm == OTF2_PARADIGM_UNKNOWN && strncasecmp(name, "MPI_", 4) == 0) {
            return FM_PARADIGM_MPI;
        }
        return FM_PARADIGM_USER;
    }
}

const char *fm_paradigm_name(fm_paradigm_t paradigm)
{
    static const char *const names[] = {"user",   "mpi",     "shmem",      "armci",
                                        "openmp", "pthread", "measurement"};
    return names[paradigm];
}

static fm_call_t classify_mpi(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof named_calls / sizeof named_calls[0]; ++i) {
        if (strlen(named_calls[i].name) == length &&
            strncasecmp(named_calls[i].name, name, length) == 0) {
            return named_calls[i].call;
        }
    }
    if (strncasecmp(name, "Neighbor_", 9) == 0) {
        return FM_CALL_NEIGHBORHOOD;
    }
    return FM_CALL_USER;
}

/* Comm_dup, _dup_with_info, _idup, _split, _split_type, _create, _free, _disconnect */
static int is_communicator_management(const char *name)
{
    static const char *const prefixes[] = {"Comm_dup",    "Comm_idup", "Comm_split",
                                           "Comm_create", "Comm_free", "Comm_disconnect"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
        size_t length = strlen(prefixes[i]);
        if (strncasecmp(name, prefixes[i], length) == 0 &&
            (name[length] == '\0' || name[length] == '_') &&
            strncasecmp(name + length, "_keyval", 7) != 0 &&
            strncasecmp(name + length, "_errhandler", 11) != 0) {
            return 1;
        }
    }
    return 0;
}

static fm_call_t classify_role(uint8_t role)
{
    switch (role) {
    case OTF2_REGION_ROLE_BARRIER:
        return FM_CALL_BARRIER;
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
        return FM_CALL_ONE_TO_ALL;
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
        return FM_CALL_ALL_TO_ONE;
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
        return FM_CALL_ALL_TO_ALL;
    default:
        return FM_CALL_OTHER;
    }
}

fm_call_t fm_call_classify(fm_paradigm_t paradigm, const char *name, uint8_t otf2_role)
{
    if (paradigm == FM_PARADIGM_SHMEM || paradigm == FM_PARADIGM_ARMCI) {
        return FM_CALL_OTHER;
    }
    if (paradigm != FM_PARADIGM_MPI) {
        return FM_CALL_USER;
    }
    if (strncasecmp(name, "MPI_", 4) != 0) {
        return classify_role(otf2_role);
    }
    name += 4;
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_') {
        --length;
    }
    fm_call_t call = classify_mpi(name, length);
    if (call == FM_CALL_USER && is_communicator_management(name)) {
        call = FM_CALL_COMMUNICATOR;
    }
    if (call == FM_CALL_USER && (name[0] == 'I' || name[0] == 'i')) {
        /* The non-blocking form: Ibarrier, Iallreduce, Ineighbor_..., Imrecv. */
        call = classify_mpi(name + 1, length - 1);
        if (call == FM_CALL_MATCHED_RECEIVE) {
            call = FM_CALL_OTHER;
        }
    }
    return call == FM_CALL_USER ? FM_CALL_OTHER : call;
}

bool fm_call_completes_requests(const char *name)
{
    return strncasecmp(name, "MPI_Wait", 8) == 0 || strncasecmp(name, "MPI_Test", 8) == 0;
}
