/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/counter_kernel_rates.h"

#include "base/memory.h"

#include <string.h>

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static struct fm_kernel_rate totals_of(const fermata_counters_t *file)
{
    struct fm_kernel_rate totals = {
        .at = -1, .faults_per_second = -1, .preemptions_per_second = -1};
    for (size_t i = 0; i < fermata_counters_number(file); i++) {
        const char *name = fermata_counters_info(file, i)->name;
        double value = fermata_counters_real(file, i);
        totals.all += has_prefix(name, "usage.") ? value : 0;
        totals.faults += has_prefix(name, "usage.page_faults_") ? value : 0;
        totals.preemptions += strcmp(name, "usage.preemptions") == 0 ? value : 0;
    }
    return totals;
}

void fm_kernel_rates_begin(struct fm_kernel_rates *rates, const struct fm_counter_job *job)
{
    rates->ranks = job->ranks;
    rates->of = fm_allocate(job->ranks, sizeof *rates->of);
    for (size_t rank = 0; rank < job->ranks; rank++) {
        rates->of[rank] = totals_of(job->files[rank]);
    }
}

void fm_kernel_rates_take(struct fm_kernel_rates *rates, const struct fm_counter_job *job,
                          double now)
{
    for (size_t rank = 0; rank < rates->ranks; rank++) {
        struct fm_kernel_rate *last = &rates->of[rank];
        struct fm_kernel_rate next = totals_of(job->files[rank]);
        if (next.all == last->all) {
            continue;
        }
        next.at = now;
        if (last->at >= 0 && now > last->at) {
            next.faults_per_second = (next.faults - last->faults) / (now - last->at);
            next.preemptions_per_second = (next.preemptions - last->preemptions) / (now - last->at);
        }
        *last = next;
    }
}

void fm_kernel_rates_end(struct fm_kernel_rates *rates)
{
    fm_free(rates->of);
}
