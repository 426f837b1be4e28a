/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of MPI 4 without MPI_Init: two at once, and another one when one of them
 * has ended. (MPICH 4.0 cannot begin a session when all have ended.) */
#include <mpi.h>
#include <stdio.h>

enum { TAG = 5 };

static MPI_Comm make(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* A ring on a communicator, and on that of every second rank. */
static int use(MPI_Comm comm)
{
    MPI_Comm half;
    int rank, size, sum, other = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, TAG, &other, 1, MPI_INT,
                 (rank + size - 1) % size, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Allreduce(&other, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    return sum;
}

int main(void)
{
    MPI_Session first, second, third;
    MPI_Comm a, b, c;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    a = make(first, "a");
    b = make(second, "b");
    int rank, sum = use(a) + use(b);
    MPI_Comm_rank(a, &rank);
    MPI_Comm_free(&a);
    MPI_Session_finalize(&first);
    MPI_Barrier(b);
    MPI_Comm_free(&b);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &third);
    MPI_Session_finalize(&second);
    c = make(third, "c");
    MPI_Bcast(&sum, 1, MPI_INT, 0, c);
    MPI_Comm_free(&c);
    MPI_Session_finalize(&third);
    printf("rank %d: %d\n", rank, sum);
    return 0;
}
