/* Five barriers and four broadcasts of 64 bytes. With an argument, a file and windows: the first
 * window exists during all five barriers, the second one during two of them, and the file during
 * three. */
#include <mpi.h>

static void barriers(int count)
{
    for (int i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void objects(void)
{
    static char memory[2][8];
    MPI_Win windows[2];
    MPI_File file;
    MPI_Win_create(memory[0], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
    barriers(2);
    MPI_Win_create(memory[1], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[1]);
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    barriers(2);
    MPI_Win_free(&windows[1]);
    barriers(1);
    MPI_Win_free(&windows[0]);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    char data[64] = "";
    MPI_Init(&argc, &argv);
    (void)argv;
    if (argc > 1) {
        objects();
    } else {
        barriers(5);
    }
    for (int i = 0; i < 4; i++) {
        MPI_Bcast(data, sizeof data, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
