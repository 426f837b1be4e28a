#include "analysis/p2p/blocking_size.h"

#include <stddef.h>

static unsigned digits(uint64_t value)
{
    return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

void fm_late_sends_count(struct fm_late_sends *sends, fm_locality_t locality, uint32_t bytes,
                         uint64_t lateness, bool waited)
{
    ++(waited ? sends->waited : sends->passed)[locality][digits(lateness)][digits(bytes)];
}

void fm_late_sends_add(struct fm_late_sends *sends, const struct fm_late_sends *other)
{
    uint64_t *values = &sends->waited[0][0][0];
    const uint64_t *added = &other->waited[0][0][0];
    for (size_t i = 0; i < sizeof *sends / sizeof *values; i++) {
        values[i] += added[i];
    }
}

/* @return the class that contradicts the fewest calls, the smallest of several; FM_SIZE_CLASSES if
 * "no send waits" contradicts fewer than each, or if none waited */
static uint8_t limit_of(const uint64_t waited[FM_SIZE_CLASSES],
                        const uint64_t passed[FM_SIZE_CLASSES])
{
    uint64_t all_waited = 0, passed_from = 0;
    for (unsigned k = 0; k < FM_SIZE_CLASSES; k++) {
        all_waited += waited[k];
        passed_from += passed[k];
    }
    uint64_t least = all_waited, waited_below = 0;
    uint8_t limit = FM_SIZE_CLASSES;
    for (unsigned k = 0; k < FM_SIZE_CLASSES; k++) {
        const uint64_t contradicted = waited_below + passed_from;
        if (waited[k] != 0 &&
            (contradicted < least || (contradicted == least && limit == FM_SIZE_CLASSES))) {
            least = contradicted;
            limit = (uint8_t)k;
        }
        waited_below += waited[k];
        passed_from -= passed[k];
    }
    return limit;
}

void fm_blocking_sizes_find(struct fm_blocking_sizes *sizes, const struct fm_late_sends *sends)
{
    for (unsigned locality = 0; locality < FM_LOCALITIES; locality++) {
        uint64_t waited[FM_SIZE_CLASSES] = {0}, passed[FM_SIZE_CLASSES] = {0};
        for (unsigned lateness = FM_LATENESS_CLASSES; lateness-- > 0;) {
            for (unsigned k = 0; k < FM_SIZE_CLASSES; k++) {
                waited[k] += sends->waited[locality][lateness][k];
                passed[k] += sends->passed[locality][lateness][k];
            }
            const unsigned compared = lateness + FM_LATENESS_RANGE;
            const uint8_t limit = limit_of(waited, passed);
            for (unsigned of = lateness == 0 ? 0 : compared;
                 of <= compared && of < FM_LATENESS_CLASSES; of++) {
                sizes->from[locality][of] = limit;
            }
        }
    }
}

bool fm_send_can_wait(const struct fm_blocking_sizes *sizes, fm_locality_t locality, uint32_t bytes,
                      uint64_t lateness)
{
    return digits(bytes) >= sizes->from[locality][digits(lateness)];
}
