/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/closing/overhead.h"

#include "counters/counter_layout.h"
#include "record/counting/profile/profile.h"
#include "record/stack/stack.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- work ---- */

static struct {
    bool active;
    uint64_t begin; /* CPU time of the thread at the begin of work or the end of the last wait */
    uint64_t sum;
    const struct fm_exchange *inner;
    struct fm_exchange outer;
} work;

static uint64_t thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fm_overhead_begin(void)
{
    work.active = true;
    work.begin = thread_time();
}

void fm_overhead_end(void)
{
    work.sum = fm_overhead_work();
    work.active = false;
}

uint64_t fm_overhead_work(void)
{
    return work.sum + (work.active ? thread_time() - work.begin : 0);
}

static void begin_waiting(void)
{
    work.sum = fm_overhead_work();
}

static void end_waiting(void)
{
    work.begin = thread_time();
    work.outer.failure = work.inner->failure;
}

static void watched_barrier(void)
{
    begin_waiting();
    work.inner->barrier();
    end_waiting();
}

static void watched_broadcast(void *data, size_t bytes, uint32_t root)
{
    begin_waiting();
    work.inner->broadcast(data, bytes, root);
    end_waiting();
}

static void watched_gather(const void *in, void *out, size_t bytes, uint32_t root)
{
    begin_waiting();
    work.inner->gather(in, out, bytes, root);
    end_waiting();
}

static void watched_scatter(const void *in, void *out, size_t bytes, uint32_t root)
{
    begin_waiting();
    work.inner->scatter(in, out, bytes, root);
    end_waiting();
}

static void watched_reduce(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    begin_waiting();
    work.inner->reduce(values, count, reduction);
    end_waiting();
}

static void watched_send(const void *data, size_t bytes, uint32_t to)
{
    begin_waiting();
    work.inner->send(data, bytes, to);
    end_waiting();
}

static void watched_receive(void *data, size_t bytes, uint32_t from)
{
    begin_waiting();
    work.inner->receive(data, bytes, from);
    end_waiting();
}

const struct fm_exchange *fm_overhead_watch(const struct fm_exchange *exchange)
{
    work.inner = exchange;
    work.outer = (struct fm_exchange){.rank = exchange->rank,
                                      .size = exchange->size,
                                      .is_spawned = exchange->is_spawned,
                                      .thread_level = exchange->thread_level,
                                      .failure = exchange->failure,
                                      .barrier = watched_barrier,
                                      .broadcast = watched_broadcast,
                                      .gather = watched_gather,
                                      .scatter = watched_scatter,
                                      .reduce = watched_reduce,
                                      .send = watched_send,
                                      .receive = watched_receive};
    return &work.outer;
}

/* ---- records ---- */

/* Rounds of a measurement; the fastest round counts, as the least disturbed. */
enum { ROUNDS = 5, CALLS = 200, PAGES = 16 };

/* One recorded call, without the operations of a specific function. */
static __attribute__((noinline)) void call(void)
{
    struct fm_thread *thread = fm_thread_enter(0);
    if (thread != NULL) {
        fm_thread_leave(thread, 0);
        fm_thread_done(thread);
    }
}

static void rewind_buffer(struct fm_thread *side)
{
    side->cursor = side->first->words;
    fm_count_from_here(side);
}

static double nanoseconds_of_calls(struct fm_thread *side)
{
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        rewind_buffer(side);
        uint64_t begin = fm_clock_nanoseconds();
        for (int i = 0; i < CALLS; i++) {
            call();
        }
        uint64_t spent = fm_clock_nanoseconds() - begin;
        least = spent < least ? spent : least;
    }
    return (double)least / CALLS;
}

/* ---- counting ---- */

/* What a temporary thread counts to. */
struct side_counting {
    struct fm_counting counting;
    uint64_t resets;
    struct fm_call_profile profile;
    uint64_t block[];
};

static size_t bytes_of_counting(const struct fm_counting *like)
{
    const size_t words = (size_t)FM_BLOCK_HEAD + FM_SLOTS + FM_ADDED_WORDS +
                         (size_t)FM_FUNCTION_WORDS * like->functions;
    return sizeof(struct side_counting) + words * sizeof(uint64_t);
}

