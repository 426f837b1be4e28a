/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Measured kernels, as profiles list them.
 */
#ifndef FERMATA_IMBALANCE_INPUT_KERNEL_TABLE_H
#define FERMATA_IMBALANCE_INPUT_KERNEL_TABLE_H

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "imbalance/input/gpu_metric.h"

#include <stdbool.h>
#include <stdint.h>

#define FM_RANK_NONE UINT32_MAX

/** A launch of a kernel, or the mean of several launches of it. */
struct fm_kernel {
    const char *name;
    const char *device; /**< "": not stated */
    const char *host;   /**< "": not stated */
    uint64_t process;   /**< its number in the system; 0: not stated */
    uint32_t rank;      /**< FM_RANK_NONE: not stated */
    uint64_t launches;  /**< at least 1 */
    unsigned long line; /**< first line of the file that is about it */
    bool is_replayed;   /**< it ran several times to be measured: its time is not that of the run */
    double
        values[FM_GPU_METRIC_COUNT]; /**< fractions, seconds of a launch, cycles; NAN: not known */
    double *sm_cycles;               /**< [multiprocessor]; NULL: not known */
    size_t sm_count;
};

/** Kernels in the order of the file; strings lie in the text of the file. */
struct fm_kernel_table {
    FM_VECTOR(struct fm_kernel) kernels;
    struct fm_map index; /**< of the keys, by hash */
    uint64_t missing;    /**< values that the profiler could not measure */
};

/** Finds or adds the kernel with a key: rows with equal keys are about the same kernel.
 * @param key  `parts` strings
 * @return its index */
size_t fm_kernel_table_find(struct fm_kernel_table *table, const char *const *key, size_t parts,
                            const struct fm_kernel *initial);

/** Adds a kernel. @return its index */
size_t fm_kernel_table_add(struct fm_kernel_table *table, const struct fm_kernel *kernel);

/** @return a kernel of which nothing is known but its name and line. */
struct fm_kernel fm_kernel_of(const char *name, unsigned long line);

/** @return whether a name in a profile is that of a kernel: copies and fills are "[CUDA memcpy
 * ...". */
bool fm_names_kernel(const char *name);

/** Frees all but the strings. */
void fm_kernel_table_free(struct fm_kernel_table *table);

#endif
