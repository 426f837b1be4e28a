/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a compiler has OpenMP, with its header and library. */
#include <omp.h>

int main(void)
{
    return omp_get_max_threads() > 0 ? 0 : 1;
}
