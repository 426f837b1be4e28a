/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/journal_load.h"

#include "record/buffers/process_life.h"
#include "record/journal/journal_read.h"
#include "record/mpi/mpi_description.h"
#include "record/rebuild/define_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool take_process(struct fm_journal_process *process, const struct fm_journal_reader *reader)
{
    if (reader->kind != FM_JOURNAL_PROCESS || reader->bytes != sizeof *process) {
        return false;
    }
    memcpy(process, reader->content, sizeof *process);
    return process->rank < process->size && process->size <= FM_DEFINE_LARGEST &&
           memchr(process->host, '\0', sizeof process->host) != NULL &&
           memchr(process->buffers, '\0', sizeof process->buffers) != NULL;
}

/* Whether every text ends with a zero byte within its array. */
static bool is_description(const struct fm_paradigm_description *description)
{
    const char *const texts[] = {description->name, description->process, description->communicator,
                                 description->window, description->last_call};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (memchr(texts[i], '\0', FM_PARADIGM_TEXT) == NULL) {
            return false;
        }
    }
    return true;
}

static bool take_paradigm(struct fm_process_journal *journal,
                          const struct fm_journal_reader *reader)
{
    struct fm_paradigm_description *description = &journal->paradigms[journal->paradigm_count];
    if (journal->paradigm_count == FM_PARADIGMS_MOST || reader->bytes != sizeof *description) {
        return false;
    }
    memcpy(description, reader->content, sizeof *description);
    journal->paradigm_count += is_description(description);
    return is_description(description);
}

/* Reads the functions of the last paradigm. Journals of old recorders, which supported only MPI,
 * contain no paradigm. */
static bool take_functions(struct fm_process_journal *journal,
                           const struct fm_journal_reader *reader)
{
    if (journal->paradigm_count == 0) {
        journal->paradigms[journal->paradigm_count++] = fm_mpi_description;
    }
    char **text = &journal->texts[journal->paradigm_count - 1];
    if (*text != NULL || reader->bytes == 0) {
        return false;
    }
    *text = malloc(reader->bytes);
    if (journal->functions == NULL) {
        journal->functions = calloc(FM_FUNCTIONS_MOST, sizeof *journal->functions);
    }
    if (*text == NULL || journal->functions == NULL) {
        return false;
    }
    memcpy(*text, reader->content, reader->bytes);
    const char *next = *text, *end = next + reader->bytes;
    while (next < end && journal->function_count < FM_FUNCTIONS_MOST) {
        uint32_t role;
        const char *name = next + sizeof role;
        if ((size_t)(end - next) <= sizeof role ||
            memchr(name, '\0', (size_t)(end - name)) == NULL) {
            return false;
        }
        memcpy(&role, next, sizeof role);
        journal->functions[journal->function_count++] = (struct fm_recorded_region){
            name, role, &journal->paradigms[journal->paradigm_count - 1]};
        next = name + strlen(name) + 1;
    }
    return next == end;
}

/* Adds a definition with the number that it had in its process. */
static bool take_definition(struct fm_definitions *set, enum fm_define_kind kind,
                            const uint32_t *words, size_t count)
{
    if (kind == FM_DEFINE_PROCESS || kind == FM_DEFINE_MARKER || kind == FM_DEFINE_ATTRIBUTE) {
        return true; /* from an archive that was not completed; no record refers to them */
    }
    uint32_t number = (uint32_t)set->tables[kind].count;
    return fm_define_is_sound(set, kind, words, count) &&
           fm_define(set, kind, words, count) == number;
}

/* Whether a group has at most as many members as the run has processes, or as fit into OTF2's
 * smallest buffer, if it has members of other worlds: OTF2's buffers have this size. */
