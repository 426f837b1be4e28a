#include "counters/costs/self_messages.h"

#include "counters/costs/counter_updates.h"

#include <string.h>

/* Numbers of counters: those that are off, then those that are on. */
enum { OFF = 0, ON = FM_UPDATED_COUNTERS / 2, TIMER = FM_UPDATED_COUNTERS - 1 };

static struct fm_updated_counters counters;

/* A message in the queue: what it is matched by, and its data. */
struct message {
    int32_t source, tag;
    uint64_t number; /* of the message; 0: the place is free */
    uint64_t data;
};

enum { PLACES = 8 };
static _Alignas(64) struct message queue[PLACES];

static void set_up(void)
{
    memset(&counters, 0, sizeof counters);
    memset(counters.bits + ON / 32, 0xff, sizeof counters.bits / 2);
    counters.rules[0] = -1; /* all comparisons are made */
}

static inline void count(const struct fm_call_cost *call, int64_t bytes)
{
    for (unsigned i = 0; i < call->off; i++) {
        fm_update(&counters, OFF + i, 1);
    }
    for (unsigned i = 0; i < call->on; i++) {
        fm_update(&counters, ON + i, bytes);
    }
    for (unsigned i = 0; i < call->bins; i++) {
        fm_update_bins(&counters, FM_CALL_BINS, bytes);
    }
}

/* @param calls  NULL: without counters */
static inline void send(const struct fm_call_cost *calls, const uint64_t *data, uint64_t number)
{
    if (calls != NULL) {
        count(&calls[FM_MESSAGE_SEND], sizeof *data);
    }
    struct message *place = &queue[number % PLACES];
    place->source = 0;
    place->tag = 1;
    memcpy(&place->data, data, sizeof *data);
    __atomic_store_n(&place->number, number, __ATOMIC_RELEASE);
}

static inline struct message *match(int32_t source, int32_t tag, uint64_t number)
{
    struct message *place = &queue[number % PLACES];
    while (__atomic_load_n(&place->number, __ATOMIC_ACQUIRE) != number || place->source != source ||
           place->tag != tag) {
    }
    return place;
}

static inline void receive(const struct fm_call_cost *calls, uint64_t *data, uint64_t number)
{
    bool is_timed = calls != NULL && calls[FM_MESSAGE_RECEIVE].timers != 0;
    uint64_t begin = is_timed ? fm_update_timer_begin(&counters, TIMER) : 0;
    struct message *place = match(0, 1, number);
    if (is_timed) {
        fm_update_timer_end(&counters, TIMER, begin);
    }
    memcpy(data, &place->data, sizeof *data);
    if (calls != NULL) {
        count(&calls[FM_MESSAGE_RECEIVE], sizeof *data);
    }
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double time_of(const struct fm_call_cost *calls, size_t messages)
{
    uint64_t sent = 0, received = 0;
    double begin = nanoseconds();
    for (uint64_t number = 1; number <= messages; number++) {
        sent = received + 1; /* the next message needs the one before, as in a ping-pong */
        FM_KEEP;
        send(calls, &sent, number);
        FM_KEEP;
        receive(calls, &received, number);
    }
    return (nanoseconds() - begin) / (double)messages;
}

struct fm_self_messages fm_self_messages_measure(const struct fm_call_cost calls[FM_MESSAGE_CALLS],
                                                 size_t repeats, size_t messages)
{
    struct fm_self_messages least = {0};
    set_up();
    for (size_t i = 0; i < repeats; i++) {
        memset(queue, 0, sizeof queue);
        double without = time_of(NULL, messages);
        memset(queue, 0, sizeof queue);
        double with = time_of(calls, messages);
        least.without = i == 0 || without < least.without ? without : least.without;
        least.with = i == 0 || with < least.with ? with : least.with;
    }
    return least;
}
