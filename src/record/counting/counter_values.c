/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/counter_values.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/thread.h"
#include "record/counting/counter_file.h"

#include <string.h>

static uint64_t add_reals(uint64_t left, uint64_t right)
{
    double sum, other;
    memcpy(&sum, &left, sizeof sum);
    memcpy(&other, &right, sizeof other);
    sum += other;
    memcpy(&left, &sum, sizeof sum);
    return left;
}

static uint64_t combine(uint32_t slot, enum fm_counter_kind kind, uint64_t value,
                        const uint64_t *block)
{
    uint64_t part = __atomic_load_n(&block[FM_BLOCK_HEAD + slot], __ATOMIC_RELAXED);
    if (fm_counter_is_real(kind)) {
        return add_reals(value, part);
    }
    if (kind != FM_COUNTER_HIGH_WATERMARK) {
        return value + part;
    }
    return (int64_t)part > (int64_t)value ? part : value;
}

/* The word that has a counter of a thread: of a watermark that is to be reset, the level's. */
static uint32_t present(const struct fm_counting *counting, uint32_t slot)
{
    uint32_t sentinel = fm_counter_sentinel(slot);
    uint64_t resets = __atomic_load_n(counting->resets, __ATOMIC_RELAXED);
    uint64_t done = __atomic_load_n(&counting->block[FM_BLOCK_RESETS], __ATOMIC_RELAXED);
    return sentinel != 0 && done != resets ? sentinel : slot;
}

uint64_t fm_counter_total(uint32_t slot, uint32_t kind)
{
    enum fm_counter_kind known = (enum fm_counter_kind)kind;
    uint64_t value = combine(slot, known, 0, fm_counter_file_process());
    for (struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        const struct fm_counting *counting = __atomic_load_n(&each->counting, __ATOMIC_ACQUIRE);
        value = counting != NULL ? combine(present(counting, slot), known, value, counting->block)
                                 : value;
    }
    return value;
}

double fm_counter_in_unit(uint64_t value, uint32_t kind, double ticks_per_second)
{
    double real;
    if (fm_counter_is_real((enum fm_counter_kind)kind)) {
        memcpy(&real, &value, sizeof real);
        return real;
    }
    real = (double)(int64_t)value;
    return kind == FM_COUNTER_TIMER         ? real / ticks_per_second
           : kind == FM_COUNTER_NANOSECONDS ? real / 1e9
                                            : real;
}
