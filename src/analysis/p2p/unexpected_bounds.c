/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of the number of unexpected messages, and of the length of their queue. */
#include "analysis/p2p/unexpected.h"

#include "base/containers/keyed_sort.h"
#include "base/containers/sort.h"

/* ---- when a message was taken in ---- */

static int compare_calls(const void *a, const void *b)
{
    const struct fm_taking_call *left = a, *right = b;
    return left->leave != right->leave
               ? (left->leave < right->leave ? -1 : 1)
               : (left->until > right->until) - (left->until < right->until);
}

/* Makes `until` that of any call up to this one: sorted by both, then. */
static void accumulate(struct fm_taking_call *calls, size_t count)
{
    fm_sort(calls, count, sizeof *calls, compare_calls);
    for (size_t i = 1; i < count; i++) {
        if (calls[i].until < calls[i - 1].until) {
            calls[i].until = calls[i - 1].until;
        }
    }
}

/* @return the end of the first call that took in what was delivered; UINT64_MAX: there is none */
static uint64_t end_of_taking(const struct fm_taking_call *calls, size_t count, uint64_t delivered)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls[middle].until <= delivered) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count ? calls[low].leave : UINT64_MAX;
}

/* @return the positions of the messages by channel and row, to be freed with fm_free() */
static struct fm_keyed *order_of_channels(const struct fm_taken_message *messages, size_t count)
{
    struct fm_keyed *order = fm_allocate(count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct fm_keyed){messages[i].row, (uint32_t)i};
    }
    fm_keyed_sort(order, count, NULL);
    for (size_t i = 0; i < count; i++) {
        order[i].key = messages[order[i].value].channel;
    }
    fm_keyed_sort(order, count, NULL);
    return order;
}

/* A message was taken in before a later one of its channel was received. */
static void use_order(struct fm_taken_message *messages, size_t count)
{
    uint64_t received = UINT64_MAX; /* first, of the later ones of the channel */
    struct fm_keyed *order = order_of_channels(messages, count);
    for (size_t i = count; i-- > 0;) {
        struct fm_taken_message *message = &messages[order[i].value];
        if (i + 1 < count && order[i + 1].key != message->channel) {
            received = UINT64_MAX;
        }
        message->known = received < message->known ? received : message->known;
        received = message->received < received ? message->received : received;
    }
    fm_free(order);
}

static bool is_unexpected(const struct fm_taken_message *message)
{
    return message->known <= message->posted;
}

static bool may_be_unexpected(const struct fm_taken_message *message)
{
    return is_unexpected(message) || message->earliest < message->progressed;
}

/* ---- the queue ---- */

struct longest {
    uint64_t messages, bytes;
};

/* Sorts both: times at which messages come to the queue, or leave it, with their bytes. What comes
 * at the tick at which another one leaves is in the queue with it. */
static struct longest longest_of(struct fm_keyed *comes, struct fm_keyed *leaves, size_t count)
{
    struct longest longest = {0, 0};
    uint64_t bytes = 0;
    fm_keyed_sort(comes, count, NULL);
    fm_keyed_sort(leaves, count, NULL);
    for (size_t come = 0, leave = 0; come < count; come++) {
        for (; leaves[leave].key < comes[come].key; leave++) {
            bytes -= leaves[leave].value;
        }
        bytes += comes[come].value;
        longest.messages =
            come + 1 - leave > longest.messages ? come + 1 - leave : longest.messages;
        longest.bytes = bytes > longest.bytes ? bytes : longest.bytes;
    }
    return longest;
}

/* The queue of the messages that are unexpected (or may be), each from when it was certainly (may
 * have been) taken in until its receive is posted. */
static struct longest longest_queue(const struct fm_taken_message *messages, size_t count,
                                    bool certainly)
{
    struct fm_keyed *comes = fm_allocate(count + 1, sizeof *comes);
    struct fm_keyed *leaves = fm_allocate(count + 1, sizeof *leaves);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fm_taken_message *message = &messages[i];
        /* Where clocks are wrong, the evidence may be earlier than what was possible. */
        const uint64_t taken =
            certainly || message->known < message->earliest ? message->known : message->earliest;
        const bool has_data =
            !message->data_came_late && (!certainly || message->delivered <= message->posted);
        if (certainly ? is_unexpected(message) : may_be_unexpected(message)) {
            comes[found].key = taken < message->posted ? taken : message->posted;
            leaves[found].key = message->posted;
            comes[found].value = leaves[found].value = has_data ? message->bytes : 0;
            found++;
        }
    }
    const struct longest longest = longest_of(comes, leaves, found);
    fm_free(comes);
    fm_free(leaves);
    return longest;
}

struct fm_cube_unexpected fm_unexpected_bounds(struct fm_taken_message *messages, size_t count,
                                               struct fm_taking_call *calls, size_t call_count)
{
    struct fm_cube_unexpected bounds = {.messages = count};
    accumulate(calls, call_count);
    for (size_t i = 0; i < count; i++) {
        struct fm_taken_message *message = &messages[i];
        uint64_t taken = end_of_taking(calls, call_count, message->delivered);
        message->known = taken < message->known ? taken : message->known;
    }
    use_order(messages, count);
    for (size_t i = 0; i < count; i++) {
        bounds.least += is_unexpected(&messages[i]);
        bounds.most += may_be_unexpected(&messages[i]);
    }
    if (bounds.most > 0) {
        const struct longest least = longest_queue(messages, count, true);
        const struct longest most = longest_queue(messages, count, false);
        bounds.queue_least = least.messages;
        bounds.queue_most = most.messages;
        bounds.bytes_least = least.bytes;
        bounds.bytes_most = most.bytes;
    }
    return bounds;
}
