/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of a thread: those in its journal, and behind them those that only the buffer file of
 * its process has. Both number the words that the thread has recorded. */
#include "functions/function_kind.h"
#include "record/archive/archive.h"
#include "record/conversion/stream_events.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* ---- the journal ---- */

static void note_moment(struct fm_rebuild_run *r, const struct fm_rebuild_process *process,
                        struct fm_journal_moment moment)
{
    uint64_t before = r->last_moment.nanoseconds - r->clock.start_nanoseconds;
    uint64_t now = moment.nanoseconds - process->journal.start_nanoseconds;
    if (r->last_moment.nanoseconds == 0 || now > before) {
        r->last_moment = moment;
        r->clock = process->journal;
    }
}

/* Writes the records in the journal.
 * @param end  receives the number of words that the thread has recorded up to their end */
static bool write_journal(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                          struct fm_thread *thread, size_t functions, uint64_t *end)
{
    struct fm_journal_reader reader;
    struct fm_journal_part part;
    char path[PATH_MAX];
    size_t words;
    bool good = true;
    *end = 0;
    fm_journal_path(path, sizeof path, r->directory, thread->rank, thread->index);
    if (!fm_journal_open(&reader, path)) {
        return true;
    }
    while (good && fm_journal_next(&reader)) {
        if (reader.kind == FM_JOURNAL_OPEN) {
            continue;
        }
        const uint64_t *records = fm_journal_block_records(&reader, &words, &part);
        good = records != NULL && fm_archive_write(thread, records, words, functions);
        if (good && part.position != FM_JOURNAL_FRONT) {
            *end = part.position + words;
        }
        if (records != NULL) {
            note_moment(r, process, part.moment);
        }
    }
    fm_journal_close(&reader);
    return good;
}

/* ---- the buffer file ---- */

/* The moments of the buffer file are as good as those of the journal, and later. */
static void note_life(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                      const struct fm_buffer_head *head)
{
    const uint32_t latest = head->latest & 1;
    const struct fm_journal_moment moment = {head->alive[latest].ticks,
                                             head->alive[latest].nanoseconds};
    if (moment.nanoseconds >= process->journal.start_nanoseconds) {
        process->alive = moment;
        note_moment(r, process, moment);
    }
}

/* Writes the records of the buffer file from a position on. */
static bool write_buffers(struct fm_buffer_reader *buffers, struct fm_thread *thread,
                          uint64_t position, size_t functions)
{
    bool good = true;
    size_t count;
    for (const uint64_t *words;
         good && (words = fm_buffer_records(buffers, thread->index, position, &count)) != NULL;
         position += count) {
        good = fm_archive_write(thread, words, count, functions);
    }
    return good;
}

bool fm_rebuild_write_records(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                              struct fm_process_journal *journal, struct fm_thread *thread)
{
    uint64_t end;
    bool good = write_journal(r, process, thread, process->region_count, &end);
    if (!good || !journal->has_buffers) {
        return good;
    }
    note_life(r, process, &journal->buffers.head);
    if (journal->buffers.head.flight != 0) {
        return fm_rebuild_write_flight(r, process, journal, thread);
    }
    const uint64_t first = fm_buffer_first(&journal->buffers, thread->index);
    if (first == UINT64_MAX || first <= end) {
        return write_buffers(&journal->buffers, thread, end, process->region_count);
    }
    return false;
}

/* ---- the open call ---- */

/* The call that the journal has: of processes without buffer file. */
static bool read_open(const struct fm_rebuild_run *r, const struct fm_thread *thread,
                      struct fm_shown_call *open)
{
    struct fm_journal_reader reader;
    char path[PATH_MAX];
    bool found = false;
    fm_journal_path(path, sizeof path, r->directory, thread->rank, thread->index);
    if (!fm_journal_open(&reader, path)) {
        return false;
    }
    while (fm_journal_next(&reader)) {
        found = reader.kind == FM_JOURNAL_OPEN &&
                reader.bytes >= offsetof(struct fm_shown_call, words) &&
                reader.bytes <= sizeof *open;
        if (found) {
            memcpy(open, reader.content, reader.bytes);
            found = reader.bytes - offsetof(struct fm_shown_call, words) ==
                    (open->call >> 32) * sizeof(uint64_t);
        }
    }
    fm_journal_close(&reader);
    return found;
}

/* @return the call that a thread was in, valid until the next call; NULL: none is known */
static const struct fm_shown_call *find_open(const struct fm_rebuild_run *r,
                                             struct fm_process_journal *journal,
                                             const struct fm_thread *thread)
{
    static struct fm_shown_call open; /* large */
    const bool is_known =
        journal->has_buffers && fm_buffer_open_call(&journal->buffers, thread->index, &open);
    return is_known || read_open(r, thread, &open) ? &open : NULL;
}

bool fm_rebuild_ends_in_library(const struct fm_rebuild_run *r, struct fm_process_journal *journal,
                                const struct fm_thread *thread)
{
    const struct fm_shown_call *open = find_open(r, journal, thread);
    const uint32_t function = open != NULL ? (uint32_t)open->call : FM_OPEN_REGION;
    if (open == NULL || open->enter == 0 || function >= journal->function_count) {
        return false;
    }
    const char *name = journal->functions[function].name;
    return fm_function_kind(fm_paradigm_of_function(name), name).progresses &&
           strcmp(name, "MPI_Abort") != 0 && strcmp(name, "shmem_global_exit") != 0;
}

bool fm_rebuild_write_open(const struct fm_rebuild_run *r, const struct fm_rebuild_process *process,
                           struct fm_process_journal *journal, struct fm_thread *thread)
{
    const struct fm_shown_call *open = find_open(r, journal, thread);
    return open != NULL && fm_archive_write_open(thread, open, process->region_count);
}

/* ---- streams ---- */

/* The first words of a thread. @return how many of `most` there are */
static size_t read_first(const struct fm_rebuild_run *r, struct fm_process_journal *journal,
                         const struct fm_thread *thread, uint64_t *first, size_t most)
{
    struct fm_journal_reader reader;
    struct fm_journal_part part;
    char path[PATH_MAX];
    size_t words = 0;
    fm_journal_path(path, sizeof path, r->directory, thread->rank, thread->index);
    bool is_open = fm_journal_open(&reader, path);
    const uint64_t *records = is_open && fm_journal_next(&reader)
                                  ? fm_journal_block_records(&reader, &words, &part)
                                  : NULL;
    if (records == NULL && journal->has_buffers) {
        records = fm_buffer_records(&journal->buffers, thread->index, 0, &words);
    }
    words = records == NULL ? 0 : words < most ? words : most;
    memcpy(first, records != NULL ? records : first, words * sizeof *first);
    if (is_open) {
        fm_journal_close(&reader);
    }
    return words;
}

void fm_rebuild_declare_if_stream(const struct fm_rebuild_run *r,
                                  struct fm_process_journal *journal, struct fm_thread *thread)
{
    uint64_t first[FM_WORDS_STREAM_BEGIN];
    if (read_first(r, journal, thread, first, FM_WORDS_STREAM_BEGIN) == FM_WORDS_STREAM_BEGIN &&
        fm_record_kind(first[0]) == FM_RECORD_STREAM_BEGIN) {
        fm_stream_declare(thread, first);
        thread->is_stream = true;
    }
}
