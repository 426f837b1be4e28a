/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed radix selection, from the highest digit to the lowest: the workers count their values
 * by digit; the sums of all processes determine the digit of the wanted element, and only values
 * with this digit remain candidates. Cost: for each digit one pass over the remaining values and
 * one reduction of DIGITS counts for each element. */
#include "analysis/results/order_statistics.h"

#include "base/memory.h"
#include "engine/team/team.h"

#define DIGIT_BITS 8
#define DIGITS     (1u << DIGIT_BITS)

/* The values of a worker that remain candidates for a wanted element. Elements whose digits are
 * equal so far share them. */
struct choice {
    size_t begin, end;
};

/* The part of a list on one worker. */
struct share {
    struct choice choices[FM_ORDER_POSITIONS];
    uint64_t counts[FM_ORDER_POSITIONS][DIGITS]; /* of values with this digit */
};

/* The wanted elements of a list. */
struct wanted {
    uint64_t ranks[FM_ORDER_POSITIONS];  /* position among the remaining candidates */
    unsigned digits[FM_ORDER_POSITIONS]; /* at the previous place */
};

struct selection {
    struct fm_order *orders;
    size_t count;
    struct share **shares; /* [worker][list] */
    struct wanted *wanted; /* [list] */
    uint64_t *all_bits;    /* [worker]: bitwise or of its values */
    bool is_first;         /* no place was examined yet */
    unsigned shift;        /* of the current place */
};

static unsigned digit_of(uint64_t value, unsigned shift)
{
    return (unsigned)(value >> shift) & (DIGITS - 1);
}

static bool is_shared(const struct choice *choices, unsigned i)
{
    return i > 0 && choices[i].begin == choices[i - 1].begin &&
           choices[i].end == choices[i - 1].end;
}

static void count_digits(struct share *share, const uint64_t *values, unsigned shift)
{
    for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
        const struct choice *choice = &share->choices[i];
        bool shared = is_shared(share->choices, i);
        for (unsigned d = 0; d < DIGITS; ++d) {
            share->counts[i][d] = shared ? share->counts[i - 1][d] : 0;
        }
        for (size_t v = choice->begin; !shared && v < choice->end; ++v) {
            ++share->counts[i][digit_of(values[v], shift)];
        }
    }
}

/* Moves the values with a digit to the front of [begin, end). @return the end of these values */
static size_t gather(uint64_t *values, size_t begin, size_t end, unsigned shift, unsigned digit)
{
    size_t kept = begin;
    for (size_t v = begin; v < end; ++v) {
        uint64_t value = values[v];
        if (digit_of(value, shift) == digit) {
            values[v] = values[kept];
            values[kept++] = value;
        }
    }
    return kept;
}

/* Narrows the choices of a list by one digit. Choices that shared their values still share them, or
 * get disjoint parts of them. */
static void narrow(struct share *share, uint64_t *values, unsigned shift,
                   const unsigned digits[FM_ORDER_POSITIONS])
{
    bool shared[FM_ORDER_POSITIONS];
    for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
        shared[i] = is_shared(share->choices, i);
    }
    for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
        struct choice *choice = &share->choices[i];
        if (shared[i] && digits[i] == digits[i - 1]) {
            *choice = choice[-1];
            continue;
        }
        if (shared[i]) {
            /* The values of the previous choices have been moved to the front. */
            choice->begin = choice[-1].end;
        }
        choice->end = gather(values, choice->begin, choice->end, shift, digits[i]);
    }
}

static void or_values(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    struct selection *selection = context;
    uint64_t all_bits = 0;
    for (size_t o = 0; o < selection->count; ++o) {
        const struct fm_order_part *part = &selection->orders[o].parts[worker];
        for (size_t v = 0; v < part->count; ++v) {
            all_bits |= part->values[v];
        }
    }
    selection->all_bits[worker] = all_bits;
}

/* Keeps the values with the chosen digit of the previous place, and counts the digits of the
 * current place. */
