/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that no message is received before its send begins.
 *
 * Messages match as in the analysis: the k-th send of a channel (communicator, sender, receiver,
 * tag) with the k-th receive, receives in the order of their posts. A channel keeps the ends of the
 * process that is read first until the other process is read: memory grows with the messages, by 24
 * bytes each, between processes of which one is not read yet.
 *
 * A receive that ends before its send begins is a violation of the clocks or a wrong match. If the
 * clocks of two processes differ by a constant d, each message appears faster by d in one direction
 * and slower by d in the other one. So d is at least the largest violation, and at most the
 * shortest time of a message in the other direction; without a number between the two, clocks that
 * differ by a constant are no explanation. */
#include "trace/validate/validator.h"

#include "base/containers/sort.h"
#include "base/partitioned_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An end of a message in the records of the current process. */
struct message_end {
    uint64_t time; /* Enter of the call that sends, Leave of the call that receives */
    uint64_t bytes;
    uint32_t position; /* in the order of the records; of a receive: of its post */
    uint32_t channel;  /* NO_CHANNEL: not known yet, or the end has no match */
    uint32_t location;
    bool is_receive;
    bool is_matched; /* received by a matched probe's message: out of the order of the posts */
};

/* An end of which the process of the other end is not read yet. */
struct kept_end {
    uint64_t time, bytes;
    uint32_t location;
};

struct channel {
    uint32_t from, to; /* processes */
    uint32_t comm;     /* index */
    uint32_t tag;
    struct kept_end *ends; /* of the process that is read first */
    size_t count;
    bool keeps_receives; /* `ends` are receives */
    bool is_read;        /* one of the two processes is read */
    bool is_uncertain;   /* the order of the ends of one side is not known */
};

/* The messages from one process to another. */
struct pair {
    uint32_t from, to;
    int64_t shortest; /* time between the begin of a send and the end of its receive */
    uint64_t violations;
    struct { /* the first violation, by the end of the receive */
        uint64_t time, early;
        uint64_t sent, received;  /* bytes */
        uint64_t sends, receives; /* of the channel */
        uint32_t location, comm, tag;
    } first;
};

/* A call that receives and has not returned yet. */
struct open_end {
    size_t end;
    size_t depth; /* of the call stack within the call */
};

enum { NO_CHANNEL = UINT32_MAX };

struct fm_message_check {
    struct fm_map sends, posts; /* open requests of the current process: position in `ends` */
    FM_VECTOR(struct message_end) ends;
    FM_VECTOR(struct open_end) open;
    bool is_partitioned;      /* the next message is one of partitioned communication */
    uint32_t partitioned;     /* reference of the parameter that precedes it */
    struct fm_map numbers[2]; /* of pairs of processes, and of these with a communicator */
    struct fm_map channel_of; /* number and tag -> position */
    struct fm_map pair_of;    /* number of the pair of processes -> position */
    FM_VECTOR(struct channel) channels;
    FM_VECTOR(struct pair) pairs;
};

void fm_validator_begin_messages(struct fm_validator *validator)
{
    const struct fm_survey *survey = validator->survey;
    struct fm_message_check *check = fm_allocate(1, sizeof *check);
    check->partitioned = FM_SURVEY_NONE;
    for (size_t p = 0; p < survey->parameters.count; p++) {
        const struct fm_survey_parameter *parameter = &survey->parameters.items[p];
        if (strcmp(fm_survey_name(survey, parameter->name, ""), FM_PARTITIONED_OPERATION) == 0) {
            check->partitioned = parameter->reference;
        }
    }
    validator->messages = check;
}

