/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with a part of OpenSHMEM 1.5: processes that map one file, which holds the symmetric
 * memory of all PEs. Environment: STUB_PE, STUB_SIZE, STUB_FILE (stub_run.py). Collective
 * operations synchronize, but move no data. */
#include "shmem.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 16, BARRIERS = 256, HEAP = 1 << 20 };

struct stub_team {
    int members[MOST];
    int size, me, barrier;
};

struct stub_context {
    shmem_team_t team;
};

static struct shared {
    struct {
        _Atomic unsigned arrived, turn;
    } barriers[BARRIERS];
    _Alignas(64) char heaps[MOST][HEAP];
} * shared;

static struct stub_team world, pair;
shmem_team_t SHMEM_TEAM_WORLD = &world, SHMEM_TEAM_SHARED = &pair;
static size_t used;

static void wait_for(const shmem_team_t team)
{
    unsigned turn = shared->barriers[team->barrier].turn;
    if (atomic_fetch_add(&shared->barriers[team->barrier].arrived, 1) + 1 == (unsigned)team->size) {
        shared->barriers[team->barrier].arrived = 0;
        shared->barriers[team->barrier].turn++;
    }
    while (shared->barriers[team->barrier].turn == turn) {
        sched_yield();
    }
}

static void *at(const void *symmetric, int pe)
{
    return (char *)symmetric + (pe - world.me) * (ptrdiff_t)HEAP;
}

static shmem_team_t make(shmem_team_t from, int start, int stride, int size)
{
    struct stub_team made = {.size = size, .me = -1};
    for (int i = 0; i < size; i++) {
        made.members[i] = from->members[start + i * stride];
        made.me = made.members[i] == world.me ? i : made.me;
    }
    made.barrier = 1 + (made.members[0] * 64 + stride * 8 + size) % (BARRIERS - 2);
    if (made.me < 0) {
        return NULL;
    }
    shmem_team_t team = malloc(sizeof *team);
    *team = made;
    return team;
}

void shmem_init(void)
{
    int file = open(getenv("STUB_FILE"), O_RDWR);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    world.size = atoi(getenv("STUB_SIZE"));
    world.me = atoi(getenv("STUB_PE"));
    for (int i = 0; i < world.size; i++) {
        world.members[i] = i;
    }
    pair = *make(&world, world.me / 2 * 2, 1, 2);
    wait_for(&world);
}

void shmem_finalize(void)
{
    wait_for(&world);
}

int shmem_my_pe(void)
{
    return world.me;
}

int shmem_n_pes(void)
{
    return world.size;
}

void shmem_info_get_version(int *major, int *minor)
{
    *major = 1;
    *minor = 5;
}

void shmem_info_get_name(char *name)
{
    strcpy(name, "stub");
}

/* Memory is given back in the reverse order. */
void *shmem_malloc(size_t size)
{
    void *memory = shared->heaps[world.me] + used;
    used += (size + 63) / 64 * 64;
    wait_for(&world);
    return used <= HEAP ? memory : NULL;
}

void shmem_free(void *ptr)
{
    wait_for(&world);
    used = (size_t)((char *)ptr - shared->heaps[world.me]);
}

void shmem_barrier_all(void)
{
    wait_for(&world);
}

void shmem_fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

