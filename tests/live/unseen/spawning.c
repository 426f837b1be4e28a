/* A program that spawns another process of itself. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, other = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    }
    MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &other : &parent);
    MPI_Finalize();
    return 0;
}
