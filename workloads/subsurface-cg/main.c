/* SPDX-License-Identifier: BSD-3-Clause */
/* subsurface-cg: a finite-element matrix of a chain of elements, solved by conjugate gradients on
 * neighbouring parts of the chain (modelled on TRACE; Wolf 2002, section 5.1, whose names the
 * functions have).
 *
 * Neighbours share the node between them: each has a part of the product there, sends this part to
 * the other and receives the other's in `mrecv`. A dot product follows, which needs all processes.
 * The product of a process whose soil is wetter takes longer: its neighbours wait for its message,
 * all others in the dot product. The solution is 1 in all nodes. */
#include "arguments.h"
#include "duration.h"

#include <fermata/fermata.h>

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int elements, iterations;
    double work; /* seconds that a product takes, besides its arithmetic */
    const char *imbalance;
    bool even, help;
} options;

/* The part of the chain that a process has: elements, and the nodes at their ends. */
typedef struct part {
    int elements, left, right; /* left, right: neighbours, or MPI_PROC_NULL */
    double work;               /* seconds */
} part;

static const char usage[] =
    "usage: subsurface-cg [OPTIONS]\n"
    "Conjugate gradients with a matrix of finite elements, on a chain of MPI processes.\n"
    "  --elements N         of each process (default 8)\n"
    "  --iterations N       (default 30)\n"
    "  --work SECONDS       time of a product besides its arithmetic, asleep (default 0.01)\n"
    "  --imbalance P[:R,..] the product takes P percent longer on ranks R (default: the last)\n"
    "  --even               spread this work evenly over all ranks\n"
    "  --help               print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int size, char *why, size_t why_size)
{
    static const struct option known[] = {{"elements", required_argument, NULL, 'n'},
                                          {"iterations", required_argument, NULL, 'i'},
                                          {"work", required_argument, NULL, 'w'},
                                          {"even", no_argument, NULL, 'e'},
                                          {"imbalance", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.elements = 8, .iterations = 30, .work = 0.01, .imbalance = "0"};
    opterr = 0;
    int choice;
    bool valid = true;
    double percent;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 'n':
            valid = read_count(optarg, 1, 1000000, &o->elements);
            break;
        case 'i':
            valid = read_count(optarg, 1, 1000000, &o->iterations);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'p':
            o->imbalance = optarg;
            valid = read_imbalance(optarg, 0, size, &percent);
            break;
        case 'e':
            o->even = true;
            break;
        case 'h':
            o->help = true;
            break;
        default:
            valid = false;
        }
    }
    if (!valid || optind < argc)
        snprintf(why, why_size, "wrong argument \"%s\"", argv[valid ? optind : optind - 1]);
    return valid && optind == argc;
}

/* Returns the seconds of a product of a rank, or of the average rank. */
static double work_of(const options *o, int rank, int size)
{
    double sum = 0.0;
    for (int r = o->even ? 0 : rank; r < (o->even ? size : rank + 1); r++) {
        double percent = 0.0;
        read_imbalance(o->imbalance, r, size, &percent);
        sum += o->work * (1.0 + percent / 100.0);
    }
    return o->even ? sum / size : sum;
}

static void femultiply(const part *own, const double *x, double *y)
{
    FERMATA_SCOPE("femultiply");
    sleep_for(own->work);
    for (int i = 0; i <= own->elements; i++)
        y[i] = 0.0;
    for (int i = 0; i < own->elements; i++) {
        y[i] += 1.5 * x[i] - x[i + 1];
        y[i + 1] += 1.5 * x[i + 1] - x[i];
    }
}

