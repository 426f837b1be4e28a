/** @file
 * The ranks that a value is concentrated on: "ranks 0-3 and 8".
 */
#ifndef FERMATA_DIAGNOSIS_RANK_SET_H
#define FERMATA_DIAGNOSIS_RANK_SET_H

#include "diagnosis/diagnosis.h"

/** How many of the ranks are in a set. */
typedef enum { FM_RANKS_ONE, FM_RANKS_SOME, FM_RANKS_ALL } fm_ranks_t;

/** Finds the fewest ranks that have 90 % of the value of a view. Cost: a pass over the cells of the
 * view and a sort of the ranks.
 * @param extent  out: how many ranks these are; may be NULL
 * @return the ranks as text: "rank 3", "ranks 0-3 and 8", "both ranks", "all 16 ranks"; never NULL,
 * to be freed with free() */
char *fm_rank_set(const struct fm_diagnosis *diagnosis, const struct fm_view *view,
                  fm_ranks_t *extent);

#endif
