/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns: each provokes one kind of wait state by a planted delay.
 *
 * A pattern is a function that all ranks of MPI_COMM_WORLD call at about the same time (a barrier
 * precedes and follows it). Unless its summary states otherwise, the last rank is the late one when
 * all ranks take part, and rank 0 and rank 1 are the partners when two do. */
#ifndef PATTERNS_PATTERN_H
#define PATTERNS_PATTERN_H

#include <mpi.h>

enum { MOST_RANKS = 1024 }; /* capacity of the patterns' buffers */

typedef struct context {
    int rank, size;
    double delay; /* minimum duration of `delay` in seconds */
    int number;   /* number of the running pattern; the level that marks its delays */
} context;

typedef struct pattern {
    const char *name;
    const char *metric; /* the provoked wait state, by the name of fermata's metric */
    int least_ranks;
    void (*run)(const context *c);
    const char *summary;
} pattern;

/* Sleeps for the planted time. In a trace of the MPI calls alone the delay is the time between the
 * Leave of one MPI_Pcontrol and the Enter of the next: each delay is marked by a pair of them, with
 * the pattern's number as level. */
void delay(const context *c);

/* The late rank of patterns with all ranks. */
static inline int last_rank(const context *c)
{
    return c->size - 1;
}

/* The patterns of each file. Every table ends with an entry without name. */
extern const pattern late_sender_patterns[];
extern const pattern wrong_order_patterns[];
extern const pattern late_receiver_patterns[];
extern const pattern collective_patterns[];
extern const pattern nonblocking_patterns[];
extern const pattern neighbourhood_patterns[];
extern const pattern management_patterns[];
extern const pattern fence_patterns[];
extern const pattern gats_patterns[];
extern const pattern passive_patterns[];
extern const pattern finalize_patterns[];

#endif
