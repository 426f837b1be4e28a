/* Point-to-point: Late Sender and Late Receiver, with their wrong-order forms.
 *
 * Every send travels to the process that receives it and is matched there: per (communicator,
 * source, tag) the oldest send belongs to the receive that was posted first. What concerns the
 * sender travels back.
 *
 * Sends and receives that happened while recording was paused take part in the order as gaps. */
#include "analysis/gaps.h"
#include "analysis/pattern.h"
#include "analysis/rounds.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>

/* A send on its way to its destination; or a gap: `enter` sends in a row, `start` is FM_NONE. */
struct send_message {
    uint64_t enter;          /* of the call that started it */
    uint64_t complete_enter; /* window of the call that completed it */
    uint64_t complete_leave;
    uint32_t source; /* process */
    uint32_t communicator;
    uint32_t tag;
    uint32_t location;
    uint32_t start;
    uint32_t complete_location;
    uint32_t complete;
    bool never_waits; /* for its receiver: it is buffered, or where it would wait is not known */
};

/* A late receiver on its way to the sender. */
struct late_receiver {
    uint32_t location; /* of the sender */
    struct fm_candidate candidate;
};

/* A matched message, seen from the process that received it. */
struct message {
    uint64_t received; /* Leave of the completing call */
    uint64_t sent;     /* Enter of the sending call */
    uint32_t location; /* of the completing call */
    uint32_t complete;
    uint32_t source; /* number of the sender */
    uint32_t send;   /* position in the inbox */
    struct fm_record_ref receive;
};

/* Sends of one (communicator, source, tag) that no receive has taken yet. */
struct queue {
    uint32_t communicator;
    uint32_t source; /* process */
    uint32_t tag;
    uint32_t source_number;
    uint32_t first;    /* position in the inbox; FM_NONE: empty */
    uint64_t sent;     /* how many lie before `first` */
    uint64_t received; /* how many receives there were so far */
};

#define RECENT_QUEUES 64 /* a power of two */

/* One worker's tables, used for one process after the other. */
struct scratch {
    struct fm_map number_of_source; /* process -> number */
    struct fm_map stream_of_source; /* (communicator, source) -> number */
    struct fm_map queue_of_stream;  /* (number, tag) -> position in `queues` */
    FM_VECTOR(struct queue) queues;
    uint32_t recent[RECENT_QUEUES]; /* positions in `queues`, by a hash; may be outdated */
    FM_VECTOR(uint32_t) next_send;  /* of the same queue, by position in the inbox */
    FM_VECTOR(struct message) messages;
    struct fm_gaps gaps;
    FM_VECTOR(uint64_t) oldest; /* by number of the sender: oldest message not received yet */
};

struct p2p {
    struct fm_analysis *analysis;
    struct fm_exchange *sends;
    struct fm_exchange *late_receivers;
    struct scratch *scratch; /* by worker */
    struct fm_rounds rounds;
    bool has_gaps;
};

static size_t send_count(const struct fm_location *location)
{
    return location->sends.count;
}

static uint32_t send_start(const struct fm_location *location, uint32_t row)
{
    return location->sends.items[row].start;
}

static size_t receive_count(const struct fm_location *location)
{
    return location->receives.count;
}

static uint32_t receive_start(const struct fm_location *location, uint32_t row)
{
    return location->receives.items[row].start;
}

static bool is_completed(const struct fm_message_end *end)
{
    return end->communicator != FM_NONE && end->complete != FM_NONE;
}

/* ---- phase 1: sends go to their destinations ---- */

static void post_send(struct p2p *p2p, unsigned worker, uint32_t process,
                      const struct fm_location *location, uint32_t location_index,
                      const struct fm_message_end *send)
{
    const struct fm_trace *trace = p2p->analysis->trace;
    uint32_t destination = fm_trace_member(trace, send->communicator, send->peer, process);
    if (destination == FM_NONE) {
        if (p2p->rounds.round == 0) {
            ++p2p->analysis->omissions.unmatched_sends;
        }
        return;
    }
    if (!fm_rounds_serve(&p2p->rounds, destination)) {
        return;
    }
    bool recorded = send->complete != FM_UNRECORDED;
    uint32_t complete = recorded ? send->complete : send->start;
    const struct fm_location *completing = &trace->locations[send->complete_location];
    struct send_message *message = fm_exchange_post(p2p->sends, worker, destination);
    *message = (struct send_message){
        .enter = location->enter.items[send->start],
        .complete_enter = completing->enter.items[complete],
        .complete_leave = completing->leave.items[complete],
        .source = process,
        .communicator = send->communicator,
        .tag = send->tag,
        .location = location_index,
        .start = send->start,
        .complete_location = send->complete_location,
        .complete = complete,
        .never_waits = !recorded ||
                       fm_trace_called(trace, location, send->start)->call == FM_CALL_BUFFERED_SEND,
    };
}

