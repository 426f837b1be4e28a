/* SPDX-License-Identifier: BSD-3-Clause */
/* md-voids: forces between the atoms of a crystal with spherical voids, by MPI; modelled on the
 * proxy application CoMD and its extension by D. Eberius (2020), chapter 4. Domains with many voids
 * have little work. */
#include "duration.h"
#include "force.h"
#include "halo.h"
#include "options.h"
#include "tables.h"

#ifdef MD_VOIDS_GPU
#include "gpu.h"
#endif

#include <fermata/fermata.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

/* Time of the processor: ranks that share one do not add to it. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns NULL, or what went wrong. */
static const char *compute(const struct options *o, const struct boxes *b, struct forces *forces,
                           double *seconds)
{
    FERMATA_SCOPE("force");
#ifdef MD_VOIDS_GPU
    if (o->has_kernel) {
        return gpu_force_compute(b, o->kernel == KERNEL_PACKED, forces, seconds);
    }
#endif
    (void)o;
    const double begin = processor_seconds();
    force_compute(b, forces);
    *seconds = processor_seconds() - begin;
    return NULL;
}

/* Computes all steps. The time is that of the fastest step, times the number of steps: the steps
 * are equal. Returns NULL, or what went wrong. */
static const char *simulate(const struct options *o, MPI_Comm grid, struct boxes *b, int atoms,
                            struct domain_result *result)
{
    struct forces forces = {.energy = 0};
    const char *failure = NULL;
    double *const buffers[2] = {malloc(halo_values(b) * sizeof(double)),
                                malloc(halo_values(b) * sizeof(double))};
    double least = INFINITY;
    if (buffers[0] == NULL || buffers[1] == NULL) {
        failure = "not enough memory";
    }
    for (int step = 0; step < o->steps && failure == NULL; step++) {
        FERMATA_ITERATION("step");
        double seconds = 0, energy;
        halo_exchange(grid, b, problem_edge(&o->problem), buffers);
        failure = compute(o, b, &forces, &seconds);
        least = fmin(least, seconds);
        MPI_Allreduce(&forces.energy, &energy, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    free(buffers[0]);
    free(buffers[1]);
    *result = (struct domain_result){.atoms = atoms,
                                     .interactions = (double)forces.interactions,
                                     .seconds = least * o->steps,
                                     .energy = forces.energy,
                                     .magnitude = forces.magnitude};
    memcpy(result->sum, forces.sum, sizeof result->sum);
    return failure;
}

/* Prints what is known of the domains. Returns whether the forces add up to 0, as they must: each
 * has its counterforce, perhaps on another rank. */
static bool report(const struct options *o, const struct domain_result *domains, int count)
{
    struct domain_result all = {.atoms = 0};
    enum { STRIDE = sizeof *domains / sizeof(double) };
    for (int i = 0; i < count; i++) {
        printf("rank %3d  %8.0f atoms  %11.0f interactions", i, domains[i].atoms,
               domains[i].interactions);
        if (o->timing) {
            printf("  %9.6f s", domains[i].seconds);
        }
        putchar('\n');
        all.atoms += domains[i].atoms;
        all.energy += domains[i].energy;
        all.magnitude += domains[i].magnitude;
        for (int d = 0; d < 3; d++) {
            all.sum[d] += domains[i].sum[d];
        }
    }
    printf("imbalance: atoms %.2f%%, interactions %.2f%%",
           imbalance_percent(&domains->atoms, count, STRIDE),
           imbalance_percent(&domains->interactions, count, STRIDE));
    if (o->timing) {
        printf(", time %.2f%%", imbalance_percent(&domains->seconds, count, STRIDE));
    }
    const double rest = fabs(all.sum[0]) + fabs(all.sum[1]) + fabs(all.sum[2]);
    const bool right = rest <= 1e-9 * all.magnitude;
    printf("\n%d domains, %.0f atoms, energy %.9f eV each, %s\n", count, all.atoms,
           all.atoms > 0 ? all.energy / all.atoms : 0.0,
           right ? "the forces add up to 0" : "the forces do not add up to 0");
    return right;
}

static int end_run(const struct options *o, const struct domain_result *domains, int count)
{
    if (!report(o, domains, count)) {
        return FAILURE;
    }
    const char *kernel = !o->has_kernel ? NULL : o->kernel == KERNEL_NAIVE ? "naive" : "packed";
    if (o->output != NULL && !tables_write(o->output, domains, count, kernel)) {
        perror(o->output);
        return FAILURE;
    }
    return SUCCESS;
}

static int run(struct options *o)
{
    struct problem *p = &o->problem;
    int size, rank;
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int dims[3] = {p->grid[2], p->grid[1], p->grid[0]}, periodic[3] = {1, 1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    struct boxes boxes;
    struct domain_result mine = {.atoms = 0}, *all = NULL;
    const char *failure = "not enough memory";
    if (boxes_create(&boxes, problem_boxes(p))) {
        const int atoms = domain_fill(p, rank, &boxes);
        failure = simulate(o, grid, &boxes, atoms, &mine);
    }
    boxes_release(&boxes);
    int status = SUCCESS;
    if (failure != NULL) {
        fprintf(stderr, "md-voids: rank %d: %s\n", rank, failure);
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    }
    enum { VALUES = sizeof mine / sizeof(double) };
    if (rank == 0) {
        all = calloc((size_t)size, sizeof *all);
        if (all == NULL) {
            MPI_Abort(MPI_COMM_WORLD, FAILURE);
        }
    }
    MPI_Gather(&mine, VALUES, MPI_DOUBLE, all, VALUES, MPI_DOUBLE, 0, grid);
    if (rank == 0) {
        status = end_run(o, all, size);
        free(all);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, grid);
    MPI_Comm_free(&grid);
    return status;
}

/* ---- the model ---- */

static int model(const struct options *o)
{
    const struct problem *p = &o->problem;
    const int domains = problem_domains(p), boxes = problem_boxes(p);
    const size_t each = (size_t)boxes * (size_t)boxes * (size_t)boxes;
    struct crystal crystal = {.boxes = boxes, .counts = malloc((size_t)domains * each)};
    struct activity *all = calloc((size_t)domains, sizeof *all);
    bool enough = crystal.counts != NULL && all != NULL;
    memcpy(crystal.grid, p->grid, sizeof crystal.grid);
    long long atoms = 0, comparisons = 0;
    double *loads = calloc((size_t)domains, sizeof *loads);
    enough = enough && loads != NULL;
    for (int d = 0; d < domains && enough; d++) {
        loads[d] = domain_count(p, d, crystal.counts + (size_t)d * each);
    }
    for (int d = 0; d < domains && enough; d++) {
        enough = activity_of(&crystal, d, o->kernel, &all[d]);
        atoms += all[d].atoms;
        comparisons += all[d].comparisons;
    }
    int status = enough ? SUCCESS : FAILURE;
    if (!enough) {
        fprintf(stderr, "md-voids: not enough memory\n");
    } else {
        printf("%d domains, %lld atoms, %lld interactions, imbalance of atoms %.2f%%\n", domains,
               atoms, (comparisons - atoms) / 2, imbalance_percent(loads, domains, 1));
        if (o->output != NULL && !tables_write_model(o->output, all, domains, o->kernel)) {
            perror(o->output);
            status = FAILURE;
        }
    }
    free(loads);
    free(all);
    free(crystal.counts);
    return status;
}

/* ---- the command ---- */

/* Returns NULL, or why there cannot be such a run. Chooses the grid. */
static const char *prepare(struct options *o, int size)
{
    int *grid = o->problem.grid;
    if (grid[0] == 0) {
        int dims[3] = {0, 0, 0};
        MPI_Dims_create(size, 3, dims);
        grid[0] = dims[2];
        grid[1] = dims[1];
        grid[2] = dims[0];
    }
    problem_place_voids(&o->problem, (uint64_t)o->seed);
    if (o->is_model) {
        return size == 1 ? NULL : "--model needs one rank";
    }
#ifndef MD_VOIDS_GPU
    if (o->has_kernel) {
        return "--kernel needs --model, or md-voids-cuda";
    }
#endif
    return problem_domains(&o->problem) == size ? NULL : "the grid needs a rank for each domain";
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct options o;
    char why[256];
    int status = WRONG_USAGE;
    if (!options_read(&o, argc, argv, why, sizeof why)) {
        if (rank == 0) {
            fprintf(stderr, "md-voids: %s (try --help)\n", why);
        }
    } else if (o.help) {
        if (rank == 0) {
            fputs(options_usage(), stdout);
        }
        status = SUCCESS;
    } else {
        const char *impossible = prepare(&o, size);
        if (impossible != NULL && rank == 0) {
            fprintf(stderr, "md-voids: %s (try --help)\n", impossible);
        }
        status = impossible != NULL ? WRONG_USAGE : o.is_model ? model(&o) : run(&o);
    }
    MPI_Finalize();
    return status;
}
