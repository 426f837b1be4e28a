/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/launcher.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

/* The environment variables that a launcher sets. */
struct launcher {
    const char *library;
    const char *rank, *size;
    const char *local_rank[3]; /* the first that is set */
    const char *local_size;
    const char *own; /* set only by the library's own launcher; NULL: none is */
};

static const struct launcher launchers[] = {
    {"openmpi",
     "OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", NULL},
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     NULL},
    /* MPICH's own launcher and other ones that speak its protocol (PMI-1, PMI-2). */
    {"mpich",
     "PMI_RANK",
     "PMI_SIZE",
     {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"},
     "MPI_LOCALNRANKS",
     "HYDI_CONTROL_FD"},
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
    struct fm_launch found = {.size = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && found.size <= 1; ++i) {
        const struct launcher *launcher = &launchers[i];
        unsigned rank, size, local_size;
        if (!read_number(launcher->rank, &rank) || !read_number(launcher->size, &size) ||
            rank >= size) {
            continue;
        }
        bool all_are_here =
            read_number(launcher->local_size, &local_size) ? local_size == size : size == 1;
        bool is_own = launcher->own != NULL && getenv(launcher->own) != NULL;
        found = (struct fm_launch){launcher->library, rank, size, rank, all_are_here, is_own};
        for (size_t j = 0; j < 3; ++j) {
            if (read_number(launcher->local_rank[j], &found.local_rank)) {
                break;
            }
        }
    }
    return found;
}