static void post_gap(struct p2p *p2p, unsigned worker, uint32_t process,
                     const struct fm_unrecorded *gap)
{
    const struct fm_trace *trace = p2p->analysis->trace;
    if (gap->series != FM_SERIES_SENDS) {
        return;
    }
    uint32_t destination = fm_trace_member(trace, gap->reference, gap->peer, process);
    if (destination != FM_NONE && fm_rounds_serve(&p2p->rounds, destination)) {
        *(struct send_message *)fm_exchange_post(p2p->sends, worker, destination) =
            (struct send_message){.enter = gap->count,
                                  .source = process,
                                  .communicator = gap->reference,
                                  .tag = gap->tag,
                                  .start = FM_NONE};
    }
}

static void post_sends(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct p2p *p2p = context;
    const struct fm_trace *trace = p2p->analysis->trace;
    struct fm_gaps *gaps = &p2p->scratch[worker].gaps;
    for (uint32_t process = first; process < last; ++process) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        const struct fm_unrecorded *gap;
        fm_gaps_begin(gaps, trace, process);
        fm_record_merge_begin(&merge, trace, process, send_count, send_start);
        while (fm_record_merge_next(&merge, &record)) {
            const struct fm_location *location = &trace->locations[record.location];
            const struct fm_message_end *send = &location->sends.items[record.row];
            while (fm_gaps_ahead(gaps) &&
                   (gap = fm_gaps_before(gaps, location->enter.items[send->start])) != NULL) {
                post_gap(p2p, worker, process, gap);
            }
            if (is_completed(send)) {
                post_send(p2p, worker, process, location, record.location, send);
            }
        }
    }
}

/* ---- phase 2: matching and detection at the destination ---- */

static struct queue *add_queue(struct scratch *scratch, uint32_t communicator, uint32_t source,
                               uint32_t tag)
{
    uint32_t stream = *fm_map_at(&scratch->stream_of_source, (uint64_t)communicator << 32 | source,
                                 (uint32_t)scratch->stream_of_source.count);
    uint32_t next = (uint32_t)scratch->queues.count;
    uint32_t position = *fm_map_at(&scratch->queue_of_stream, (uint64_t)stream << 32 | tag, next);
    if (position == next) {
        uint32_t number = *fm_map_at(&scratch->number_of_source, source,
                                     (uint32_t)scratch->number_of_source.count);
        fm_vector_push(&scratch->queues,
                       (struct queue){communicator, source, tag, number, FM_NONE, 0, 0});
    }
    return &scratch->queues.items[position];
}

/* @return the queue, which is made if it is new; valid until the next one is made */
static inline struct queue *find_queue(struct scratch *scratch, uint32_t communicator,
                                       uint32_t source, uint32_t tag)
{
    uint32_t *recent = &scratch->recent[(source + tag + communicator) % RECENT_QUEUES];
    if (*recent < scratch->queues.count) {
        struct queue *queue = &scratch->queues.items[*recent];
        if (queue->source == source && queue->tag == tag && queue->communicator == communicator) {
            return queue;
        }
    }
    struct queue *queue = add_queue(scratch, communicator, source, tag);
    *recent = (uint32_t)(queue - scratch->queues.items);
    return queue;
}

/* Chains the sends of each (communicator, source, tag), oldest first. */
static void queue_sends(struct scratch *scratch, const struct send_message *sends, size_t count)
{
    fm_map_clear(&scratch->number_of_source);
    fm_map_clear(&scratch->stream_of_source);
    fm_map_clear(&scratch->queue_of_stream);
    scratch->queues.count = 0;
    scratch->next_send.count = 0;
    fm_vector_reserve(&scratch->next_send, count);
    scratch->next_send.count = count;
    for (size_t i = count; i-- > 0;) {
        struct queue *queue =
            find_queue(scratch, sends[i].communicator, sends[i].source, sends[i].tag);
        scratch->next_send.items[i] = queue->first;
        queue->first = (uint32_t)i;
    }
}

