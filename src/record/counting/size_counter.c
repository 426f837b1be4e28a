/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/size_counter.h"

#include "counters/catalogue.h"
#include "record/counting/counter_file.h"
#include "record/experiment/kept_variables.h"

#include <stdlib.h>

struct fm_size_counter fm_size_counter;

void fm_size_counter_begin(void)
{
    const char *text = fm_variable(FM_SIZE_BINS_VARIABLE);
    struct fm_size_counter *counter = &fm_size_counter;
    if (text != NULL && fm_size_bins_read(text, &counter->bins)) {
        counter->slot =
            fm_counter_file_add(&(struct fm_added_counter){.name = FM_COUNTER_BY_SIZE,
                                                           .unit = "messages",
                                                           .kind = FM_COUNTER_BINS,
                                                           .tier = FM_TIER_EXACT,
                                                           .bins = counter->bins.rules + 1,
                                                           .rules = counter->bins.largest,
                                                           .meaning = FM_COUNTER_BY_SIZE_MEANING});
    }
}
