/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/key_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ next[i]) * 0x100000001b3u;
    }
    return hash ^ (hash >> 32);
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t find_slot(const struct fm_key_table *table, const void *bytes, size_t length)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = (uint32_t)hash_bytes(bytes, length) & mask;
    while (table->slots[slot] != 0) {
        const struct fm_key *key = &table->keys[table->slots[slot] - 1];
        if (key->length == length && memcmp(key->bytes, bytes, length) == 0) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow_slots(struct fm_key_table *table)
{
    uint32_t slot_count = table->slot_count == 0 ? 64 : table->slot_count * 2;
    uint32_t *slots = slot_count == 0 ? NULL : calloc(slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    for (uint32_t i = 0; i < table->count; i++) {
        slots[find_slot(table, table->keys[i].bytes, table->keys[i].length)] = i + 1;
    }
    return true;
}

uint32_t fm_key_table_find(const struct fm_key_table *table, const void *bytes, size_t length)
{
    if (table->count == 0) {
        return FM_KEY_NONE;
    }
    return table->slots[find_slot(table, bytes, length)] - 1;
}

uint32_t fm_key_table_add(struct fm_key_table *table, const void *bytes, size_t length)
{
    if (table->count >= table->slot_count / 2 && !grow_slots(table)) {
        return FM_KEY_NONE;
    }
    uint32_t slot = find_slot(table, bytes, length);
    if (table->slots[slot] != 0) {
        return table->slots[slot] - 1;
    }
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity == 0 ? 32 : table->capacity * 2;
        struct fm_key *keys = realloc(table->keys, capacity * sizeof *keys);
        if (keys == NULL) {
            return FM_KEY_NONE;
        }
        table->keys = keys;
        table->capacity = capacity;
    }
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        return FM_KEY_NONE;
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    table->keys[table->count] = (struct fm_key){.bytes = copy, .length = length};
    table->slots[slot] = ++table->count;
    return table->count - 1;
}

void fm_key_table_clear(struct fm_key_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        free(table->keys[i].bytes);
    }
    free(table->keys);
    free(table->slots);
    *table = (struct fm_key_table){0};
}