/* Takes the send that belongs to the next receive out of a queue with gaps. Those before it were
 * received while that was not recorded. @return FM_NONE: it was sent while that was not recorded */
static uint32_t take_in_order(struct scratch *scratch, struct queue *queue,
                              const struct send_message *sends)
{
    uint64_t wanted = queue->received++;
    while (queue->first != FM_NONE) {
        const struct send_message *send = &sends[queue->first];
        uint64_t count = send->start == FM_NONE ? send->enter : 1;
        if (queue->sent + count > wanted) {
            return send->start == FM_NONE ? FM_NONE : queue->first;
        }
        queue->sent += count;
        queue->first = scratch->next_send.items[queue->first];
    }
    return FM_NONE;
}

static void skip_receives(struct scratch *scratch, const struct fm_trace *trace, uint32_t process,
                          const struct fm_unrecorded *gap)
{
    if (gap->series == FM_SERIES_RECEIVES) {
        uint32_t source = fm_trace_member(trace, gap->reference, gap->peer, process);
        find_queue(scratch, gap->reference, source, gap->tag)->received += gap->count;
    }
}

static size_t count_real(const struct send_message *sends, size_t count)
{
    size_t real = 0;
    for (size_t i = 0; i < count; ++i) {
        real += sends[i].start != FM_NONE;
    }
    return real;
}

static void match_receives(struct p2p *p2p, struct scratch *scratch, uint32_t process,
                           const struct send_message *sends, size_t send_total)
{
    const struct fm_trace *trace = p2p->analysis->trace;
    struct fm_record_merge merge;
    struct fm_record_ref record;
    uint64_t unmatched = 0;
    const struct fm_unrecorded *gap;
    scratch->messages.count = 0;
    fm_gaps_begin(&scratch->gaps, trace, process);
    fm_record_merge_begin(&merge, trace, process, receive_count, receive_start);
    while (fm_record_merge_next(&merge, &record)) {
        const struct fm_message_end *receive =
            &trace->locations[record.location].receives.items[record.row];
        while (fm_gaps_ahead(&scratch->gaps) &&
               (gap = fm_gaps_before(
                    &scratch->gaps,
                    trace->locations[record.location].enter.items[receive->start])) != NULL) {
            skip_receives(scratch, trace, process, gap);
        }
        if (!is_completed(receive)) {
            continue;
        }
        uint32_t source = fm_trace_member(trace, receive->communicator, receive->peer, process);
        struct queue *queue = find_queue(scratch, receive->communicator, source, receive->tag);
        uint32_t send = p2p->has_gaps ? take_in_order(scratch, queue, sends) : queue->first;
        if (send == FM_NONE) {
            ++unmatched;
            continue;
        }
        queue->first = scratch->next_send.items[send];
        ++queue->sent;
        const struct fm_location *completing = &trace->locations[receive->complete_location];
        fm_vector_push(&scratch->messages,
                       (struct message){
                           .received = completing->leave.items[receive->complete],
                           .sent = sends[send].enter,
                           .location = receive->complete_location,
                           .complete = receive->complete,
                           .source = queue->source_number,
                           .send = send,
                           .receive = record,
                       });
    }
    p2p->analysis->omissions.unmatched_receives += unmatched;
    send_total = p2p->has_gaps ? count_real(sends, send_total) : send_total;
    p2p->analysis->omissions.unmatched_sends += send_total - scratch->messages.count;
}

