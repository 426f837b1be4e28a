/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/size_limit.h"

#include "record/capture/lock.h"
#include "record/capture/thread.h"
#include "record/selection/archive_bytes.h"
#include "record/selection/pause.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Records that were not examined: they lie between the last examination of a chunk and its end. */
enum { BYTES_PER_WORD = 6 };

/* What processes share: the sum of their shares, and what they have recorded so far. */
struct pool {
    _Atomic uint64_t share, used;
};

static struct pool own_pool;
static char pool_path[PATH_MAX + 256]; /* of the file; empty: there is none */

static struct {
    fm_lock_t lock; /* of stage, table, skipping and lingering */
    _Atomic uint64_t share;
    struct pool *pool;      /* with other processes of the node, or this one alone */
    _Atomic uint64_t bytes; /* recorded so far by this process */
    unsigned stage;         /* FM_THINNING_STAGES + 1: the pool is used up */
    struct fm_thinning table;
    _Atomic bool changed, reached;
    uint32_t skipping;      /* number of open skipped visits */
    _Atomic bool lingering; /* the last one has ended, recording is still paused */
    uint64_t ended;         /* its end */
    struct fm_phase_visits *_Atomic phases;
    void (*report)(void);
} limit = {.lock = FM_LOCK_FREE, .share = UINT64_MAX, .pool = &own_pool};

/* Maps the file of a pool. Its room is allocated: a full disk must not end the process later.
 * @return NULL: it cannot be had */
