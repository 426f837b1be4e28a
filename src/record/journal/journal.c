/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/journal/journal.h"

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

static struct {
    char directory[PATH_MAX];
    uint32_t rank;
    bool begun;
    size_t written[FM_DEFINE_JOURNALED]; /* number of definitions in the journal */
    size_t sites[FM_DEFINE_JOURNALED];   /* the same for the set of call sites */
    uint32_t *names;                     /* names set for written definitions */
    size_t name_words, name_capacity;
} journal;

static bool write_all(int file, struct iovec *parts, int count)
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

/* Opens a file of the journal. With `create` the file must not exist, else it must exist: a file
 * that was removed is not created again, because its beginning would be missing. No descriptor
 * stays open between writes: a program that closes or counts its descriptors never encounters a
 * descriptor of the recorder. */
static int open_file(int64_t thread, bool create)
{
    char path[PATH_MAX + 64];
    fm_journal_path(path, sizeof path, journal.directory, journal.rank, thread);
    return open(
        path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0), 0600);
}

/* Writes one block, whose content has two parts. */
static bool write_block(int file, enum fm_journal_kind kind, const void *first, size_t first_bytes,
                        const void *second, size_t second_bytes)
{
    static const uint64_t zero;
    struct fm_journal_head head = {FM_JOURNAL_MAGIC, kind, 0, first_bytes + second_bytes, 0};
    struct fm_journal_sum sum = fm_journal_sum_of_head(&head);
    fm_journal_sum_add(&sum, first, first_bytes);
    fm_journal_sum_add(&sum, second, second_bytes);
    head.checksum = fm_journal_sum_end(&sum);
    struct iovec parts[] = {{&head, sizeof head},
                            {(void *)(uintptr_t)first, first_bytes},
                            {(void *)(uintptr_t)second, second_bytes},
                            {(void *)(uintptr_t)&zero, (size_t)(-head.bytes & 7u)}};
    return write_all(file, parts, 4);
}

/* Closes the file; a failed write is undone, so that the file ends with a whole block. */
static bool finish(int file, off_t begin, bool good)
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

static off_t end_of(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_size : 0;
}

/* Writes a paradigm and its functions. */
static bool write_paradigm(int file, const struct fm_recorded_region *regions, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += sizeof(uint32_t) + strlen(regions[i].name) + 1;
    }
    char *functions = malloc(bytes + 1), *next = functions;
    if (functions == NULL) {
        errno = ENOMEM;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(next, &regions[i].role, sizeof regions[i].role);
        strcpy(next + sizeof regions[i].role, regions[i].name);
        next += sizeof regions[i].role + strlen(regions[i].name) + 1;
    }
    bool good = write_block(file, FM_JOURNAL_PARADIGM, regions->paradigm, sizeof *regions->paradigm,
                            NULL, 0) &&
                write_block(file, FM_JOURNAL_FUNCTIONS, functions, bytes, NULL, 0);
    free(functions);
    return good;
}

static bool write_functions(int file, const struct fm_recorded_region *regions, size_t count)
{
    bool good = true;
    for (size_t first = 0, end; good && first < count; first = end) {
        for (end = first + 1; end < count && regions[end].paradigm == regions[first].paradigm;) {
            end++;
        }
        good = write_paradigm(file, regions + first, end - first);
    }
    return good;
}

bool fm_journal_begin(const char *directory, const struct fm_journal_process *process,
                      const struct fm_recorded_region *regions, size_t region_count)
{
    snprintf(journal.directory, sizeof journal.directory, "%s", directory);
    journal.rank = process->rank;
    int file = open_file(-1, true);
    bool good = file >= 0;
    if (good) {
        good = write_block(file, FM_JOURNAL_PROCESS, process, sizeof *process, NULL, 0) &&
               write_functions(file, regions, region_count);
        good = finish(file, 0, good);
    }
    journal.begun = good;
    return good;
}

