#include "base/keyed_sort.h"

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS   8
#define DIGITS       (64 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define FEW          48 /* from here on counting digits is cheaper than inserting */

static void insertion_sort(struct fm_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        struct fm_keyed moved = items[i];
        size_t hole = i;
        while (hole > 0 && items[hole - 1].key > moved.key) {
            items[hole] = items[hole - 1];
            --hole;
        }
        items[hole] = moved;
    }
}

static unsigned digit_of(uint64_t key, unsigned digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* Sorts from the lowest digit to the highest; digits in which all keys agree are left out. */
static void radix_sort(struct fm_keyed *items, size_t count, struct fm_keyed *spare, uint64_t least,
                       uint64_t largest)
{
    unsigned digits = 0;
    for (uint64_t rest = largest - least; rest != 0; rest >>= DIGIT_BITS) {
        ++digits;
    }
    size_t begin[DIGITS][DIGIT_VALUES];
    memset(begin, 0, digits * sizeof begin[0]);
    for (size_t i = 0; i < count; ++i) {
        uint64_t key = items[i].key - least;
        for (unsigned d = 0; d < digits; ++d) {
            ++begin[d][digit_of(key, d)];
        }
    }
    struct fm_keyed *from = items, *to = spare;
    for (unsigned d = 0; d < digits; ++d) {
        if (begin[d][digit_of(from[0].key - least, d)] == count) {
            continue;
        }
        size_t next = 0;
        for (unsigned v = 0; v < DIGIT_VALUES; ++v) {
            size_t here = begin[d][v];
            begin[d][v] = next;
            next += here;
        }
        for (size_t i = 0; i < count; ++i) {
            to[begin[d][digit_of(from[i].key - least, d)]++] = from[i];
        }
        struct fm_keyed *other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

void fm_keyed_sort(struct fm_keyed *items, size_t count, struct fm_keyed *spare)
{
    if (count < 2) {
        return;
    }
    uint64_t least = items[0].key, largest = items[0].key;
    bool sorted = true;
    for (size_t i = 1; i < count; ++i) {
        sorted &= items[i - 1].key <= items[i].key;
        least = items[i].key < least ? items[i].key : least;
        largest = items[i].key > largest ? items[i].key : largest;
    }
    if (sorted) {
        return;
    }
    if (count < FEW) {
        insertion_sort(items, count);
        return;
    }
    struct fm_keyed *own = spare == NULL ? fm_resize(NULL, 0, count * sizeof *own) : NULL;
    radix_sort(items, count, spare == NULL ? own : spare, least, largest);
    fm_free(own);
}
