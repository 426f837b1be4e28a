/* The shortest MPI program: what a recorder communicates at the begin and the end of a run. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
