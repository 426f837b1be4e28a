/* SPDX-License-Identifier: BSD-3-Clause */
/* The waits of loops whose iterations depend on others. The iteration that is waited for stands in
 * variable arguments, one for each of the nested loops. */
#include "record/openmp/doacross.h"

#include "record/openmp/openmp.h"

#include <stdarg.h>

__thread unsigned fm_doacross_depth __attribute__((tls_model("initial-exec")));

enum { FEW = 4, MOST = 16 };

#define FM_PASS_FEW(a) (a)[0], (a)[1], (a)[2], (a)[3]
#define FM_PASS_MOST(a)                                                                            \
    FM_PASS_FEW(a), FM_PASS_FEW((a) + 4), FM_PASS_FEW((a) + 8), FM_PASS_FEW((a) + 12)

/* The runtime reads as many arguments as there are loops: further ones do no harm. No program nests
 * more than MOST. */
#define FM_DOACROSS_WAIT(name, type)                                                               \
    void fm_##name(type first, ...)                                                                \
    {                                                                                              \
        struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_ORDERED_DEPEND);         \
        type iteration[MOST] = {first};                                                            \
        va_list rest;                                                                              \
        va_start(rest, first);                                                                     \
        for (unsigned i = 1; i < fm_doacross_depth && i < MOST; i++) {                             \
            iteration[i] = va_arg(rest, type);                                                     \
        }                                                                                          \
        va_end(rest);                                                                              \
        if (fm_doacross_depth <= FEW) {                                                            \
            FM_OMP(name)(FM_PASS_FEW(iteration));                                                  \
        } else {                                                                                   \
            FM_OMP(name)(FM_PASS_MOST(iteration));                                                 \
        }                                                                                          \
        fm_omp_wait_end(wait);                                                                     \
    }

FM_DOACROSS_WAIT(GOMP_doacross_wait, long)
FM_DOACROSS_WAIT(GOMP_doacross_ull_wait, fm_omp_ull_t)
