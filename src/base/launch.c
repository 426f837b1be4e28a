#include "base/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* The variables by which a launcher tells. */
struct launcher {
    const char *library;
    const char *rank, *size;
    const char *local_rank[3]; /* the first that is set */
};

static const struct launcher launchers[] = {
    {"openmpi",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", NULL}},
    /* MPICH's own launcher and other ones that speak its protocol (PMI-1, PMI-2). */
    {"mpich", "PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"}},
};

static bool read_number(const char *variable, unsigned *number)
{
    const char *text = variable == NULL ? NULL : getenv(variable);
    if (text == NULL || *text < '0' || *text > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (unsigned)value;
    return *end == '\0' && errno == 0 && value <= INT_MAX;
}

struct fm_launch fm_launch_read(void)
{
    struct fm_launch found = {NULL, 0, 1, 0};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && found.size <= 1; ++i) {
        const struct launcher *launcher = &launchers[i];
        unsigned rank, size;
        if (!read_number(launcher->rank, &rank) || !read_number(launcher->size, &size) ||
            rank >= size) {
            continue;
        }
        found = (struct fm_launch){launcher->library, rank, size, rank};
        for (size_t j = 0; j < 3; ++j) {
            if (read_number(launcher->local_rank[j], &found.local_rank)) {
                break;
            }
        }
    }
    return found;
}
