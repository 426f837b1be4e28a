/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutexes. One of ARMCI_Create_mutexes is known by its number and process. ARMCI-MPI also has sets
 * of mutexes (armcix.h). The handles of a set differ between processes, but the n-th set that a
 * group creates is the same one on all members: its mutexes are locks n << 32 | NUMBER of the
 * group's window. */
#include "record/armci/armci.h"

#include <stdlib.h>

static void put_mutex(struct fm_thread *thread, enum fm_record_kind kind, uint32_t window, int rank,
                      uint64_t lock)
{
    uint64_t *r = fm_thread_leave(thread, FM_WORDS_LOCK_ACQUIRE);
    fm_put_lock(r, kind, OTF2_LOCK_EXCLUSIVE, window, (uint32_t)rank, lock);
    fm_thread_done(thread);
}

static void record_mutex(struct fm_thread *thread, enum fm_record_kind kind, int mutex, int proc)
{
    if (fm_armci_world.size != 0) {
        put_mutex(thread, kind, fm_armci_world.window, proc, (uint64_t)mutex);
    } else {
        fm_call_leave(thread);
    }
}

void fm_ARMCI_Lock(int mutex, int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Lock);
    if (FM_LIKELY(thread != NULL) && fm_armci_world.size != 0) {
        fm_open_lock_request(thread, fm_armci_world.window, (uint32_t)proc, (uint64_t)mutex);
    }
    FM_ARMCI(ARMCI_Lock)(mutex, proc);
    if (FM_LIKELY(thread != NULL)) {
        record_mutex(thread, FM_RECORD_LOCK_ACQUIRE, mutex, proc);
    }
}

/* The record has the time of the Enter, so that none of the next owner is earlier. */
void fm_ARMCI_Unlock(int mutex, int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Unlock);
    FM_ARMCI(ARMCI_Unlock)(mutex, proc);
    if (FM_LIKELY(thread != NULL)) {
        record_mutex(thread, FM_RECORD_LOCK_RELEASE_FIRST, mutex, proc);
    }
}

/* ---- sets of mutexes ---- */

/* More sets that are open at once, or more groups with sets, are not recorded as locks. */
enum { SETS = 64, GROUPS = 64 };

struct set {
    const void *handle; /* NULL: a free entry */
    struct fm_armci_group group;
    int *ranks;      /* in the group, of each process; NULL: equal to the process */
    uint32_t number; /* among the sets of the group, from 1 */
};

static struct {
    fm_spin_t lock;
    struct set sets[SETS];
    struct {
        uint32_t window, sets;
    } groups[GROUPS];
    uint32_t group_count;
} state;

/* @return the ranks in a group of all processes, to be freed; NULL: not enough memory */
static int *ranks_in(void *group, int size)
{
    const int processes = fm_armci_world.size;
    int *ranks = malloc((size_t)processes * sizeof *ranks);
    for (int i = 0; ranks != NULL && i < processes; i++) {
        ranks[i] = -1;
    }
    for (int i = 0; ranks != NULL && i < size; i++) {
        const int process = FM_ARMCI(ARMCI_Absolute_id)(group, i);
        if (process >= 0 && process < processes) {
            ranks[process] = i;
        }
    }
    return ranks;
}

/* @return the number of the group's next set; 0: too many groups */
static uint32_t next_number(const struct fm_armci_group *group)
{
    uint32_t i = 0;
    while (i < state.group_count && state.groups[i].window != group->window) {
        i++;
    }
    if (i == GROUPS) {
        return 0;
    }
    if (i == state.group_count) {
        state.groups[state.group_count++].window = group->window;
    }
    return ++state.groups[i].sets;
}

static void add_set(const void *handle, void *group, const struct fm_armci_group *members)
{
    int *ranks = NULL;
    if (members->window != fm_armci_world.window &&
        (ranks = ranks_in(group, members->size)) == NULL) {
        return;
    }
    fm_spin_lock_if(fm_armci_threaded, &state.lock);
    const uint32_t number = next_number(members);
    for (uint32_t i = 0; i < SETS && number != 0; i++) {
        if (state.sets[i].handle == NULL) {
            state.sets[i] = (struct set){handle, *members, ranks, number};
            ranks = NULL;
            break;
        }
    }
    fm_spin_unlock_if(fm_armci_threaded, &state.lock);
    free(ranks);
}

