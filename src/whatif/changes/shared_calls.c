/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/shared_calls.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

static bool is_shared(enum fm_shared_calls calls, fm_call_t call)
{
    switch (call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
    case FM_CALL_ONE_TO_ALL:
    case FM_CALL_ALL_TO_ONE:
    case FM_CALL_SCAN:
    case FM_CALL_FENCE:
        return calls == FM_SHARED_BY_ALL || calls == FM_SHARED_BY_PROCESSES;
    case FM_CALL_TEAM_BARRIER:
    case FM_CALL_THREAD_BARRIER:
        return calls == FM_SHARED_BY_ALL || calls == FM_SHARED_BY_THREADS;
    default:
        return false;
    }
}

/* ---- messages ---- */

/* Messages of a location with one partner. */
struct partner {
    uint64_t key; /* communicator << 32 | rank in it */
    uint64_t messages, sends;
};

typedef FM_VECTOR(struct partner) partner_vector;

static uint64_t partner_of(const struct fm_message_end *message)
{
    return (uint64_t)message->communicator << 32 | message->peer;
}

static void count_message(partner_vector *partners, struct fm_map *row_of,
                          const struct fm_message_end *message, bool is_send)
{
    const uint32_t next = (uint32_t)partners->count;
    const uint32_t row = *fm_map_at(row_of, partner_of(message), next);
    if (row == next) {
        fm_vector_push(partners, (struct partner){.key = partner_of(message)});
    }
    partners->items[row].messages++;
    partners->items[row].sends += is_send;
}

/* @return the partner with which a location exchanges most messages; of several the first in the
 * order of communicators and ranks */
static struct partner main_partner(const struct fm_location *location)
{
    partner_vector partners = {0};
    struct fm_map row_of = {0};
    struct partner most = {0};
    for (size_t i = 0; i < location->sends.count; i++) {
        count_message(&partners, &row_of, &location->sends.items[i], true);
    }
    for (size_t i = 0; i < location->receives.count; i++) {
        if (location->receives.items[i].complete != FM_NONE) {
            count_message(&partners, &row_of, &location->receives.items[i], false);
        }
    }
    for (size_t i = 0; i < partners.count; i++) {
        const struct partner *partner = &partners.items[i];
        const bool is_first = partner->messages == most.messages && partner->key < most.key;
        most = partner->messages > most.messages || is_first ? *partner : most;
    }
    fm_vector_free(&partners);
    fm_map_free(&row_of);
    return most;
}

static int compare_calls(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void list_sends(struct fm_shared_walk *walk, uint64_t key)
{
    const struct fm_location *location = walk->location;
    for (size_t i = 0; i < location->sends.count; i++) {
        if (partner_of(&location->sends.items[i]) == key) {
            fm_vector_push(&walk->messages, location->sends.items[i].start);
        }
    }
}

static void list_receives(struct fm_shared_walk *walk, uint64_t key)
{
    const struct fm_location *location = walk->location;
    for (size_t i = 0; i < location->receives.count; i++) {
        const struct fm_message_end *receive = &location->receives.items[i];
        if (receive->complete != FM_NONE && partner_of(receive) == key) {
            const bool is_here = &walk->trace->locations[receive->complete_location] == location;
            fm_vector_push(&walk->messages, is_here ? receive->complete : receive->start);
        }
    }
}

/* Lists the calls that sent a message to the partner, or those that completed one from it,
 * whichever are more; of equally many the sends. One direction only: what both partners compute
 * before they exchange messages is in one part, whoever sends first. */
static void list_messages(struct fm_shared_walk *walk)
{
    const struct fm_location *location = walk->location;
    const struct partner partner = main_partner(location);
    if (2 * partner.sends >= partner.messages) {
        list_sends(walk, partner.key);
    } else {
        list_receives(walk, partner.key);
    }
    fm_sort(walk->messages.items, walk->messages.count, sizeof *walk->messages.items,
            compare_calls);
}

/* ---- parts ---- */

/* Messages divide a run if there are so many times as many of them as there are other shared calls:
 * a barrier at the begin does not make one part of all that follows, and a collective in each step
 * divides it better than the messages of the step. */
enum { FINER = 8 };

/* @return the number of parts but one */
static uint64_t count_calls(const struct fm_trace *trace, uint32_t location,
                            enum fm_shared_calls calls)
{
    if (calls == FM_SHARED_BY_PARTNERS) {
        const struct partner partner = main_partner(&trace->locations[location]);
        return 2 * partner.sends >= partner.messages ? partner.sends
                                                     : partner.messages - partner.sends;
    }
    struct fm_shared_walk walk;
    fm_shared_walk_begin(&walk, trace, location, calls);
    const uint64_t count = fm_shared_walk_at(&walk, UINT64_MAX);
    fm_shared_walk_free(&walk);
    return count;
}

/* @return how many of these calls each of the locations has made; 0: not all have made equally many
 */
static uint64_t common_count(const struct fm_trace *trace, const bool *locations,
                             enum fm_shared_calls calls)
{
    uint64_t count = 0;
    bool is_first = true;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        if (locations[l]) {
            const uint64_t own = count_calls(trace, l, calls);
            if (!is_first && own != count) {
                return 0;
            }
            is_first = false;
            count = own;
        }
    }
    return count;
}

enum fm_shared_calls fm_shared_calls_choose(const struct fm_trace *trace, const bool *locations)
{
    enum fm_shared_calls chosen = FM_SHARED_BY_NONE;
    uint64_t count = 0;
    for (enum fm_shared_calls calls = FM_SHARED_BY_ALL; calls < FM_SHARED_BY_PARTNERS && count == 0;
         calls++) {
        count = common_count(trace, locations, calls);
        chosen = count != 0 ? calls : chosen;
    }
    const uint64_t messages = common_count(trace, locations, FM_SHARED_BY_PARTNERS);
    return messages != 0 && messages >= FINER * count ? FM_SHARED_BY_PARTNERS : chosen;
}

void fm_shared_walk_begin(struct fm_shared_walk *walk, const struct fm_trace *trace,
                          uint32_t location, enum fm_shared_calls calls)
{
    *walk = (struct fm_shared_walk){
        .trace = trace, .location = &trace->locations[location], .calls = calls};
    if (calls == FM_SHARED_BY_PARTNERS) {
        list_messages(walk);
    }
}

uint64_t fm_shared_walk_at(struct fm_shared_walk *walk, uint64_t time)
{
    const struct fm_location *location = walk->location;
    if (walk->calls == FM_SHARED_BY_PARTNERS) {
        while (walk->part < walk->messages.count &&
               location->enter.items[walk->messages.items[walk->part]] <= time) {
            walk->part++;
        }
        return walk->part;
    }
    for (; walk->activity < location->enter.count && location->enter.items[walk->activity] <= time;
         walk->activity++) {
        const uint32_t visit = location->visit.items[walk->activity];
        const uint32_t region = location->profile.items[visit].region;
        walk->part += is_shared(walk->calls, walk->trace->regions[region].call);
    }
    return walk->part;
}

void fm_shared_walk_free(struct fm_shared_walk *walk)
{
    fm_vector_free(&walk->messages);
}
