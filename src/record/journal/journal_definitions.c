/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal's file of definitions. With a buffer file, blocks are appended to that first: as
 * bytes that the file continues with. */
#include "record/buffers/buffer_file.h"
#include "record/journal/journal_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    size_t written[FM_DEFINE_JOURNALED]; /* number of definitions in the journal */
    size_t sites[FM_DEFINE_JOURNALED];   /* the same for the set of call sites */
    uint32_t *names;                     /* names set for written definitions */
    size_t name_words, name_capacity;
} journal;

/* What the file of definitions continues with, in the buffer file; NULL: there is none. */
static struct fm_buffer_definitions *notes(void)
{
    return fm_journal_state.begun ? fm_buffers_definitions() : NULL;
}

/* ---- what is written to the buffer file first ---- */

bool fm_journal_takes_notes(void)
{
    return notes() != NULL && getpid() == fm_journal_state.process;
}

bool fm_journal_flush(void)
{
    struct fm_buffer_definitions *own = notes();
    if (own == NULL || own->bytes == 0) {
        return true;
    }
    int file = fm_journal_open_file(-1, false);
    off_t begin = file >= 0 ? fm_journal_end_of(file) : 0;
    if (file < 0) {
        return false;
    }
    struct iovec parts[] = {{own->content, own->bytes}};
    bool good = (uint64_t)begin == own->base;
    errno = good ? errno : EIO; /* it was changed: what follows would be lost */
    good = fm_journal_finish(file, begin, good && fm_journal_write_all(file, parts, 1));
    if (good) {
        const uint64_t bytes = own->bytes;
        __atomic_store_n(&own->bytes, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&own->base, own->base + bytes, __ATOMIC_RELEASE);
    }
    return good;
}

/* Appends a block to what the file continues with, where there is room. */
static bool note(struct fm_buffer_definitions *own, enum fm_journal_kind kind, const void *first,
                 size_t first_bytes, const void *second, size_t second_bytes)
{
    const struct fm_journal_head head =
        fm_journal_head_of(kind, first, first_bytes, second, second_bytes);
    const size_t padding = (size_t)(-head.bytes & 7u), all = sizeof head + head.bytes + padding;
    if (all > FM_BUFFER_DEFINITIONS ||
        (all > FM_BUFFER_DEFINITIONS - own->bytes && !fm_journal_flush()) ||
        all > FM_BUFFER_DEFINITIONS - own->bytes) {
        return false;
    }
    unsigned char *place = own->content + own->bytes;
    memcpy(place, &head, sizeof head);
    memcpy(place + sizeof head, first, first_bytes);
    if (second_bytes != 0) {
        memcpy(place + sizeof head + first_bytes, second, second_bytes);
    }
    memset(place + all - padding, 0, padding);
    __atomic_store_n(&own->bytes, own->bytes + all, __ATOMIC_RELEASE);
    return true;
}

/* Appends blocks to the file itself, behind what it has in the buffer file. */
static bool append_to_file(bool (*write)(int file, const void *context), const void *context)
{
    struct fm_buffer_definitions *own = notes();
    int file = fm_journal_state.begun && fm_journal_flush() ? fm_journal_open_file(-1, false) : -1;
    if (file < 0) {
        errno = fm_journal_state.begun ? errno : ENOENT;
        return false;
    }
    off_t begin = fm_journal_end_of(file);
    bool good = write(file, context);
    uint64_t end = (uint64_t)fm_journal_end_of(file);
    good = fm_journal_finish(file, begin, good);
    if (good && own != NULL) {
        __atomic_store_n(&own->base, end, __ATOMIC_RELEASE);
    }
    return good;
}

/* A block, whose content has two parts. */
struct block {
    enum fm_journal_kind kind;
    const void *first, *second;
    size_t first_bytes, second_bytes;
};

static bool write_one(int file, const void *context)
{
    const struct block *block = context;
    return fm_journal_write_block(file, block->kind, block->first, block->first_bytes,
                                  block->second, block->second_bytes);
}

