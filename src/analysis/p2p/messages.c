/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches messages and passes them to the patterns.
 *
 * Every send is transferred to its destination process and matched there. When all messages of a
 * process are matched, the patterns are called for each, from the last received to the first: thus
 * the messages that were not yet received when a call returned are known.
 *
 * The sends of the whole run decide whether a call that also completes receives can have waited for
 * the receiver of its send (blocking_size.h). They are counted while they are matched, before the
 * patterns are called.
 *
 * Sends and receives during a pause of the recording take part in the matching as gaps. */
#include "analysis/p2p/message.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/dependencies/message_dependencies.h"
#include "analysis/model/readers.h"
#include "analysis/p2p/message_needs.h"
#include "analysis/p2p/probes.h"
#include "analysis/p2p/sends.h"
#include "analysis/p2p/unexpected.h"
#include "analysis/pattern.h"

#include "base/containers/sort.h"

/* A matched message on the receiving process. */
struct received {
    uint64_t received; /* Leave of the completing call */
    uint64_t sent;     /* Enter of the sending call */
    uint32_t location; /* of the completing call */
    uint32_t complete;
    uint32_t source;  /* number of the sender, from `number_of_source` */
    uint32_t receive; /* position in the receiver's `arrivals`; or PROBED | position in `found` */
};

/* A probe that has found a message, instead of a message. */
#define PROBED 0x80000000u

static bool is_probed(const struct received *message)
{
    return (message->receive & PROBED) != 0;
}

/* One worker's tables, used for one process after the other. */
struct scratch {
    struct fm_map number_of_source;     /* process -> number */
    FM_VECTOR(uint32_t) source_numbers; /* by stream */
    FM_VECTOR(struct received) messages;
    FM_VECTOR(uint64_t) oldest; /* by number of the sender: its oldest message not received yet */
    struct fm_probes probes;
    unsigned char apart[FM_APART];
};

struct p2p {
    struct fm_analysis *analysis;
    struct fm_matched_sends sends;
    struct scratch *scratch; /* by worker */
    struct fm_unexpected_search *unexpected;
    struct fm_message_needs *needs; /* for progress; NULL: not wanted */
    unsigned wanted;                /* FM_MESSAGES_... of all patterns, or'ed */
    FM_VECTOR(uint8_t) takers; /* positions in fm_patterns of the patterns that handle messages */
};

/* ---- messages of one process ---- */

/* Numbers the senders of a receiver's streams. */
static void number_sources(struct scratch *scratch, const struct fm_receiver *receiver)
{
    fm_map_clear(&scratch->number_of_source);
    scratch->source_numbers.count = 0;
    for (size_t i = 0; i < receiver->streams.count; ++i) {
        fm_vector_push(&scratch->source_numbers,
                       *fm_map_at(&scratch->number_of_source, receiver->streams.items[i].source,
                                  (uint32_t)scratch->number_of_source.count));
    }
}

static void list_messages(struct scratch *scratch, const struct fm_trace *trace,
                          const struct fm_receiver *receiver)
{
    number_sources(scratch, receiver);
    scratch->messages.count = 0;
    fm_vector_reserve(&scratch->messages, receiver->count);
    for (uint32_t r = 0; r < receiver->count; ++r) {
        const struct fm_arrival *arrival = &receiver->arrivals[r];
        if (arrival->location == FM_NONE) {
            continue;
        }
        struct fm_record_ref record = fm_receiver_record(receiver, r);
        const struct fm_message_end *receive =
            &trace->locations[record.location].receives.items[record.row];
        const struct fm_location *completing = &trace->locations[receive->complete_location];
        scratch->messages.items[scratch->messages.count++] = (struct received){
            .received = completing->leave.items[receive->complete],
            .sent = arrival->sent,
            .location = receive->complete_location,
            .complete = receive->complete,
            .source = scratch->source_numbers.items[arrival->stream],
            .receive = r,
        };
    }
}