bool fm_journal_functions(const struct fm_recorded_region *regions, size_t region_count)
{
    int file = journal.begun ? open_file(-1, false) : -1;
    if (file < 0) {
        return !journal.begun; /* without a journal records stay in memory */
    }
    off_t begin = end_of(file);
    return finish(file, begin, write_functions(file, regions, region_count));
}

/* Packs the definitions after the written ones. @return pages to be unmapped; NULL without memory
 */
static uint32_t *pack_new(const struct fm_definitions *set, const size_t *written, size_t *bytes)
{
    size_t words = FM_DEFINE_JOURNALED;
    for (int kind = 0; kind < FM_DEFINE_JOURNALED; kind++) {
        const struct fm_define_table *table = &set->tables[kind];
        size_t first = written[kind];
        if (first < table->count) {
            words += table->count - first + table->word_count - table->offsets[first];
        }
    }
    *bytes = words * sizeof(uint32_t);
    void *pages = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    uint32_t *block = pages, *out = block;
    for (int kind = 0; kind < FM_DEFINE_JOURNALED; kind++) {
        size_t first = written[kind], count = set->tables[kind].count;
        *out++ = (uint32_t)(count - first);
        for (size_t i = first; i < count; i++) {
            size_t length;
            const uint32_t *item = fm_defined(set, (enum fm_define_kind)kind, (uint32_t)i, &length);
            *out++ = (uint32_t)length;
            memcpy(out, item, length * sizeof *item);
            out += length;
        }
    }
    return block;
}

/* Appends the new definitions of a set, and the blocks that `behind` writes after them.
 * @param due  whether `behind` has something to write */
static bool write_set(const struct fm_definitions *set, size_t *written, enum fm_journal_kind block,
                      bool due, bool (*behind)(int file))
{
    if (!journal.begun) {
        errno = ENOENT;
        return false;
    }
    for (int kind = 0; kind < FM_DEFINE_JOURNALED; kind++) {
        due = due || set->tables[kind].count > written[kind];
    }
    if (!due) {
        return true;
    }
    size_t bytes;
    uint32_t *content = pack_new(set, written, &bytes);
    if (content == NULL) {
        errno = ENOMEM;
        return false;
    }
    int file = open_file(-1, false);
    bool good = file >= 0;
    if (good) {
        off_t begin = end_of(file);
        good = write_block(file, block, content, bytes, NULL, 0) && behind(file);
        good = finish(file, begin, good);
    }
    for (int kind = 0; good && kind < FM_DEFINE_JOURNALED; kind++) {
        written[kind] = set->tables[kind].count;
    }
    int reason = errno;
    munmap(content, bytes);
    errno = reason;
    return good;
}

static bool write_names(int file)
{
    return journal.name_words == 0 ||
           write_block(file, FM_JOURNAL_NAMES, journal.names,
                       journal.name_words * sizeof *journal.names, NULL, 0);
}

static bool write_nothing(int file)
{
    (void)file;
    return true;
}

bool fm_journal_definitions(const struct fm_definitions *set)
{
    bool good = write_set(set, journal.written, FM_JOURNAL_DEFINITIONS, journal.name_words != 0,
                          write_names);
    journal.name_words = good ? 0 : journal.name_words;
    return good;
}

bool fm_journal_sites(const struct fm_definitions *set)
{
    return write_set(set, journal.sites, FM_JOURNAL_SITES, false, write_nothing);
}

void fm_journal_name(enum fm_define_kind kind, uint32_t number, uint32_t string)
{
    if (number >= journal.written[kind]) {
        return; /* it will be written with its definition */
    }
    if (journal.name_words + 3 > journal.name_capacity) {
        size_t capacity = journal.name_capacity != 0 ? 2 * journal.name_capacity : 96;
        uint32_t *larger = realloc(journal.names, capacity * sizeof *larger);
        if (larger == NULL) {
            return; /* a rebuilt archive lacks the name */
        }
        journal.names = larger;
        journal.name_capacity = capacity;
    }
    uint32_t *entry = journal.names + journal.name_words;
    entry[0] = kind;
    entry[1] = number;
    entry[2] = string;
    journal.name_words += 3;
}

