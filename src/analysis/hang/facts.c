/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hang/facts.h"

#include "analysis/collective/collective_walk.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <string.h>
#include <strings.h>

/* What the open calls of the run ask for. */
struct questions {
    const struct fm_analysis *analysis;
    const fm_open_parts *parts;
    bool *is_destination;   /* [process]: of messages that are awaited, or not received */
    struct fm_map series;   /* series_key() -> 0 */
    struct fm_map ordinals; /* hash of a series and an ordinal in it -> 0 */
    struct fm_map windows;  /* of epochs, collective calls and locks -> 0 */
};

static uint64_t series_key(uint8_t series, uint64_t scope)
{
    return scope * 251 + series;
}

/* Some operations may share a key: then more facts than needed are collected. */
static uint64_t ordinal_key(uint64_t series, uint32_t ordinal)
{
    return fm_hash(series) + ordinal;
}

static void ask(struct questions *questions)
{
    const struct fm_trace *trace = questions->analysis->trace;
    for (size_t i = 0; i < questions->parts->count; ++i) {
        const struct fm_open_part *part = &questions->parts->items[i];
        if (part->awaits == FM_AWAITS_MESSAGE) {
            questions->is_destination[fm_trace_process(trace, part->location)] = true;
        } else if (part->awaits == FM_AWAITS_RECEIVER && part->process != FM_NONE) {
            questions->is_destination[part->process] = true;
        } else if (part->awaits == FM_AWAITS_MEMBERS) {
            const uint64_t key = series_key(part->series, part->scope);
            fm_map_at(&questions->series, key, 0);
            fm_map_at(&questions->ordinals, ordinal_key(key, part->ordinal), 0);
        }
        if (part->window != FM_NONE) {
            fm_map_at(&questions->windows, part->window, 0);
        }
    }
}

/* ---- messages ---- */

/* The channels of this process of the analysis, found by their members. */
struct channel_table {
    struct fm_map numbers[3];
    struct fm_hang_facts *facts;
};

static uint32_t number_of(struct fm_map *map, uint32_t first, uint32_t second)
{
    return *fm_map_at(map, (uint64_t)first << 32 | second, (uint32_t)map->count);
}

static struct fm_channel *channel_of(struct channel_table *table, uint32_t destination,
                                     uint32_t communicator, uint32_t source, uint32_t tag)
{
    const uint32_t of_destination = number_of(&table->numbers[0], destination, communicator);
    const uint32_t of_source = number_of(&table->numbers[1], of_destination, source);
    const uint32_t row = number_of(&table->numbers[2], of_source, tag);
    if (row == table->facts->channels.count) {
        fm_vector_push(&table->facts->channels,
                       ((struct fm_channel){destination, communicator, source, tag, 0, 0}));
    }
    return &table->facts->channels.items[row];
}

static void count_sends(const struct questions *questions, const struct fm_location *location,
                        struct channel_table *table)
{
    const struct fm_trace *trace = questions->analysis->trace;
    for (size_t s = 0; s < location->sends.count; ++s) {
        const struct fm_message_end *send = &location->sends.items[s];
        if (send->communicator == FM_NONE || send->partitioned != 0) {
            continue;
        }
        const uint32_t to =
            fm_trace_member(trace, send->communicator, send->peer, location->process);
        if (to != FM_NONE && questions->is_destination[to]) {
            channel_of(table, to, send->communicator, location->process, send->tag)->sent++;
        }
    }
}

static void count_receives(const struct questions *questions, const struct fm_location *location,
                           struct channel_table *table)
{
    const struct fm_trace *trace = questions->analysis->trace;
    for (size_t r = 0; r < location->receives.count; ++r) {
        const struct fm_message_end *receive = &location->receives.items[r];
        if (receive->communicator == FM_NONE || receive->complete == FM_NONE ||
            receive->partitioned != 0 ||
            fm_trace_is_open(&trace->locations[receive->complete_location], receive->complete)) {
            continue;
        }
        const uint32_t from =
            fm_trace_member(trace, receive->communicator, receive->peer, location->process);
        channel_of(table, location->process, receive->communicator, from, receive->tag)->received++;
    }
}

