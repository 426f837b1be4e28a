/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/composite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int descending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* The integral for multiprocessors that all begin with the kernel and are active for `cycles`. The
 * SM efficiency scales it: the kernel is longer than its longest multiprocessor. */
static double integral(const double *cycles, size_t count, double sm, double exponent)
{
    double *sorted = fm_vector_copy(cycles, count * sizeof *cycles);
    qsort(sorted, count, sizeof *sorted, descending);
    double sum = 0, area = 0;
    for (size_t i = 0; i < count; i++) { /* from the one that ends last: i + 1 are active */
        const double until = sorted[i], since = i + 1 < count ? sorted[i + 1] : 0;
        sum += (until - since) * pow((double)(i + 1) / (double)count, exponent);
        area += sorted[i];
    }
    const double mean = area / (double)count;
    fm_free(sorted);
    return mean > 0 ? sum / mean * sm : NAN;
}

double fm_composite(const struct fm_kernel *kernel, double sm, double warp)
{
    if (isnan(sm) || isnan(warp)) { /* pow(NAN, 0) would be 1 */
        return NAN;
    }
    const double exponent = fm_composite_exponent(kernel->values[FM_GPU_MEMORY]);
    double active = pow(sm, exponent);
    if (kernel->sm_cycles != NULL) {
        const double exact = integral(kernel->sm_cycles, kernel->sm_count, sm, exponent);
        active = isnan(exact) ? active : fmin(exact, 1);
    }
    return active * pow(warp, exponent);
}

double fm_composite_imbalance(double measured, double adjusted, double exponent)
{
    return pow(1 + measured, 1 - exponent) * pow(1 + adjusted, exponent) - 1;
}