/* @return counting in the way of another thread; NULL without memory */
static struct side_counting *make_counting(const struct fm_counting *like)
{
    struct side_counting *made = mmap(NULL, bytes_of_counting(like), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
        return NULL;
    }
    fm_profile_begin(&made->profile);
    made->counting = (struct fm_counting){.block = made->block,
                                          .resets = &made->resets,
                                          .functions = like->functions,
                                          .profile = like->profile != NULL ? &made->profile : NULL,
                                          .discards = like->discards};
    return made;
}

/* ---- measurement ---- */

/* Measures with a temporary struct fm_thread that is not in the list of threads and has its own
 * buffer. */
static double measure(struct fm_thread *side)
{
    struct fm_thread *self = fm_thread_self;
    side->limit = (uint64_t *)((char *)side->first + FM_CHUNK_BYTES);
    side->current = side->first;
    side->publish = side->ends = &side->done;
    side->shown = (struct fm_shown_call *)((char *)side->first + FM_CHUNK_BYTES);
    side->flush_due = UINT64_MAX;
    side->is_marking = 1; /* no late sample is taken in it */
    fm_thread_self = side;
    double of_call = nanoseconds_of_calls(side);
    fm_thread_self = self;
    return of_call;
}

double fm_overhead_per_call(const struct fm_thread *thread)
{
    double of_call = 0;
    size_t bytes = sizeof(struct fm_thread) + FM_CHUNK_BYTES + sizeof(struct fm_shown_call);
    struct fm_thread *side = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (side != MAP_FAILED) {
        side->first = (struct fm_chunk *)(side + 1);
        side->stack = thread != NULL ? thread->stack : NULL;
        const struct fm_counting *like = thread != NULL ? thread->counting : NULL;
        struct side_counting *counting = like != NULL ? make_counting(like) : NULL;
        side->counting = counting != NULL ? &counting->counting : NULL;
        of_call = measure(side);
        if (counting != NULL) {
            munmap(counting, bytes_of_counting(like));
        }
        munmap(side, bytes);
    }
    return of_call;
}

double fm_overhead_page_fault(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        char *pages =
            mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            return 0;
        }
        madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
        volatile char *memory = pages;
        uint64_t begin = fm_clock_nanoseconds();
        for (size_t i = 0; i < PAGES; i++) {
            memory[i * page] = 1;
        }
        uint64_t spent = fm_clock_nanoseconds() - begin;
        least = spent < least ? spent : least;
        munmap(pages, PAGES * page);
    }
    return (double)least / PAGES;
}

/* ---- costs of a thread ---- */

struct fm_overhead_costs fm_overhead_of_thread(const struct fm_thread *thread,
                                               struct fm_meter_bias bias, uint64_t resolution)
{
    const double nanoseconds = 1e9 / (double)resolution;
    struct fm_overhead_costs costs = {.of[FM_COST_BUFFERS] =
                                          (uint64_t)((double)thread->flushing * nanoseconds),
                                      .of[FM_COST_SAMPLES] = fm_samples_spent(thread)};
    for (int kind = 0; kind < FM_METER_KINDS; kind++) {
        const uint64_t ticks = fm_meter_read(&thread->meters, (enum fm_meter_kind)kind, bias).spent;
        costs.of[kind] = (uint64_t)((double)ticks * nanoseconds);
    }
    return costs;
}

uint64_t fm_overhead_unmeasured(const struct fm_thread *thread, struct fm_meter_bias bias)
{
    uint64_t sections = 0;
    for (int kind = 0; kind < FM_METER_KINDS; kind++) {
        sections += fm_meter_read(&thread->meters, (enum fm_meter_kind)kind, bias).sections;
    }
    return sections * FM_METER_UNMEASURED;
}

uint64_t fm_overhead_delaying(const struct fm_overhead_costs *costs)
{
    return costs->of[FM_COST_TASKS] + costs->of[FM_COST_LOCKS] + costs->of[FM_COST_MUTEXES];
}

uint64_t fm_overhead_sum(const struct fm_overhead_costs *costs)
{
    uint64_t sum = 0;
    for (int cost = 0; cost < FM_RECORDER_COST_COUNT; cost++) {
        sum += costs->of[cost];
    }
    return sum;
}
