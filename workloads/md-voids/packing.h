/* SPDX-License-Identifier: BSD-3-Clause */
/* The distribution of atoms over the blocks of a kernel that has one thread for each atom: chunks
 * of 1024 atoms, packed into one bin for each multiprocessor (D. Eberius 2020, section 4.3). */
#ifndef MD_VOIDS_PACKING_H
#define MD_VOIDS_PACKING_H

#define CHUNK 1024

/* The number of chunks of so many atoms; the last one may be shorter. */
int packing_chunks(int atoms);

/* The bin of a chunk: the first one with fewest chunks. The numbers of chunks of two bins differ by
 * one at most. */
int packing_bin(int chunk, int bins);

#endif
