/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/kernel_table.h"

#include <math.h>
#include <string.h>

struct fm_kernel fm_kernel_of(const char *name, unsigned long line)
{
    struct fm_kernel kernel = {
        .name = name, .device = "", .host = "", .rank = FM_RANK_NONE, .launches = 1, .line = line};
    for (size_t i = 0; i < FM_GPU_METRIC_COUNT; i++) {
        kernel.values[i] = NAN;
    }
    return kernel;
}

size_t fm_kernel_table_add(struct fm_kernel_table *table, const struct fm_kernel *kernel)
{
    fm_vector_push(&table->kernels, *kernel);
    return table->kernels.count - 1;
}

/* Only a file that is made for it has two keys with one hash; it then has two kernels as one. */
static uint64_t hash_of(const char *const *key, size_t parts)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < parts; i++) {
        for (const unsigned char *c = (const unsigned char *)key[i]; *c != '\0'; c++) {
            hash = (hash ^ *c) * UINT64_C(0x100000001b3);
        }
        hash = fm_hash(hash + i + 1);
    }
    return hash;
}

size_t fm_kernel_table_find(struct fm_kernel_table *table, const char *const *key, size_t parts,
                            const struct fm_kernel *initial)
{
    uint32_t *place = fm_map_at(&table->index, hash_of(key, parts), (uint32_t)table->kernels.count);
    if (*place == table->kernels.count) {
        fm_kernel_table_add(table, initial);
    }
    return *place;
}

bool fm_names_kernel(const char *name)
{
    return strncmp(name, "[CUDA ", 6) != 0;
}

void fm_kernel_table_free(struct fm_kernel_table *table)
{
    for (size_t i = 0; i < table->kernels.count; i++) {
        fm_free(table->kernels.items[i].sm_cycles);
    }
    fm_vector_free(&table->kernels);
    fm_map_free(&table->index);
    table->missing = 0;
}
