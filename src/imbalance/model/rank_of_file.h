/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Whose rank a profile is about.
 */
#ifndef FERMATA_IMBALANCE_MODEL_RANK_OF_FILE_H
#define FERMATA_IMBALANCE_MODEL_RANK_OF_FILE_H

#include <stdint.h>

/** What a name tells. */
enum fm_rank_answer {
    FM_RANK_STATED,
    FM_RANK_UNSTATED, /**< it has no number that can be a rank */
    FM_RANK_AMBIGUOUS /**< it has several */
};

/** Finds the rank in the name of a file. Without a pattern the rank is the number behind the word
 * "rank" ("run2-rank3.csv"); of names without it the only number that is a word ("v100.3.csv"); of
 * names without such a number the only number ("prof3.csv"). Numbers behind the last point do not
 * count.
 * @param path     the folders in it do not count
 * @param pattern  a name with %r where the rank stands, "prof.%r.csv"; NULL: none
 * @param rank     out: set if it is stated */
enum fm_rank_answer fm_rank_in_name(const char *path, const char *pattern, uint32_t *rank);

#endif
