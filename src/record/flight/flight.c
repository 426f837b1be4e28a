/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/flight/flight.h"

#include "record/journal/journal.h"

#include <errno.h>
#include <sys/mman.h>

uint64_t fm_flight_begin_of_kept(struct fm_thread *threads)
{
    uint64_t begin = 0;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        uint64_t own = each->settled != NULL ? fm_thread_first_kept(each) : 0;
        begin = own > begin ? own : begin;
    }
    return begin;
}

static bool write_front(struct fm_thread *thread, uint64_t resume)
{
    size_t bytes = fm_cut_words(&thread->cut) * sizeof(uint64_t);
    uint64_t *front = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (front == MAP_FAILED) {
        return false;
    }
    uint64_t *end = fm_cut_write(&thread->cut, front, resume);
    bool good = fm_journal_words(thread, front, (size_t)(end - front));
    int reason = errno;
    munmap(front, bytes);
    errno = reason;
    return good;
}

bool fm_flight_write(struct fm_thread *thread, uint64_t begin, uint64_t resume)
{
    struct fm_extent rest = fm_thread_cut_before(thread, begin);
    if (thread->cut.broken) {
        errno = ENOMEM;
        return false;
    }
    if (!write_front(thread, resume)) {
        return false;
    }
    thread->kept_chunk = rest.first; /* earlier records are in the journal or lost */
    thread->kept = rest.begin;
    return fm_journal_records(thread, rest);
}