static int compare_messages(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    if (left->received != right->received) {
        return left->received < right->received ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    if (left->complete != right->complete) {
        return left->complete < right->complete ? -1 : 1;
    }
    if (left->receive.location != right->receive.location) {
        return left->receive.location < right->receive.location ? -1 : 1;
    }
    return left->receive.row < right->receive.row ? -1 : left->receive.row > right->receive.row;
}

static void sort_messages(struct scratch *scratch)
{
    for (size_t i = 1; i < scratch->messages.count; ++i) {
        if (compare_messages(&scratch->messages.items[i - 1], &scratch->messages.items[i]) > 0) {
            fm_sort(scratch->messages.items, scratch->messages.count,
                    sizeof *scratch->messages.items, compare_messages);
            return;
        }
    }
}

/* The oldest sending time among messages that are received later than `message`. */
struct outstanding {
    uint64_t any;
    uint64_t same_source;
};

/* `later`: those whose completing call returned later. To them come the messages that a later call
 * of the same location received at the same tick (a call without duration). */
static struct outstanding outstanding_after(const struct scratch *scratch, struct outstanding later,
                                            size_t at, size_t group_end)
{
    const struct message *messages = scratch->messages.items;
    for (size_t i = at + 1; i < group_end && messages[i].location == messages[at].location; ++i) {
        if (messages[i].complete > messages[at].complete) {
            later.any = messages[i].sent < later.any ? messages[i].sent : later.any;
            if (messages[i].source == messages[at].source && messages[i].sent < later.same_source) {
                later.same_source = messages[i].sent;
            }
        }
    }
    return later;
}

static void add_late_sender(struct p2p *p2p, const struct message *message,
                            const struct send_message *send, struct outstanding outstanding)
{
    fm_metric_t metric = FM_METRIC_MPI_LATESENDER;
    if (outstanding.same_source < message->sent) {
        metric = FM_METRIC_MPI_LSWO_SAME;
    } else if (outstanding.any < message->sent) {
        metric = FM_METRIC_MPI_LSWO_DIFFERENT;
    }
    fm_findings_add(&p2p->analysis->findings[message->location],
                    &p2p->analysis->trace->locations[message->location],
                    &(struct fm_candidate){
                        .t = message->sent,
                        .activity = message->complete,
                        .cause_location = send->location,
                        .cause_activity = send->start,
                        .rule = FM_RULE_LATE_SENDER,
                        .metric = (uint8_t)metric,
                    });
}

static void post_late_receiver(struct p2p *p2p, unsigned worker, const struct message *message,
                               const struct send_message *send, uint64_t posted,
                               struct outstanding outstanding)
{
    const struct fm_location *location =
        &p2p->analysis->trace->locations[message->receive.location];
    struct late_receiver *late = fm_exchange_post(p2p->late_receivers, worker, send->source);
    *late = (struct late_receiver){
        .location = send->complete_location,
        .candidate =
            {
                .t = posted,
                .activity = send->complete,
                .cause_location = message->receive.location,
                .cause_activity =
                    fm_trace_post(p2p->analysis->trace, location, message->receive.row),
                .rule = FM_RULE_LATE_RECEIVER,
                .metric = (uint8_t)(outstanding.same_source < message->sent
                                        ? FM_METRIC_MPI_LATERECEIVER_WO
                                        : FM_METRIC_MPI_LATERECEIVER),
            },
    };
}

/* Goes through the messages from the last received to the first, so that those not yet received are
 * known for each. */
static void detect_at_receiver(struct p2p *p2p, unsigned worker, struct scratch *scratch,
                               const struct send_message *sends)
{
    const struct fm_trace *trace = p2p->analysis->trace;
    const struct message *messages = scratch->messages.items;
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
            const struct message *message = &messages[i];
            const struct send_message *send = &sends[message->send];
            const struct fm_location *posting = &trace->locations[message->receive.location];
            uint64_t entered = trace->locations[message->location].enter.items[message->complete];
            uint64_t posted =
                posting->enter.items[fm_trace_post(trace, posting, message->receive.row)];
            bool late_sender = entered < message->sent && message->sent <= message->received;
            bool late_receiver = !send->never_waits && send->complete_enter < posted &&
                                 posted <= send->complete_leave;
            violations += message->sent > message->received;
            if (!late_sender && !late_receiver) {
                continue;
            }
            struct outstanding outstanding = outstanding_after(
                scratch,
                (struct outstanding){oldest_of_all, scratch->oldest.items[message->source]}, i,
                end);
            if (late_sender) {
                add_late_sender(p2p, message, send, outstanding);
            }
            if (late_receiver) {
                post_late_receiver(p2p, worker, message, send, posted, outstanding);
            }
        }
        for (size_t i = begin; i < end; ++i) {
            uint64_t *oldest = &scratch->oldest.items[messages[i].source];
            *oldest = messages[i].sent < *oldest ? messages[i].sent : *oldest;
            oldest_of_all = messages[i].sent < oldest_of_all ? messages[i].sent : oldest_of_all;
        }
        end = begin;
    }
    p2p->analysis->omissions.clock_violations += violations;
}

