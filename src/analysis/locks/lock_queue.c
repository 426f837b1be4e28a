/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_queue.h"
#include "analysis/locks/lock_names.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "base/containers/vector.h"

#include <string.h>

/* A lock that was found. */
struct found_lock {
    struct fm_cube_lock lock; /* times of the trace's clock, name unset */
    struct fm_named_lock named;
};

static bool is_of_threads(const struct found_lock *found)
{
    return found->named.is_of_threads;
}

typedef FM_VECTOR(struct found_lock) lock_vector;
typedef FM_VECTOR(unsigned char) byte_vector;

/* An epoch among those of its window, sorted by lock. */
struct member {
    uint32_t lock; /* number */
    uint32_t index;
};

/* The locks that a worker has found, and scratch memory, reused for each window. */
struct worker_queues {
    lock_vector locks;
    uint64_t thread_locks; /* among these */
    uint64_t left_out, left_out_waiting;
    FM_VECTOR(uint32_t) chain;
    FM_VECTOR(struct member) members;
    FM_VECTOR(uint64_t) begins, ends; /* of waits for one lock */
    fm_kept_holds kept;
    unsigned char apart[FM_APART];
};

struct fm_lock_queues {
    unsigned workers;
    bool keeps;
    struct worker_queues *of_worker;
};

/* The epochs of one window, from which its locks are described. */
struct window_epochs {
    const struct fm_lock_hold *holds;
    const uint32_t *chain; /* [epoch]: length of the chain of epochs, each of which waited for the
                              one before, that ends with this one */
    struct worker_queues *found;
};

struct fm_lock_queues *fm_lock_queues_create(unsigned workers, bool keeps)
{
    struct fm_lock_queues *queues = fm_allocate(1, sizeof *queues);
    queues->workers = workers;
    queues->keeps = keeps;
    queues->of_worker = fm_allocate_apart(workers, sizeof *queues->of_worker);
    return queues;
}

void fm_lock_queues_free(struct fm_lock_queues *queues)
{
    if (queues == NULL) {
        return;
    }
    for (unsigned w = 0; w < queues->workers; ++w) {
        struct worker_queues *found = &queues->of_worker[w];
        for (size_t i = 0; i < found->locks.count; ++i) {
            fm_free(found->locks.items[i].lock.queue);
        }
        fm_vector_free(&found->locks);
        fm_vector_free(&found->chain);
        fm_vector_free(&found->members);
        fm_vector_free(&found->begins);
        fm_vector_free(&found->ends);
        fm_vector_free(&found->kept);
    }
    fm_free(queues->of_worker);
    fm_free(queues);
}

static bool waited(const struct fm_lock_hold *hold)
{
    return hold->blocked_by != FM_NONE;
}

/* ---- the queue over time ---- */

/* @return the bin of a time; the end belongs to the last one. Rounding may put the quotient into a
 * neighbouring bin, which the edges correct. */
static uint32_t bin_at(const struct fm_cube_lock *lock, uint64_t time)
{
    double share = (double)(time - lock->begin) / (double)(lock->end - lock->begin);
    uint32_t bin = (uint32_t)(share * FM_CUBE_LOCK_BINS);
    bin = bin < FM_CUBE_LOCK_BINS ? bin : FM_CUBE_LOCK_BINS - 1;
    while (bin > 0 && fm_cube_lock_edge(lock, bin) > time) {
        --bin;
    }
    while (bin + 1 < FM_CUBE_LOCK_BINS && fm_cube_lock_edge(lock, bin + 1) <= time) {
        ++bin;
    }
    return bin;
}

/* Makes the queue longer by `step` from `time` on: adds the waiting of the rest of this bin to it,
 * and notes the step for the bins that follow. */
static void step_queue(const struct fm_cube_lock *lock, uint64_t time, int64_t step,
                       int64_t steps[FM_CUBE_LOCK_BINS + 1])
{
    uint32_t bin = bin_at(lock, time);
    lock->queue[bin] += (uint64_t)step * (fm_cube_lock_edge(lock, bin + 1) - time);
    steps[bin + 1] += step;
}

