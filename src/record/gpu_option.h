/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The values of the setting `gpu`: whether accelerators are recorded, and what of them.
 */
#ifndef FERMATA_RECORD_GPU_OPTION_H
#define FERMATA_RECORD_GPU_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

/** Its variable; the value with which the activity of kernels is measured, too. */
#define FM_GPU_VARIABLE "FERMATA_GPU"
#define FM_GPU_METRICS  "metrics"

static inline bool fm_gpu_is_one_of(const char *value, const char *const *words, size_t count)
{
    for (size_t i = 0; value != NULL && i < count; i++) {
        if (strcasecmp(value, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/** Whether a value selects the collector; NULL: there is none. */
static inline bool fm_gpu_is_selected(const char *value)
{
    static const char *const words[] = {"1", "yes", "true", "on", FM_GPU_METRICS};
    return fm_gpu_is_one_of(value, words, sizeof words / sizeof words[0]);
}

/** Whether a value is legal. */
static inline bool fm_gpu_is_legal(const char *value)
{
    static const char *const words[] = {"0", "no", "false", "off"};
    return fm_gpu_is_selected(value) ||
           fm_gpu_is_one_of(value, words, sizeof words / sizeof words[0]);
}

#endif