static void count_unrecorded(const struct questions *questions, const struct fm_location *location,
                             struct channel_table *table)
{
    const struct fm_trace *trace = questions->analysis->trace;
    for (size_t u = 0; u < location->unrecorded.count; ++u) {
        const struct fm_unrecorded *gap = &location->unrecorded.items[u];
        if (gap->series != FM_SERIES_SENDS && gap->series != FM_SERIES_RECEIVES) {
            continue;
        }
        const uint32_t peer = fm_trace_member(trace, gap->reference, gap->peer, location->process);
        const bool sends = gap->series == FM_SERIES_SENDS;
        const uint32_t to = sends ? peer : location->process;
        if (to == FM_NONE || !questions->is_destination[to]) {
            continue;
        }
        struct fm_channel *channel =
            channel_of(table, to, gap->reference, sends ? location->process : peer, gap->tag);
        channel->sent += sends ? gap->count : 0;
        channel->received += sends ? 0 : gap->count;
    }
}

/* Lists the receives that a location has posted: those that its open calls state, and others of
 * which nothing is known. */
static void list_posted(const struct fm_trace *trace, const struct fm_location *location,
                        struct fm_hang_facts *facts)
{
    uint64_t unknown = 0;
    for (size_t r = 0; r < location->receives.count; ++r) {
        unknown += location->receives.items[r].complete == FM_NONE;
    }
    for (size_t i = 0; i < location->open_waits.count; ++i) {
        const struct fm_open_wait *wait = &location->open_waits.items[i];
        const char *name = fm_trace_called(trace, location, wait->activity)->name;
        if ((wait->stated & FM_STATES(SOURCE)) == 0 ||
            (!wait->has_request && strcasestr(name, "recv") == NULL)) {
            continue;
        }
        const bool is_row = wait->kind == FM_OPEN_RECEIVE && wait->row != FM_NONE &&
                            location->receives.items[wait->row].complete == FM_NONE;
        unknown -= is_row && unknown != 0;
        fm_vector_push(&facts->posted,
                       ((struct fm_posted){
                           .process = location->process,
                           .communicator = wait->communicator,
                           .source = wait->communicator == FM_NONE || wait->source == FM_NONE
                                         ? FM_NONE
                                         : fm_trace_member(trace, wait->communicator, wait->source,
                                                           location->process),
                           .tag = wait->tag,
                       }));
    }
    if (unknown != 0) {
        fm_vector_push(&facts->posted,
                       ((struct fm_posted){location->process, FM_NONE, FM_NONE, FM_NONE}));
    }
}

/* ---- collective operations ---- */

static void reach(struct fm_hang_facts *facts, const struct fm_reached *reached)
{
    fm_vector_push(&facts->reached, *reached);
}

/* The last operation of a series that the walk has seen. */
struct last_reached {
    FM_VECTOR(struct fm_reached) items;
    struct fm_map row_of; /* series_key() -> row */
};

