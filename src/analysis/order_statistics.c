/* Selection by digits, from the highest to the lowest: the processes add up how many of their
 * values have which digit; that tells the digit of the wanted element, and only values with that
 * digit stay in the choice. */
#include "analysis/order_statistics.h"

#define DIGIT_BITS 8
#define DIGITS     (1u << DIGIT_BITS)

/* The choice for one wanted element. Elements whose digits are equal so far share it. */
struct choice {
    size_t begin, end; /* in the list's values */
    uint64_t rank;     /* of the wanted element among those in the choice of all processes */
};

struct selection {
    struct fm_order *order;
    struct choice choices[FM_ORDER_POSITIONS];
};

static unsigned digit_of(uint64_t value, unsigned shift)
{
    return (unsigned)(value >> shift) & (DIGITS - 1);
}

static void count_digits(const struct selection *selection, unsigned shift,
                         uint64_t (*counts)[DIGITS])
{
    for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
        const struct choice *choice = &selection->choices[i];
        bool shared = i > 0 && choice->begin == choice[-1].begin && choice->end == choice[-1].end;
        for (unsigned d = 0; d < DIGITS; ++d) {
            counts[i][d] = shared ? counts[i - 1][d] : 0;
        }
        for (size_t v = choice->begin; !shared && v < choice->end; ++v) {
            ++counts[i][digit_of(selection->order->values[v], shift)];
        }
    }
}

/* @return the digit of the wanted element; its rank becomes that among those with this digit */
static unsigned choose_digit(struct choice *choice, const uint64_t counts[DIGITS])
{
    unsigned digit = 0;
    while (digit + 1 < DIGITS && choice->rank >= counts[digit]) {
        choice->rank -= counts[digit++];
    }
    return digit;
}

/* Moves the values with a digit to the front of [begin, end). @return where they end */
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

/* Narrows the choices of a list by one digit. Those that shared their values share them still or
 * get parts of them that do not overlap. */
static void narrow(struct selection *selection, unsigned shift, uint64_t (*counts)[DIGITS])
{
    uint64_t *values = selection->order->values;
    struct choice before[FM_ORDER_POSITIONS];
    unsigned digits[FM_ORDER_POSITIONS];
    for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
        struct choice *choice = &selection->choices[i];
        before[i] = *choice;
        digits[i] = choose_digit(choice, counts[i]);
        selection->order->elements[i] |= (uint64_t)digits[i] << shift;
        if (i > 0 && before[i].begin == before[i - 1].begin && before[i].end == before[i - 1].end) {
            if (digits[i] == digits[i - 1]) {
                choice->begin = choice[-1].begin;
                choice->end = choice[-1].end;
                continue;
            }
            /* What the ones before took lies in front. */
            choice->begin = choice[-1].end;
        }
        choice->end = gather(values, choice->begin, choice->end, shift, digits[i]);
    }
}

/* @return how many digits the largest value has */
static unsigned count_places(struct fm_team *team, const struct fm_order *orders, size_t count)
{
    uint64_t all_bits = 0;
    for (size_t o = 0; o < count; ++o) {
        for (size_t v = 0; v < orders[o].count; ++v) {
            all_bits |= orders[o].values[v];
        }
    }
    unsigned places = 0;
    for (uint64_t largest = fm_team_largest(team, all_bits); largest != 0; largest >>= DIGIT_BITS) {
        ++places;
    }
    return places;
}

void fm_order_statistics(struct fm_team *team, struct fm_order *orders, size_t count)
{
    struct selection *selections = fm_allocate(count, sizeof *selections);
    uint64_t(*counts)[DIGITS] = fm_allocate(count * FM_ORDER_POSITIONS, sizeof *counts);
    for (size_t o = 0; o < count; ++o) {
        selections[o].order = &orders[o];
        for (unsigned i = 0; i < FM_ORDER_POSITIONS; ++i) {
            selections[o].choices[i] = (struct choice){0, orders[o].count, orders[o].positions[i]};
            orders[o].elements[i] = 0;
        }
    }
    for (unsigned place = count_places(team, orders, count); place-- > 0;) {
        unsigned shift = place * DIGIT_BITS;
        for (size_t o = 0; o < count; ++o) {
            count_digits(&selections[o], shift, &counts[o * FM_ORDER_POSITIONS]);
        }
        fm_team_sum(team, *counts, count * FM_ORDER_POSITIONS * DIGITS);
        for (size_t o = 0; o < count; ++o) {
            narrow(&selections[o], shift, &counts[o * FM_ORDER_POSITIONS]);
        }
    }
    fm_free(counts);
    fm_free(selections);
}
