/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of SRUMMA, the multiplication of two distributed square matrices in which each
 * process computes its blocks of the product from blocks that it gets from their owners
 * [M. Krishnan and J. Nieplocha, SRUMMA: a matrix multiplication algorithm suitable for clusters
 * and scalable shared memory systems, IPDPS 2004]. It is the same for all communication libraries.
 *
 * All three matrices are divided into blocks, which are dealt out in turn to a grid of processes.
 * Elements are small whole numbers, so that sums are exact and do not depend on their order. Memory
 * of a process holds its blocks one behind the other, each row by row. Nothing here communicates.
 */
#ifndef WORKLOADS_BLOCK_MULTIPLY_H
#define WORKLOADS_BLOCK_MULTIPLY_H

#include <stdbool.h>
#include <stddef.h>

/* How the matrices are divided. */
struct block_grid {
    int blocks;        /* in a row and in a column of a matrix */
    int length;        /* of a row of a block, in elements */
    int processes;     /* rows * columns */
    int rows, columns; /* of the grid of processes, as square as possible */
};

/* The matrices that are multiplied. */
enum factor { LEFT, RIGHT, FACTORS };

/* One product of two blocks: of block (row, inner) of the left matrix by (inner, column) of the
 * right one, to be added to block (row, column) of the product. */
struct block_task {
    int row, column, inner;
};

struct block_grid block_grid(int processes, int blocks, int length);

/* @return elements of a block */
size_t block_elements(const struct block_grid *grid);

/* @return the process whose memory holds block (row, column) */
int block_owner(const struct block_grid *grid, int row, int column);

/* @return where the block begins in its owner's memory, in elements */
size_t block_place(const struct block_grid *grid, int row, int column);

/* @return elements that the process with the largest memory holds of a matrix; not 0 */
size_t block_memory(const struct block_grid *grid);

/* @return how many products a process computes */
int block_tasks(const struct block_grid *grid, int process);

/* The products of a process in the order of their computation, `number` counted from 0. The sum
 * over the inner blocks begins at a different one in each block of the product, so that processes
 * do not get blocks from the same owner at the same time. */
struct block_task block_task(const struct block_grid *grid, int process, int number);

/* Sets the blocks of a matrix that a process owns. */
void block_fill(const struct block_grid *grid, enum factor factor, int process, double *memory);

/* product += left * right, each of length * length elements that do not overlap */
void block_multiply(int length, const double *left, const double *right, double *product);

/* Compares the blocks of the product that a process owns with the definition of a product, computed
 * from the elements' formula. @return whether they are the same */
bool block_is_right(const struct block_grid *grid, int process, const double *product);

/* @return the sum of the elements of the product that a process owns */
double block_sum(const struct block_grid *grid, int process, const double *product);

#endif
