/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that run beside each other in one launch, each on its own ranks and with communicators
 * of its own. They never end: they are killed.
 *
 * usage: PROGRAM FOLDER NAME...
 *
 * Each process writes its ID to FOLDER/<rank> when its program begins. */
#ifndef FERMATA_TESTS_LIVE_HANG_PROGRAMS_H
#define FERMATA_TESTS_LIVE_HANG_PROGRAMS_H

#include "note.h"

#include <mpi.h>
#include <string.h>

/* No library sends a message of LARGE bytes before its receive is there. */
enum { LARGE = 4 << 20, TAG = 7, POSTED = 9 };

static MPI_Comm all, other; /* of the program's ranks, and a second one */
static int rank, size;
static char large[LARGE], target[LARGE];
static int small[4];

struct program {
    const char *name;
    int ranks;
    void (*run)(void);
};

static const struct program *find_program(const struct program *programs, size_t count,
                                          const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(programs[i].name, name) == 0) {
            return &programs[i];
        }
    }
    fprintf(stderr, "unknown program %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

static int run_programs(int argc, char **argv, const struct program *programs, size_t count)
{
    const struct program *own = NULL;
    int number, level, first = 0, color = 0, has_threads = 0;
    for (int i = 2; i < argc; i++) {
        has_threads |= strstr(argv[i], "multiple") != NULL;
    }
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    for (int i = 2; i < argc; i++) {
        const struct program *program = find_program(programs, count, argv[i]);
        if (number >= first && number < first + program->ranks) {
            own = program;
            color = i;
        }
        first += program->ranks;
    }
    MPI_Comm_split(MPI_COMM_WORLD, color, number, &all);
    MPI_Comm_dup(all, &other);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    for (int i = 0; i < 10; i++) {
        MPI_Barrier(MPI_COMM_WORLD); /* mostly short: a long one is conspicuous then */
    }
    note_begin(argv[1], number);
    if (own != NULL) {
        own->run();
    }
    MPI_Finalize();
    return 0;
}

#endif
