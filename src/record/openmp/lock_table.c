/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/openmp/lock_table.h"

#include "record/capture/lock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Hash table with open addressing; it is replaced by a larger one when it is half full. Readers may
 * still use the older one, which is not freed: together they need less than twice the memory. */
struct table {
    size_t mask;
    struct fm_omp_lock *slots[];
};

static struct {
    struct table *table;
    struct fm_omp_lock *page; /* room for further locks */
    size_t left;
    uint32_t count;
    fm_lock_t guard; /* guards changes */
} locks = {.guard = FM_LOCK_FREE};

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    return memory;
}

static size_t slot_of(const struct table *table, uint64_t address)
{
    size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & table->mask;
    for (;; i = (i + 1) & table->mask) {
        const struct fm_omp_lock *lock = __atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (lock == NULL || lock->address == address) {
            return i;
        }
    }
}

/* @return whether the table has room for another lock */
static bool grow(void)
{
    enum { FIRST = 1024 };
    struct table *before = locks.table;
    size_t room = before != NULL ? before->mask + 1 : 0;
    if (2 * (size_t)(locks.count + 1) <= room) {
        return true;
    }
    size_t larger = room != 0 ? 2 * room : FIRST;
    struct table *table = pages(sizeof *table + larger * sizeof table->slots[0]);
    if (table == NULL) {
        return false;
    }
    table->mask = larger - 1;
    for (size_t i = 0; i < room; i++) {
        if (before->slots[i] != NULL) {
            table->slots[slot_of(table, before->slots[i]->address)] = before->slots[i];
        }
    }
    __atomic_store_n(&locks.table, table, __ATOMIC_RELEASE);
    return true;
}

static struct fm_omp_lock *allocate(void)
{
    enum { BYTES = 16384 };
    if (locks.left == 0) {
        locks.page = pages(BYTES);
        locks.left = locks.page != NULL ? BYTES / sizeof *locks.page : 0;
    }
    return locks.left != 0 ? &locks.page[--locks.left] : NULL;
}

static FM_COLD struct fm_omp_lock *add(uint64_t address)
{
    int saved = errno;
    struct fm_omp_lock *lock = NULL;
    fm_lock(&locks.guard);
    if (grow()) {
        size_t slot = slot_of(locks.table, address);
        lock = locks.table->slots[slot];
        if (lock == NULL && (lock = allocate()) != NULL) {
            lock->address = address;
            lock->id = FM_OMP_LOCKS_FIRST + locks.count++;
            __atomic_store_n(&locks.table->slots[slot], lock, __ATOMIC_RELEASE);
        }
    }
    fm_unlock(&locks.guard);
    errno = saved;
    return lock;
}

void fm_omp_locks_report(void (*report)(void *context, uint32_t id, uint64_t address),
                         void *context, bool only_new)
{
    const struct table *table = __atomic_load_n(&locks.table, __ATOMIC_ACQUIRE);
    for (size_t i = 0; table != NULL && i <= table->mask; i++) {
        struct fm_omp_lock *lock = __atomic_load_n(&table->slots[i], __ATOMIC_ACQUIRE);
        if (lock != NULL && __atomic_load_n(&lock->is_variable, __ATOMIC_RELAXED) &&
            !(only_new && lock->is_reported)) {
            lock->is_reported |= only_new;
            report(context, lock->id, lock->address);
        }
    }
}

struct fm_omp_lock *fm_omp_lock_at(const volatile void *address)
{
    uint64_t key = (uint64_t)(uintptr_t)address;
    const struct table *table = __atomic_load_n(&locks.table, __ATOMIC_ACQUIRE);
    if (FM_LIKELY(table != NULL)) {
        struct fm_omp_lock *lock =
            __atomic_load_n(&table->slots[slot_of(table, key)], __ATOMIC_ACQUIRE);
        /* A slot that was empty may have another thread's lock by now. */
        if (FM_LIKELY(lock != NULL && lock->address == key)) {
            return lock;
        }
    }
    return add(key);
}
