/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Whose rank a profile is about.
 */
#ifndef FERMATA_IMBALANCE_MODEL_RANK_OF_FILE_H
#define FERMATA_IMBALANCE_MODEL_RANK_OF_FILE_H

#include <stdint.h>

/** Finds the rank in the name of a file.
 * @param path     the folders in it do not count
 * @param pattern  a name with %r where the rank stands, "prof.%r.csv"; NULL: the last number in the
 *                 name before its last point
 * @return the rank; UINT32_MAX: the name has none */
uint32_t fm_rank_in_name(const char *path, const char *pattern);

#endif
