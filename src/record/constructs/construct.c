/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/constructs/construct.h"

#include "functions/function_kind.h"
#include "record/archive/define.h"
#include "record/capture/lock.h"
#include "record/session/session.h"
#include "record/session/session_stack.h"

#include <errno.h>
#include <sys/mman.h>

static const char *const names[FM_CONSTRUCT_COUNT] = {
#define FM_CONSTRUCT_ROW(symbol, name) "!$omp " name,
#include "record/constructs/constructs.def"
#undef FM_CONSTRUCT_ROW
};

/* A hash table with open addressing. It does not grow: programs with more constructs than half of
 * it record the others without source lines. */
enum { SLOTS = 16384, MOST = SLOTS / 2 };
static struct slot {
    uint64_t key; /* 0: free */
    uint64_t generation;
    const struct fm_construct_region *region;
} slots[SLOTS];
static size_t slot_count;
static fm_lock_t lock = FM_LOCK_FREE; /* guards changes of the table */

static size_t home_of(uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 40) % SLOTS;
}

/* The slot of a key; without one the free slot where it belongs. */
static struct slot *slot_of(uint64_t key, uint64_t generation)
{
    size_t i = home_of(key);
    for (;; i = (i + 1) % SLOTS) {
        uint64_t found = __atomic_load_n(&slots[i].key, __ATOMIC_ACQUIRE);
        if (found == 0 || (found == key && slots[i].generation == generation)) {
            return &slots[i];
        }
    }
}

static struct fm_construct_region *allocate(void)
{
    enum { PAGE = 4096 };
    static char *page;
    static size_t left;
    if (left < sizeof(struct fm_construct_region)) {
        page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        left = page != MAP_FAILED ? PAGE : 0;
    }
    if (left == 0) {
        return NULL;
    }
    left -= sizeof(struct fm_construct_region);
    return (struct fm_construct_region *)(page + left);
}

/* The number of the call site; FM_SITE_UNKNOWN: not known. */
static uint32_t site_of(uint64_t pc)
{
    if (pc == 0 || fm_session_callpath_depth() == 0 || !fm_places_begin()) {
        return FM_SITE_UNKNOWN;
    }
    const struct fm_place *place = fm_places_find(pc);
    place = place != NULL ? place : fm_places_add(pc, false);
    return place != NULL && place->site != FM_SITE_HIDDEN ? place->site : FM_SITE_UNKNOWN;
}

/* The construct that a region is of. A barrier that the program's code jumps to returns to the
 * runtime or to the recorder: it is the last statement of a parallel region, where compilers place
 * the barrier of a loop, of sections or of a single. A program that calls one there calls it in
 * vain: the barrier of the region itself follows. */
static enum fm_construct found_construct(enum fm_construct construct, uint64_t pc)
{
    return construct == FM_CONSTRUCT_BARRIER && fm_code_is_hidden(pc)
               ? FM_CONSTRUCT_IMPLICIT_BARRIER
               : construct;
}

static const struct fm_construct_region *define(enum fm_construct construct, uint64_t pc,
                                                struct slot *slot, uint64_t generation)
{
    struct fm_construct_region *region = allocate();
    if (region == NULL) {
        return NULL;
    }
    uint32_t site = site_of(pc);
    if (fm_thread_self != NULL) {
        fm_thread_self->told_sites = fm_thread_tell_sites();
    }
    const char *name = names[found_construct(construct, pc)];
    uint32_t words[] = {fm_session_string(name),
                        fm_function_kind(FM_PARADIGM_OPENMP, name).role,
                        OTF2_PARADIGM_OPENMP,
                        FM_REGION_AT_SITE |
                            ((pc & FM_PLACE_FUNCTION) != 0 ? FM_REGION_AT_BEGIN : 0),
                        FM_DEFINE_NONE,
                        site};
    *region = (struct fm_construct_region){.construct = construct, .pc = pc};
    region->open.is_construct = true;
    region->open.number =
        words[0] != FM_DEFINE_NONE
            ? fm_session_define(FM_DEFINE_REGION, words, sizeof words / sizeof words[0])
            : FM_DEFINE_NONE;
    if (region->open.number == FM_DEFINE_NONE) {
        return NULL;
    }
    slot->region = region;
    slot->generation = generation;
    slot_count++;
    __atomic_store_n(&slot->key, fm_construct_key(construct, pc), __ATOMIC_RELEASE);
    return region;
}

static FM_COLD const struct fm_construct_region *add(enum fm_construct construct, uint64_t pc,
                                                     uint64_t generation)
{
    int saved = errno;
    struct fm_thread *thread = fm_thread_self;
    uint32_t marking = thread != NULL ? thread->is_marking : 0;
    if (thread != NULL) { /* instrumented signal handlers must not wait for the lock held here */
        thread->is_marking = 1;
        fm_signal_fence();
    }
    fm_lock(&lock);
    if (slot_count + FM_CONSTRUCT_COUNT >= MOST) {
        pc = 0;
        generation = 0;
    }
    struct slot *slot = slot_of(fm_construct_key(construct, pc), generation);
    const struct fm_construct_region *region =
        slot->key != 0 ? slot->region : define(construct, pc, slot, generation);
    fm_unlock(&lock);
    if (thread != NULL) {
        fm_signal_fence();
        thread->is_marking = marking;
    }
    errno = saved;
    return region;
}

const struct fm_construct_region *fm_construct_at(enum fm_construct construct, uint64_t pc)
{
    uint64_t generation = __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED);
    const struct slot *slot = slot_of(fm_construct_key(construct, pc), generation);
    return FM_LIKELY(__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != 0)
               ? slot->region
               : add(construct, pc, generation);
}

const struct fm_construct_region *fm_construct_far(struct fm_thread *thread,
                                                   enum fm_construct construct, uint64_t pc)
{
    uint64_t generation = __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED);
    const struct fm_construct_region *region = fm_construct_at(construct, pc);
    if (region != NULL) {
        thread->constructs[(pc + construct) % FM_CACHE_SIZE] =
            (struct fm_cache_entry){fm_construct_key(construct, pc), generation, (void *)region};
    }
    return region;
}

const struct fm_construct_region *
fm_construct_define_barrier(const struct fm_construct_region *region)
{
    const struct fm_construct_region *barrier =
        fm_construct_at(FM_CONSTRUCT_IMPLICIT_BARRIER, region->pc);
    struct fm_construct_region *changed = (struct fm_construct_region *)region;
    __atomic_store_n(&changed->barrier, barrier, __ATOMIC_RELEASE);
    return barrier;
}

void fm_construct_record_taken(struct fm_thread *thread, uint64_t time)
{
    const uint64_t taken = thread->visits.taken;
    thread->visits.taken = 0;
    fm_construct_note(thread, FM_RECORD_LOCK_TAKEN, fm_record_aux(taken), fm_record_ref(taken),
                      time, thread->visits.order);
}
