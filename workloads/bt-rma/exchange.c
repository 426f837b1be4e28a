/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange.h"

#include "cell.h"

#include <fermata/fermata.h>

#include <string.h>

const char *const variant_names[VARIANTS] = {"fence-only", "gats-fence", "gats-single",
                                             "gats-multi"};

static bool uses_fences(const exchange *x, channel c)
{
    return x->kind == FENCE_ONLY || (x->kind == GATS_FENCE && c == FACES);
}

/* The first channel of the same window. */
static channel owner_of(variant kind, channel c)
{
    if (kind == GATS_MULTI)
        return c;
    return kind == GATS_FENCE && c != FACES ? X_UP : FACES;
}

/* Cells are passed from rank to rank in the ring: up along x to the rank before, along y to the
 * rank behind, and back. */
static int next_rank(const exchange *x, channel c)
{
    return c == X_UP || c == Y_DOWN ? x->before : x->behind;
}

static MPI_Group group_of(const exchange *x, int rank)
{
    return x->one[rank == x->before ? 0 : 1];
}

static void create_groups(exchange *x)
{
    MPI_Group all;
    const int ranks[] = {x->before, x->behind};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &ranks[0], &x->one[0]);
    MPI_Group_incl(all, 1, &ranks[1], &x->one[1]);
    MPI_Group_incl(all, x->before == x->behind ? 1 : 2, ranks, &x->both);
    MPI_Group_free(&all);
}

void exchange_create(exchange *x, variant kind, int cells, int points)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *x = (exchange){.kind = kind, .before = (rank + size - 1) % size, .behind = (rank + 1) % size};
    create_groups(x);
    MPI_Aint doubles[CHANNELS] = {0};
    for (channel c = FACES; c < CHANNELS; c++) {
        const channel owner = owner_of(kind, c);
        x->values[c] = points * (c == FACES               ? COMPONENTS
                                 : c == X_UP || c == Y_UP ? PASSED_UP
                                                          : PASSED_DOWN);
        x->offset[c] = doubles[owner];
        /* Of a sweep, data for the next stage come while those of this one are read. Parts are
         * multiples of cache lines, as in ocean-cg. */
        doubles[owner] += ((MPI_Aint)x->values[c] * (c == FACES ? SIDES * cells : 2) + 7) / 8 * 8;
    }
    for (channel c = FACES; c < CHANNELS; c++) {
        const channel owner = owner_of(kind, c);
        if (owner == c) {
            MPI_Win_allocate(doubles[c] * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL,
                             MPI_COMM_WORLD, &x->memory[c], &x->windows[c]);
            memset(x->memory[c], 0, (size_t)doubles[c] * sizeof(double));
            if (uses_fences(x, c))
                MPI_Win_fence(0, x->windows[c]);
        }
        x->memory[c] = x->memory[owner];
        x->windows[c] = x->windows[owner];
    }
}

void exchange_destroy(exchange *x)
{
    for (channel c = FACES; c < CHANNELS; c++) {
        if (owner_of(x->kind, c) == c) {
            if (uses_fences(x, c))
                MPI_Win_fence(MPI_MODE_NOSUCCEED, x->windows[c]);
            MPI_Win_free(&x->windows[c]);
        }
    }
    MPI_Group_free(&x->one[0]);
    MPI_Group_free(&x->one[1]);
    MPI_Group_free(&x->both);
}

void exchange_faces_begin(exchange *x)
{
    if (!uses_fences(x, FACES)) {
        MPI_Win_post(x->both, 0, x->windows[FACES]);
        MPI_Win_start(x->both, 0, x->windows[FACES]);
    }
}

void exchange_put_face(exchange *x, int rank, int number, const double *face)
{
    MPI_Put(face, x->values[FACES], MPI_DOUBLE, rank,
            x->offset[FACES] + (MPI_Aint)number * x->values[FACES], x->values[FACES], MPI_DOUBLE,
            x->windows[FACES]);
}

void exchange_faces_end(exchange *x)
{
    if (uses_fences(x, FACES)) {
        MPI_Win_fence(0, x->windows[FACES]);
    } else {
        MPI_Win_complete(x->windows[FACES]);
        MPI_Win_wait(x->windows[FACES]);
    }
}

const double *exchange_face(const exchange *x, int number)
{
    return x->memory[FACES] + x->offset[FACES] + (MPI_Aint)number * x->values[FACES];
}

static void expose(exchange *x, channel c)
{
    const int from = next_rank(x, c) == x->before ? x->behind : x->before;
    if (!x->exposed[c])
        MPI_Win_post(group_of(x, from), 0, x->windows[c]);
    x->exposed[c] = true;
}

void exchange_expect(exchange *x, channel c)
{
    if (x->kind == GATS_MULTI)
        expose(x, c);
}

void exchange_pass(exchange *x, channel c, int stage, const double *data)
{
    FERMATA_SCOPE("pass");
    const int rank = next_rank(x, c);
    const MPI_Aint at = x->offset[c] + (MPI_Aint)((stage + 1) % 2) * x->values[c];
    if (!uses_fences(x, c)) {
        expose(x, c);
        MPI_Win_start(group_of(x, rank), 0, x->windows[c]);
    }
    MPI_Put(data, x->values[c], MPI_DOUBLE, rank, at, x->values[c], MPI_DOUBLE, x->windows[c]);
    if (uses_fences(x, c))
        MPI_Win_fence(0, x->windows[c]);
    else
        MPI_Win_complete(x->windows[c]);
}

const double *exchange_take(exchange *x, channel c, int stage)
{
    FERMATA_SCOPE("take");
    if (!uses_fences(x, c)) {
        MPI_Win_wait(x->windows[c]);
        x->exposed[c] = false;
    }
    return x->memory[c] + x->offset[c] + (MPI_Aint)(stage % 2) * x->values[c];
}