/* Removes a thread's empty file: the next attempt creates it again. */
static void remove_empty(uint32_t thread)
{
    char path[PATH_MAX + 64];
    int reason = errno;
    fm_journal_path(path, sizeof path, journal.directory, journal.rank, thread);
    unlink(path);
    errno = reason;
}

bool fm_journal_records(struct fm_thread *thread, struct fm_extent records)
{
    struct fm_journal_moment moment = {fm_clock_now(), fm_clock_nanoseconds()};
    if (!journal.begun) {
        errno = ENOENT;
        return false;
    }
    if (records.first == records.last && records.begin == records.end) {
        return true;
    }
    int file = open_file(thread->index, thread->journaled == 0);
    if (file < 0) {
        return false;
    }
    bool good = true;
    off_t begin = end_of(file);
    struct fm_chunk *chunk = records.first;
    for (const uint64_t *from = records.begin; good; from = chunk->words) {
        const uint64_t *end = chunk == records.last ? records.end : chunk->used;
        size_t count = (size_t)(end - from);
        good = count == 0 || write_block(file, FM_JOURNAL_RECORDS, &moment, sizeof moment, from,
                                         count * sizeof *from);
        if (good) {
            begin = end_of(file);
            thread->journaled += count;
            thread->kept_chunk = chunk;
            thread->kept = end;
        }
        if (chunk == records.last) {
            break;
        }
        chunk = chunk->next;
    }
    good = finish(file, begin, good);
    if (!good && thread->journaled == 0) {
        remove_empty(thread->index);
    }
    return good;
}

bool fm_journal_words(struct fm_thread *thread, const uint64_t *words, size_t count)
{
    struct fm_journal_moment moment = {fm_clock_now(), fm_clock_nanoseconds()};
    if (!journal.begun) {
        errno = ENOENT;
        return false;
    }
    int file = count != 0 ? open_file(thread->index, thread->journaled == 0) : -1;
    if (file < 0) {
        return count == 0;
    }
    off_t begin = end_of(file);
    bool good = finish(file, begin,
                       write_block(file, FM_JOURNAL_RECORDS, &moment, sizeof moment, words,
                                   count * sizeof *words));
    if (good) {
        thread->journaled += count;
    } else if (thread->journaled == 0) {
        remove_empty(thread->index);
    }
    return good;
}

/* Appends one block, whose content has two parts, to the definitions. */
static bool append(enum fm_journal_kind kind, const void *first, size_t first_bytes,
                   const void *second, size_t second_bytes)
{
    int file = journal.begun ? open_file(-1, false) : -1;
    if (file < 0) {
        return false;
    }
    off_t begin = end_of(file);
    return finish(file, begin, write_block(file, kind, first, first_bytes, second, second_bytes));
}

bool fm_journal_thinning(const struct fm_thinning *table)
{
    return append(FM_JOURNAL_THINNING, table, sizeof *table, NULL, 0);
}

bool fm_journal_module(const struct fm_journal_module *module, const char *path)
{
    return append(FM_JOURNAL_MODULE, module, sizeof *module, path, strlen(path) + 1);
}

bool fm_journal_objects(const struct fm_journal_object *objects, size_t count)
{
    return append(FM_JOURNAL_OBJECTS, objects, count * sizeof *objects, NULL, 0);
}

bool fm_journal_saved(void)
{
    struct fm_journal_moment moment = {fm_clock_now(), fm_clock_nanoseconds()};
    return append(FM_JOURNAL_SAVED, &moment, sizeof moment, NULL, 0);
}

void fm_journal_remove(struct fm_thread *threads)
{
    char path[PATH_MAX + 64];
    if (!journal.begun) {
        return;
    }
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        if (thread->journaled != 0) {
            fm_journal_path(path, sizeof path, journal.directory, journal.rank, thread->index);
            unlink(path);
        }
    }
    fm_journal_path(path, sizeof path, journal.directory, journal.rank, -1);
    unlink(path);
}
