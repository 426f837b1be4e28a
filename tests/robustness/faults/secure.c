/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells whether it runs in the kernel's secure mode, and which parts of the recorder are loaded. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static int is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int found = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        found = found || strstr(line, name) != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d: secure %d, preload %d, wrappers %d\n", rank, getauxval(AT_SECURE) != 0,
           is_mapped("libfermata-preload"), is_mapped("libfermata-mpi"));
    MPI_Finalize();
    return 0;
}
