/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/pattern.h"

#define FM_PATTERN(symbol) extern const struct fm_pattern fm_pattern_##symbol;
#include "analysis/patterns.def"
#undef FM_PATTERN

const struct fm_pattern *const fm_patterns[] = {
#define FM_PATTERN(symbol) &fm_pattern_##symbol,
#include "analysis/patterns.def"
#undef FM_PATTERN
    NULL,
};