static void go_on(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    struct selection *selection = context;
    for (size_t o = 0; o < selection->count; ++o) {
        const struct fm_order_part *part = &selection->orders[o].parts[worker];
        struct share *share = &selection->shares[worker][o];
        if (selection->is_first) {
            for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
                share->choices[i] = (struct choice){0, part->count};
            }
        } else {
            narrow(share, part->values, selection->shift + DIGIT_BITS, selection->wanted[o].digits);
        }
        count_digits(share, part->values, selection->shift);
    }
}

/* @return the number of digits of the largest value */
static unsigned count_places(struct fm_engine *engine, struct selection *selection)
{
    fm_engine_run(engine, or_values, selection);
    uint64_t all_bits = 0;
    for (unsigned w = 0; w < fm_engine_workers(engine); ++w) {
        all_bits |= selection->all_bits[w];
    }
    unsigned places = 0;
    for (uint64_t largest = fm_team_largest(fm_engine_team(engine), all_bits); largest != 0;
         largest >>= DIGIT_BITS) {
        ++places;
    }
    return places;
}

/* Adds up the counts of all workers and processes at the current place. counts: [list], out */
static void add_up(struct fm_engine *engine, const struct selection *selection,
                   uint64_t (*counts)[FM_ORDER_POSITIONS][DIGITS])
{
    for (size_t o = 0; o < selection->count; ++o) {
        for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
            for (unsigned d = 0; d < DIGITS; ++d) {
                uint64_t sum = 0;
                for (unsigned w = 0; w < fm_engine_workers(engine); ++w) {
                    sum += selection->shares[w][o].counts[i][d];
                }
                counts[o][i][d] = sum;
            }
        }
    }
    fm_team_sum(fm_engine_team(engine), **counts, selection->count * FM_ORDER_POSITIONS * DIGITS);
}

/* Finds the digits of the wanted elements; their ranks become those among the values with this
 * digit. */
static void choose_digits(struct selection *selection,
                          uint64_t (*counts)[FM_ORDER_POSITIONS][DIGITS])
{
    for (size_t o = 0; o < selection->count; ++o) {
        struct wanted *wanted = &selection->wanted[o];
        for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
            unsigned digit = 0;
            while (digit + 1 < DIGITS && wanted->ranks[i] >= counts[o][i][digit]) {
                wanted->ranks[i] -= counts[o][i][digit++];
            }
            wanted->digits[i] = digit;
            selection->orders[o].elements[i] |= (uint64_t)digit << selection->shift;
        }
    }
}

void fm_order_statistics(struct fm_engine *engine, struct fm_order *orders, size_t count)
{
    unsigned workers = fm_engine_workers(engine);
    struct selection selection = {
        .orders = orders,
        .count = count,
        .shares = fm_allocate(workers, sizeof *selection.shares),
        .wanted = fm_allocate(count, sizeof *selection.wanted),
        .all_bits = fm_allocate(workers, sizeof *selection.all_bits),
        .is_first = true,
    };
    uint64_t(*counts)[FM_ORDER_POSITIONS][DIGITS] = fm_allocate(count, sizeof *counts);
    for (unsigned w = 0; w < workers; ++w) {
        selection.shares[w] = fm_allocate_apart(count, sizeof *selection.shares[w]);
    }
    for (size_t o = 0; o < count; ++o) {
        for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
            selection.wanted[o].ranks[i] = orders[o].positions[i];
            orders[o].elements[i] = 0;
        }
    }
    for (unsigned place = count_places(engine, &selection); place-- > 0;) {
        selection.shift = place * DIGIT_BITS;
        fm_engine_run(engine, go_on, &selection);
        add_up(engine, &selection, counts);
        choose_digits(&selection, counts);
        selection.is_first = false;
    }
    for (unsigned w = 0; w < workers; ++w) {
        fm_free(selection.shares[w]);
    }
    fm_free(counts);
    fm_free(selection.all_bits);
    fm_free(selection.wanted);
    fm_free(selection.shares);
}