static void walk_collectives(const struct questions *questions, struct fm_collective_walk *walk,
                             uint32_t process, struct fm_hang_facts *facts)
{
    const struct fm_trace *trace = questions->analysis->trace;
    struct last_reached last = {0};
    struct fm_member member;
    fm_collective_walk_begin(walk, trace, process);
    while (fm_collective_walk_next(walk, &member)) {
        const uint64_t key = series_key(member.series, member.scope);
        if (fm_map_get(&questions->series, key) == FM_MAP_ABSENT) {
            continue;
        }
        const struct fm_reached reached = {
            .scope = member.scope,
            .process = process,
            .ordinal = member.ordinal,
            .region =
                fm_trace_region(&trace->locations[member.start_location], member.start_activity),
            .root = member.root,
            .series = member.series,
        };
        const uint32_t next = (uint32_t)last.items.count;
        const uint32_t row = *fm_map_at(&last.row_of, key, next);
        if (row == next) {
            fm_vector_push(&last.items, reached);
        }
        if (last.items.items[row].ordinal <= member.ordinal) {
            last.items.items[row] = reached;
        }
        if (fm_map_get(&questions->ordinals, ordinal_key(key, member.ordinal)) != FM_MAP_ABSENT) {
            reach(facts, &reached);
        }
    }
    for (size_t i = 0; i < last.items.count; ++i) {
        reach(facts, &last.items.items[i]);
    }
    fm_vector_free(&last.items);
    fm_map_free(&last.row_of);
}

/* Collective calls on windows of MPI, all of a window in one series. */
static void walk_window_collectives(const struct questions *questions, uint32_t process,
                                    struct fm_hang_facts *facts)
{
    const struct fm_trace *trace = questions->analysis->trace;
    const struct fm_process *owner = &trace->processes[process];
    struct fm_map next = {0}; /* window -> ordinal */
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        const struct fm_location *location = &trace->locations[owner->first_location + t];
        for (size_t u = 0; u < location->unrecorded.count; ++u) {
            const struct fm_unrecorded *gap = &location->unrecorded.items[u];
            if (gap->series == FM_SERIES_WINDOW_COLLECTIVES &&
                fm_map_get(&questions->windows, gap->reference) != FM_MAP_ABSENT) {
                *fm_map_at(&next, gap->reference, 0) += (uint32_t)gap->count;
            }
        }
        for (size_t r = 0; r < location->rma.count; ++r) {
            const struct fm_rma *record = &location->rma.items[r];
            if (record->type != FM_RMA_COLLECTIVE ||
                fm_map_get(&questions->windows, record->window) == FM_MAP_ABSENT) {
                continue;
            }
            reach(facts, &(struct fm_reached){
                             .scope = record->window,
                             .process = process,
                             .ordinal = (*fm_map_at(&next, record->window, 0))++,
                             .region = fm_trace_region(location, record->activity),
                             .root = FM_NONE,
                             .series = UINT8_MAX,
                         });
        }
    }
    fm_map_free(&next);
}

/* @return whether a process has begun a non-blocking collective operation without an end */
static bool is_uncertain(const struct fm_trace *trace, uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        const struct fm_location *location = &trace->locations[owner->first_location + t];
        for (size_t c = 0; c < location->collectives.count; ++c) {
            if (location->collectives.items[c].communicator == FM_NONE) {
                return true;
            }
        }
    }
    return false;
}

/* ---- epochs ---- */

static fm_awaits_t epoch_kind(fm_call_t call)
{
    return call == FM_CALL_POST          ? FM_AWAITS_POST
           : call == FM_CALL_COMPLETE    ? FM_AWAITS_COMPLETE
           : call == FM_CALL_SYNC_IMAGES ? FM_AWAITS_IMAGES
                                         : FM_AWAITS_UNKNOWN;
}