/* Lists the probes among the messages. */
static void list_probes(struct scratch *scratch, const struct fm_trace *trace, uint32_t process,
                        const struct fm_receiver *receiver)
{
    fm_probes_find(&scratch->probes, trace, process, receiver);
    for (size_t i = 0; i < scratch->probes.found.count; i++) {
        const struct fm_probed *probed = &scratch->probes.found.items[i];
        fm_vector_push(&scratch->messages,
                       ((struct received){
                           .received = fm_call_leave(trace, probed->probe),
                           .sent = probed->sent,
                           .location = probed->probe.location,
                           .complete = probed->probe.activity,
                           .source = scratch->source_numbers.items[probed->stream],
                           .receive = PROBED | (uint32_t)i,
                       }));
    }
}

static int compare_messages(const void *a, const void *b)
{
    const struct received *left = a, *right = b;
    if (left->received != right->received) {
        return left->received < right->received ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    if (left->complete != right->complete) {
        return left->complete < right->complete ? -1 : 1;
    }
    return left->receive < right->receive ? -1 : left->receive > right->receive;
}

/* ---- patterns ---- */

/* Position of a message among those of its receiver, which are sorted by their reception. */
struct fm_message_order {
    const struct scratch *scratch;
    size_t at;
    size_t group_end; /* messages before this position were received at the same time or earlier */
    struct fm_outstanding later; /* among those from `group_end` on */
};

/* Messages that a later call of the same location received at the same tick (a call without
 * duration) count as received later. */
struct fm_outstanding fm_message_outstanding(const struct fm_message *message)
{
    const struct fm_message_order *order = message->order;
    const struct received *messages = order->scratch->messages.items;
    const struct received *own = &messages[order->at];
    struct fm_outstanding later = order->later;
    for (size_t i = order->at + 1; i < order->group_end && messages[i].location == own->location;
         ++i) {
        if (messages[i].complete > own->complete && !is_probed(&messages[i])) {
            later.any = messages[i].sent < later.any ? messages[i].sent : later.any;
            if (messages[i].source == own->source && messages[i].sent < later.same_source) {
                later.same_source = messages[i].sent;
            }
        }
    }
    return later;
}

static void call_patterns(const struct p2p *p2p, unsigned worker, unsigned kinds,
                          const struct fm_message *message)
{
    for (size_t i = 0; i < p2p->takers.count; ++i) {
        const uint8_t position = p2p->takers.items[i];
        if ((fm_patterns[position]->messages & kinds) != 0) {
            fm_patterns[position]->message(&(struct fm_finder){p2p->analysis, worker, position},
                                           message);
        }
    }
}

/* Adds what the calls that complete a message need of their partners. */
static void add_needs(const struct p2p *p2p, unsigned worker, const struct fm_receiver *receiver,
                      const struct received *own)
{
    const struct fm_arrival *arrival = &receiver->arrivals[own->receive];
    struct fm_message_ends message = {
        .arrival = arrival,
        .send = &receiver->ends[own->receive],
        .sender = receiver->streams.items[arrival->stream].source,
        .post = {FM_NONE, FM_NONE},
        .complete = {own->location, own->complete},
    };
    if (arrival->posted != UINT64_MAX) {
        struct fm_record_ref record = fm_receiver_record(receiver, own->receive);
        message.post.activity = fm_trace_post(p2p->analysis->trace, &record.location, record.row);
        message.post.location = record.location;
    }
    fm_message_needs_add(p2p->needs, worker, &message);
}

/* Passes a message to the patterns that handle it. @return whether it was received before it was
 * sent */
static bool judge_message(const struct p2p *p2p, unsigned worker,
                          const struct fm_receiver *receiver, const struct fm_message_order *order)
{
    const struct fm_trace *trace = p2p->analysis->trace;
    const struct received *own = &order->scratch->messages.items[order->at];
    const struct fm_arrival *arrival = &receiver->arrivals[own->receive];
    const uint64_t entered = fm_trace_begin(&trace->locations[own->location], own->complete);
    const bool waited = fm_sender_waited(&p2p->sends, receiver, arrival);
    bool receiver_waited = entered < own->sent && own->sent <= own->received;
    unsigned kinds = FM_MESSAGES_ALL | (receiver_waited ? FM_MESSAGES_RECEIVER_WAITED : 0U) |
                     (waited ? FM_MESSAGES_SENDER_WAITED : 0U);
    if ((kinds & p2p->wanted) != 0) {
        struct fm_message message = {
            .sent = own->sent,
            .send = {arrival->location, arrival->start},
            .received = own->received,
            .receive = {own->location, own->complete},
            .blocked = {FM_NONE, FM_NONE},
            .post = {FM_NONE, FM_NONE},
            .order = order,
        };
        if (waited) {
            const struct fm_late_receiver *late = &receiver->late_receivers.items[arrival->late];
            struct fm_record_ref record = fm_receiver_record(receiver, own->receive);
            message.post.activity = fm_trace_post(trace, &record.location, record.row);
            message.post.location = record.location;
            message.blocked = (struct fm_call_ref){late->location, late->complete};
        }
        call_patterns(p2p, worker, kinds, &message);
    }
    if (p2p->needs != NULL) {
        add_needs(p2p, worker, receiver, own);
    }
    if (p2p->analysis->dependencies != NULL) {
        fm_depend_by_message(p2p->analysis, worker, &p2p->sends, receiver, own->receive, waited);
    }
    return own->sent > own->received;
}

/* Passes the message that a probe has found to the patterns of receivers that wait. */
static void judge_probe(const struct p2p *p2p, unsigned worker,
                        const struct fm_message_order *order)
{
    const struct received *own = &order->scratch->messages.items[order->at];
    const struct fm_probed *probed = &order->scratch->probes.found.items[own->receive & ~PROBED];
    const uint64_t entered = fm_call_begin(p2p->analysis->trace, probed->probe);
    if (entered < own->sent && own->sent <= own->received) {
        call_patterns(p2p, worker, FM_MESSAGES_RECEIVER_WAITED,
                      &(struct fm_message){
                          .sent = own->sent,
                          .send = probed->send,
                          .received = own->received,
                          .receive = probed->probe,
                          .blocked = {FM_NONE, FM_NONE},
                          .post = {FM_NONE, FM_NONE},
                          .order = order,
                      });
    }
    if (p2p->analysis->dependencies != NULL) {
        fm_depend(p2p->analysis, worker, probed->probe, fm_awaited_enter(probed->send),
                  FM_DEPENDS_ON_PROBED_SENDER);
    }
}

/* Processes the messages from the last received to the first, those of one time together. */
static void judge_in_reverse(struct p2p *p2p, unsigned worker, struct scratch *scratch,
                             const struct fm_receiver *receiver)
{
    const struct received *messages = scratch->messages.items;
    uint64_t oldest_of_all = UINT64_MAX, violations = 0;
    scratch->oldest.count = 0;
    for (size_t i = 0; i < scratch->number_of_source.count; ++i) {
        fm_vector_push(&scratch->oldest, UINT64_MAX);
    }
    for (size_t end = scratch->messages.count; end > 0;) {
        size_t begin = end - 1;
        while (begin > 0 && messages[begin - 1].received == messages[end - 1].received) {
            --begin;
        }
        for (size_t i = begin; i < end; ++i) {
            const struct fm_message_order order = {
                scratch, i, end, {oldest_of_all, scratch->oldest.items[messages[i].source]}};
            if (is_probed(&messages[i])) {
                judge_probe(p2p, worker, &order);
            } else {
                violations += judge_message(p2p, worker, receiver, &order);
            }
        }
        for (size_t i = begin; i < end; ++i) {
            if (is_probed(&messages[i])) {
                continue;
            }
            uint64_t *oldest = &scratch->oldest.items[messages[i].source];
            *oldest = messages[i].sent < *oldest ? messages[i].sent : *oldest;
            oldest_of_all = messages[i].sent < oldest_of_all ? messages[i].sent : oldest_of_all;
        }
        end = begin;
    }
    p2p->analysis->omissions.clock_violations += violations;
}

static void keep_messages(struct p2p *p2p, uint32_t process, const struct scratch *scratch)
{
    const struct fm_receiver *receiver = &p2p->sends.receivers[process];
    fm_detail_messages *kept = &p2p->analysis->messages[process];
    fm_vector_reserve(kept, scratch->messages.count);
    for (size_t i = 0; i < scratch->messages.count; ++i) {
        const struct received *message = &scratch->messages.items[i];
        if (is_probed(message)) {
            continue;
        }
        const struct fm_arrival *arrival = &receiver->arrivals[message->receive];
        struct fm_record_ref record = fm_receiver_record(receiver, message->receive);
        const struct fm_location *owner = &p2p->analysis->trace->locations[record.location];
        fm_vector_push(kept, (struct fm_detail_message){
                                 .send_location = arrival->location,
                                 .send_activity = arrival->start,
                                 .receive_location = message->location,
                                 .receive_activity = message->complete,
                                 .bytes = owner->receives.items[record.row].bytes,
                                 .record_location = record.location,
                                 .record_row = record.row,
                             });
    }
}

static void judge_messages(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct p2p *p2p = context;
    struct scratch *scratch = &p2p->scratch[worker];
    for (uint32_t process = first; process < last; ++process) {
        struct fm_receiver *receiver = &p2p->sends.receivers[process];
        list_messages(scratch, p2p->analysis->trace, receiver);
        list_probes(scratch, p2p->analysis->trace, process, receiver);
        fm_sort(scratch->messages.items, scratch->messages.count, sizeof *scratch->messages.items,
                compare_messages);
        judge_in_reverse(p2p, worker, scratch, receiver);
        fm_unexpected_find(p2p->unexpected, worker, process);
        if (p2p->analysis->messages != NULL) {
            keep_messages(p2p, process, scratch);
        }
        fm_receiver_finish(receiver);
        p2p->analysis->omissions.cut_off_messages += receiver->cut_off;
        p2p->analysis->omissions.unmatched_sends += receiver->unmatched_sends;
        p2p->analysis->omissions.unmatched_receives += receiver->unmatched_receives;
        fm_receiver_close(receiver);
        if (p2p->analysis->dependencies == NULL) { /* which read the sends of other processes */
            fm_readers_forget_messages(p2p->analysis, process);
        }
    }
}

void fm_messages_match(struct fm_analysis *analysis)
{
    struct fm_engine *engine = analysis->engine;
    unsigned workers = fm_engine_workers(engine);
    struct p2p p2p = {
        .analysis = analysis,
        .scratch = fm_allocate_apart(workers, sizeof *p2p.scratch),
    };
    for (unsigned p = 0; fm_patterns[p] != NULL; ++p) {
        if (fm_patterns[p]->messages != 0) {
            p2p.wanted |= fm_patterns[p]->messages;
            fm_vector_push(&p2p.takers, (uint8_t)p);
        }
    }
    fm_sends_match(&p2p.sends, analysis);
    p2p.unexpected = fm_unexpected_create(analysis, &p2p.sends);
    p2p.needs = fm_message_needs_create(analysis, p2p.sends.traits);
    fm_finders_run(analysis, judge_messages, &p2p);
    fm_message_needs_deliver(p2p.needs);
    analysis->message_needs = p2p.needs;
    fm_unexpected_close(p2p.unexpected);
    for (unsigned w = 0; w < workers; ++w) {
        fm_map_free(&p2p.scratch[w].number_of_source);
        fm_vector_free(&p2p.scratch[w].source_numbers);
        fm_vector_free(&p2p.scratch[w].messages);
        fm_vector_free(&p2p.scratch[w].oldest);
        fm_probes_free(&p2p.scratch[w].probes);
    }
    fm_vector_free(&p2p.takers);
    fm_matched_sends_free(&p2p.sends);
    fm_free(p2p.scratch);
}
