/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/kernel_activity.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    double whole;
} activities[] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) {name, whole},
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
};

fm_kernel_activity_t fm_kernel_activity_named(const char *name)
{
    unsigned i = 0;
    while (i < FM_KERNEL_ACTIVITY_COUNT && strcmp(activities[i].name, name) != 0) {
        i++;
    }
    return (fm_kernel_activity_t)i;
}

double fm_kernel_fraction(fm_kernel_activity_t activity, double value)
{
    const double fraction = value / activities[activity].whole;
    return !isfinite(fraction) || fraction < 0 ? NAN : fraction > 1 ? 1 : fraction;
}

double fm_composite_exponent(double memory)
{
    const double exponent = isnan(memory) ? FM_COMPOSITE_EXPONENT : 1 - memory;
    return exponent < 0 ? 0 : exponent > 1 ? 1 : exponent;
}

static uint64_t rounded(double ticks)
{
    return (uint64_t)floor(ticks + 0.5);
}

struct fm_kernel_load fm_kernel_load_of(uint64_t ticks, const double *fractions)
{
    const double sm = fractions[FM_KERNEL_SM], warp = fractions[FM_KERNEL_WARP];
    const double exponent = fm_composite_exponent(fractions[FM_KERNEL_MEMORY]);
    /* A product with a fraction is not larger, but beyond 2^53 a number of ticks is rounded. */
    uint64_t active = rounded((double)ticks * sm);
    active = active < ticks ? active : ticks;
    uint64_t adjusted = rounded((double)ticks * sm * warp);
    adjusted = adjusted < active ? adjusted : active;
    return (struct fm_kernel_load){
        .idle = ticks - active,
        .inactive = active - adjusted,
        .adjusted = adjusted,
        .composite = rounded((double)ticks * pow(sm, exponent) * pow(warp, exponent)),
    };
}
