/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/journal/journal_state.h"

#include "record/buffers/buffer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct fm_journal_state fm_journal_state;

bool fm_journal_write_all(int file, struct iovec *parts, int count)
{
    while (count > 0) {
        ssize_t written = writev(file, parts, count);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        for (; written > 0 && count > 0; parts++, count--) {
            if ((size_t)written < parts->iov_len) {
                parts->iov_base = (char *)parts->iov_base + written;
                parts->iov_len -= (size_t)written;
                break;
            }
            written -= (ssize_t)parts->iov_len;
        }
        while (count > 0 && parts->iov_len == 0) {
            parts++;
            count--;
        }
    }
    return true;
}

int fm_journal_open_file(int64_t thread, bool create)
{
    char path[PATH_MAX + 64];
    fm_journal_path(path, sizeof path, fm_journal_state.directory, fm_journal_state.rank, thread);
    return open(
        path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0), 0600);
}

struct fm_journal_head fm_journal_head_of(enum fm_journal_kind kind, const void *first,
                                          size_t first_bytes, const void *second,
                                          size_t second_bytes)
{
    struct fm_journal_head head = {FM_JOURNAL_MAGIC, kind, 0, first_bytes + second_bytes, 0};
    struct fm_journal_sum sum = fm_journal_sum_of_head(&head);
    fm_journal_sum_add(&sum, first, first_bytes);
    fm_journal_sum_add(&sum, second, second_bytes);
    head.checksum = fm_journal_sum_end(&sum);
    return head;
}

bool fm_journal_write_block(int file, enum fm_journal_kind kind, const void *first,
                            size_t first_bytes, const void *second, size_t second_bytes)
{
    static const uint64_t zero;
    struct fm_journal_head head =
        fm_journal_head_of(kind, first, first_bytes, second, second_bytes);
    struct iovec parts[] = {{&head, sizeof head},
                            {(void *)(uintptr_t)first, first_bytes},
                            {(void *)(uintptr_t)second, second_bytes},
                            {(void *)(uintptr_t)&zero, (size_t)(-head.bytes & 7u)}};
    return fm_journal_write_all(file, parts, 4);
}

bool fm_journal_finish(int file, off_t begin, bool good)
{
    int reason = errno;
    if (!good && ftruncate(file, begin) != 0) {
        good = false;
    }
    if (close(file) != 0 && good) {
        return false; /* quota and network file systems may report the error only now */
    }
    errno = reason;
    return good;
}

off_t fm_journal_end_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_size : 0;
}

bool fm_journal_begin(const char *directory, const struct fm_journal_process *process,
                      const struct fm_recorded_region *regions, size_t region_count)
{
    snprintf(fm_journal_state.directory, sizeof fm_journal_state.directory, "%s", directory);
    fm_journal_state.rank = process->rank;
    fm_journal_state.process = getpid();
    int file = fm_journal_open_file(-1, true);
    bool good = file >= 0;
    uint64_t end = 0;
    if (good) {
        good =
            fm_journal_write_block(file, FM_JOURNAL_PROCESS, process, sizeof *process, NULL, 0) &&
            fm_journal_write_functions(file, regions, region_count);
        end = (uint64_t)fm_journal_end_of(file);
        good = fm_journal_finish(file, 0, good);
    }
    if (good && fm_buffers_definitions() != NULL) {
        fm_buffers_definitions()->base = end;
    }
    fm_journal_state.begun = good;
    return good;
}

/* Removes a thread's empty file: the next attempt creates it again. */
static void remove_empty(uint32_t thread)
{
    char path[PATH_MAX + 64];
    int reason = errno;
    fm_journal_path(path, sizeof path, fm_journal_state.directory, fm_journal_state.rank, thread);
    unlink(path);
    errno = reason;
}

bool fm_journal_records(struct fm_thread *thread, struct fm_extent records)
{
    struct fm_journal_part part = {.moment = {fm_clock_now(), fm_clock_nanoseconds()}};
    if (!fm_journal_state.begun) {
        errno = ENOENT;
        return false;
    }
    if (records.first == records.last && records.begin == records.end) {
        return true;
    }
    int file = fm_journal_open_file(thread->index, thread->journaled == 0);
    if (file < 0) {
        return false;
    }
    bool good = true;
    off_t begin = fm_journal_end_of(file);
    struct fm_chunk *chunk = records.first;
    for (const uint64_t *from = records.begin; good; from = chunk->words) {
        const uint64_t *end = chunk == records.last ? records.end : chunk->used;
        size_t count = (size_t)(end - from);
        part.position = chunk->position + (uint64_t)(from - chunk->words);
        good = count == 0 || fm_journal_write_block(file, FM_JOURNAL_RECORDS, &part, sizeof part,
                                                    from, count * sizeof *from);
        if (good) {
            begin = fm_journal_end_of(file);
            thread->journaled += count;
            thread->kept_chunk = chunk;
            thread->kept = end;
        }
        if (chunk == records.last) {
            break;
        }
        chunk = chunk->next;
    }
    good = fm_journal_finish(file, begin, good);
    if (!good && thread->journaled == 0) {
        remove_empty(thread->index);
    }
    return good;
}

bool fm_journal_words(struct fm_thread *thread, const uint64_t *words, size_t count)
{
    const struct fm_journal_part part = {.moment = {fm_clock_now(), fm_clock_nanoseconds()},
                                         .position = FM_JOURNAL_FRONT};
    if (!fm_journal_state.begun) {
        errno = ENOENT;
        return false;
    }
    int file = count != 0 ? fm_journal_open_file(thread->index, thread->journaled == 0) : -1;
    if (file < 0) {
        return count == 0;
    }
    off_t begin = fm_journal_end_of(file);
    bool good =
        fm_journal_finish(file, begin,
                          fm_journal_write_block(file, FM_JOURNAL_RECORDS, &part, sizeof part,
                                                 words, count * sizeof *words));
    if (good) {
        thread->journaled += count;
    } else if (thread->journaled == 0) {
        remove_empty(thread->index);
    }
    return good;
}

bool fm_journal_open_call(struct fm_thread *thread)
{
    const struct fm_shown_call *open = thread->shown;
    const uint64_t enter = __atomic_load_n(&open->enter, __ATOMIC_RELAXED);
    const uint64_t call = __atomic_load_n(&open->call, __ATOMIC_RELAXED);
    size_t words = (size_t)(call >> 32) < FM_OPEN_WORDS ? (size_t)(call >> 32) : FM_OPEN_WORDS;
    const uint64_t head[] = {enter, call, 0};
    if (enter == 0 || thread->journaled == 0) {
        return true; /* a thread without records has no file */
    }
    int file = fm_journal_open_file(thread->index, false);
    if (file < 0) {
        return false;
    }
    off_t begin = fm_journal_end_of(file);
    bool good = fm_journal_write_block(file, FM_JOURNAL_OPEN, head, sizeof head, open->words,
                                       words * sizeof *open->words);
    return fm_journal_finish(file, begin, good);
}

void fm_journal_remove(struct fm_thread *threads)
{
    char path[PATH_MAX + 64];
    if (!fm_journal_state.begun) {
        return;
    }
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        if (thread->journaled != 0) {
            fm_journal_path(path, sizeof path, fm_journal_state.directory, fm_journal_state.rank,
                            thread->index);
            unlink(path);
        }
    }
    fm_journal_path(path, sizeof path, fm_journal_state.directory, fm_journal_state.rank, -1);
    unlink(path);
    fm_buffers_remove();
}
