/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions, communicators, groups, windows and files of the library. */
#include "mpi_stub.h"

#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

struct MPI_ABI_Comm {
    int size;
};
struct MPI_ABI_Group {
    int size;
};
struct MPI_ABI_Win {
    char object;
};
struct MPI_ABI_File {
    char object;
};
struct MPI_ABI_Session {
    char object;
};

static struct MPI_ABI_Group all = {STUB_SIZE}, alone = {1};

static int comm_new(MPI_Comm *comm, int size)
{
    *comm = malloc(sizeof **comm);
    (*comm)->size = size;
    return MPI_SUCCESS;
}

#define STUB_COMM(name, size, parameters)                                                          \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        return comm_new(made, size);                                                               \
    }

STUB_COMM(Comm_dup, STUB_SIZE, (MPI_Comm comm, MPI_Comm *made))
STUB_COMM(Comm_split, 1, (MPI_Comm comm, int color, int key, MPI_Comm *made))
STUB_COMM(Cart_create, STUB_SIZE,
          (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
           MPI_Comm *made))
STUB_COMM(Comm_create_from_group, STUB_SIZE,
          (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made))

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    comm_new(made, STUB_SIZE);
    return stub_request(request, false, 0, 0, 0);
}

int PMPI_Comm_free(MPI_Comm *comm)
{
    free(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    *flag = true;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    const bool predefined = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    *size = !predefined ? comm->size : comm == MPI_COMM_SELF ? 1 : STUB_SIZE;
    return MPI_SUCCESS;
}

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    *flag = false;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    int size;
    PMPI_Comm_size(comm, &size);
    *group = size == 1 ? &alone : &all;
    return MPI_SUCCESS;
}

int PMPI_Group_free(MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

int PMPI_Group_size(MPI_Group group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[])
{
    memcpy(ranks2, ranks1, (size_t)n * sizeof *ranks2);
    return MPI_SUCCESS;
}

int PMPI_Cartdim_get(MPI_Comm comm, int *dimensions)
{
    *dimensions = 1;
    return MPI_SUCCESS;
}

int PMPI_Cart_get(MPI_Comm comm, int most, int sizes[], int periods[], int own[])
{
    sizes[0] = STUB_SIZE;
    periods[0] = own[0] = 0;
    return MPI_SUCCESS;
}

int PMPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    *win = malloc(sizeof **win);
    return MPI_SUCCESS;
}

int PMPI_Win_free(MPI_Win *win)
{
    free(*win);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

int PMPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    *fh = malloc(sizeof **fh);
    return MPI_SUCCESS;
}

int PMPI_File_close(MPI_File *fh)
{
    free(*fh);
    *fh = MPI_FILE_NULL;
    return MPI_SUCCESS;
}

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    *session = malloc(sizeof **session);
    return MPI_SUCCESS;
}

int PMPI_Session_finalize(MPI_Session *session)
{
    free(*session);
    *session = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}
