/* Five barriers and four broadcasts of 64 bytes. */
#include <mpi.h>

int main(int argc, char **argv)
{
    char data[64] = "";
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