/* Appends one block to the definitions. */
static bool append(enum fm_journal_kind kind, const void *first, size_t first_bytes,
                   const void *second, size_t second_bytes)
{
    struct fm_buffer_definitions *own = notes();
    const struct block block = {kind, first, second, first_bytes, second_bytes};
    return (own != NULL && note(own, kind, first, first_bytes, second, second_bytes)) ||
           append_to_file(write_one, &block);
}

/* ---- functions ---- */

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
    bool good = fm_journal_write_block(file, FM_JOURNAL_PARADIGM, regions->paradigm,
                                       sizeof *regions->paradigm, NULL, 0) &&
                fm_journal_write_block(file, FM_JOURNAL_FUNCTIONS, functions, bytes, NULL, 0);
    free(functions);
    return good;
}

bool fm_journal_write_functions(int file, const struct fm_recorded_region *regions, size_t count)
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

/* Functions. */
struct functions {
    const struct fm_recorded_region *regions;
    size_t count;
};

static bool write_all_functions(int file, const void *context)
{
    const struct functions *functions = context;
    return fm_journal_write_functions(file, functions->regions, functions->count);
}

bool fm_journal_functions(const struct fm_recorded_region *regions, size_t region_count)
{
    const struct functions functions = {regions, region_count};
    /* Without a journal records stay in memory. */
    return !fm_journal_state.begun || append_to_file(write_all_functions, &functions);
}

/* ---- sets of definitions ---- */

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

/* Appends the new definitions of a set one by one. */
static bool note_set(const struct fm_definitions *set, size_t *written, enum fm_journal_kind block)
{
    for (int kind = 0; kind < FM_DEFINE_JOURNALED; kind++) {
        for (; written[kind] < set->tables[kind].count; written[kind]++) {
            const uint32_t which[] = {(uint32_t)kind, (uint32_t)written[kind]};
            size_t length;
            const uint32_t *words =
                fm_defined(set, (enum fm_define_kind)kind, (uint32_t)written[kind], &length);
            if (!append(block, which, sizeof which, words, length * sizeof *words)) {
                return false;
            }
        }
    }
    return true;
}

/* Appends the new definitions of a set in one block, where each costs a write to disk. */
static bool write_set(const struct fm_definitions *set, size_t *written, enum fm_journal_kind block)
{
    bool due = false;
    if (!fm_journal_state.begun) {
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
    bool good = append(block, content, bytes, NULL, 0);
    for (int kind = 0; good && kind < FM_DEFINE_JOURNALED; kind++) {
        written[kind] = set->tables[kind].count;
    }
    int reason = errno;
    munmap(content, bytes);
    errno = reason;
    return good;
}

bool fm_journal_definitions(const struct fm_definitions *set)
{
    bool good = notes() != NULL ? note_set(set, journal.written, FM_JOURNAL_DEFINITION)
                                : write_set(set, journal.written, FM_JOURNAL_DEFINITIONS);
    if (good && journal.name_words != 0) {
        good = append(FM_JOURNAL_NAMES, journal.names, journal.name_words * sizeof *journal.names,
                      NULL, 0);
        journal.name_words = good ? 0 : journal.name_words;
    }
    return good;
}

bool fm_journal_sites(const struct fm_definitions *set)
{
    return notes() != NULL ? note_set(set, journal.sites, FM_JOURNAL_SITE)
                           : write_set(set, journal.sites, FM_JOURNAL_SITES);
}

void fm_journal_write_at_once(void)
{
    fm_journal_state.writes_at_once = true;
}

static bool notes_definitions(void)
{
    return fm_journal_takes_notes() ||
           (fm_journal_state.writes_at_once && getpid() == fm_journal_state.process);
}

void fm_journal_note_definitions(const struct fm_definitions *set)
{
    if (notes_definitions()) {
        fm_journal_definitions(set); /* what fails is tried again when records are written */
    }
}

void fm_journal_note_sites(const struct fm_definitions *set)
{
    if (notes_definitions()) {
        fm_journal_sites(set);
    }
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

/* ---- other blocks ---- */

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
    return append(FM_JOURNAL_SAVED, &moment, sizeof moment, NULL, 0) && fm_journal_flush();
}
