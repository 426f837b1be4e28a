/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of MPI 4 without any communicator, and one that only has a group. */
#include <mpi.h>

int main(void)
{
    for (int has_group = 0; has_group < 2; has_group++) {
        MPI_Session session;
        MPI_Group group;
        int sets = 0;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
        if (has_group) {
            MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
            MPI_Group_free(&group);
        }
        if (MPI_Session_finalize(&session) != MPI_SUCCESS || sets == 0) {
            return 1;
        }
    }
    return 0;
}