static void count_epochs(const struct questions *questions, const struct fm_location *location,
                         struct fm_hang_facts *facts)
{
    const struct fm_trace *trace = questions->analysis->trace;
    for (size_t r = 0; r < location->rma.count; ++r) {
        const struct fm_rma *record = &location->rma.items[r];
        if (record->type != FM_RMA_GROUP_SYNC || record->peer == FM_NONE ||
            fm_map_get(&questions->windows, record->window) == FM_MAP_ABSENT) {
            continue;
        }
        const fm_awaits_t awaits =
            epoch_kind(fm_trace_called(trace, location, record->activity)->call);
        for (uint32_t i = 0; awaits != FM_AWAITS_UNKNOWN && i < trace->groups[record->peer].size;
             ++i) {
            fm_vector_push(&facts->epochs,
                           ((struct fm_epoch_count){record->window, location->process,
                                                    trace->groups[record->peer].processes[i], 1,
                                                    (uint8_t)awaits}));
        }
    }
    for (size_t u = 0; u < location->unrecorded.count; ++u) {
        const struct fm_unrecorded *gap = &location->unrecorded.items[u];
        const bool accesses = gap->series == FM_SERIES_ACCESS_EPOCHS;
        if ((!accesses && gap->series != FM_SERIES_EXPOSURE_EPOCHS) ||
            fm_map_get(&questions->windows, gap->reference) == FM_MAP_ABSENT) {
            continue;
        }
        for (uint32_t i = 0; i < trace->groups[gap->peer].size; ++i) {
            fm_vector_push(
                &facts->epochs,
                ((struct fm_epoch_count){
                    gap->reference, location->process, trace->groups[gap->peer].processes[i],
                    (uint32_t)gap->count, accesses ? FM_AWAITS_COMPLETE : FM_AWAITS_POST}));
        }
    }
}

/* ---- locks ---- */

/* The locks of windows and libraries that a location has requested and not released. */
struct open_locks {
    const struct questions *questions;
    const struct fm_location *location;
    uint32_t l;
    FM_VECTOR(struct fm_locked) items;
    FM_VECTOR(struct fm_rma) operations; /* that are not known to be completed */
};

static uint32_t target_of(const struct open_locks *locks, const struct fm_rma *record)
{
    const struct fm_trace *trace = locks->questions->analysis->trace;
    return record->peer == FM_NONE
               ? FM_NONE
               : fm_trace_member(trace, trace->windows[record->window].communicator, record->peer,
                                 locks->location->process);
}

static struct fm_locked *find_lock(struct open_locks *locks, const struct fm_rma *record,
                                   uint64_t id)
{
    const uint32_t target = target_of(locks, record);
    for (size_t i = 0; i < locks->items.count; ++i) {
        struct fm_locked *lock = &locks->items.items[i];
        if (lock->window == record->window && lock->target == target && lock->id == id) {
            return lock;
        }
    }
    return NULL;
}

static void take_lock(struct open_locks *locks, const struct fm_rma *record, uint64_t id,
                      bool is_mpi)
{
    const bool is_open = fm_trace_is_open(locks->location, record->activity);
    struct fm_locked *lock = find_lock(locks, record, id);
    if (lock == NULL) {
        const uint32_t visit = locks->location->visit.items[record->activity];
        fm_vector_push(&locks->items,
                       ((struct fm_locked){
                           .id = id,
                           .window = record->window,
                           .target = target_of(locks, record),
                           .process = locks->location->process,
                           .location = locks->l,
                           .place = locks->location->profile.items[visit].callpath,
                           .is_mpi = is_mpi,
                           .is_shared = record->shared || (is_mpi && record->peer == FM_NONE),
                       }));
        lock = &locks->items.items[locks->items.count - 1];
    }
    lock->is_requested |= !is_open;
    lock->is_acquired |= record->type == FM_RMA_LOCK_ACQUIRE && !is_open;
}

/* An operation that is complete at its target shows that the process has the lock. */
static void complete_operations(struct open_locks *locks, const struct fm_rma *done)
{
    const struct fm_trace *trace = locks->questions->analysis->trace;
    for (size_t i = locks->operations.count; i-- > 0;) {
        const struct fm_rma operation = locks->operations.items[i];
        const bool reads = operation.type == FM_RMA_GET;
        if (operation.id != done->id || operation.window != done->window ||
            (done->type == FM_RMA_DONE_LOCALLY && !reads) ||
            fm_trace_is_open(locks->location, done->activity)) {
            continue;
        }
        const uint32_t target =
            fm_trace_member(trace, trace->windows[operation.window].communicator, operation.peer,
                            locks->location->process);
        locks->operations.items[i] = locks->operations.items[--locks->operations.count];
        for (size_t k = 0; k < locks->items.count; ++k) {
            struct fm_locked *lock = &locks->items.items[k];
            lock->is_acquired |= lock->is_mpi && lock->window == operation.window &&
                                 (lock->target == target || lock->target == FM_NONE);
        }
    }
}

