/* SPDX-License-Identifier: BSD-3-Clause */
/* The shortest MPI program: measures the communication of a recorder at the begin and the end of a
 * run. With an argument it ends like the analysis. */
#include "base/process/sockets.h"

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        fm_sockets_send_at_once();
    }
    MPI_Finalize();
    return 0;
}
