/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The ranks on which a value is concentrated: "ranks 0-3 and 8".
 */
#ifndef FERMATA_DIAGNOSIS_RANK_SET_H
#define FERMATA_DIAGNOSIS_RANK_SET_H

#include "diagnosis/diagnosis.h"

/** Size of a set of ranks relative to all ranks. */
typedef enum { FM_RANKS_ONE, FM_RANKS_SOME, FM_RANKS_ALL } fm_ranks_t;

/** Finds the smallest set of ranks with 90 % of the value of a view. Cost: a pass over the cells of
 * the view and a sort of the ranks.
 * @param extent  out: size of the set; may be NULL
 * @return the ranks as text: "rank 3", "ranks 0-3 and 8", "both ranks", "all 16 ranks"; never NULL,
 * to be freed with free() */
char *fm_rank_set(const struct fm_diagnosis *diagnosis, const struct fm_view *view,
                  fm_ranks_t *extent);

#endif