static struct set *find_set(const void *handle)
{
    for (uint32_t i = 0; i < SETS; i++) {
        if (state.sets[i].handle == handle) {
            return &state.sets[i];
        }
    }
    return NULL;
}

/* The library also calls the functions below within others, where nothing is recorded. Sets are
 * counted then, too: on all members. */
void *fm_ARMCIX_Create_mutexes_hdl(int count, void *group)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCIX_Create_mutexes_hdl);
    void *handle = FM_ARMCI(ARMCIX_Create_mutexes_hdl)(count, group);
    const struct fm_armci_group members = fm_armci_group_of(group);
    if (members.size != 0 && handle != NULL) {
        add_set(handle, group, &members);
    }
    if (thread != NULL) {
        fm_armci_collective(thread, OTF2_COLLECTIVE_OP_CREATE_HANDLE, &members);
    }
    return handle;
}

int fm_ARMCIX_Destroy_mutexes_hdl(void *mutexes)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCIX_Destroy_mutexes_hdl);
    struct set removed = {.handle = NULL};
    fm_spin_lock_if(fm_armci_threaded, &state.lock);
    struct set *set = mutexes != NULL ? find_set(mutexes) : NULL;
    if (set != NULL) {
        removed = *set;
        *set = (struct set){.handle = NULL};
    }
    fm_spin_unlock_if(fm_armci_threaded, &state.lock);
    free(removed.ranks);
    int outcome = FM_ARMCI(ARMCIX_Destroy_mutexes_hdl)(mutexes);
    if (thread != NULL) {
        fm_armci_collective(thread, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, &removed.group);
    }
    return outcome;
}

/* A mutex of a set, as a lock. */
struct lock {
    uint32_t window;
    int rank; /* in the group of the window; -1: it is not known */
    uint64_t id;
};

static struct lock lock_of(const void *mutexes, int mutex, int proc)
{
    struct lock lock = {.rank = -1};
    fm_spin_lock_if(fm_armci_threaded, &state.lock);
    const struct set *set = mutexes != NULL ? find_set(mutexes) : NULL;
    if (set != NULL && proc >= 0 && proc < fm_armci_world.size) {
        lock = (struct lock){.window = set->group.window,
                             .rank = set->ranks != NULL ? set->ranks[proc] : proc,
                             .id = (uint64_t)set->number << 32 | (uint32_t)mutex};
    }
    fm_spin_unlock_if(fm_armci_threaded, &state.lock);
    return lock;
}

/* Ends the recorded call of a function on a mutex of a set. */
static void record_of_set(struct fm_thread *thread, enum fm_record_kind kind, const void *mutexes,
                          int mutex, int proc)
{
    const struct lock lock = lock_of(mutexes, mutex, proc);
    if (lock.rank >= 0) {
        put_mutex(thread, kind, lock.window, lock.rank, lock.id);
    } else {
        fm_call_leave(thread);
    }
}

void fm_ARMCIX_Lock_hdl(void *mutexes, int mutex, int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCIX_Lock_hdl);
    if (FM_LIKELY(thread != NULL)) {
        const struct lock lock = lock_of(mutexes, mutex, proc);
        if (lock.rank >= 0) {
            fm_open_lock_request(thread, lock.window, (uint32_t)lock.rank, lock.id);
        }
    }
    FM_ARMCI(ARMCIX_Lock_hdl)(mutexes, mutex, proc);
    if (FM_LIKELY(thread != NULL)) {
        record_of_set(thread, FM_RECORD_LOCK_ACQUIRE, mutexes, mutex, proc);
    }
}

/* 0: the mutex is acquired. */
int fm_ARMCIX_Trylock_hdl(void *mutexes, int mutex, int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCIX_Trylock_hdl);
    int outcome = FM_ARMCI(ARMCIX_Trylock_hdl)(mutexes, mutex, proc);
    if (FM_LIKELY(thread != NULL)) {
        record_of_set(thread, outcome == 0 ? FM_RECORD_LOCK_ACQUIRE : FM_RECORD_LOCK_TRY, mutexes,
                      mutex, proc);
    }
    return outcome;
}

void fm_ARMCIX_Unlock_hdl(void *mutexes, int mutex, int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCIX_Unlock_hdl);
    FM_ARMCI(ARMCIX_Unlock_hdl)(mutexes, mutex, proc);
    if (FM_LIKELY(thread != NULL)) {
        record_of_set(thread, FM_RECORD_LOCK_RELEASE_FIRST, mutexes, mutex, proc);
    }
}
