/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks. A lock is a symmetric object: its id is its offset in the memory that contains it, which
 * is the same on all PEs, although its address may differ. */
#include "record/shmem/shmem.h"

#include <link.h>

static struct {
    uintptr_t heap;               /* a symmetric object in dynamic memory */
    uintptr_t load, begin, limit; /* of the program: where it is loaded, the range of its memory */
} places;

/* The first object is the program. */
static int note_program(struct dl_phdr_info *object, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    places.load = object->dlpi_addr;
    places.begin = UINTPTR_MAX;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD) {
            uintptr_t begin = places.load + segment->p_vaddr, limit = begin + segment->p_memsz;
            places.begin = begin < places.begin ? begin : places.begin;
            places.limit = limit > places.limit ? limit : places.limit;
        }
    }
    return 1;
}

void fm_shmem_locks_begin(const void *heap)
{
    places.heap = (uintptr_t)heap;
    dl_iterate_phdr(note_program, NULL);
}

/* The lowest bit, which the offset of a `long` does not use, distinguishes static objects. */
static uint64_t id_of(const long *lock)
{
    uintptr_t address = (uintptr_t)lock;
    bool is_static = address >= places.begin && address < places.limit;
    return is_static ? (address - places.load) | 1 : address - places.heap;
}

static void record(struct fm_thread *thread, enum fm_record_kind kind, const long *lock)
{
    if (fm_shmem_world.size != 0) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_LOCK_ACQUIRE);
        fm_put_lock(r, kind, OTF2_LOCK_EXCLUSIVE, fm_shmem_world.window, 0, id_of(lock));
    } else {
        fm_thread_leave(thread, 0);
    }
}

static void record_failed(struct fm_thread *thread, const long *lock)
{
    fm_thread_leave_test(thread, true);
    if (fm_shmem_world.size != 0) {
        fm_put_lock(fm_thread_reserve(thread, FM_WORDS_LOCK_TRY), FM_RECORD_LOCK_TRY,
                    OTF2_LOCK_EXCLUSIVE, fm_shmem_world.window, 0, id_of(lock));
    }
}

void fm_shmem_set_lock(long *lock)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_set_lock);
    if (thread != NULL && fm_shmem_world.size != 0) {
        fm_open_lock_request(thread, fm_shmem_world.window, 0, id_of(lock));
    }
    FM_SHMEM(shmem_set_lock)(lock);
    if (thread != NULL) {
        record(thread, FM_RECORD_LOCK_ACQUIRE, lock);
        fm_thread_done(thread);
    }
}

int fm_shmem_test_lock(long *lock)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_test_lock);
    int outcome = FM_SHMEM(shmem_test_lock)(lock);
    if (thread != NULL && outcome == 0) {
        record(thread, FM_RECORD_LOCK_ACQUIRE, lock);
        fm_thread_done(thread);
    } else if (thread != NULL) {
        record_failed(thread, lock);
        fm_thread_done(thread);
    }
    return outcome;
}

/* The record of the release has the time of the Enter, so that none of the next owner is earlier.
 * The call completes the PE's operations. */
void fm_shmem_clear_lock(long *lock)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_clear_lock);
    FM_SHMEM(shmem_clear_lock)(lock);
    if (thread != NULL) {
        record(thread, FM_RECORD_LOCK_RELEASE_FIRST, lock);
        fm_shmem_complete(thread, &fm_shmem_default);
        fm_thread_done(thread);
    }
}
