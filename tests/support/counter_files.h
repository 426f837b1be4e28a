/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Files of counters (src/counters/counter_layout.h) of ranks that have ended, for tests.
 */
#ifndef FERMATA_TESTS_COUNTER_FILES_H
#define FERMATA_TESTS_COUNTER_FILES_H

#include "check.h"
#include "counters/catalogue.h"
#include "counters/counter_layout.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNTER_FILE_WORDS = FM_BLOCK_HEAD + FM_SLOTS + 16 };

/** A counter of a file. */
struct counter_of_file {
    const char *name;
    enum fm_counter_kind kind;
    uint32_t bins, boundary;
    const int64_t *values; /**< of its bins; the first one -1: the rank does not have the counter */
};

/** Writes FOLDER/rank.N with counters of any kind. */
static inline void write_counters_of_kinds(const char *folder, unsigned rank, unsigned size,
                                           uint32_t count, const struct counter_of_file counters[])
{
    char path[256];
    static uint64_t block[COUNTER_FILE_WORDS];
    uint32_t slot = 0;
    struct fm_counter_file_head head = {.magic = FM_COUNTER_FILE_MAGIC,
                                        .version = FM_COUNTER_FILE_VERSION,
                                        .byte_order = 0x01020304,
                                        .description_bytes = sizeof(struct fm_counter_description),
                                        .function_bytes = sizeof(struct fm_counter_function),
                                        .descriptions_at = FM_COUNTER_HEAD_BYTES,
                                        .functions_at = 2 * FM_COUNTER_HEAD_BYTES,
                                        .blocks_at = 3 * FM_COUNTER_HEAD_BYTES,
                                        .block_bytes = sizeof block,
                                        .block_count = 1,
                                        .state = FM_COUNTING_ENDED,
                                        .nanoseconds = 1,
                                        .rank = rank,
                                        .size = size,
                                        .program = "program"};
    snprintf(path, sizeof path, "%s/rank.%u", folder, rank);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct counter_of_file *counter = &counters[i];
        if (counter->values[0] < 0) {
            continue;
        }
        struct fm_counter_description d = {.unit = "x",
                                           .kind = counter->kind,
                                           .slot = slot,
                                           .bins = counter->bins,
                                           .boundary = counter->boundary,
                                           .is_selected = 1};
        snprintf(d.name, sizeof d.name, "%s", counter->name);
        for (uint32_t bin = 0; bin < counter->bins; bin++) {
            assert_true(FM_BLOCK_HEAD + slot < COUNTER_FILE_WORDS);
            block[FM_BLOCK_HEAD + slot++] = (uint64_t)counter->values[bin];
        }
        assert_int_equal(pwrite(file, &d, sizeof d,
                                (off_t)(head.descriptions_at + head.description_count * sizeof d)),
                         sizeof d);
        head.description_count++;
    }
    assert_int_equal(pwrite(file, &head, sizeof head, 0), sizeof head);
    assert_int_equal(pwrite(file, block, sizeof block, (off_t)head.blocks_at), sizeof block);
    close(file);
}

/** Writes FOLDER/rank.N with counters of kind COUNT.
 * @param values  by counter; -1: the rank does not have that one */
static inline void write_counters(const char *folder, unsigned rank, unsigned size, uint32_t count,
                                  const char *const names[], const int64_t values[])
{
    struct counter_of_file counters[64];
    assert_true(count <= 64);
    for (uint32_t i = 0; i < count; i++) {
        counters[i] = (struct counter_of_file){names[i], FM_COUNTER_COUNT, 1, 0, &values[i]};
    }
    write_counters_of_kinds(folder, rank, size, count, counters);
}

/** Removes the files of ranks 0 .. size - 1. */
static inline void remove_counters(const char *folder, unsigned size)
{
    for (unsigned rank = 0; rank < size; rank++) {
        char path[256];
        snprintf(path, sizeof path, "%s/rank.%u", folder, rank);
        unlink(path);
    }
}

#endif
