#include "scenario/region_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The first pattern that fits decides. A pattern ends in `*` where any ending fits. */
struct role_rule {
    const char *pattern;
    OTF2_RegionRole role;
};

/* Without `MPI_`, and without the I of the non-blocking forms (see mpi_role()). */
static const struct role_rule mpi_roles[] = {
    {"barrier", OTF2_REGION_ROLE_BARRIER},       {"bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"scatter*", OTF2_REGION_ROLE_COLL_ONE2ALL}, {"gather*", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},   {"reduce_scatter*", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"all*", OTF2_REGION_ROLE_COLL_ALL2ALL},     {"neighbor_*", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"scan", OTF2_REGION_ROLE_COLL_OTHER},       {"exscan", OTF2_REGION_ROLE_COLL_OTHER},
};

static const struct role_rule mpi_other_roles[] = {
    {"Alloc_mem", OTF2_REGION_ROLE_ALLOCATE},
    {"Free_mem", OTF2_REGION_ROLE_DEALLOCATE},
    {"Send*", OTF2_REGION_ROLE_POINT2POINT},
    {"Bsend*", OTF2_REGION_ROLE_POINT2POINT},
    {"Ssend*", OTF2_REGION_ROLE_POINT2POINT},
    {"Rsend*", OTF2_REGION_ROLE_POINT2POINT},
    {"Recv*", OTF2_REGION_ROLE_POINT2POINT},
    {"Isend*", OTF2_REGION_ROLE_POINT2POINT},
    {"Ibsend", OTF2_REGION_ROLE_POINT2POINT},
    {"Issend", OTF2_REGION_ROLE_POINT2POINT},
    {"Irsend", OTF2_REGION_ROLE_POINT2POINT},
    {"Irecv", OTF2_REGION_ROLE_POINT2POINT},
    {"Mrecv", OTF2_REGION_ROLE_POINT2POINT},
    {"Imrecv", OTF2_REGION_ROLE_POINT2POINT},
    {"Probe", OTF2_REGION_ROLE_POINT2POINT},
    {"Iprobe", OTF2_REGION_ROLE_POINT2POINT},
    {"Mprobe", OTF2_REGION_ROLE_POINT2POINT},
    {"Improbe", OTF2_REGION_ROLE_POINT2POINT},
    {"Psend_init", OTF2_REGION_ROLE_POINT2POINT},
    {"Precv_init", OTF2_REGION_ROLE_POINT2POINT},
    {"Wait*", OTF2_REGION_ROLE_POINT2POINT},
    {"Test*", OTF2_REGION_ROLE_POINT2POINT},
    {"Start*", OTF2_REGION_ROLE_POINT2POINT},
    {"Win_*", OTF2_REGION_ROLE_RMA},
    {"Put", OTF2_REGION_ROLE_RMA},
    {"Get", OTF2_REGION_ROLE_RMA},
    {"Rput", OTF2_REGION_ROLE_RMA},
    {"Rget", OTF2_REGION_ROLE_RMA},
    {"Accumulate", OTF2_REGION_ROLE_RMA},
    {"Raccumulate", OTF2_REGION_ROLE_RMA},
    {"Get_accumulate", OTF2_REGION_ROLE_RMA},
    {"Rget_accumulate", OTF2_REGION_ROLE_RMA},
    {"Fetch_and_op", OTF2_REGION_ROLE_RMA},
    {"Compare_and_swap", OTF2_REGION_ROLE_RMA},
    {"File_read*", OTF2_REGION_ROLE_FILE_IO},
    {"File_iread*", OTF2_REGION_ROLE_FILE_IO},
    {"File_write*", OTF2_REGION_ROLE_FILE_IO},
    {"File_iwrite*", OTF2_REGION_ROLE_FILE_IO},
    {"File_sync", OTF2_REGION_ROLE_FILE_IO},
    {"File_*", OTF2_REGION_ROLE_FILE_IO_METADATA},
};

static const struct role_rule shmem_roles[] = {
    {"barrier*", OTF2_REGION_ROLE_BARRIER},
    {"sync*", OTF2_REGION_ROLE_BARRIER},
    {"team_sync", OTF2_REGION_ROLE_BARRIER},
    {"broadcast*", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"alltoall*", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"collect*", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"fcollect*", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"*_to_all", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"*_reduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"malloc*", OTF2_REGION_ROLE_ALLOCATE},
    {"calloc", OTF2_REGION_ROLE_ALLOCATE},
    {"align", OTF2_REGION_ROLE_ALLOCATE},
    {"realloc", OTF2_REGION_ROLE_REALLOCATE},
    {"free", OTF2_REGION_ROLE_DEALLOCATE},
    {"init*", OTF2_REGION_ROLE_FUNCTION},
    {"finalize", OTF2_REGION_ROLE_FUNCTION},
    {"my_pe", OTF2_REGION_ROLE_FUNCTION},
    {"n_pes", OTF2_REGION_ROLE_FUNCTION},
    {"team_*", OTF2_REGION_ROLE_FUNCTION},
    {"ctx_create", OTF2_REGION_ROLE_FUNCTION},
    {"ctx_destroy", OTF2_REGION_ROLE_FUNCTION},
    {"info_*", OTF2_REGION_ROLE_FUNCTION},
    {"*", OTF2_REGION_ROLE_RMA},
};

static const struct role_rule armci_roles[] = {
    {"Barrier", OTF2_REGION_ROLE_BARRIER},
    {"Malloc*", OTF2_REGION_ROLE_ALLOCATE},
    {"Create_mutexes", OTF2_REGION_ROLE_ALLOCATE},
    {"Free*", OTF2_REGION_ROLE_DEALLOCATE},
    {"Destroy_mutexes", OTF2_REGION_ROLE_DEALLOCATE},
    {"Init*", OTF2_REGION_ROLE_FUNCTION},
    {"Finalize", OTF2_REGION_ROLE_FUNCTION},
    {"*", OTF2_REGION_ROLE_RMA},
};

static const struct role_rule openmp_roles[] = {
    {"parallel*", OTF2_REGION_ROLE_PARALLEL},
    {"for*", OTF2_REGION_ROLE_LOOP},
    {"do*", OTF2_REGION_ROLE_LOOP},
    {"loop*", OTF2_REGION_ROLE_LOOP},
    {"sections*", OTF2_REGION_ROLE_SECTIONS},
    {"section*", OTF2_REGION_ROLE_SECTION},
    {"workshare*", OTF2_REGION_ROLE_WORKSHARE},
    {"single sblock*", OTF2_REGION_ROLE_SINGLE_SBLOCK},
    {"single*", OTF2_REGION_ROLE_SINGLE},
    {"master*", OTF2_REGION_ROLE_MASTER},
    {"masked*", OTF2_REGION_ROLE_MASTER},
    {"critical sblock*", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
    {"critical*", OTF2_REGION_ROLE_CRITICAL},
    {"atomic*", OTF2_REGION_ROLE_ATOMIC},
    {"implicit barrier*", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {"ibarrier*", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {"barrier*", OTF2_REGION_ROLE_BARRIER},
    {"flush*", OTF2_REGION_ROLE_FLUSH},
    {"ordered sblock*", OTF2_REGION_ROLE_ORDERED_SBLOCK},
    {"ordered*", OTF2_REGION_ROLE_ORDERED},
    {"create task*", OTF2_REGION_ROLE_TASK_CREATE},
    {"taskwait*", OTF2_REGION_ROLE_TASK_WAIT},
    {"task*", OTF2_REGION_ROLE_TASK},
};

static const struct role_rule pthread_roles[] = {
    {"create", OTF2_REGION_ROLE_THREAD_CREATE},
    {"join", OTF2_REGION_ROLE_THREAD_WAIT},
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A `*` stands at the begin or the end of a pattern, or is all of it. */
static bool matches(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (pattern[0] == '*') {
        size_t name_length = strlen(name);
        return name_length >= length - 1 &&
               strcmp(name + name_length - (length - 1), pattern + 1) == 0;
    }
    if (pattern[length - 1] == '*') {
        return strncmp(pattern, name, length - 1) == 0;
    }
    return strcmp(pattern, name) == 0;
}

static OTF2_RegionRole find_role(const struct role_rule *rules, size_t count, const char *name,
                                 OTF2_RegionRole otherwise)
{
    for (size_t i = 0; i < count; i++) {
        if (matches(rules[i].pattern, name)) {
            return rules[i].role;
        }
    }
    return otherwise;
}

static OTF2_RegionRole mpi_role(const char *name)
{
    /* Collectives: Bcast and Ibcast, Alltoallv and Ialltoallv are one entry, in lower case. */
    char operation[32];
    size_t skipped = name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z' ? 1 : 0;
    size_t length = strlen(name + skipped);
    if (length > 0 && length < sizeof operation) {
        memcpy(operation, name + skipped, length + 1);
        if (operation[0] >= 'A' && operation[0] <= 'Z') {
            operation[0] = (char)(operation[0] - 'A' + 'a');
        }
        OTF2_RegionRole role =
            strcmp(name, "Alloc_mem") == 0
                ? OTF2_REGION_ROLE_UNKNOWN
                : find_role(mpi_roles, LENGTH(mpi_roles), operation, OTF2_REGION_ROLE_UNKNOWN);
        if (role != OTF2_REGION_ROLE_UNKNOWN) {
            return role;
        }
    }
    return find_role(mpi_other_roles, LENGTH(mpi_other_roles), name, OTF2_REGION_ROLE_FUNCTION);
}

/* @return what follows the prefix, NULL if the name does not begin with it. */
static const char *behind(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

struct fm_region_kind fm_region_kind(const char *name)
{
    const OTF2_RegionRole function = OTF2_REGION_ROLE_FUNCTION;
    const char *rest;
    if ((rest = behind(name, "MPI_")) != NULL) {
        return (struct fm_region_kind){OTF2_PARADIGM_MPI, mpi_role(rest)};
    }
    if ((rest = behind(name, "shmem_")) != NULL) {
        return (struct fm_region_kind){OTF2_PARADIGM_SHMEM,
                                       find_role(shmem_roles, LENGTH(shmem_roles), rest, function)};
    }
    if ((rest = behind(name, "ARMCI_")) != NULL) {
        return (struct fm_region_kind){OTF2_PARADIGM_UNKNOWN,
                                       find_role(armci_roles, LENGTH(armci_roles), rest, function)};
    }
    if ((rest = behind(name, "!$omp ")) != NULL) {
        return (struct fm_region_kind){
            OTF2_PARADIGM_OPENMP,
            find_role(openmp_roles, LENGTH(openmp_roles), rest, OTF2_REGION_ROLE_CODE)};
    }
    if (behind(name, "omp_") != NULL) {
        return (struct fm_region_kind){OTF2_PARADIGM_OPENMP, function};
    }
    if ((rest = behind(name, "pthread_")) != NULL) {
        return (struct fm_region_kind){
            OTF2_PARADIGM_PTHREAD, find_role(pthread_roles, LENGTH(pthread_roles), rest, function)};
    }
    return (struct fm_region_kind){OTF2_PARADIGM_USER, function};
}
