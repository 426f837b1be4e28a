/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/size_bins.h"

#include "base/quantity.h"

#include <stddef.h>

bool fm_size_bins_read(const char *text, struct fm_size_bins *bins)
{
    uint64_t size;
    bins->rules = 0;
    while (bins->rules < FM_SIZE_RULES_MOST && (text = fm_size_part(text, &size)) != NULL) {
        if (bins->rules > 0 && size <= bins->largest[bins->rules - 1]) {
            return false;
        }
        bins->largest[bins->rules++] = size;
        if (*text == '\0') {
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
    return false;
}
