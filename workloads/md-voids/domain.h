/* SPDX-License-Identifier: BSD-3-Clause */
/* The atoms of a domain: a crystal of copper with spherical voids, in boxes not smaller than the
 * cut-off of the force (link cells), as in the extension of CoMD by D. Eberius (2020), chapter 4.
 */
#ifndef MD_VOIDS_DOMAIN_H
#define MD_VOIDS_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LATTICE    3.615 /* edge of a unit cell of 4 atoms, in angstroms */
#define SIGMA      2.315 /* of the potential by Lennard-Jones, in angstroms */
#define EPSILON    0.167 /* its depth in eV */
#define CUTOFF     (2.5 * SIGMA)
#define DISPLACED  0.1 /* the largest displacement of an atom in each direction */
#define SLOTS      64  /* room for atoms in a box; at most 32 are filled */
#define MOST_VOIDS 64

/* The problem: the same on all ranks. Domains are cubes of equal size. */
struct problem {
    int cells;                     /* unit cells of a domain in each direction */
    int grid[3];                   /* domains in each direction */
    int floor;                     /* a domain with fewer atoms loses no more */
    int voids;                     /* number of voids */
    double radius;                 /* of all voids, in angstroms */
    double centres[MOST_VOIDS][3]; /* of the voids, in angstroms */
};

/* The boxes of a domain, with one layer of boxes of the neighbouring domains around them.
 * Positions are relative to the corner of the domain. */
struct boxes {
    int inner;       /* boxes of the domain in each direction */
    int edge;        /* inner + 2 */
    int *counts;     /* [box]: its atoms */
    double (*at)[3]; /* [box * SLOTS + slot] */
};

/* Puts the centres of voids at random places that follow from the seed alone. */
void problem_place_voids(struct problem *p, uint64_t seed);

int problem_domains(const struct problem *p);

/* Edge of a domain in angstroms. */
double problem_edge(const struct problem *p);

/* Boxes of a domain in each direction. */
int problem_boxes(const struct problem *p);

/* Creates empty boxes. Returns false if there is not enough memory. */
bool boxes_create(struct boxes *b, int inner);
void boxes_release(struct boxes *b);

/* The index of a box; coordinates from 0 to edge - 1, those of the domain's own from 1 to inner. */
static inline int box_index(const struct boxes *b, int x, int y, int z)
{
    return (z * b->edge + y) * b->edge + x;
}

/* Fills the boxes of the domain, not those around it, with the atoms of the crystal that are in no
 * void. Voids continue at the opposite side of the whole crystal. Boxes lose their atoms one after
 * another until the domain has fewer atoms than the floor: then there may be up to SLOTS fewer.
 * Returns the number of atoms. */
int domain_fill(const struct problem *p, int domain, struct boxes *b);

/* The same without positions: counts[box], without boxes around the domain. */
int domain_count(const struct problem *p, int domain, uint8_t *counts);

#endif
