/* SPDX-License-Identifier: BSD-3-Clause */
#include "activity.h"

#include <math.h>
#include <stdlib.h>

#define NEAR    27
#define WARP    32
#define SHARING 16 /* threads of the naive kernel for a slot */

/* The numbers of atoms of the boxes at and around a box. */
static void look_around(const struct crystal *c, const int domain[3], const int box[3],
                        uint8_t counts[NEAR])
{
    for (int near = 0; near < NEAR; near++) {
        const int step[3] = {near % 3 - 1, near / 3 % 3 - 1, near / 9 - 1};
        int home[3], at[3];
        for (int d = 0; d < 3; d++) {
            const int whole = c->grid[d] * c->boxes;
            const int place = (domain[d] * c->boxes + box[d] + step[d] + whole) % whole;
            home[d] = place / c->boxes;
            at[d] = place % c->boxes;
        }
        const int owner = (home[2] * c->grid[1] + home[1]) * c->grid[0] + home[0];
        const int index = (at[2] * c->boxes + at[1]) * c->boxes + at[0];
        counts[near] =
            c->counts[(size_t)owner * (size_t)(c->boxes * c->boxes * c->boxes) + (size_t)index];
    }
}

/* What is added up over a kernel. */
struct sums {
    double busy[PROCESSORS]; /* cycles of each multiprocessor */
    double active, slots;    /* comparisons; comparisons of full warps instead */
    long long blocks;
};

/* A multiprocessor's cycles for comparisons of warps, `longest` of them of a single warp. */
static double cycles_of(double comparisons, double longest)
{
    return COMPARISON * fmax(comparisons, HIDING * longest);
}

/* ---- naive: a block for each box ---- */

static void naive_box(const uint8_t counts[NEAR], struct sums *sums, struct activity *activity)
{
    const int atoms = counts[NEAR / 2];
    int all = 0, turns = 0;
    for (int near = 0; near < NEAR; near++) {
        all += counts[near];
        turns += (counts[near] + SHARING - 1) / SHARING;
        for (int slot = 0; slot < atoms; slot++) {
            for (int lane = 0; lane < SHARING; lane++) {
                activity->threads[slot * SHARING + lane] +=
                    (counts[near] - lane + SHARING - 1) / SHARING;
            }
        }
    }
    const int warps = (atoms + 1) / (WARP / SHARING);
    int first = 0;
    for (int p = 1; p < PROCESSORS; p++) {
        first = sums->busy[p] < sums->busy[first] ? p : first;
    }
    sums->busy[first] += BLOCK + (atoms > 0 ? cycles_of((double)warps * turns, turns) : 0);
    sums->active += (double)atoms * all;
    sums->slots += (double)WARP * warps * turns;
    sums->blocks++;
    activity->atoms += atoms;
    activity->comparisons += (long long)atoms * all;
}

/* ---- packed: a thread for each atom ---- */

/* A chunk that is being filled. */
struct chunk {
    int number, atoms;
    int all[CHUNK];               /* [thread]: comparisons */
    int most[CHUNK / WARP][NEAR]; /* [warp]: comparisons with a box */
};

static void end_chunk(struct chunk *chunk, struct sums *sums, struct activity *activity)
{
    if (chunk->atoms == 0) {
        return;
    }
    double turns = 0, longest = 0;
    for (int w = 0; w < CHUNK / WARP; w++) {
        double warp = 0;
        for (int near = 0; near < NEAR; near++) {
            warp += chunk->most[w][near];
            chunk->most[w][near] = 0;
        }
        turns += warp;
        longest = fmax(longest, warp);
    }
    for (int thread = 0; thread < chunk->atoms; thread++) {
        sums->active += chunk->all[thread];
        activity->threads[thread] += chunk->all[thread];
        activity->comparisons += chunk->all[thread];
    }
    sums->slots += WARP * turns;
    sums->busy[packing_bin(chunk->number, PROCESSORS)] += cycles_of(turns, longest);
    activity->atoms += chunk->atoms;
    chunk->number++;
    chunk->atoms = 0;
}

static void packed_box(const uint8_t counts[NEAR], struct chunk *chunk, struct sums *sums,
                       struct activity *activity)
{
    int all = 0;
    for (int near = 0; near < NEAR; near++) {
        all += counts[near];
    }
    for (int atom = 0; atom < counts[NEAR / 2]; atom++) {
        if (chunk->atoms == CHUNK) {
            end_chunk(chunk, sums, activity);
        }
        const int thread = chunk->atoms++;
        int *most = chunk->most[thread / WARP];
        chunk->all[thread] = all;
        for (int near = 0; near < NEAR; near++) {
            most[near] = counts[near] > most[near] ? counts[near] : most[near];
        }
    }
}

/* ---- both ---- */

static void summarize(struct sums *sums, struct activity *activity)
{
    activity->least = INFINITY;
    for (int p = 0; p < PROCESSORS; p++) {
        activity->average += sums->busy[p] / PROCESSORS;
        activity->least = fmin(activity->least, sums->busy[p]);
        activity->most = fmax(activity->most, sums->busy[p]);
    }
    activity->elapsed = LAUNCH + activity->most;
    activity->warp = sums->slots > 0 ? sums->active / sums->slots : 0;
    for (int thread = 0; thread < CHUNK && sums->blocks > 0; thread++) {
        activity->threads[thread] /= (double)sums->blocks;
    }
}

bool activity_of(const struct crystal *crystal, int domain, enum kernel kernel,
                 struct activity *activity)
{
    struct sums sums = {.blocks = 0};
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (chunk == NULL) {
        return false;
    }
    *activity = (struct activity){.elapsed = 0};
    const int place[3] = {domain % crystal->grid[0], domain / crystal->grid[0] % crystal->grid[1],
                          domain / crystal->grid[0] / crystal->grid[1]};
    int box[3];
    for (box[2] = 0; box[2] < crystal->boxes; box[2]++) {
        for (box[1] = 0; box[1] < crystal->boxes; box[1]++) {
            for (box[0] = 0; box[0] < crystal->boxes; box[0]++) {
                uint8_t counts[NEAR];
                look_around(crystal, place, box, counts);
                if (kernel == KERNEL_NAIVE) {
                    naive_box(counts, &sums, activity);
                } else {
                    packed_box(counts, chunk, &sums, activity);
                }
            }
        }
    }
    if (kernel == KERNEL_PACKED) {
        end_chunk(chunk, &sums, activity);
        sums.blocks = chunk->number < PROCESSORS ? chunk->number : PROCESSORS;
        for (int p = 0; p < sums.blocks; p++) {
            sums.busy[p] += BLOCK;
        }
    }
    summarize(&sums, activity);
    free(chunk);
    return true;
}
