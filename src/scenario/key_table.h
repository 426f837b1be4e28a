/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A set of byte strings, each with an index counted from 0 in the order of insertion: region names,
 * communicator names, member lists of groups.
 */
#ifndef FERMATA_SCENARIO_KEY_TABLE_H
#define FERMATA_SCENARIO_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define FM_KEY_NONE UINT32_MAX

struct fm_key {
    char *bytes; /**< `length` bytes and a NUL behind them */
    size_t length;
};

/** All zeros is an empty table. Not thread-safe while written. */
struct fm_key_table {
    struct fm_key *keys;
    uint32_t count, capacity;
    uint32_t *slots; /**< open addressing: index of a key + 1, 0 = free */
    uint32_t slot_count;
};

/** @return the index of the key, FM_KEY_NONE if the table has no such key. */
uint32_t fm_key_table_find(const struct fm_key_table *table, const void *bytes, size_t length);

/** Adds a key unless it is there; the bytes are copied.
 * @return its index, FM_KEY_NONE without memory. */
uint32_t fm_key_table_add(struct fm_key_table *table, const void *bytes, size_t length);

/** Frees all keys; the table is empty afterwards. */
void fm_key_table_clear(struct fm_key_table *table);

#endif