static int compare_times(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* @return the largest number of intervals [begin, end) that overlap */
static uint64_t most_at_once(uint64_t *begins, uint64_t *ends, size_t count)
{
    fm_sort(begins, count, sizeof *begins, compare_times);
    fm_sort(ends, count, sizeof *ends, compare_times);
    uint64_t most = 0;
    for (size_t begun = 0, ended = 0; begun < count; ++begun) {
        while (ends[ended] <= begins[begun]) {
            ++ended;
        }
        uint64_t length = begun + 1 - ended;
        most = length > most ? length : most;
    }
    return most;
}

static void describe_queue(const struct window_epochs *epochs, const struct member *members,
                           size_t count, struct fm_cube_lock *lock)
{
    if (lock->waits == 0) {
        return;
    }
    lock->bin_count = FM_CUBE_LOCK_BINS;
    lock->queue = fm_allocate(FM_CUBE_LOCK_BINS, sizeof *lock->queue);
    int64_t steps[FM_CUBE_LOCK_BINS + 1] = {0};
    struct worker_queues *found = epochs->found;
    found->begins.count = found->ends.count = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_lock_hold *hold = &epochs->holds[members[i].index];
        if (waited(hold)) {
            step_queue(lock, hold->queued_from, 1, steps);
            step_queue(lock, hold->queued_until, -1, steps);
            fm_vector_push(&found->begins, hold->queued_from);
            fm_vector_push(&found->ends, hold->queued_until);
        }
    }
    int64_t length = 0;
    for (uint32_t bin = 0; bin < FM_CUBE_LOCK_BINS; ++bin) {
        length += steps[bin];
        lock->queue[bin] +=
            (uint64_t)length * (fm_cube_lock_edge(lock, bin + 1) - fm_cube_lock_edge(lock, bin));
    }
    lock->longest_queue = most_at_once(found->begins.items, found->ends.items, found->begins.count);
}

/* ---- holders and victims ---- */

typedef FM_VECTOR(struct fm_cube_lock_party) party_vector;

static struct fm_cube_lock_party *party_of(party_vector *parties, struct fm_map *index_of_location,
                                           uint32_t location)
{
    uint32_t next = (uint32_t)parties->count;
    uint32_t index = *fm_map_at(index_of_location, location, next);
    if (index == next) {
        fm_vector_push(parties, (struct fm_cube_lock_party){.location = location});
    }
    return &parties->items[index];
}

