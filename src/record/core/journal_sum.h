/** @file
 * Checksums of the journal's blocks: they tell torn and damaged ones from whole ones (and are none
 * against intent). Fast, for they are computed while the program waits: words go to four lanes in
 * turn, whose multiplications do not wait for each other. Not thread-safe, but for different sums.
 */
#ifndef FERMATA_RECORD_CORE_JOURNAL_SUM_H
#define FERMATA_RECORD_CORE_JOURNAL_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { FM_JOURNAL_LANES = 4 };

/** A checksum that is being computed. Zeroed: of nothing. */
struct fm_journal_sum {
    uint64_t lanes[FM_JOURNAL_LANES];
    uint64_t words; /**< how many it has */
};

static inline uint64_t fm_journal_mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

/** A single word of eight bytes. */
static inline void fm_journal_sum_word(struct fm_journal_sum *sum, uint64_t word)
{
    uint64_t *lane = &sum->lanes[sum->words++ % FM_JOURNAL_LANES];
    *lane = fm_journal_mix(*lane, word);
}

/** More data. Into how many parts it comes makes no difference, but all parts but the last one are
 * multiples of 8 bytes. */
static inline void fm_journal_sum_add(struct fm_journal_sum *sum, const void *data, size_t bytes)
{
    const char *next = data;
    uint64_t words[FM_JOURNAL_LANES];
    while (bytes >= sizeof words[0] && sum->words % FM_JOURNAL_LANES != 0) {
        memcpy(words, next, sizeof words[0]);
        fm_journal_sum_word(sum, words[0]);
        next += sizeof words[0];
        bytes -= sizeof words[0];
    }
    struct fm_journal_sum all = *sum;
    for (; bytes >= sizeof words; next += sizeof words, bytes -= sizeof words) {
        memcpy(words, next, sizeof words);
        for (int i = 0; i < FM_JOURNAL_LANES; i++) {
            all.lanes[i] = fm_journal_mix(all.lanes[i], words[i]);
        }
        all.words += FM_JOURNAL_LANES;
    }
    for (; bytes > 0; next += sizeof words[0]) {
        size_t part = bytes < sizeof words[0] ? bytes : sizeof words[0];
        words[0] = 0;
        memcpy(words, next, part);
        fm_journal_sum_word(&all, words[0]);
        bytes -= part;
    }
    *sum = all;
}

/** The checksum of all that was added. */
static inline uint64_t fm_journal_sum_end(const struct fm_journal_sum *sum)
{
    uint64_t result = fm_journal_mix(0, sum->words);
    for (int i = 0; i < FM_JOURNAL_LANES; i++) {
        result = fm_journal_mix(result, sum->lanes[i]);
    }
    return result;
}

#endif