static void list_locks(const struct questions *questions, uint32_t l, struct fm_hang_facts *facts)
{
    const struct fm_trace *trace = questions->analysis->trace;
    struct open_locks locks = {questions, &trace->locations[l], l, {0}, {0}};
    uint64_t id = 0;
    for (size_t r = 0; r < locks.location->rma.count; ++r) {
        const struct fm_rma *record = &locks.location->rma.items[r];
        const bool is_mpi =
            fm_trace_called(trace, locks.location, record->activity)->paradigm == FM_PARADIGM_MPI;
        if (trace->windows[record->window].communicator == FM_NONE ||
            fm_map_get(&questions->windows, record->window) == FM_MAP_ABSENT) {
            continue;
        }
        struct fm_locked *lock;
        switch (record->type) {
        case FM_RMA_LOCK_NAME:
            id = record->id;
            break;
        case FM_RMA_LOCK_REQUEST:
        case FM_RMA_LOCK_ACQUIRE:
            take_lock(&locks, record, is_mpi ? 0 : id, is_mpi);
            break;
        case FM_RMA_LOCK_RELEASE:
            lock = find_lock(&locks, record, is_mpi ? 0 : id);
            if (lock != NULL && !fm_trace_is_open(locks.location, record->activity)) {
                *lock = locks.items.items[--locks.items.count];
            }
            break;
        case FM_RMA_PUT:
        case FM_RMA_GET:
        case FM_RMA_ATOMIC:
            fm_vector_push(&locks.operations, *record);
            break;
        case FM_RMA_DONE_LOCALLY:
        case FM_RMA_DONE_REMOTELY:
            complete_operations(&locks, record);
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; i < locks.items.count; ++i) {
        fm_vector_push(&facts->locks, locks.items.items[i]);
    }
    fm_vector_free(&locks.items);
    fm_vector_free(&locks.operations);
}

/* ---- all together ---- */

static void find_own(struct questions *questions, struct fm_hang_facts *own)
{
    const struct fm_trace *trace = questions->analysis->trace;
    struct channel_table table = {.facts = own};
    struct fm_collective_walk walk = {0};
    uint32_t first, last;
    fm_engine_own(questions->analysis->engine, &first, &last);
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t t = 0; t < process->location_count; ++t) {
            const uint32_t l = process->first_location + t;
            const struct fm_location *location = &trace->locations[l];
            count_sends(questions, location, &table);
            count_unrecorded(questions, location, &table);
            if (questions->is_destination[p]) {
                count_receives(questions, location, &table);
                list_posted(trace, location, own);
            }
            if (questions->windows.count != 0) {
                count_epochs(questions, location, own);
                list_locks(questions, l, own);
            }
        }
        if (questions->series.count != 0) {
            walk_collectives(questions, &walk, p, own);
        }
        if (questions->windows.count != 0) {
            walk_window_collectives(questions, p, own);
        }
        if (is_uncertain(trace, p)) {
            fm_vector_push(&own->uncertain, p);
        }
    }
    fm_collective_walk_free(&walk);
    for (int i = 0; i < 3; ++i) {
        fm_map_free(&table.numbers[i]);
    }
}