static uint64_t pair_key(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

/* @return the number of a pair, which is the next one if it is new */
static uint32_t number_of(struct fm_map *map, uint32_t first, uint32_t second)
{
    return *fm_map_at(map, pair_key(first, second), (uint32_t)map->count);
}

/* @return the channel of a record of the current process, or NO_CHANNEL */
static uint32_t channel_of(struct fm_validator *validator, const struct fm_survey_event *event,
                           bool is_receive)
{
    struct fm_message_check *check = validator->messages;
    const uint32_t comm = fm_survey_find(&validator->survey->comm_index, event->reference);
    const uint32_t own = validator->members.process;
    const uint32_t peer = comm == FM_SURVEY_NONE
                              ? FM_SURVEY_NONE
                              : fm_members_peer(&validator->members, comm, event->peer);
    if (own == FM_SURVEY_NONE || peer == FM_SURVEY_NONE) {
        return NO_CHANNEL;
    }
    const uint32_t from = is_receive ? peer : own, to = is_receive ? own : peer;
    const uint32_t pair = number_of(&check->numbers[0], from, to);
    const uint32_t on_comm = number_of(&check->numbers[1], pair, comm);
    const uint32_t next = (uint32_t)check->channels.count;
    const uint32_t channel = *fm_map_at(&check->channel_of, pair_key(on_comm, event->tag), next);
    if (channel == next) {
        fm_vector_push(&check->channels,
                       (struct channel){.from = from, .to = to, .comm = comm, .tag = event->tag});
    }
    return channel;
}

static uint64_t time_of_call(const struct fm_validator *validator, uint64_t time)
{
    return validator->stack.count == 0 ? time
                                       : validator->entered.items[validator->stack.count - 1];
}

/* Whether the current call is a matched probe or receives the message of one. */
static bool is_matched_call(const struct fm_validator *validator)
{
    const uint32_t region =
        validator->stack.count == 0
            ? FM_SURVEY_NONE
            : fm_survey_find(&validator->survey->region_index,
                             validator->stack.items[validator->stack.count - 1]);
    return region != FM_SURVEY_NONE &&
           (validator->functions[region].call == FM_CALL_MATCHED_PROBE ||
            validator->functions[region].call == FM_CALL_MATCHED_RECEIVE);
}

static size_t add_end(struct fm_validator *validator, uint64_t time, bool is_receive)
{
    struct fm_message_check *check = validator->messages;
    const size_t position = check->ends.count;
    fm_vector_push(&check->ends, (struct message_end){.time = time,
                                                      .position = (uint32_t)position,
                                                      .channel = NO_CHANNEL,
                                                      .location = validator->location,
                                                      .is_receive = is_receive,
                                                      .is_matched = is_matched_call(validator)});
    return position;
}

static void note_send(struct fm_validator *validator, const struct fm_survey_event *event)
{
    struct fm_message_check *check = validator->messages;
    const size_t end = add_end(validator, time_of_call(validator, event->time), false);
    check->ends.items[end].bytes = event->bytes;
    check->ends.items[end].channel =
        check->is_partitioned ? NO_CHANNEL : channel_of(validator, event, false);
    check->is_partitioned = false;
    if (event->kind == FM_SURVEY_MPI_ISEND) {
        *fm_map_at(&check->sends, event->id, (uint32_t)end) = (uint32_t)end;
    }
}

/* Some recorders write the post of a matched probe's receive at the probe, and again, with the same
 * request, in the call that receives the message. */
static void note_post(struct fm_validator *validator, const struct fm_survey_event *event)
{
    struct fm_message_check *check = validator->messages;
    if (fm_map_get(&check->posts, event->id) == FM_MAP_ABSENT) {
        const size_t end = add_end(validator, 0, true);
        *fm_map_at(&check->posts, event->id, (uint32_t)end) = (uint32_t)end;
    }
}

static void note_receive(struct fm_validator *validator, const struct fm_survey_event *event)
{
    struct fm_message_check *check = validator->messages;
    const bool has_request = event->kind == FM_SURVEY_MPI_IRECV;
    const uint32_t posted = has_request ? fm_map_take(&check->posts, event->id) : FM_MAP_ABSENT;
    const bool is_posted = posted != FM_MAP_ABSENT;
    const size_t number = is_posted ? posted : add_end(validator, 0, true);
    struct message_end *end = &check->ends.items[number];
    end->channel = check->is_partitioned ? NO_CHANNEL : channel_of(validator, event, true);
    check->is_partitioned = false;
    end->bytes = event->bytes;
    end->location = validator->location;
    end->time = event->time;
    if (has_request && !is_posted && validator->several_threads && end->channel != NO_CHANNEL) {
        check->channels.items[end->channel].is_uncertain = true; /* posted by another thread */
    }
    if (validator->stack.count > 0) {
        end->time = UINT64_MAX;
        fm_vector_push(&check->open, (struct open_end){number, validator->stack.count});
    }
}

static void note_cancelled(struct fm_message_check *check, uint64_t request)
{
    const uint32_t post = fm_map_take(&check->posts, request);
    const uint32_t end = post != FM_MAP_ABSENT ? post : fm_map_take(&check->sends, request);
    if (end != FM_MAP_ABSENT) {
        check->ends.items[end].channel = NO_CHANNEL;
    }
}

void fm_validator_note_message(struct fm_validator *validator, const struct fm_survey_event *event)
{
    struct fm_message_check *check = validator->messages;
    switch (event->kind) {
    case FM_SURVEY_PARAMETER_UNSIGNED_INT:
        check->is_partitioned |= event->parameter == check->partitioned;
        break;
    case FM_SURVEY_MPI_SEND:
    case FM_SURVEY_MPI_ISEND:
        note_send(validator, event);
        break;
    case FM_SURVEY_MPI_ISEND_COMPLETE:
        (void)fm_map_take(&check->sends, event->id);
        break;
    case FM_SURVEY_MPI_IRECV_REQUEST:
        note_post(validator, event);
        break;
    case FM_SURVEY_MPI_RECV:
    case FM_SURVEY_MPI_IRECV:
        note_receive(validator, event);
        break;
    case FM_SURVEY_MPI_REQUEST_CANCELLED:
        note_cancelled(check, event->id);
        break;
    default:
        break;
    }
}

void fm_validator_leave_messages(struct fm_validator *validator, uint64_t time)
{
    struct fm_message_check *check = validator->messages;
    while (check->open.count > 0 &&
           check->open.items[check->open.count - 1].depth > validator->stack.count) {
        check->ends.items[check->open.items[--check->open.count].end].time = time;
    }
}

static int compare_ends(const void *left, const void *right)
{
    const struct message_end *a = left, *b = right;
    if (a->channel != b->channel) {
        return a->channel < b->channel ? -1 : 1;
    }
    if (a->is_receive != b->is_receive) {
        return a->is_receive ? 1 : -1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

static struct pair *pair_of(struct fm_message_check *check, uint32_t from, uint32_t to)
{
    const uint32_t next = (uint32_t)check->pairs.count;
    const uint32_t position = *fm_map_at(&check->pair_of, pair_key(from, to), next);
    if (position == next) {
        fm_vector_push(&check->pairs, (struct pair){.from = from, .to = to, .shortest = INT64_MAX});
    }
    return &check->pairs.items[position];
}

static void compare_channel(struct fm_message_check *check, const struct channel *channel,
                            const struct kept_end *sends, size_t send_count,
                            const struct kept_end *receives, size_t receive_count)
{
    struct pair *pair = pair_of(check, channel->from, channel->to);
    for (size_t i = 0; i < send_count && i < receive_count; i++) {
        const struct kept_end *send = &sends[i], *receive = &receives[i];
        if (receive->time == UINT64_MAX) {
            continue; /* its call never returns */
        }
        const int64_t length = (int64_t)(receive->time - send->time);
        pair->shortest = length < pair->shortest ? length : pair->shortest;
        if (length >= 0) {
            continue;
        }
        if (pair->violations++ == 0 || receive->time < pair->first.time) {
            pair->first.time = receive->time;
            pair->first.early = send->time - receive->time;
            pair->first.sent = send->bytes;
            pair->first.received = receive->bytes;
            pair->first.sends = send_count;
            pair->first.receives = receive_count;
            pair->first.location = receive->location;
            pair->first.comm = channel->comm;
            pair->first.tag = channel->tag;
        }
    }
}

static void close_channel_side(struct fm_message_check *check, uint32_t position,
                               struct kept_end *ends, size_t count, bool are_receives)
{
    struct channel *channel = &check->channels.items[position];
    if (!channel->is_read) {
        channel->is_read = true;
        channel->ends = ends;
        channel->count = count;
        channel->keeps_receives = are_receives;
        return;
    }
    if (channel->keeps_receives != are_receives && !channel->is_uncertain) {
        const bool kept_first = are_receives;
        compare_channel(check, channel, kept_first ? channel->ends : ends,
                        kept_first ? channel->count : count, kept_first ? ends : channel->ends,
                        kept_first ? count : channel->count);
    }
    fm_free(channel->ends);
    channel->ends = NULL;
    fm_free(ends);
}

void fm_validator_end_process_messages(struct fm_validator *validator, bool is_whole)
{
    struct fm_message_check *check = validator->messages;
    struct message_end *ends = check->ends.items;
    size_t count = is_whole ? check->ends.count : 0;
    fm_sort(ends, count, sizeof *ends, compare_ends);
    for (size_t begin = 0, end; begin < count && ends[begin].channel != NO_CHANNEL; begin = end) {
        for (end = begin; end < count && ends[end].channel == ends[begin].channel &&
                          ends[end].is_receive == ends[begin].is_receive;) {
            end++;
        }
        struct kept_end *kept = fm_allocate(end - begin, sizeof *kept);
        for (size_t i = begin; i < end; i++) {
            kept[i - begin] = (struct kept_end){ends[i].time, ends[i].bytes, ends[i].location};
            check->channels.items[ends[i].channel].is_uncertain |=
                ends[i].location != ends[begin].location || ends[i].is_matched;
        }
        close_channel_side(check, ends[begin].channel, kept, end - begin, ends[begin].is_receive);
    }
    check->ends.count = 0;
    check->open.count = 0;
    check->is_partitioned = false;
    fm_map_clear(&check->sends);
    fm_map_clear(&check->posts);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* What the violation can be. */
static void explain(const struct fm_message_check *check, const struct pair *pair, char *text,
                    size_t size)
{
    const uint32_t back = fm_map_get(&check->pair_of, pair_key(pair->to, pair->from));
    const int64_t other = back == FM_MAP_ABSENT ? INT64_MAX : check->pairs.items[back].shortest;
    if (pair->first.sent != pair->first.received) {
        snprintf(text, size,
                 "a wrong match (a record is missing or doubled): %" PRIu64
                 " bytes are sent, %" PRIu64 " received",
                 pair->first.sent, pair->first.received);
    } else if (pair->first.receives > pair->first.sends) {
        snprintf(text, size,
                 "a wrong match (a record is missing or doubled): %" PRIu64 " sends, %" PRIu64
                 " receives",
                 pair->first.sends, pair->first.receives);
    } else if (pair->from == pair->to) {
        snprintf(text, size, "a wrong match, of one process and one clock");
    } else if (other == INT64_MAX) {
        snprintf(text, size,
                 "a violation of clocks that differ by at least %" PRIu64
                 " tick%s, or a wrong match",
                 (uint64_t)-pair->shortest, plural((uint64_t)-pair->shortest));
    } else if (other < -pair->shortest) {
        snprintf(text, size,
                 "a wrong match or drifting clocks: no constant difference fits both directions");
    } else {
        snprintf(text, size,
                 "a violation of clocks that differ by %" PRIu64 " to %" PRIu64
                 " ticks, or a wrong match",
                 (uint64_t)-pair->shortest, (uint64_t)other);
    }
}

static const char *process_name(const struct fm_survey *survey, uint32_t process)
{
    return fm_survey_name(survey, survey->processes.items[process].name, "unnamed process");
}

void fm_validator_end_messages(struct fm_validator *validator)
{
    struct fm_message_check *check = validator->messages;
    const struct fm_survey *survey = validator->survey;
    for (size_t p = 0; p < check->pairs.count; p++) {
        const struct pair *pair = &check->pairs.items[p];
        if (pair->violations == 0) {
            continue;
        }
        char cause[160], more[64] = "";
        explain(check, pair, cause, sizeof cause);
        if (pair->violations > 1) {
            snprintf(more, sizeof more, " (%" PRIu64 " such messages)", pair->violations);
        }
        validator->location = pair->first.location;
        fm_validator_find(validator, pair->first.time,
                          "receives tag %" PRIu32 " of %.40s on communicator %" PRIu32 " %" PRIu64
                          " tick%s before the send begins%s: %s",
                          pair->first.tag, process_name(survey, pair->from),
                          survey->comms.items[pair->first.comm].reference, pair->first.early,
                          plural(pair->first.early), more, cause);
    }
    for (size_t c = 0; c < check->channels.count; c++) {
        fm_free(check->channels.items[c].ends);
    }
    fm_vector_free(&check->ends);
    fm_vector_free(&check->open);
    fm_vector_free(&check->channels);
    fm_vector_free(&check->pairs);
    fm_map_free(&check->sends);
    fm_map_free(&check->posts);
    fm_map_free(&check->numbers[0]);
    fm_map_free(&check->numbers[1]);
    fm_map_free(&check->channel_of);
    fm_map_free(&check->pair_of);
    fm_free(check);
}
