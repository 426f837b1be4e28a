#include "analysis/pattern.h"

extern const struct fm_pattern fm_pattern_p2p;
extern const struct fm_pattern fm_pattern_collective;
extern const struct fm_pattern fm_pattern_one_sided;

const struct fm_pattern *const fm_patterns[] = {
    &fm_pattern_p2p,
    &fm_pattern_collective,
    &fm_pattern_one_sided,
    NULL,
};
