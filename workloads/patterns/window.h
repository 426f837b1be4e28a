/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of the one-sided patterns. */
#ifndef PATTERNS_WINDOW_H
#define PATTERNS_WINDOW_H

#include <mpi.h>

enum { WINDOW_DOUBLES = 1024 };

/* Creates a window of WINDOW_DOUBLES zeroes per rank of MPI_COMM_WORLD, in memory that the MPI
 * library allocates. Collective; all ranks leave at about the same time. */
MPI_Win window_allocate(void);

/* The same in memory of the program, which some libraries access only with the target's help.
 */
MPI_Win window_create(double **memory);

/* Frees the window after all ranks have called it. Collective. */
void window_free(MPI_Win *window);

/* Puts a few values into rank `target`'s part; the caller synchronizes. */
void window_put(MPI_Win window, int target);

/* The group that holds the one rank `rank` of MPI_COMM_WORLD, and that of the ranks first..last. */
MPI_Group group_of_rank(int rank);
MPI_Group group_of_ranks(int first, int last);

#endif