static struct pool *open_pool(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    void *pool = MAP_FAILED;
    if (file >= 0 && posix_fallocate(file, 0, sizeof(struct pool)) == 0) {
        pool = mmap(NULL, sizeof(struct pool), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) {
        close(file);
    }
    return pool != MAP_FAILED ? pool : NULL;
}

void fm_size_limit_begin(uint64_t share, const char *path)
{
    fm_lock(&limit.lock);
    fm_thinning_begin(&limit.table);
    struct pool *shared = share != UINT64_MAX && path != NULL ? open_pool(path) : NULL;
    limit.pool = shared != NULL ? shared : &own_pool;
    snprintf(pool_path, sizeof pool_path, "%s", shared != NULL ? path : "");
    if (share != UINT64_MAX) {
        limit.pool->share += share;
    }
    limit.share = share;
    fm_unlock(&limit.lock);
}

void fm_size_limit_report_to(void (*changed)(void))
{
    limit.report = changed;
}

static void report_change(void)
{
    if (limit.changed && limit.report != NULL) {
        limit.report();
    }
}

void fm_size_limit_remove_pool(void)
{
    if (pool_path[0] != '\0') {
        unlink(pool_path); /* other processes may have removed it */
    }
}

uint64_t fm_size_limit_bytes(void)
{
    const uint64_t share = limit.share, bytes = limit.bytes;
    const uint64_t used = limit.pool->used, all = limit.pool->share;
    if (bytes <= share) {
        return share;
    }
    return used > all ? (uint64_t)((double)bytes * (double)all / (double)used) : bytes;
}

static void lower(uint64_t *first, uint64_t number)
{
    if (number < *first) {
        __atomic_store_n(first, number, __ATOMIC_RELAXED); /* read by fm_size_limit_changed */
    }
}

void fm_size_limit_add_phase(struct fm_phase_visits *phase)
{
    if (atomic_exchange(&phase->listed, true)) {
        return;
    }
    fm_lock(&limit.lock);
    bool is_known = false;
    for (struct fm_phase_visits *other = limit.phases; other != NULL; other = other->before) {
        is_known = is_known || other->bucket == phase->bucket;
    }
    for (unsigned column = 0; !is_known && column < limit.stage; column++) {
        bool ends = limit.reached && column + 1 == limit.stage;
        lower(&limit.table.first[phase->bucket][ends ? FM_THINNING_END : column], 0);
        limit.changed = true;
    }
    phase->before = limit.phases;
    limit.phases = phase;
    fm_unlock(&limit.lock);
    report_change();
}

/* With the lock. The column of the table begins at the next visit of each phase; at the end of the
 * recording, at the visit that is open, because it is not complete. Phases that are defined later
 * begin with their first visit (fm_size_limit_add_phase). */
static void begin_column(int column)
{
    for (struct fm_phase_visits *phase = limit.phases; phase != NULL; phase = phase->before) {
        uint64_t open = column == FM_THINNING_END ? phase->open : 0, next = phase->next;
        lower(&limit.table.first[phase->bucket][column], next > open ? next - open : 0);
    }
    limit.changed = true;
}

/* @return bytes of the pool at which the stage behind `stage` begins; UINT64_MAX: there is none */
static uint64_t due(unsigned stage)
{
    const uint64_t share = limit.pool->share;
    return stage > FM_THINNING_STAGES    ? UINT64_MAX
           : stage == FM_THINNING_STAGES ? share
                                         : share - (share >> (stage + 1));
}

/* With the lock. @return whether the pool is used up now */
static bool advance(uint64_t bytes)
{
    while (bytes >= due(limit.stage)) {
        bool ends = limit.stage == FM_THINNING_STAGES || bytes >= limit.pool->share;
        begin_column(ends ? FM_THINNING_END : (int)limit.stage);
        __atomic_store_n(&limit.stage, ends ? FM_THINNING_STAGES + 1 : limit.stage + 1,
                         __ATOMIC_RELAXED);
        limit.reached = limit.reached || ends;
        if (ends) {
            return true;
        }
    }
    return false;
}

/* @return bytes of the records of the thread's current chunk that were not examined before, and of
 * those of earlier chunks */
static uint64_t examine(struct fm_thread *thread)
{
    const uint64_t *begin = thread->current->words, *end = *thread->ends;
    const uint64_t filled = thread->filled;
    const uint64_t skipped = filled > thread->counted ? filled - thread->counted : 0;
    begin += thread->counted > filled ? thread->counted - filled : 0;
    if (end < begin || end > thread->limit) { /* in another chunk */
        return 0;
    }
    thread->counted = filled + (uint64_t)(end - thread->current->words);
    return fm_archive_bytes(begin, end) + BYTES_PER_WORD * skipped;
}

static void count(struct fm_thread *thread)
{
    const uint64_t more = examine(thread);
    atomic_fetch_add(&limit.bytes, more);
    const uint64_t bytes = atomic_fetch_add(&limit.pool->used, more) + more;
    if (bytes >= due(__atomic_load_n(&limit.stage, __ATOMIC_RELAXED))) {
        fm_lock(&limit.lock);
        bool ends = advance(bytes);
        fm_unlock(&limit.lock);
        report_change();
        if (ends) {
            fm_pause_for(FM_PAUSE_SIZE, true);
        }
    }
}

/* The pause ends when the visit has ended: without records in between, successive skipped visits
 * are one pause. */
static void stop_lingering(void)
{
    fm_lock(&limit.lock);
    bool ends = limit.lingering;
    uint64_t time = limit.ended;
    limit.lingering = false;
    fm_unlock(&limit.lock);
    if (ends) {
        fm_pause_since(FM_PAUSE_THINNED, false, time);
    }
}

void fm_size_limit_check(struct fm_thread *thread)
{
    if (limit.share == UINT64_MAX) {
        return;
    }
    if (!thread->pause.paused) {
        count(thread);
    }
    if (limit.lingering) {
        stop_lingering();
    }
}

static bool keeps(const struct fm_phase_visits *phase, uint64_t number)
{
    fm_lock(&limit.lock);
    bool kept = fm_thinning_keeps(&limit.table, phase->bucket, number);
    fm_unlock(&limit.lock);
    return kept;
}

static void begin_skipping(void)
{
    fm_lock(&limit.lock);
    bool pauses = limit.skipping++ == 0 && !limit.lingering;
    limit.lingering = false;
    fm_unlock(&limit.lock);
    if (pauses) {
        fm_pause_for(FM_PAUSE_THINNED, true);
    }
}

uint64_t fm_size_limit_visit_begins(struct fm_phase_visits *phase, struct fm_thread *thread,
                                    uint64_t *number)
{
    if (limit.share != UINT64_MAX && thread != NULL && !thread->pause.paused) {
        count(thread); /* a stage that begins now begins with this visit */
    }
    *number = atomic_fetch_add(&phase->next, 1);
    if (limit.share == UINT64_MAX || *number == 0 || (thread != NULL && thread->iterations != 0)) {
        return 0;
    }
    phase->open++;
    if (keeps(phase, *number)) {
        return FM_OPEN_ITERATION;
    }
    begin_skipping();
    return FM_OPEN_ITERATION | FM_OPEN_SKIPPED;
}

void fm_size_limit_visit_ends(struct fm_phase_visits *phase, struct fm_thread *thread,
                              uint64_t flags)
{
    if ((flags & FM_OPEN_ITERATION) == 0) {
        return;
    }
    phase->open--;
    if (thread != NULL && thread->iterations != 0) {
        thread->iterations--;
    }
    if ((flags & FM_OPEN_SKIPPED) != 0) {
        fm_lock(&limit.lock);
        limit.lingering = --limit.skipping == 0;
        limit.ended = fm_clock_now();
        fm_unlock(&limit.lock);
    }
}

/* ---- the end of the run ---- */

void fm_size_limit_table(struct fm_thinning *table)
{
    if (limit.share == UINT64_MAX) {
        fm_thinning_begin(table);
        return;
    }
    for (int b = 0; b < FM_THINNING_BUCKETS; b++) {
        for (int column = 0; column <= FM_THINNING_END; column++) {
            table->first[b][column] =
                __atomic_load_n(&limit.table.first[b][column], __ATOMIC_RELAXED);
        }
    }
}

bool fm_size_limit_changed(struct fm_thinning *table)
{
    if (!atomic_exchange(&limit.changed, false)) {
        return false;
    }
    fm_size_limit_table(table);
    return true;
}

bool fm_size_limit_is_reached(void)
{
    return limit.reached;
}

static bool is_thinned(const struct fm_phase_visits *phase, const struct fm_thinning *agreed)
{
    const uint64_t *first = agreed->first[phase->bucket];
    for (int column = 0; column <= FM_THINNING_END; column++) {
        if (first[column] < phase->next) {
            return true;
        }
    }
    return false;
}

bool fm_size_limit_thins(const struct fm_thinning *agreed)
{
    for (struct fm_phase_visits *phase = limit.phases; phase != NULL; phase = phase->before) {
        if (is_thinned(phase, agreed)) {
            return true;
        }
    }
    return false;
}

bool fm_size_limit_describe(const struct fm_thinning *agreed, char *text, size_t size)
{
    text[0] = '\0';
    for (struct fm_phase_visits *phase = limit.phases; phase != NULL; phase = phase->before) {
        fm_thinning_describe(agreed, phase->name, phase->next, text, size);
    }
    return text[0] != '\0';
}