void shmem_quiet(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

void shmem_ctx_quiet(shmem_ctx_t ctx)
{
    (void)ctx;
    shmem_quiet();
}

void shmem_putmem(void *dest, const void *source, size_t nelems, int pe)
{
    memcpy(at(dest, pe), source, nelems);
}

void shmem_long_p(long *dest, long value, int pe)
{
    atomic_store((_Atomic long *)at(dest, pe), value);
}

void shmem_ctx_int_put(shmem_ctx_t ctx, int *dest, const int *source, size_t nelems, int pe)
{
    shmem_putmem(dest, source, nelems * sizeof *dest, ctx->team->members[pe]);
}

static void send_signal(uint64_t *address, uint64_t value, int operation, int pe)
{
    _Atomic uint64_t *there = (_Atomic uint64_t *)at(address, pe);
    atomic_thread_fence(memory_order_seq_cst);
    *there = operation == SHMEM_SIGNAL_ADD ? *there + value : value;
}

void shmem_int_put_signal(int *dest, const int *source, size_t nelems, uint64_t *sig_addr,
                          uint64_t signal, int sig_op, int pe)
{
    shmem_putmem(dest, source, nelems * sizeof *dest, pe);
    send_signal(sig_addr, signal, sig_op, pe);
}

void shmem_putmem_signal_nbi(void *dest, const void *source, size_t nelems, uint64_t *sig_addr,
                             uint64_t signal, int sig_op, int pe)
{
    shmem_putmem(dest, source, nelems, pe);
    send_signal(sig_addr, signal, sig_op, pe);
}

void shmem_int_atomic_fetch_add_nbi(int *fetch, int *dest, int value, int pe)
{
    *fetch = atomic_fetch_add((_Atomic int *)at(dest, pe), value);
}

uint64_t shmem_signal_fetch(const uint64_t *sig_addr)
{
    return *(const _Atomic uint64_t *)sig_addr;
}

static int holds(long value, int cmp, long with)
{
    if (cmp != SHMEM_CMP_EQ && cmp != SHMEM_CMP_NE) {
        abort();
    }
    return (value == with) == (cmp == SHMEM_CMP_EQ);
}

uint64_t shmem_signal_wait_until(uint64_t *sig_addr, int cmp, uint64_t value)
{
    while (!holds((long)shmem_signal_fetch(sig_addr), cmp, (long)value)) {
        sched_yield();
    }
    return shmem_signal_fetch(sig_addr);
}

int shmem_long_test(long *ivar, int cmp, long value)
{
    return holds(*(_Atomic long *)ivar, cmp, value);
}

void shmem_long_wait_until(long *ivar, int cmp, long value)
{
    while (!shmem_long_test(ivar, cmp, value)) {
        sched_yield();
    }
}

size_t shmem_int_test_any(int *ivars, size_t nelems, const int *status, int cmp, int value)
{
    for (size_t i = 0; i < nelems; i++) {
        if ((status == NULL || status[i] == 0) && holds(ivars[i], cmp, value)) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t shmem_int_test_some(int *ivars, size_t nelems, size_t *indices, const int *status, int cmp,
                           int value)
{
    indices[0] = shmem_int_test_any(ivars, nelems, status, cmp, value);
    return indices[0] != SIZE_MAX;
}

size_t shmem_int_wait_until_any(int *ivars, size_t nelems, const int *status, int cmp, int value)
{
    return shmem_int_test_any(ivars, nelems, status, cmp, value);
}

void shmem_int_wait_until_all(int *ivars, size_t nelems, const int *status, int cmp, int value)
{
    (void)ivars, (void)nelems, (void)status, (void)cmp, (void)value;
}

int shmem_team_my_pe(shmem_team_t team)
{
    return team->me;
}

int shmem_team_n_pes(shmem_team_t team)
{
    return team->size;
}

int shmem_team_translate_pe(shmem_team_t team, int pe, shmem_team_t other_team)
{
    return other_team == &world ? team->members[pe] : -1;
}

int shmem_team_split_strided(shmem_team_t team, int start, int stride, int size, const void *config,
                             long config_mask, shmem_team_t *new_team)
{
    (void)config, (void)config_mask;
    *new_team = make(team, start, stride, size);
    wait_for(team);
    return 0;
}

int shmem_team_split_2d(shmem_team_t team, int xrange, const void *xaxis_config, long xaxis_mask,
                        shmem_team_t *xaxis_team, const void *yaxis_config, long yaxis_mask,
                        shmem_team_t *yaxis_team)
{
    (void)xaxis_config, (void)xaxis_mask, (void)yaxis_config, (void)yaxis_mask;
    int x = team->me % xrange, row = team->me - x, rest = team->size - row;
    *xaxis_team = make(team, row, 1, rest < xrange ? rest : xrange);
    *yaxis_team = make(team, x, xrange, (team->size - x + xrange - 1) / xrange);
    wait_for(team);
    return 0;
}

void shmem_team_destroy(shmem_team_t team)
{
    free(team);
}

int shmem_team_sync(shmem_team_t team)
{
    wait_for(team);
    return 0;
}

int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *ctx)
{
    (void)options;
    *ctx = malloc(sizeof **ctx);
    (*ctx)->team = team;
    return 0;
}

void shmem_ctx_destroy(shmem_ctx_t ctx)
{
    free(ctx);
}

int shmem_broadcastmem(shmem_team_t team, void *dest, const void *source, size_t nelems, int root)
{
    (void)dest, (void)source, (void)nelems, (void)root;
    wait_for(team);
    return 0;
}

int shmem_int_sum_reduce(shmem_team_t team, int *dest, const int *source, size_t nreduce)
{
    (void)dest, (void)source, (void)nreduce;
    wait_for(team);
    return 0;
}
