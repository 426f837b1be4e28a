#include "analysis/p2p/double_causes.h"

#include "base/containers/map.h"

#include <string.h>

static bool is_late_sender(const struct fm_candidate *candidate)
{
    return candidate->metric == FM_METRIC_MPI_LATESENDER ||
           candidate->metric == FM_METRIC_MPI_LSWO_SAME ||
           candidate->metric == FM_METRIC_MPI_LSWO_DIFFERENT;
}

static bool is_late_receiver(const struct fm_candidate *candidate)
{
    return candidate->metric == FM_METRIC_MPI_LATERECEIVER ||
           candidate->metric == FM_METRIC_MPI_LATERECEIVER_WO;
}

/* The least part of a waiting time that distinguishes two events of one process. */
#define DISTINCT_PART 16

/* The kind of a wait for an exchange must not depend on the order in which the other side starts
 * its send and its receive. If the two events are nearly the same, Late Sender replaces Late
 * Receiver. Goes through one call's candidates, which are sorted, from the earliest event on.
 * @return the number of candidates that remain */
static size_t drop_double_causes(struct fm_candidate *items, size_t count, uint64_t enter,
                                 struct fm_map *late_senders)
{
    fm_map_clear(late_senders);
    size_t kept = count;
    for (size_t i = count; i-- > 0;) {
        if (is_late_receiver(&items[i])) {
            uint32_t sender = fm_map_get(late_senders, items[i].cause_location);
            if (sender != FM_MAP_ABSENT && items[sender].t < items[i].t &&
                items[i].t - items[sender].t <= (items[sender].t - enter) / DISTINCT_PART) {
                items[i].activity = FM_NONE;
                kept--;
            }
        } else if (is_late_sender(&items[i])) {
            *fm_map_at(late_senders, items[i].cause_location, (uint32_t)i) = (uint32_t)i;
        }
    }
    for (size_t i = 0, to = 0; kept < count && i < count; i++) {
        if (items[i].activity != FM_NONE) {
            items[to++] = items[i];
        }
    }
    return kept;
}

void fm_findings_drop_doubles(struct fm_findings *findings, const struct fm_location *location)
{
    struct fm_candidate *items = findings->candidates.items;
    struct fm_map late_senders = {0};
    size_t kept = 0;
    for (size_t begin = 0, end; begin < findings->candidates.count; begin = end) {
        const uint32_t activity = items[begin].activity;
        bool any = is_late_receiver(&items[begin]);
        for (end = begin + 1; end < findings->candidates.count && items[end].activity == activity;
             end++) {
            any |= is_late_receiver(&items[end]);
        }
        size_t count = end - begin;
        if (any && count > 1) {
            count = drop_double_causes(&items[begin], count, location->enter.items[activity],
                                       &late_senders);
        }
        if (kept != begin) {
            memmove(&items[kept], &items[begin], count * sizeof *items);
        }
        kept += count;
    }
    findings->candidates.count = kept;
    fm_map_free(&late_senders);
}
