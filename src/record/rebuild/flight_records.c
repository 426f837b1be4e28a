/* SPDX-License-Identifier: BSD-3-Clause */
/* What a killed process with the flight recorder has left: its buffer file has the last records of
 * each thread, and what stands in front of them. As in a process that writes its records itself
 * (flight/flight.h), the records of all its threads begin at the same time. */
#include "record/archive/archive.h"
#include "record/flight/cut.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct fm_process_journal *named; /* whose functions have names in fm_cut_pass */

static const char *function_name(uint32_t function)
{
    return function < named->function_count ? named->functions[function].name : "";
}

/* The records of a thread that only the buffer file has. */
struct kept {
    uint64_t position; /* of the first one */
    struct fm_cut cut; /* what is before them */
};

static void clear_cut(struct fm_cut *cut)
{
    if (cut->room != 0) {
        munmap(cut->items, cut->room * sizeof *cut->items);
    }
    fm_unrecorded_free(&cut->unrecorded);
    memset(cut, 0, sizeof *cut);
}

static bool is_sound(const uint64_t *record, const uint64_t *end)
{
    const enum fm_record_kind kind = fm_record_kind(record[0]);
    return kind < FM_RECORD_KIND_COUNT && fm_record_words[kind] <= end - record;
}

/* Whether the kept records begin with a record: it, or the next one that has a time if it has none,
 * is from `begin` on. */
static bool is_kept(const uint64_t *record, const uint64_t *end, uint64_t begin)
{
    uint64_t time;
    if (begin == UINT64_MAX || !fm_cut_may_begin(record)) {
        return false;
    }
    while (record < end && is_sound(record, end) && !fm_cut_time(record, &time)) {
        record += fm_record_words[fm_record_kind(record[0])];
    }
    return record == end || !is_sound(record, end) || time >= begin;
}

/* Passes records to the summary, up to a damaged one, or to those that are kept.
 * @return number of words that were passed */
static size_t pass(struct fm_cut *cut, const uint64_t *words, size_t count, bool lost,
                   uint64_t begin)
{
    const uint64_t *record = words, *end = words + count;
    while (record < end && is_sound(record, end) && !is_kept(record, end, begin)) {
        fm_cut_pass(cut, record, lost, function_name);
        record += fm_record_words[fm_record_kind(record[0])];
    }
    return (size_t)(record - words);
}

/* Passes what the journal has of the thread. */
static void pass_journal(const struct fm_rebuild_run *r, const struct fm_thread *thread,
                         struct kept *kept)
{
    struct fm_journal_reader reader;
    struct fm_journal_part part;
    char path[PATH_MAX];
    size_t words;
    fm_journal_path(path, sizeof path, r->directory, thread->rank, thread->index);
    if (!fm_journal_open(&reader, path)) {
        return;
    }
    while (fm_journal_next(&reader)) {
        const uint64_t *records = fm_journal_block_records(&reader, &words, &part);
        if (records != NULL) { /* else a call that was open */
            pass(&kept->cut, records, words, false, UINT64_MAX);
        }
        if (records != NULL && part.position != FM_JOURNAL_FRONT) {
            kept->position = part.position + words;
        }
    }
    fm_journal_close(&reader);
}

/* Finds where the records begin that only the buffer file has. `kept->cut` is to be cleared. */
static void find_kept(const struct fm_rebuild_run *r, struct fm_process_journal *journal,
                      const struct fm_thread *thread, struct kept *kept)
{
    *kept = (struct kept){.position = 0};
    named = journal;
    pass_journal(r, thread, kept);
    const struct fm_buffer_front *front = fm_buffer_front(&journal->buffers, thread->index);
    if (front != NULL && front->position > kept->position) {
        clear_cut(&kept->cut);
        pass(&kept->cut, front->words, (size_t)front->count, front->gone != 0, UINT64_MAX);
        kept->position = front->position;
    }
}

/* Time of the thread's first record that is kept, if older ones are lost; else 0. */
static uint64_t first_kept(const struct fm_rebuild_run *r, struct fm_process_journal *journal,
                           const struct fm_thread *thread)
{
    struct kept kept;
    size_t count, place = 0;
    uint64_t time = 0;
    find_kept(r, journal, thread, &kept);
    const uint64_t *words =
        kept.cut.gone ? fm_buffer_records(&journal->buffers, thread->index, kept.position, &count)
                      : NULL;
    while (words != NULL && place < count && fm_record_kind(words[place]) < FM_RECORD_KIND_COUNT &&
           !fm_cut_time(words + place, &time)) {
        place += fm_record_words[fm_record_kind(words[place])];
    }
    clear_cut(&kept.cut);
    return time;
}

uint64_t fm_rebuild_flight_begin(const struct fm_rebuild_run *r,
                                 const struct fm_rebuild_process *process,
                                 struct fm_process_journal *journal)
{
    uint64_t begin = 0;
    for (uint32_t t = 0; t < process->thread_count; t++) {
        uint64_t own = first_kept(r, journal, &process->threads[t]);
        begin = own > begin ? own : begin;
    }
    return begin;
}

/* Writes what stands in front of the kept records. */
static bool write_front(struct fm_thread *thread, struct fm_cut *cut, uint64_t begin,
                        size_t functions)
{
    uint64_t *words = calloc(fm_cut_words(cut) + 1, sizeof *words);
    bool good = words != NULL && !cut->broken;
    if (good) {
        size_t count = (size_t)(fm_cut_write(cut, words, begin) - words);
        good = fm_archive_write(thread, words, count, functions);
    }
    free(words);
    return good;
}

bool fm_rebuild_write_flight(const struct fm_rebuild_run *r,
                             const struct fm_rebuild_process *process,
                             struct fm_process_journal *journal, struct fm_thread *thread)
{
    struct fm_buffer_reader *buffers = &journal->buffers;
    const size_t functions = process->region_count;
    struct kept kept;
    size_t count, passed;
    find_kept(r, journal, thread, &kept);
    uint64_t position = kept.position;
    const uint64_t *words = fm_buffer_records(buffers, thread->index, position, &count);
    const uint64_t first = fm_buffer_first(buffers, thread->index);
    bool good = words != NULL || first == UINT64_MAX || first <= position;
    do {
        passed = words != NULL ? pass(&kept.cut, words, count, true, process->flight_begin) : 0;
        position += passed;
        words = fm_buffer_records(buffers, thread->index, position, &count);
    } while (passed != 0 && words != NULL);
    good = write_front(thread, &kept.cut, process->flight_begin, functions) && good;
    while (good && (words = fm_buffer_records(buffers, thread->index, position, &count)) != NULL) {
        good = fm_archive_write(thread, words, count, functions);
        position += count;
    }
    clear_cut(&kept.cut);
    return good;
}
