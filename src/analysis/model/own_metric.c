#include "analysis/model/own_metric.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* How a name belongs to a node: patterns are tried in order. '*' at the end stands for any rest,
 * at the begin for any start. Case does not matter. */
struct naming {
    const char *pattern;
    fm_metric_t metric;
};

static const struct naming mpi_naming[] = {
    {"Init*", FM_METRIC_MPI_INIT_EXIT},
    {"Finalize", FM_METRIC_MPI_INIT_EXIT},
    {"Barrier", FM_METRIC_MPI_SYNC_COLLECTIVE},
    {"Ibarrier", FM_METRIC_MPI_SYNC_COLLECTIVE},
    {"Barrier_init", FM_METRIC_MPI_SYNC_COLLECTIVE},
    {"Win_fence", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_start", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_complete", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_post", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_wait", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_test", FM_METRIC_MPI_RMA_SYNC_ACTIVE},
    {"Win_lock*", FM_METRIC_MPI_RMA_SYNC_PASSIVE},
    {"Win_unlock*", FM_METRIC_MPI_RMA_SYNC_PASSIVE},
    {"Win_flush*", FM_METRIC_MPI_RMA_SYNC_PASSIVE},
    {"Win_sync", FM_METRIC_MPI_RMA_SYNC_PASSIVE},
    {"Win_*", FM_METRIC_MPI_MGMT_WIN},
    {"Put", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Get", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Accumulate", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Get_accumulate", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Fetch_and_op", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Compare_and_swap", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Rput", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Rget", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Raccumulate", FM_METRIC_MPI_RMA_COMMUNICATION},
    {"Rget_accumulate", FM_METRIC_MPI_RMA_COMMUNICATION},
    /* files: data access is I/O, all other calls are management */
    {"File_seek_shared", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_sync", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_read*_all*", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_write*_all*", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_iread*_all", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_iwrite*_all", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_read*_ordered*", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_write*_ordered*", FM_METRIC_MPI_IO_COLLECTIVE},
    {"File_read*", FM_METRIC_MPI_IO_INDIVIDUAL},
    {"File_write*", FM_METRIC_MPI_IO_INDIVIDUAL},
    {"File_iread*", FM_METRIC_MPI_IO_INDIVIDUAL},
    {"File_iwrite*", FM_METRIC_MPI_IO_INDIVIDUAL},
    {"File_seek", FM_METRIC_MPI_IO_INDIVIDUAL},
    {"File_*", FM_METRIC_MPI_MGMT_FILE},
    /* collectives, before the shorter names of point-to-point */
    {"Allgather*", FM_METRIC_MPI_COLLECTIVE},
    {"Allreduce*", FM_METRIC_MPI_COLLECTIVE},
    {"Alltoall*", FM_METRIC_MPI_COLLECTIVE},
    {"Bcast*", FM_METRIC_MPI_COLLECTIVE},
    {"Exscan*", FM_METRIC_MPI_COLLECTIVE},
    {"Gather*", FM_METRIC_MPI_COLLECTIVE},
    {"Reduce_local", FM_METRIC_MPI},
    {"Reduce", FM_METRIC_MPI_COLLECTIVE},
    {"Reduce_init", FM_METRIC_MPI_COLLECTIVE},
    {"Reduce_scatter*", FM_METRIC_MPI_COLLECTIVE},
    {"Scan*", FM_METRIC_MPI_COLLECTIVE},
    {"Scatter*", FM_METRIC_MPI_COLLECTIVE},
    {"Neighbor_*", FM_METRIC_MPI_COLLECTIVE},
    {"Iallgather*", FM_METRIC_MPI_COLLECTIVE},
    {"Iallreduce", FM_METRIC_MPI_COLLECTIVE},
    {"Ialltoall*", FM_METRIC_MPI_COLLECTIVE},
    {"Ibcast", FM_METRIC_MPI_COLLECTIVE},
    {"Iexscan", FM_METRIC_MPI_COLLECTIVE},
    {"Igather*", FM_METRIC_MPI_COLLECTIVE},
    {"Ireduce*", FM_METRIC_MPI_COLLECTIVE},
    {"Iscan", FM_METRIC_MPI_COLLECTIVE},
    {"Iscatter*", FM_METRIC_MPI_COLLECTIVE},
    {"Ineighbor_*", FM_METRIC_MPI_COLLECTIVE},
    /* point-to-point */
    {"*send", FM_METRIC_MPI_POINT2POINT}, /* Send, Bsend, Isend, ... */
    {"*send_init", FM_METRIC_MPI_POINT2POINT},
    {"*recv", FM_METRIC_MPI_POINT2POINT}, /* Recv, Irecv, Mrecv, Imrecv, Sendrecv, Precv */
    {"*recv_init", FM_METRIC_MPI_POINT2POINT},
    {"Sendrecv_replace", FM_METRIC_MPI_POINT2POINT},
    {"Isendrecv*", FM_METRIC_MPI_POINT2POINT},
    {"*probe", FM_METRIC_MPI_POINT2POINT},
    {"Start*", FM_METRIC_MPI_POINT2POINT},
    {"Wait*", FM_METRIC_MPI_POINT2POINT},
    {"Test*", FM_METRIC_MPI_POINT2POINT},
    {"Cancel", FM_METRIC_MPI_POINT2POINT},
    {"Request_*", FM_METRIC_MPI_POINT2POINT},
    {"Pready*", FM_METRIC_MPI_POINT2POINT},
    {"Parrived", FM_METRIC_MPI_POINT2POINT},
    /* communicators, groups, topologies */
    {"Comm_*", FM_METRIC_MPI_MGMT_COMM},
    {"Intercomm_*", FM_METRIC_MPI_MGMT_COMM},
    {"Cart_*", FM_METRIC_MPI_MGMT_COMM},
    {"Cartdim_get", FM_METRIC_MPI_MGMT_COMM},
    {"Graph_*", FM_METRIC_MPI_MGMT_COMM},
    {"Graphdims_get", FM_METRIC_MPI_MGMT_COMM},
    {"Dist_graph_*", FM_METRIC_MPI_MGMT_COMM},
    {"Topo_*", FM_METRIC_MPI_MGMT_COMM},
    {"Dims_*", FM_METRIC_MPI_MGMT_COMM},
    {"Group_*", FM_METRIC_MPI_MGMT_COMM},
    {NULL, FM_METRIC_MPI},
};

static const struct naming shmem_naming[] = {
    {"barrier*", FM_METRIC_SHMEM_SYNCHRONIZATION}, {"*sync", FM_METRIC_SHMEM_SYNCHRONIZATION},
    {"sync*", FM_METRIC_SHMEM_SYNCHRONIZATION},    {"*quiet", FM_METRIC_SHMEM_SYNCHRONIZATION},
    {"*fence", FM_METRIC_SHMEM_SYNCHRONIZATION},   {"*lock", FM_METRIC_SHMEM_SYNCHRONIZATION},
    {"*wait*", FM_METRIC_SHMEM_SYNCHRONIZATION},   {"*test*", FM_METRIC_SHMEM_SYNCHRONIZATION},
    {"init*", FM_METRIC_SHMEM_MANAGEMENT},         {"start_pes", FM_METRIC_SHMEM_MANAGEMENT},
    {"finalize", FM_METRIC_SHMEM_MANAGEMENT},      {"*alloc", FM_METRIC_SHMEM_MANAGEMENT},
    {"*align", FM_METRIC_SHMEM_MANAGEMENT},        {"free", FM_METRIC_SHMEM_MANAGEMENT},
    {"my_pe", FM_METRIC_SHMEM_MANAGEMENT},         {"n_pes", FM_METRIC_SHMEM_MANAGEMENT},
    {"info_*", FM_METRIC_SHMEM_MANAGEMENT},        {"*accessible", FM_METRIC_SHMEM_MANAGEMENT},
    {"ptr", FM_METRIC_SHMEM_MANAGEMENT},           {"team_*", FM_METRIC_SHMEM_MANAGEMENT},
    {"ctx_create", FM_METRIC_SHMEM_MANAGEMENT},    {"ctx_destroy", FM_METRIC_SHMEM_MANAGEMENT},
    {NULL, FM_METRIC_SHMEM_COMMUNICATION},
};

static const struct naming armci_naming[] = {
    {"Barrier", FM_METRIC_ARMCI_SYNCHRONIZATION}, {"*Fence", FM_METRIC_ARMCI_SYNCHRONIZATION},
    {"*Lock", FM_METRIC_ARMCI_SYNCHRONIZATION},   {"Unlock", FM_METRIC_ARMCI_SYNCHRONIZATION},
    {"Wait*", FM_METRIC_ARMCI_SYNCHRONIZATION},   {"Test", FM_METRIC_ARMCI_SYNCHRONIZATION},
    {"Put*", FM_METRIC_ARMCI_COMMUNICATION},      {"Get*", FM_METRIC_ARMCI_COMMUNICATION},
    {"Acc*", FM_METRIC_ARMCI_COMMUNICATION},      {"NbPut*", FM_METRIC_ARMCI_COMMUNICATION},
    {"NbGet*", FM_METRIC_ARMCI_COMMUNICATION},    {"NbAcc*", FM_METRIC_ARMCI_COMMUNICATION},
    {"Rmw", FM_METRIC_ARMCI_COMMUNICATION},       {NULL, FM_METRIC_ARMCI_MANAGEMENT},
};

static const struct naming openmp_naming[] = {
    {"implicit barrier*", FM_METRIC_OMP_IBARRIER},
    {"ibarrier*", FM_METRIC_OMP_IBARRIER},
    {"barrier*", FM_METRIC_OMP_EBARRIER},
    {"critical sblock*", FM_METRIC_COMP},
    {"critical*", FM_METRIC_OMP_CRITICAL},
    {"ordered sblock*", FM_METRIC_COMP},
    {"ordered*", FM_METRIC_OMP_ORDERED},
    {"taskwait*", FM_METRIC_OMP_TASKWAIT},
    {"flush*", FM_METRIC_OMP_FLUSH},
    {NULL, FM_METRIC_COMP},
};

static const struct naming openmp_api_naming[] = {
    {"*lock*", FM_METRIC_OMP_LOCK_API},
    {NULL, FM_METRIC_OMP_MANAGEMENT},
};

static const struct naming pthread_naming[] = {
    {"mutex_*", FM_METRIC_PTHREAD_LOCK_API},  {"spin_*", FM_METRIC_PTHREAD_LOCK_API},
    {"rwlock_*", FM_METRIC_PTHREAD_LOCK_API}, {"cond_*", FM_METRIC_PTHREAD_CONDITIONAL},
    {NULL, FM_METRIC_PTHREAD_MANAGEMENT},
};

/* @return whether `name` fits `pattern`, in which '*' stands for any characters */
static bool fits(const char *pattern, const char *name, const char *name_end)
{
    for (;; ++pattern, ++name) {
        if (*pattern == '*') {
            do {
                if (fits(pattern + 1, name, name_end)) {
                    return true;
                }
            } while (name++ < name_end);
            return false;
        }
        if (*pattern == '\0' || name == name_end) {
            return *pattern == '\0' && name == name_end;
        }
        if (tolower((unsigned char)*pattern) != tolower((unsigned char)*name)) {
            return false;
        }
    }
}

static fm_metric_t find(const struct naming *naming, const char *name)
{
    const char *end = name + strlen(name);
    while (end > name && end[-1] == '_') {
        --end;
    }
    while (naming->pattern != NULL && !fits(naming->pattern, name, end)) {
        ++naming;
    }
    return naming->metric;
}

static const char *without_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncasecmp(name, prefix, length) == 0 ? name + length : name;
}

fm_metric_t fm_own_metric(const struct fm_region *region)
{
    switch (region->paradigm) {
    case FM_PARADIGM_MPI:
        return find(mpi_naming, without_prefix(region->name, "MPI_"));
    case FM_PARADIGM_SHMEM:
        return find(shmem_naming, without_prefix(region->name, "shmem_"));
    case FM_PARADIGM_ARMCI:
        return find(armci_naming, without_prefix(region->name, "ARMCI_"));
    case FM_PARADIGM_OPENMP:
        if (strncasecmp(region->name, "omp_", 4) == 0) {
            return find(openmp_api_naming, region->name + 4);
        }
        return find(openmp_naming, without_prefix(region->name, "!$omp "));
    case FM_PARADIGM_PTHREAD:
        return find(pthread_naming, without_prefix(region->name, "pthread_"));
    case FM_PARADIGM_MEASUREMENT:
        return FM_METRIC_OVERHEAD;
    case FM_PARADIGM_USER:
        break;
    }
    return FM_METRIC_COMP;
}

bool fm_makes_progress(const struct fm_region *region)
{
    if (region->paradigm != FM_PARADIGM_MPI) {
        return false;
    }
    fm_metric_t own = fm_own_metric(region);
    if (own == FM_METRIC_MPI_MGMT_COMM) {
        return region->call == FM_CALL_COMMUNICATOR ||
               region->call == FM_CALL_DETACHED_COMMUNICATOR;
    }
    if (own == FM_METRIC_MPI_INIT_EXIT) {
        return region->call == FM_CALL_INIT || region->call == FM_CALL_FINALIZE;
    }
    return own != FM_METRIC_MPI;
}

fm_metric_t fm_file_operation_metric(const struct fm_region *region)
{
    if (region->paradigm != FM_PARADIGM_MPI) {
        return FM_METRIC_NONE;
    }
    const char *name = without_prefix(region->name, "MPI_");
    const char *end = name + strlen(name);
    /* The second half of a split operation is the same operation. */
    if (fits("File_*_end*", name, end)) {
        return FM_METRIC_NONE;
    }
    fm_metric_t time = fm_own_metric(region);
    bool reads = fits("File_read*", name, end) || fits("File_iread*", name, end);
    bool writes = fits("File_write*", name, end) || fits("File_iwrite*", name, end);
    if (!reads && !writes) {
        return FM_METRIC_NONE;
    }
    if (time == FM_METRIC_MPI_IO_COLLECTIVE) {
        return reads ? FM_METRIC_MPI_FILE_CROPS : FM_METRIC_MPI_FILE_CWOPS;
    }
    return reads ? FM_METRIC_MPI_FILE_IROPS : FM_METRIC_MPI_FILE_IWOPS;
}
