/* SPDX-License-Identifier: BSD-3-Clause */
#include "packing.h"

int packing_chunks(int atoms)
{
    return (atoms + CHUNK - 1) / CHUNK;
}

int packing_bin(int chunk, int bins)
{
    return chunk % bins;
}