static double mrecv(int source)
{
    FERMATA_SCOPE("mrecv");
    double value = 0.0;
    MPI_Recv(&value, 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void exchangebufferswf(const part *own, double *y)
{
    FERMATA_SCOPE("exchangebufferswf");
    const int last = own->elements;
    MPI_Send(&y[0], 1, MPI_DOUBLE, own->left, 0, MPI_COMM_WORLD);
    MPI_Send(&y[last], 1, MPI_DOUBLE, own->right, 0, MPI_COMM_WORLD);
    if (own->left != MPI_PROC_NULL)
        y[0] += mrecv(own->left);
    if (own->right != MPI_PROC_NULL)
        y[last] += mrecv(own->right);
}

static void exchangedata(const part *own, double *y)
{
    FERMATA_SCOPE("exchangedata");
    exchangebufferswf(own, y);
}

static void parallelfemultiply(const part *own, const double *x, double *y)
{
    FERMATA_SCOPE("parallelfemultiply");
    femultiply(own, x, y);
    exchangedata(own, y);
}

static double globalsum_r1(double own)
{
    FERMATA_SCOPE("globalsum_r1");
    double sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* The node that two processes share counts half in each. */
static double paralleldotproduct(const part *own, const double *x, const double *y)
{
    FERMATA_SCOPE("paralleldotproduct");
    const int last = own->elements;
    double sum = 0.0;
    for (int i = 0; i <= last; i++)
        sum += x[i] * y[i];
    if (own->left != MPI_PROC_NULL)
        sum -= 0.5 * x[0] * y[0];
    if (own->right != MPI_PROC_NULL)
        sum -= 0.5 * x[last] * y[last];
    return globalsum_r1(sum);
}

/* One iteration; `square`: the square of the residual's norm. */
static void parallelcg(const part *own, double *x, double *residual, double *direction,
                       double *product, double *square)
{
    FERMATA_SCOPE("parallelcg");
    if (*square < 1e-100) /* the solution cannot become better */
        return;
    parallelfemultiply(own, direction, product);
    const double step = *square / paralleldotproduct(own, direction, product);
    for (int i = 0; i <= own->elements; i++) {
        x[i] += step * direction[i];
        residual[i] -= step * product[i];
    }
    const double next = paralleldotproduct(own, residual, residual);
    for (int i = 0; i <= own->elements; i++)
        direction[i] = residual[i] + next / *square * direction[i];
    *square = next;
}

static int run(const options *o, int rank, int size)
{
    const part own = {.elements = o->elements,
                      .left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
                      .right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL,
                      .work = work_of(o, rank, size)};
    const size_t nodes = (size_t)own.elements + 1;
    double *const x = calloc(4 * nodes, sizeof *x);
    if (x == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    double *const residual = x + nodes, *const direction = x + 2 * nodes;
    for (size_t i = 0; i < nodes; i++)
        x[i] = 1.0;
    parallelfemultiply(&own, x, residual); /* the right side whose solution is 1 */
    for (size_t i = 0; i < nodes; i++) {
        direction[i] = residual[i];
        x[i] = 0.0;
    }
    double square = paralleldotproduct(&own, residual, residual);
    for (int i = 0; i < o->iterations; i++) {
        FERMATA_PHASE_SCOPE("cgiteration");
        parallelcg(&own, x, residual, direction, x + 3 * nodes, &square);
    }
    double error = 0.0, largest;
    for (size_t i = 0; i < nodes; i++)
        error = fmax(error, fabs(x[i] - 1.0));
    free(x);
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    /* Each iteration leaves at most (sqrt(5) - 1) / (sqrt(5) + 1) = 0.38 of the error. */
    const bool right = largest <= 3.0 * size * own.elements * pow(0.39, o->iterations) + 1e-9;
    if (rank == 0)
        printf("subsurface-cg: %d elements, %d iterations, the solution is %s\n",
               size * own.elements, o->iterations, right ? "right" : "wrong");
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options o;
    char why[256];
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "subsurface-cg: %s (try --help)\n", why);
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0)
            fputs(usage, stdout);
    } else {
        status = run(&o, rank, size);
    }
    MPI_Finalize();
    return status;
}