static int compare_holders(const void *a, const void *b)
{
    const struct fm_cube_lock_party *left = a, *right = b;
    if (left->caused != right->caused) {
        return left->caused > right->caused ? -1 : 1;
    }
    if (left->held != right->held) {
        return left->held > right->held ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static int compare_victims(const void *a, const void *b)
{
    const struct fm_cube_lock_party *left = a, *right = b;
    if (left->waiting != right->waiting) {
        return left->waiting > right->waiting ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static void describe_parties(const struct window_epochs *epochs, const struct member *members,
                             size_t count, struct fm_cube_lock *lock)
{
    party_vector parties = {0};
    struct fm_map index_of_location = {0};
    for (size_t i = 0; i < count; ++i) {
        const struct fm_lock_hold *hold = &epochs->holds[members[i].index];
        struct fm_cube_lock_party *owner = party_of(&parties, &index_of_location, hold->owner);
        ++owner->epochs;
        owner->held += hold->released - hold->held_from;
        if (waited(hold)) {
            uint64_t ticks = hold->queued_until - hold->queued_from;
            ++owner->waits;
            owner->waiting += ticks;
            owner->waiting_error += hold->error;
            uint32_t culprit = epochs->holds[hold->blocked_by].owner;
            struct fm_cube_lock_party *holder = party_of(&parties, &index_of_location, culprit);
            holder->caused += ticks;
            holder->caused_error += hold->error;
        }
    }
    fm_sort(parties.items, parties.count, sizeof *parties.items, compare_holders);
    for (size_t i = 0; i < parties.count && i < FM_CUBE_LOCK_PARTIES; ++i) {
        lock->holders[lock->holder_count++] = parties.items[i];
    }
    fm_sort(parties.items, parties.count, sizeof *parties.items, compare_victims);
    for (size_t i = 0; i < parties.count && i < FM_CUBE_LOCK_PARTIES; ++i) {
        if (parties.items[i].waits != 0) {
            lock->victims[lock->victim_count++] = parties.items[i];
        }
    }
    fm_vector_free(&parties);
    fm_map_free(&index_of_location);
}

/* ---- locks ---- */

/* Lists the owners of the first epochs of the chain that ends with `last`. */
static void describe_chain(const struct window_epochs *epochs, uint32_t last,
                           struct fm_cube_lock *lock)
{
    lock->longest_chain = epochs->chain[last];
    lock->chain_count =
        epochs->chain[last] < FM_CUBE_LOCK_CHAIN ? epochs->chain[last] : FM_CUBE_LOCK_CHAIN;
    for (uint32_t epoch = last; epoch != FM_NONE; epoch = epochs->holds[epoch].blocked_by) {
        if (epochs->chain[epoch] <= FM_CUBE_LOCK_CHAIN) {
            lock->chain[epochs->chain[epoch] - 1] = epochs->holds[epoch].owner;
        }
    }
}

static void take_places(const struct fm_lock_places *places, struct fm_cube_lock *lock)
{
    if (places != NULL) {
        lock->held_in_count = places->held_in_count;
        memcpy(lock->held_in, places->held_in, sizeof lock->held_in);
        lock->waited_in_count = places->waited_in_count;
        memcpy(lock->waited_in, places->waited_in, sizeof lock->waited_in);
    }
}

static struct fm_cube_lock describe_lock(const struct window_epochs *epochs, uint32_t window,
                                         const struct member *members, size_t count)
{
    struct fm_cube_lock lock = {
        .window = window,
        .target = epochs->holds[members[0].index].target == FM_NONE
                      ? FM_CUBE_NONE
                      : epochs->holds[members[0].index].target,
        .begin = UINT64_MAX,
    };
    uint32_t last_of_chain = members[0].index;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_lock_hold *hold = &epochs->holds[members[i].index];
        ++*(hold->exclusive ? &lock.exclusive : &lock.shared);
        lock.held += hold->released - hold->held_from;
        lock.waits += waited(hold);
        lock.waiting += hold->queued_until - hold->queued_from;
        lock.error += hold->error;
        lock.begin = hold->requested < lock.begin ? hold->requested : lock.begin;
        lock.end = hold->released > lock.end ? hold->released : lock.end;
        if (epochs->chain[members[i].index] > epochs->chain[last_of_chain]) {
            last_of_chain = members[i].index;
        }
    }
    if (lock.waits != 0) {
        describe_chain(epochs, last_of_chain, &lock);
    }
    describe_queue(epochs, members, count, &lock);
    describe_parties(epochs, members, count, &lock);
    return lock;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *left = a, *right = b;
    if (left->lock != right->lock) {
        return left->lock < right->lock ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

/* By window and target; locks outside of MPI, which have names instead, last. */
static int compare_locks(const void *a, const void *b)
{
    const struct found_lock *left = a, *right = b;
    const bool is_left_named = left->named.paradigm != FM_PARADIGM_MPI;
    const bool is_right_named = right->named.paradigm != FM_PARADIGM_MPI;
    if (is_left_named != is_right_named) {
        return is_left_named ? 1 : -1;
    }
    if (is_of_threads(left) != is_of_threads(right)) {
        return is_of_threads(left) ? 1 : -1;
    }
    if (left->lock.window != right->lock.window) {
        return left->lock.window < right->lock.window ? -1 : 1;
    }
    if (left->named.process != right->named.process) {
        return left->named.process < right->named.process ? -1 : 1;
    }
    return left->named.id < right->named.id ? -1 : left->named.id > right->named.id;
}

/* Of two locks of threads, that with more waiting first. */
static int compare_waiting(const struct found_lock *left, const struct found_lock *right)
{
    if (left->lock.waiting != right->lock.waiting) {
        return left->lock.waiting > right->lock.waiting ? -1 : 1;
    }
    return compare_locks(left, right);
}

static int compare_for_selection(const void *a, const void *b)
{
    const struct found_lock *left = a, *right = b;
    if (is_of_threads(left) != is_of_threads(right)) {
        return is_of_threads(left) ? 1 : -1;
    }
    return is_of_threads(left) ? compare_waiting(left, right) : compare_locks(left, right);
}

/* Leaves out locks of threads if there are more than `most`: those with the least waiting. Which
 * ones are left in the end does not depend on how often it is called, and for which of them. */
static void leave_out(struct worker_queues *found, uint64_t most)
{
    if (found->thread_locks <= most) {
        return;
    }
    fm_sort(found->locks.items, found->locks.count, sizeof *found->locks.items,
            compare_for_selection);
    while (found->thread_locks > most) {
        struct fm_cube_lock *lock = &found->locks.items[--found->locks.count].lock;
        found->left_out_waiting += lock->waiting;
        found->left_out++;
        found->thread_locks--;
        fm_free(lock->queue);
    }
}

static void add_lock(struct worker_queues *found, const struct found_lock *lock)
{
    fm_vector_push(&found->locks, *lock);
    found->thread_locks += is_of_threads(lock);
    if (found->thread_locks == 2 * FM_LOCK_QUEUES_MOST) {
        leave_out(found, FM_LOCK_QUEUES_MOST);
    }
}

static void keep(fm_kept_holds *kept, uint32_t window, const struct fm_lock_hold *holds,
                 uint32_t count)
{
    const uint32_t base = (uint32_t)kept->count;
    for (uint32_t i = 0; i < count; ++i) {
        struct fm_kept_hold own = {holds[i], window};
        own.hold.blocked_by += own.hold.blocked_by == FM_NONE ? 0 : base;
        fm_vector_push(kept, own);
    }
}

void fm_lock_queues_add(struct fm_lock_queues *queues, unsigned worker, uint32_t window,
                        const struct fm_lock_hold *holds, uint32_t count,
                        const struct fm_lock_places *places)
{
    struct worker_queues *found = &queues->of_worker[worker];
    if (queues->keeps) {
        keep(&found->kept, window, holds, count);
    }
    found->chain.count = found->members.count = 0;
    fm_vector_reserve(&found->chain, count);
    fm_vector_reserve(&found->members, count);
    uint32_t *chain = found->chain.items;
    struct member *members = found->members.items;
    for (uint32_t i = 0; i < count; ++i) {
        chain[i] = waited(&holds[i]) ? chain[holds[i].blocked_by] + 1 : 1;
        members[i] = (struct member){holds[i].number, i};
    }
    const struct window_epochs epochs = {holds, chain, found};
    fm_sort(members, count, sizeof *members, compare_members);
    for (uint32_t begin = 0; begin < count;) {
        uint32_t end = begin + 1;
        while (end < count && members[end].lock == members[begin].lock) {
            ++end;
        }
        const struct fm_lock_hold *hold = &holds[members[begin].index];
        struct found_lock lock = {
            describe_lock(&epochs, window, members + begin, end - begin),
            {hold->lock, hold->target, hold->region, hold->paradigm, window == FM_NONE}};
        if (lock.lock.waits > 0 || !is_of_threads(&lock)) {
            take_places(places == NULL ? NULL : &places[members[begin].lock], &lock.lock);
            add_lock(found, &lock);
        }
        begin = end;
    }
}

/* ---- holds that are kept ---- */

/* A hold and the number that it has before the sorting. */
struct numbered_hold {
    struct fm_kept_hold kept;
    uint32_t number;
};

static int compare_kept(const void *a, const void *b)
{
    const struct fm_kept_hold *left = &((const struct numbered_hold *)a)->kept;
    const struct fm_kept_hold *right = &((const struct numbered_hold *)b)->kept;
    int order = fm_compare_numbers(left->window, right->window);
    order = order != 0 ? order : fm_compare_numbers(left->hold.paradigm, right->hold.paradigm);
    order = order != 0 ? order : fm_compare_numbers(left->hold.target, right->hold.target);
    order = order != 0 ? order : fm_compare_numbers(left->hold.lock, right->hold.lock);
    order = order != 0 ? order : fm_compare_numbers(left->hold.held_from, right->hold.held_from);
    order = order != 0 ? order : fm_compare_numbers(left->hold.released, right->hold.released);
    order = order != 0 ? order : fm_compare_numbers(left->hold.requested, right->hold.requested);
    return order != 0 ? order : fm_compare_numbers(left->hold.owner, right->hold.owner);
}

fm_kept_holds fm_lock_queues_take_holds(struct fm_lock_queues *queues)
{
    fm_kept_holds all = {0};
    FM_VECTOR(struct numbered_hold) numbered = {0};
    for (unsigned w = 0; queues != NULL && w < queues->workers; ++w) {
        fm_kept_holds *kept = &queues->of_worker[w].kept;
        const uint32_t base = (uint32_t)numbered.count;
        for (size_t i = 0; i < kept->count; ++i) {
            struct numbered_hold own = {kept->items[i], (uint32_t)numbered.count};
            own.kept.hold.blocked_by += own.kept.hold.blocked_by == FM_NONE ? 0 : base;
            fm_vector_push(&numbered, own);
        }
        fm_vector_free(kept);
    }
    fm_sort(numbered.items, numbered.count, sizeof *numbered.items, compare_kept);
    uint32_t *place = fm_allocate(numbered.count + 1, sizeof *place);
    for (size_t i = 0; i < numbered.count; ++i) {
        place[numbered.items[i].number] = (uint32_t)i;
    }
    for (size_t i = 0; i < numbered.count; ++i) {
        struct fm_kept_hold own = numbered.items[i].kept;
        own.hold.blocked_by = own.hold.blocked_by == FM_NONE ? FM_NONE : place[own.hold.blocked_by];
        fm_vector_push(&all, own);
    }
    fm_free(place);
    fm_vector_free(&numbered);
    return all;
}

/* Appends a lock and its queue to `bytes`, and frees the queue. */
static void pack_lock(byte_vector *bytes, struct found_lock *lock)
{
    size_t queue_bytes = lock->lock.bin_count * sizeof *lock->lock.queue;
    fm_vector_reserve(bytes, sizeof *lock + queue_bytes);
    memcpy(bytes->items + bytes->count, lock, sizeof *lock);
    if (queue_bytes != 0) {
        memcpy(bytes->items + bytes->count + sizeof *lock, lock->lock.queue, queue_bytes);
    }
    bytes->count += sizeof *lock + queue_bytes;
    fm_free(lock->lock.queue);
}

/* @return the offset of the next lock in `bytes` */
static size_t unpack_lock(const byte_vector *bytes, size_t at, struct found_lock *lock)
{
    memcpy(lock, bytes->items + at, sizeof *lock);
    at += sizeof *lock;
    size_t queue_bytes = lock->lock.bin_count * sizeof *lock->lock.queue;
    lock->lock.queue = NULL;
    if (queue_bytes != 0) {
        lock->lock.queue = memcpy(fm_resize(NULL, 0, queue_bytes), bytes->items + at, queue_bytes);
    }
    return at + queue_bytes;
}

void fm_lock_queues_collect(struct fm_lock_queues *queues, struct fm_team *team)
{
    if (queues == NULL || fm_team_size(team) == 1) {
        return;
    }
    byte_vector own = {0}, all = {0};
    uint64_t left_out[2] = {0};
    for (unsigned w = 0; w < queues->workers; ++w) {
        lock_vector *locks = &queues->of_worker[w].locks;
        left_out[0] += queues->of_worker[w].left_out;
        left_out[1] += queues->of_worker[w].left_out_waiting;
        for (size_t i = 0; i < locks->count; ++i) {
            pack_lock(&own, &locks->items[i]);
        }
        fm_vector_free(locks);
    }
    fm_team_collect_vector(team, &own, &all);
    fm_team_sum(team, left_out, 2);
    for (unsigned w = 0; w < queues->workers; ++w) {
        struct worker_queues *found = &queues->of_worker[w];
        found->thread_locks = 0;
        found->left_out = w == 0 ? left_out[0] : 0;
        found->left_out_waiting = w == 0 ? left_out[1] : 0;
    }
    for (size_t at = 0; at < all.count;) {
        struct found_lock lock;
        at = unpack_lock(&all, at, &lock);
        add_lock(&queues->of_worker[0], &lock);
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
}

/* Moves the locks of all workers to the first one, and brings them in order. */
static struct worker_queues *unite(struct fm_lock_queues *queues)
{
    struct worker_queues *all = &queues->of_worker[0];
    for (unsigned w = 1; w < queues->workers; ++w) {
        struct worker_queues *found = &queues->of_worker[w];
        for (size_t i = 0; i < found->locks.count; ++i) {
            add_lock(all, &found->locks.items[i]);
        }
        all->left_out += found->left_out;
        all->left_out_waiting += found->left_out_waiting;
        found->left_out = found->left_out_waiting = found->thread_locks = 0;
        fm_vector_free(&found->locks);
    }
    leave_out(all, FM_LOCK_QUEUES_MOST);
    fm_sort(all->locks.items, all->locks.count, sizeof *all->locks.items, compare_locks);
    return all;
}

fm_status_t fm_lock_queues_fill(struct fm_lock_queues *queues, const struct fm_trace *trace,
                                struct fm_cube *cube, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    if (queues == NULL) {
        return status;
    }
    const struct worker_queues *all = unite(queues);
    for (size_t i = 0; i < all->locks.count && status == FM_OK; ++i) {
        const struct found_lock *found = &all->locks.items[i];
        struct fm_cube_lock lock = found->lock;
        char name[256];
        if (found->named.paradigm != FM_PARADIGM_MPI) {
            fm_lock_name(trace, &found->named, name, sizeof name);
            lock.name = name;
            lock.target = is_of_threads(found) ? lock.target : FM_CUBE_NONE;
            lock.window = FM_CUBE_NONE;
        } else {
            lock.name = trace->windows[lock.window].name;
        }
        lock.begin -= cube->experiment.begin;
        lock.end -= cube->experiment.begin;
        status = fm_cube_add_lock(cube, &lock, error);
    }
    cube->left_out_locks = all->left_out;
    cube->left_out_locks_waiting = all->left_out_waiting;
    return status;
}

uint32_t fm_lock_queues_find(const struct fm_lock_queues *queues,
                             const struct fm_contended_lock *lock)
{
    if (queues == NULL) {
        return FM_CUBE_NONE;
    }
    const lock_vector *locks = &queues->of_worker[0].locks;
    const struct found_lock wanted = {
        .lock.window = lock->window,
        .named = {.id = lock->id,
                  .process = lock->target,
                  .paradigm = lock->paradigm,
                  .is_of_threads = lock->window == FM_NONE},
    };
    size_t low = 0, high = locks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_locks(&locks->items[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < locks->count && compare_locks(&locks->items[low], &wanted) == 0 ? (uint32_t)low
                                                                                 : FM_CUBE_NONE;
}
