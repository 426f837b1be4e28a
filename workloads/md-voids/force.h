/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces between the atoms of a domain and those near them. */
#ifndef MD_VOIDS_FORCE_H
#define MD_VOIDS_FORCE_H

#include "domain.h"

#ifdef __cplusplus
extern "C" {
#endif

struct forces {
    double energy;          /* potential energy of the domain's atoms in eV */
    double sum[3];          /* of all forces; 0 over all domains */
    double magnitude;       /* sum of the absolute values of the forces' components */
    long long interactions; /* pairs that are compared with the cut-off, each once */
};

/* Computes the forces of all atoms of the domain by the potential of Lennard-Jones. The boxes
 * around it must be filled. */
void force_compute(const struct boxes *b, struct forces *result);

#ifdef __cplusplus
}
#endif

#endif
