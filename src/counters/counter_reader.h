/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Inside of the reader of counters (fermata/counters.h): what its files share. Uses the C library
 * only, because other programs link it.
 */
#ifndef FERMATA_COUNTERS_COUNTER_READER_H
#define FERMATA_COUNTERS_COUNTER_READER_H

#include "counters/counter_layout.h"
#include "fermata/counters.h"

/** A counter of the file. */
struct fm_reader_counter {
    fermata_counter_info_t info;
    char name[FM_COUNTER_NAME + 8];
    char unit[FM_COUNTER_UNIT];
    char meaning[FM_COUNTER_MEANING];
    uint64_t slot;
    uint64_t added;    /**< of a sum: slot of the second summand; 0: it is none */
    uint64_t sentinel; /**< 0: it is no watermark that can be reset */
    uint64_t rules;    /**< 0: its bins have none of their own */
};

/** A counter that the run does not have. */
struct fm_reader_lack {
    char name[FM_COUNTER_NAME], reason[FM_COUNTER_MEANING];
};

struct fermata_counters {
    int file;
    struct fm_counter_file_head head;
    uint64_t ticks, nanoseconds; /**< a consistent pair */
    struct fm_reader_counter *counters;
    size_t count, functions; /**< counters; the functions that two of them each belong to */
    uint64_t described;      /**< descriptions that are read */
    struct fm_reader_lack *unavailable;
    size_t unavailable_count;
    uint64_t *words; /**< block by block */
    size_t blocks, words_in_block;
};

/** Reads what changes of the head. @return 0; -1: it cannot be read, or is damaged */
int fm_counter_reader_head(fermata_counters_t *c);

#endif
