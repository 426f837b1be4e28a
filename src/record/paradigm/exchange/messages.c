/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/paradigm/exchange/messages.h"

#include <stdbool.h>
#include <string.h>

static struct fm_exchange *by;

/* Rank of the process that has the place `place` in the tree whose root is the rank `root`. */
static uint32_t rank_at(uint32_t place, uint32_t root)
{
    return (place + root) % by->size;
}

static void broadcast(void *data, size_t bytes, uint32_t root)
{
    uint32_t place = (by->rank + by->size - root) % by->size, bit = 1;
    if (place != 0) {
        by->receive(data, bytes, rank_at(fm_tree_parent(place), root));
    }
    while (fm_tree_has_child(place, by->size, bit)) {
        bit <<= 1;
    }
    for (bit >>= 1; bit != 0; bit >>= 1) { /* the child with the most processes below it first */
        if (place + bit < by->size) {
            by->send(data, bytes, rank_at(place + bit, root));
        }
    }
}

static void gather(const void *in, void *out, size_t bytes, uint32_t root)
{
    if (by->rank != root) {
        by->send(in, bytes, root);
        return;
    }
    for (uint32_t rank = 0; rank < by->size; rank++) {
        char *place = (char *)out + rank * bytes;
        if (rank == root) {
            memcpy(place, in, bytes);
        } else {
            by->receive(place, bytes, rank);
        }
    }
}

static void scatter(const void *in, void *out, size_t bytes, uint32_t root)
{
    if (by->rank != root) {
        by->receive(out, bytes, root);
        return;
    }
    for (uint32_t rank = 0; rank < by->size; rank++) {
        const char *place = (const char *)in + rank * bytes;
        if (rank == root) {
            memcpy(out, place, bytes);
        } else {
            by->send(place, bytes, rank);
        }
    }
}

static void combine(uint64_t *values, const uint64_t *others, size_t count,
                    enum fm_reduction reduction)
{
    for (size_t i = 0; i < count; i++) {
        bool other = reduction == FM_REDUCE_MIN ? others[i] < values[i] : others[i] > values[i];
        if (reduction == FM_REDUCE_SUM) {
            values[i] += others[i];
        } else if (other) {
            values[i] = others[i];
        }
    }
}

static void reduce_part(uint64_t *values, size_t count, enum fm_reduction reduction, uint64_t *room)
{
    for (uint32_t bit = 1; fm_tree_has_child(by->rank, by->size, bit); bit <<= 1) {
        if (by->rank + bit < by->size) {
            by->receive(room, count * sizeof *room, by->rank + bit);
            combine(values, room, count, reduction);
        }
    }
    if (by->rank != 0) {
        by->send(values, count * sizeof *values, fm_tree_parent(by->rank));
    }
    broadcast(values, count * sizeof *values, 0);
}

static void reduce(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    enum { PART = 512 };
    uint64_t room[PART];
    if (by->failure != NULL) {
        memset(values, 0, count * sizeof *values);
        return;
    }
    for (size_t done = 0; done < count; done += PART) {
        reduce_part(values + done, count - done < PART ? count - done : PART, reduction, room);
    }
}

void fm_exchange_by_messages(struct fm_exchange *exchange)
{
    by = exchange;
    exchange->broadcast = broadcast;
    exchange->gather = gather;
    exchange->scatter = scatter;
    exchange->reduce = reduce;
}