static void keep_messages(struct p2p *p2p, uint32_t process, const struct scratch *scratch,
                          const struct send_message *sends)
{
    fm_detail_messages *kept = &p2p->analysis->messages[process];
    fm_vector_reserve(kept, scratch->messages.count);
    for (size_t i = 0; i < scratch->messages.count; ++i) {
        const struct message *message = &scratch->messages.items[i];
        const struct send_message *send = &sends[message->send];
        fm_vector_push(kept, (struct fm_detail_message){send->location, send->start,
                                                        message->location, message->complete});
    }
}

static void match(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct p2p *p2p = context;
    struct scratch *scratch = &p2p->scratch[worker];
    for (uint32_t process = first; process < last; ++process) {
        if (!fm_rounds_serve(&p2p->rounds, process)) {
            continue;
        }
        size_t count;
        const struct send_message *sends = fm_exchange_inbox(p2p->sends, process, &count);
        queue_sends(scratch, sends, count);
        match_receives(p2p, scratch, process, sends, count);
        sort_messages(scratch);
        detect_at_receiver(p2p, worker, scratch, sends);
        if (p2p->analysis->messages != NULL) {
            keep_messages(p2p, process, scratch, sends);
        }
    }
}

/* ---- phase 3: late receivers arrive at the senders ---- */

static void take_late_receivers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct p2p *p2p = context;
    for (uint32_t process = first; process < last; ++process) {
        size_t count;
        const struct late_receiver *late = fm_exchange_inbox(p2p->late_receivers, process, &count);
        for (size_t i = 0; i < count; ++i) {
            fm_findings_add(&p2p->analysis->findings[late[i].location],
                            &p2p->analysis->trace->locations[late[i].location], &late[i].candidate);
        }
    }
}

/* @return the number of sends whose tables are here */
static size_t count_sends(const struct fm_trace *trace)
{
    size_t sends = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        sends += trace->locations[i].sends.count;
    }
    return sends;
}

static void detect(struct fm_analysis *analysis)
{
    unsigned workers = fm_engine_workers(analysis->engine);
    struct p2p p2p = {
        .analysis = analysis,
        .sends = fm_exchange_create(analysis->engine, sizeof(struct send_message)),
        .late_receivers = fm_exchange_create(analysis->engine, sizeof(struct late_receiver)),
        .scratch = fm_allocate(workers, sizeof(struct scratch)),
        .rounds = fm_rounds_choose(analysis->team, count_sends(analysis->trace),
                                   sizeof(struct send_message)),
    };
    p2p.has_gaps = fm_gaps_exist(analysis->team, analysis->trace);
    for (; p2p.rounds.round < p2p.rounds.count; ++p2p.rounds.round) {
        fm_engine_run(analysis->engine, post_sends, &p2p);
        fm_exchange_deliver(p2p.sends);
        fm_engine_run(analysis->engine, match, &p2p);
        fm_exchange_clear(p2p.sends);
        fm_exchange_deliver(p2p.late_receivers);
        fm_engine_run(analysis->engine, take_late_receivers, &p2p);
    }
    for (unsigned w = 0; w < workers; ++w) {
        fm_map_free(&p2p.scratch[w].stream_of_source);
        fm_map_free(&p2p.scratch[w].queue_of_stream);
        fm_vector_free(&p2p.scratch[w].next_send);
        fm_vector_free(&p2p.scratch[w].messages);
        fm_map_free(&p2p.scratch[w].number_of_source);
        fm_vector_free(&p2p.scratch[w].queues);
        fm_vector_free(&p2p.scratch[w].oldest);
        fm_gaps_free(&p2p.scratch[w].gaps);
    }
    fm_free(p2p.scratch);
    fm_exchange_free(p2p.sends);
    fm_exchange_free(p2p.late_receivers);
}

const struct fm_pattern fm_pattern_p2p = {"point-to-point", detect};
