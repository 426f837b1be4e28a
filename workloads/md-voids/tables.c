/* SPDX-License-Identifier: BSD-3-Clause */
#include "tables.h"

#include <errno.h>
#include <sys/stat.h>

double imbalance_percent(const double *loads, int count, int stride)
{
    double sum = 0, largest = 0;
    for (int i = 0; i < count; i++) {
        const double load = loads[i * stride];
        sum += load;
        largest = load > largest ? load : largest;
    }
    return sum > 0 ? 100 * (largest * count / sum - 1) : 0;
}

static FILE *open_table(const char *folder, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return fopen(path, "wx");
}

static bool close_table(FILE *table)
{
    const bool failed = ferror(table) != 0;
    return fclose(table) == 0 && !failed;
}

bool tables_write(const char *folder, const struct domain_result *domains, int count,
                  const char *kernel)
{
    FILE *table;
    if (mkdir(folder, 0777) != 0 || (table = open_table(folder, "ranks.csv")) == NULL) {
        return false;
    }
    fprintf(table, kernel == NULL ? "rank,time,work\n" : "rank,work\n");
    for (int i = 0; i < count; i++) {
        if (kernel == NULL) {
            fprintf(table, "%d,%.9g,%.0f\n", i, domains[i].seconds, domains[i].atoms);
        } else {
            fprintf(table, "%d,%.0f\n", i, domains[i].atoms);
        }
    }
    if (!close_table(table)) {
        return false;
    }
    if (kernel == NULL) {
        return true;
    }
    if ((table = open_table(folder, "kernels.csv")) == NULL) {
        return false;
    }
    fprintf(table, "rank,kernel,duration_ns\n");
    for (int i = 0; i < count; i++) {
        fprintf(table, "%d,%s,%.0f\n", i, kernel, 1e9 * domains[i].seconds);
    }
    return close_table(table);
}

static void write_kernel(FILE *table, int rank, const struct activity *a, enum kernel kernel)
{
    fprintf(table, "%d,model of a V100,%s,%.0f,%.9f,%.9f,%.0f,%.0f,%.0f,%.0f\n", rank,
            kernel == KERNEL_NAIVE ? "naive" : "packed", a->elapsed / CLOCK,
            a->average / a->elapsed, a->warp, a->average, a->least, a->most, a->elapsed);
}

bool tables_write_model(const char *folder, const struct activity *domains, int count,
                        enum kernel kernel)
{
    FILE *ranks = NULL, *kernels = NULL, *threads = NULL;
    bool right = mkdir(folder, 0777) == 0 && (ranks = open_table(folder, "ranks.csv")) != NULL &&
                 (kernels = open_table(folder, "kernels.csv")) != NULL &&
                 (threads = open_table(folder, "threads.csv")) != NULL;
    if (right) {
        fprintf(ranks, "rank,work\n");
        fprintf(kernels, "rank,device,kernel,duration_ns,sm_eff,warp_eff,sm_cycles,sm_cycles_min,"
                         "sm_cycles_max,sm_cycles_elapsed\n");
        for (int i = 0; i < count; i++) {
            fprintf(ranks, "%d,%lld\n", i, domains[i].atoms);
            write_kernel(kernels, i, &domains[i], kernel);
        }
        fprintf(threads, "thread,work\n");
        for (int thread = 0; thread < CHUNK; thread++) {
            double work = 0;
            for (int i = 0; i < count; i++) {
                work += domains[i].threads[thread] / count;
            }
            fprintf(threads, "%d,%.6g\n", thread, work);
        }
    }
    right = (ranks == NULL || close_table(ranks)) && right;
    right = (kernels == NULL || close_table(kernels)) && right;
    right = (threads == NULL || close_table(threads)) && right;
    return right;
}
