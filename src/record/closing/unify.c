/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/closing/unify.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 32 };

static void send_block(const struct fm_exchange *exchange, const void *block, size_t bytes,
                       uint32_t to)
{
    uint64_t size = bytes;
    exchange->send(&size, sizeof size, to);
    exchange->send(block, bytes, to);
}

static void *receive_block(const struct fm_exchange *exchange, size_t *bytes, uint32_t from)
{
    uint64_t size;
    exchange->receive(&size, sizeof size, from);
    void *block = malloc(size + 1);
    exchange->receive(block, block != NULL ? size : 0, from);
    *bytes = block != NULL ? size : 0;
    return block;
}

/* Maps are sent as one array: the numbers of all kinds, one after the other. */
static size_t map_length(const struct fm_define_map *map)
{
    size_t length = 0;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        length += map->counts[kind];
    }
    return length;
}

static bool identity(const struct fm_definitions *set, struct fm_define_map *map)
{
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        size_t count = set->tables[kind].count;
        map->counts[kind] = count;
        map->numbers[kind] = malloc((count + 1) * sizeof *map->numbers[kind]);
        if (map->numbers[kind] == NULL) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            map->numbers[kind][i] = (uint32_t)i;
        }
    }
    return true;
}

static bool receive_map(const struct fm_exchange *exchange, struct fm_define_map *map,
                        uint32_t parent)
{
    size_t bytes;
    uint32_t *numbers = receive_block(exchange, &bytes, parent), *next = numbers;
    if (bytes != map_length(map) * sizeof *numbers) {
        free(numbers);
        return false;
    }
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        memcpy(map->numbers[kind], next, map->counts[kind] * sizeof *next);
        next += map->counts[kind];
    }
    free(numbers);
    return true;
}

static void send_map(const struct fm_exchange *exchange, const struct fm_define_map *global,
                     const struct fm_define_map *child, uint32_t to)
{
    size_t length = map_length(child);
    uint32_t *numbers = malloc((length + 1) * sizeof *numbers), *next = numbers;
    for (int kind = 0; numbers != NULL && kind < FM_DEFINE_KIND_COUNT; kind++) {
        for (size_t i = 0; i < child->counts[kind]; i++) {
            *next++ = global->numbers[kind][child->numbers[kind][i]];
        }
    }
    send_block(exchange, numbers, numbers != NULL ? length * sizeof *numbers : 0, to);
    free(numbers);
}

bool fm_unify(const struct fm_exchange *exchange, struct fm_definitions *set,
              struct fm_define_map *global)
{
    struct fm_define_map children[BITS];
    uint32_t own[FM_DEFINE_KIND_COUNT], senders[BITS];
    int count = 0;
    bool good = true;

    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        own[kind] = (uint32_t)set->tables[kind].count;
    }
    for (uint32_t bit = 1; fm_tree_has_child(exchange->rank, exchange->size, bit); bit <<= 1) {
        if (exchange->rank + bit < exchange->size) {
            size_t bytes;
            void *block = receive_block(exchange, &bytes, exchange->rank + bit);
            good = fm_definitions_merge(set, block, bytes, &children[count]) && good;
            senders[count++] = exchange->rank + bit;
            free(block);
        }
    }
    memset(global, 0, sizeof *global);
    good = identity(set, global) && good;
    if (exchange->rank != 0) {
        size_t bytes = 0;
        void *block = fm_definitions_pack(set, &bytes);
        send_block(exchange, block, bytes, fm_tree_parent(exchange->rank));
        free(block);
        good = receive_map(exchange, global, fm_tree_parent(exchange->rank)) && good;
    }
    for (int i = 0; i < count; i++) {
        send_map(exchange, global, &children[i], senders[i]);
        fm_define_map_free(&children[i]);
    }
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        global->counts[kind] = own[kind];
    }
    return good;
}

enum { EXCHANGES = 24 };

/* One message of the clock measurement. */
struct clock_message {
    uint64_t domain;
    uint64_t time; /* in rank 0's clock */
    int64_t offset;
    uint64_t deviation;
    struct fm_clock_rate own, top;
};

static void answer_child(const struct fm_exchange *exchange, const struct fm_clock_offset *mine,
                         const struct fm_clock_comparison *comparison, uint64_t domain, bool always,
                         uint32_t child)
{
    struct clock_message message;
    exchange->receive(&message, sizeof message, child);
    bool shared = message.domain == domain && !always;
    message = (struct clock_message){.domain = domain,
                                     .offset = mine->offset,
                                     .deviation = (uint64_t)mine->deviation,
                                     .own = comparison->own,
                                     .top = comparison->top};
    exchange->send(&message, sizeof message, child);
    for (int i = 0; !shared && i < EXCHANGES; i++) {
        exchange->receive(&message, sizeof message, child);
        message.time = fm_clock_now() + (uint64_t)mine->offset;
        exchange->send(&message, sizeof message, child);
    }
}

static struct fm_clock_offset ask_parent(const struct fm_exchange *exchange,
                                         struct fm_clock_comparison *comparison, uint64_t domain,
                                         bool always, uint32_t parent)
{
    struct clock_message message = {.domain = domain};
    struct fm_clock_offset best = {0};
    exchange->send(&message, sizeof message, parent);
    exchange->receive(&message, sizeof message, parent);
    comparison->top = message.top;
    comparison->parent = message.own;
    comparison->shared = message.domain == domain;
    if (comparison->shared && !always) {
        return (struct fm_clock_offset){fm_clock_now(), message.offset, (double)message.deviation};
    }
    double above = (double)message.deviation;
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < EXCHANGES; i++) {
        uint64_t asked = fm_clock_now();
        exchange->send(&message, sizeof message, parent);
        exchange->receive(&message, sizeof message, parent);
        uint64_t answered = fm_clock_now();
        if (answered - asked < shortest) {
            shortest = answered - asked;
            best.time = asked + shortest / 2;
            best.offset = (int64_t)(message.time - best.time);
        }
    }
    best.deviation = above + (double)shortest / 2;
    return best;
}

struct fm_clock_offset fm_clock_measure(const struct fm_exchange *exchange, bool always,
                                        struct fm_clock_comparison *comparison)
{
    struct fm_clock_comparison none = {0};
    uint64_t domain = fm_clock_domain();
    struct fm_clock_offset mine = {fm_clock_now(), 0, 0};
    uint32_t bit = 1;
    comparison = comparison != NULL ? comparison : &none;
    comparison->top = comparison->own;
    if (exchange->rank != 0) {
        mine = ask_parent(exchange, comparison, domain, always, fm_tree_parent(exchange->rank));
    }
    while (fm_tree_has_child(exchange->rank, exchange->size, bit)) {
        bit <<= 1;
    }
    for (bit >>= 1; bit != 0; bit >>= 1) { /* the child with the most processes below it first */
        if (exchange->rank + bit < exchange->size) {
            answer_child(exchange, &mine, comparison, domain, always, exchange->rank + bit);
        }
    }
    return mine;
}
