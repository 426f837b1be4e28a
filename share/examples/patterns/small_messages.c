/* SPDX-License-Identifier: BSD-3-Clause */
/* Small messages in a row, as small_messages.lua: messages below a size that a process sends to the
 * same partner one after the other.
 *
 *     cc -O2 -shared -fPIC -o small_messages.so small_messages.c
 *     fermata analyze DIR --pattern small_messages.so:limit=4K */
#include <fermata/pattern.h>

/* What is remembered of a location. */
struct memory {
    double limit; /* bytes */
    int64_t bytes;
    int peer; /* of the last message; -1: there is none */
};

static void begin(fermata_location_t *at)
{
    struct memory *memory = at->memory;
    memory->limit = fermata_number(at, "limit");
    memory->peer = -1;
}

static void take(fermata_location_t *at, const fermata_event_t *message)
{
    struct memory *memory = at->memory;
    if (memory->peer == message->peer && (double)memory->bytes < memory->limit &&
        (double)message->bytes < memory->limit) {
        fermata_report(at, message, 1);
    }
    memory->peer = message->peer;
    memory->bytes = message->bytes;
}

static const fermata_parameter_t parameters[] = {{"limit", "1K"}, {NULL, NULL}};
static const fermata_subscription_t subscriptions[] = {{"send", take}, {NULL, NULL}};

const fermata_pattern_t fermata_pattern = {
    .version = FERMATA_PATTERN_VERSION,
    .id = "small_messages_in_a_row",
    .name = "Small messages in a row",
    .unit = "occurrences",
    .description = "Small messages that follow another one to the same process directly.",
    .formula = "Number of small messages whose predecessor on the same location is small and has "
               "the same receiver.",
    .advice = "Collect the data of several messages in one.",
    .confidence = "medium",
    .parameters = parameters,
    .subscriptions = subscriptions,
    .memory_size = sizeof(struct memory),
    .begin = begin,
};