static bool fits(enum fm_define_kind kind, const uint32_t *words, size_t length, uint32_t processes)
{
    enum { FOREIGN_MOST = 1 << 15 };
    return kind != FM_DEFINE_GROUP ||
           (length > FM_GROUP_MEMBERS && (words[FM_GROUP_MEMBERS] <= processes ||
                                          ((words[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) != 0 &&
                                           words[FM_GROUP_MEMBERS] <= FOREIGN_MOST)));
}

static bool take_definitions(struct fm_definitions *set, uint32_t processes,
                             const struct fm_journal_reader *reader)
{
    const uint32_t *in = reader->content, *end = in + reader->bytes / sizeof *in;
    for (int kind = 0; kind < FM_DEFINE_JOURNALED; kind++) {
        if (in == end) {
            return false;
        }
        for (uint32_t count = *in++; count > 0; count--) {
            if (in == end || *in >= (size_t)(end - in)) {
                return false;
            }
            size_t length = *in++;
            if (!fits((enum fm_define_kind)kind, in, length, processes) ||
                !take_definition(set, (enum fm_define_kind)kind, in, length)) {
                return false;
            }
            in += length;
        }
    }
    return in == end;
}

/* A block with one definition, which has the next number. */
static bool take_one(struct fm_definitions *set, uint32_t processes,
                     const struct fm_journal_reader *reader)
{
    const uint32_t *in = reader->content;
    const size_t count = reader->bytes / sizeof *in;
    return count > 2 && in[0] < FM_DEFINE_JOURNALED && in[1] == set->tables[in[0]].count &&
           fits((enum fm_define_kind)in[0], in + 2, count - 2, processes) &&
           take_definition(set, (enum fm_define_kind)in[0], in + 2, count - 2);
}

static bool take_names(struct fm_process_journal *journal, const struct fm_journal_reader *reader)
{
    const uint32_t *in = reader->content;
    for (size_t i = 0; i + 3 <= reader->bytes / sizeof *in; i += 3) {
        enum fm_define_kind kind = (enum fm_define_kind)in[i];
        size_t count;
        if ((kind != FM_DEFINE_COMM && kind != FM_DEFINE_WIN) ||
            in[i + 1] >= journal->definitions.tables[kind].count ||
            in[i + 2] >= journal->definitions.tables[FM_DEFINE_STRING].count) {
            return false;
        }
        uint32_t *words = fm_defined(&journal->definitions, kind, in[i + 1], &count);
        words[count - 1] = in[i + 2];
    }
    return true;
}

static bool take_end(struct fm_process_journal *journal, const struct fm_journal_reader *reader)
{
    struct fm_journal_moment moment = {0, 0};
    if (reader->bytes == sizeof moment) {
        memcpy(&moment, reader->content, sizeof moment);
    }
    journal->saved = true;
    journal->saved_ticks = moment.ticks;
    return reader->bytes == 0 || reader->bytes == sizeof moment;
}

static bool take_thinning(struct fm_process_journal *journal,
                          const struct fm_journal_reader *reader)
{
    if (reader->bytes != sizeof journal->thinning) {
        return false;
    }
    memcpy(&journal->thinning, reader->content, sizeof journal->thinning);
    return true;
}

static bool take_module(struct fm_process_journal *journal, const struct fm_journal_reader *reader)
{
    struct fm_journal_module module;
    if (reader->bytes <= sizeof module) {
        return false;
    }
    memcpy(&module, reader->content, sizeof module);
    const char *path = (const char *)reader->content + sizeof module;
    struct fm_loaded_file *files =
        realloc(journal->files, (journal->file_count + 1) * sizeof *journal->files);
    if (files == NULL || memchr(path, '\0', reader->bytes - sizeof module) == NULL ||
        module.build_id_length > sizeof module.build_id) {
        journal->files = files != NULL ? files : journal->files;
        return false;
    }
    journal->files = files;
    files[journal->file_count] = (struct fm_loaded_file){module, strdup(path)};
    return files[journal->file_count++].path != NULL;
}

static bool take_objects(struct fm_process_journal *journal, const struct fm_journal_reader *reader)
{
    size_t count = reader->bytes / sizeof *journal->objects;
    struct fm_journal_object *objects =
        realloc(journal->objects, (journal->object_count + count + 1) * sizeof *objects);
    if (objects == NULL || reader->bytes % sizeof *objects != 0) {
        journal->objects = objects != NULL ? objects : journal->objects;
        return false;
    }
    journal->objects = objects;
    memcpy(objects + journal->object_count, reader->content, count * sizeof *objects);
    journal->object_count += count;
    return true;
}

static bool take_block(struct fm_process_journal *journal, const struct fm_journal_reader *reader)
{
    switch (reader->kind) {
    case FM_JOURNAL_PARADIGM:
        return take_paradigm(journal, reader);
    case FM_JOURNAL_FUNCTIONS:
        return take_functions(journal, reader);
    case FM_JOURNAL_DEFINITIONS:
        return take_definitions(&journal->definitions, journal->process.size, reader);
    case FM_JOURNAL_SITES:
        return take_definitions(&journal->sites, journal->process.size, reader);
    case FM_JOURNAL_DEFINITION:
        return take_one(&journal->definitions, journal->process.size, reader);
    case FM_JOURNAL_SITE:
        return take_one(&journal->sites, journal->process.size, reader);
    case FM_JOURNAL_NAMES:
        return take_names(journal, reader);
    case FM_JOURNAL_THINNING:
        return take_thinning(journal, reader);
    case FM_JOURNAL_MODULE:
        return take_module(journal, reader);
    case FM_JOURNAL_OBJECTS:
        return take_objects(journal, reader);
    case FM_JOURNAL_SAVED:
        return take_end(journal, reader);
    default:
        return false;
    }
}

/* ---- the buffer file ---- */

bool fm_journal_open_buffers(const char *directory, const struct fm_journal_process *process,
                             struct fm_buffer_reader *buffers, char *path, size_t size)
{
    char own[PATH_MAX + 64];
    *buffers = (struct fm_buffer_reader){.file = -1};
    if (process->buffer_token == 0) {
        return false;
    }
    snprintf(own, sizeof own, "%s/journal/%u.buf", directory, process->rank);
    bool good = fm_buffer_open(buffers, own, process->buffer_token);
    if (!good && process->buffers[0] == '/') {
        snprintf(own, sizeof own, "%s", process->buffers);
        good = fm_buffer_open(buffers, own, process->buffer_token);
    }
    if (path != NULL) {
        snprintf(path, size, "%s", own);
    }
    return good;
}

/* Adds the call sites behind the defined ones that only signal handlers have found. */
static void take_sites(struct fm_process_journal *journal)
{
    struct fm_definitions *set = &journal->sites;
    for (;;) {
        const uint64_t number = set->tables[FM_DEFINE_SITE].count + 1;
        const struct fm_buffer_site *site = fm_buffer_site(&journal->buffers, number);
        if (site == NULL) {
            return;
        }
        const uint32_t words[FM_SITE_FRAMES] = {
            [FM_SITE_BINARY] = site->module,
            [FM_SITE_FUNCTION] = (uint32_t)site->function,
            [FM_SITE_FUNCTION + 1] = (uint32_t)(site->function >> 32),
            [FM_SITE_ADDRESS] = (uint32_t)site->offset,
            [FM_SITE_ADDRESS + 1] = (uint32_t)(site->offset >> 32),
            [FM_SITE_TARGET_BINARY] = site->target_module,
            [FM_SITE_TARGET] = (uint32_t)site->target,
            [FM_SITE_TARGET + 1] = (uint32_t)(site->target >> 32),
            [FM_SITE_SERIAL] = (uint32_t)number,
        };
        if (!take_definition(set, FM_DEFINE_SITE, words, FM_SITE_FRAMES)) {
            return; /* in a file that is not defined, or in a Python function */
        }
    }
}

/* ---- the file ---- */

/* Opens the file and reads its first block. @return false: nothing is to be closed */
static bool begin(const char *directory, uint32_t rank, struct fm_journal_process *process,
                  struct fm_journal_reader *reader)
{
    char path[PATH_MAX];
    fm_journal_path(path, sizeof path, directory, rank, -1);
    bool good = fm_journal_open(reader, path);
    if (good && !(fm_journal_next(reader) && take_process(process, reader))) {
        fm_journal_close(reader);
        good = false;
    }
    return good;
}

bool fm_journal_load_process(const char *directory, uint32_t rank,
                             struct fm_journal_process *process)
{
    struct fm_journal_reader reader;
    bool good = begin(directory, rank, process, &reader);
    if (good) {
        fm_journal_close(&reader);
    }
    return good;
}

bool fm_journal_load(const char *directory, uint32_t rank, struct fm_process_journal *journal)
{
    struct fm_journal_reader reader;
    uint64_t base, bytes;
    memset(journal, 0, sizeof *journal);
    fm_thinning_begin(&journal->thinning);
    if (!begin(directory, rank, &journal->process, &reader)) {
        return false;
    }
    journal->has_buffers =
        fm_journal_open_buffers(directory, &journal->process, &journal->buffers, NULL, 0);
    const void *rest =
        journal->has_buffers ? fm_buffer_definitions(&journal->buffers, &base, &bytes) : NULL;
    if (rest != NULL) {
        fm_journal_continue(&reader, base, rest, bytes);
    }
    while (fm_journal_next(&reader) && take_block(journal, &reader)) {
    }
    fm_journal_close(&reader);
    if (journal->has_buffers) {
        take_sites(journal);
    }
    return true;
}

void fm_journal_unload(struct fm_process_journal *journal)
{
    fm_definitions_free(&journal->definitions);
    fm_definitions_free(&journal->sites);
    free(journal->functions);
    free(journal->objects);
    for (size_t i = 0; i < journal->file_count; i++) {
        free(journal->files[i].path);
    }
    free(journal->files);
    for (size_t i = 0; i < journal->paradigm_count; i++) {
        free(journal->texts[i]);
    }
    if (journal->has_buffers) {
        fm_buffer_close(&journal->buffers);
    }
    memset(journal, 0, sizeof *journal);
}

/* Seconds since 1970 at which the system started; 0: unknown. */
static long long boot_time(void)
{
    FILE *file = fopen("/proc/stat", "re");
    char line[256];
    long long time = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "btime %lld", &time) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return time;
}

bool fm_journal_process_lives(const struct fm_journal_process *process)
{
    enum { CLOSE = 10 /* seconds: a process id is not reused within so short a time */ };
    char host[sizeof process->host] = "";
    gethostname(host, sizeof host - 1);
    if (strcmp(host, process->host) != 0) {
        return false;
    }
    const uint64_t started = fm_process_started((int32_t)process->process);
    const long long since = boot_time() + (long long)(started / (uint64_t)sysconf(_SC_CLK_TCK));
    const long long recorded = (long long)(process->start_realtime / 1000000000u);
    return started != 0 && since - recorded < CLOSE && recorded - since < CLOSE;
}
