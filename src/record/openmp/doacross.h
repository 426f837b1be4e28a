/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Loops whose iterations wait for others (`ordered(n)` with `depend`), of GCC's runtime.
 */
#ifndef FERMATA_RECORD_OPENMP_DOACROSS_H
#define FERMATA_RECORD_OPENMP_DOACROSS_H

#include "record/capture/hot.h"

/** Number of the nested loops of the thread's current one: so many arguments its waits have. */
extern FM_HIDDEN __thread unsigned fm_doacross_depth __attribute__((tls_model("initial-exec")));

#endif