static int compare_words(const uint64_t *left, const uint64_t *right, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_channels(const void *a, const void *b)
{
    const struct fm_channel *left = a, *right = b;
    const uint64_t l[] = {left->destination, left->communicator, left->source, left->tag};
    const uint64_t r[] = {right->destination, right->communicator, right->source, right->tag};
    return compare_words(l, r, 4);
}

static int compare_reached(const void *a, const void *b)
{
    const struct fm_reached *left = a, *right = b;
    const uint64_t l[] = {left->series, left->scope, left->process, left->ordinal};
    const uint64_t r[] = {right->series, right->scope, right->process, right->ordinal};
    return compare_words(l, r, 4);
}

static int compare_epochs(const void *a, const void *b)
{
    const struct fm_epoch_count *left = a, *right = b;
    const uint64_t l[] = {left->awaits, left->window, left->process, left->partner};
    const uint64_t r[] = {right->awaits, right->window, right->process, right->partner};
    return compare_words(l, r, 4);
}

/* Sorts the facts and adds up those about the same. */
static void unite(struct fm_hang_facts *facts)
{
    fm_sort(facts->channels.items, facts->channels.count, sizeof *facts->channels.items,
            compare_channels);
    size_t kept = 0;
    for (size_t i = 0; i < facts->channels.count; ++i) {
        struct fm_channel *channel = &facts->channels.items[i];
        struct fm_channel *last = kept == 0 ? NULL : &facts->channels.items[kept - 1];
        if (last != NULL && compare_channels(last, channel) == 0) {
            last->sent += channel->sent;
            last->received += channel->received;
        } else {
            facts->channels.items[kept++] = *channel;
        }
    }
    facts->channels.count = kept;
    fm_sort(facts->reached.items, facts->reached.count, sizeof *facts->reached.items,
            compare_reached);
    kept = 0;
    for (size_t i = 0; i < facts->reached.count; ++i) {
        if (kept == 0 ||
            compare_reached(&facts->reached.items[kept - 1], &facts->reached.items[i]) != 0) {
            facts->reached.items[kept++] = facts->reached.items[i];
        }
    }
    facts->reached.count = kept;
    fm_sort(facts->epochs.items, facts->epochs.count, sizeof *facts->epochs.items, compare_epochs);
    kept = 0;
    for (size_t i = 0; i < facts->epochs.count; ++i) {
        struct fm_epoch_count *epoch = &facts->epochs.items[i];
        struct fm_epoch_count *last = kept == 0 ? NULL : &facts->epochs.items[kept - 1];
        if (last != NULL && compare_epochs(last, epoch) == 0) {
            last->count += epoch->count;
        } else {
            facts->epochs.items[kept++] = *epoch;
        }
    }
    facts->epochs.count = kept;
}

void fm_hang_facts_collect(const struct fm_analysis *analysis, const fm_open_parts *parts,
                           struct fm_hang_facts *facts)
{
    struct fm_hang_facts own = {0};
    struct questions questions = {
        .analysis = analysis,
        .parts = parts,
        .is_destination = fm_allocate(analysis->trace->process_count + (size_t)1,
                                      sizeof *questions.is_destination),
    };
    ask(&questions);
    find_own(&questions, &own);
    fm_team_collect_vector(analysis->team, &own.channels, &facts->channels);
    fm_team_collect_vector(analysis->team, &own.posted, &facts->posted);
    fm_team_collect_vector(analysis->team, &own.reached, &facts->reached);
    fm_team_collect_vector(analysis->team, &own.epochs, &facts->epochs);
    fm_team_collect_vector(analysis->team, &own.locks, &facts->locks);
    fm_team_collect_vector(analysis->team, &own.uncertain, &facts->uncertain);
    unite(facts);
    fm_hang_facts_free(&own);
    fm_free(questions.is_destination);
    fm_map_free(&questions.series);
    fm_map_free(&questions.ordinals);
    fm_map_free(&questions.windows);
}

void fm_hang_facts_free(struct fm_hang_facts *facts)
{
    fm_vector_free(&facts->channels);
    fm_vector_free(&facts->posted);
    fm_vector_free(&facts->reached);
    fm_vector_free(&facts->epochs);
    fm_vector_free(&facts->locks);
    fm_vector_free(&facts->uncertain);
}
