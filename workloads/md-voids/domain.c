/* SPDX-License-Identifier: BSD-3-Clause */
#include "domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The generator splitmix64: the same sequence on all machines. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double next_fraction(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

double problem_edge(const struct problem *p)
{
    return p->cells * LATTICE;
}

int problem_domains(const struct problem *p)
{
    return p->grid[0] * p->grid[1] * p->grid[2];
}

int problem_boxes(const struct problem *p)
{
    /* Atoms that are displaced out of their box must not come nearer than the cut-off to those
     * behind the next box. */
    return (int)(problem_edge(p) / (CUTOFF + 2 * DISPLACED));
}

void problem_place_voids(struct problem *p, uint64_t seed)
{
    for (int v = 0; v < p->voids; v++) {
        for (int d = 0; d < 3; d++) {
            p->centres[v][d] = next_fraction(&seed) * problem_edge(p) * p->grid[d];
        }
    }
}

bool boxes_create(struct boxes *b, int inner)
{
    const int edge = inner + 2;
    const size_t count = (size_t)edge * (size_t)edge * (size_t)edge;
    *b = (struct boxes){.inner = inner, .edge = edge};
    b->counts = calloc(count, sizeof *b->counts);
    b->at = calloc(count * SLOTS, sizeof *b->at);
    return b->counts != NULL && b->at != NULL;
}

void boxes_release(struct boxes *b)
{
    free(b->counts);
    free(b->at);
}

/* A domain while it is filled. Sites are numbered in halves of a unit cell: the crystal has an atom
 * at each site whose three numbers have an even sum. */
struct filling {
    const struct problem *p;
    int boxes;       /* in each direction */
    int origin[3];   /* the domain's first site in the whole crystal */
    double whole[3]; /* edges of the whole crystal */
    int left;        /* atoms that the domain has */
};

static struct filling begin_filling(const struct problem *p, int domain)
{
    struct filling f = {
        .p = p, .boxes = problem_boxes(p), .left = 4 * p->cells * p->cells * p->cells};
    const int place[3] = {domain % p->grid[0], domain / p->grid[0] % p->grid[1],
                          domain / p->grid[0] / p->grid[1]};
    for (int d = 0; d < 3; d++) {
        f.origin[d] = place[d] * 2 * p->cells;
        f.whole[d] = problem_edge(p) * p->grid[d];
    }
    return f;
}

/* The first site of a box in a direction. */
static int first_site(const struct filling *f, int box)
{
    /* (2 site + 1) * boxes / (4 cells) is the box of a site */
    const int sites = 4 * f->p->cells;
    const int doubled = (box * sites + f->boxes - 1) / f->boxes; /* least 2 site + 1 */
    return doubled / 2;
}

static double position(int site)
{
    return (site + 0.5) * LATTICE / 2;
}

static bool is_void(const struct filling *f, const int site[3])
{
    for (int v = 0; v < f->p->voids; v++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            double distance = fabs(position(f->origin[d] + site[d]) - f->p->centres[v][d]);
            distance = fmin(distance, f->whole[d] - distance);
            square += distance * distance;
        }
        if (square < f->p->radius * f->p->radius) {
            return true;
        }
    }
    return false;
}

/* The position of an atom relative to the domain: that of its site, displaced by a little that
 * follows from the site alone. */
static void displace(const struct filling *f, const int site[3], double at[3])
{
    uint64_t state = 0;
    for (int d = 0; d < 3; d++) {
        state = state * 100003 + (uint64_t)(f->origin[d] + site[d]);
    }
    for (int d = 0; d < 3; d++) {
        at[d] = position(site[d]) + DISPLACED * (2 * next_fraction(&state) - 1);
    }
}

/* Returns the number of atoms of a box. at: their positions; NULL: they are not needed */
static int fill_box(struct filling *f, const int box[3], double (*at)[3])
{
    int first[3], last[3], site[3];
    int count = 0, sites = 0;
    for (int d = 0; d < 3; d++) {
        first[d] = first_site(f, box[d]);
        last[d] = first_site(f, box[d] + 1);
    }
    const bool may_lose = f->left >= f->p->floor && f->p->radius > 0;
    for (site[2] = first[2]; site[2] < last[2]; site[2]++) {
        for (site[1] = first[1]; site[1] < last[1]; site[1]++) {
            for (site[0] = first[0]; site[0] < last[0]; site[0]++) {
                if ((site[0] + site[1] + site[2]) % 2 != 0) {
                    continue;
                }
                sites++;
                if (may_lose && is_void(f, site)) {
                    continue;
                }
                if (at != NULL) {
                    displace(f, site, at[count]);
                }
                count++;
            }
        }
    }
    f->left -= sites - count;
    return count;
}

int domain_fill(const struct problem *p, int domain, struct boxes *b)
{
    struct filling f = begin_filling(p, domain);
    int box[3];
    for (box[2] = 0; box[2] < f.boxes; box[2]++) {
        for (box[1] = 0; box[1] < f.boxes; box[1]++) {
            for (box[0] = 0; box[0] < f.boxes; box[0]++) {
                const int index = box_index(b, box[0] + 1, box[1] + 1, box[2] + 1);
                b->counts[index] = fill_box(&f, box, &b->at[(size_t)index * SLOTS]);
            }
        }
    }
    return f.left;
}

int domain_count(const struct problem *p, int domain, uint8_t *counts)
{
    struct filling f = begin_filling(p, domain);
    int box[3];
    for (box[2] = 0; box[2] < f.boxes; box[2]++) {
        for (box[1] = 0; box[1] < f.boxes; box[1]++) {
            for (box[0] = 0; box[0] < f.boxes; box[0]++) {
                *counts++ = (uint8_t)fill_box(&f, box, NULL);
            }
        }
    }
    return f.left;
}
