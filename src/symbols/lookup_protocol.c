/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/lookup_protocol.h"

#include "filter/filter.h"
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct binary {
    char *path, *build_id;
};

struct questions {
    struct binary *binaries;
    size_t count, capacity;
};

static int add_binary(struct questions *q, char *text)
{
    char *path = strchr(text, ' ');
    if (path == NULL) {
        return -1;
    }
    *path++ = '\0';
    if (q->count == q->capacity) {
        size_t capacity = q->capacity != 0 ? 2 * q->capacity : 64;
        struct binary *binaries = realloc(q->binaries, capacity * sizeof *binaries);
        if (binaries == NULL) {
            return -1;
        }
        q->binaries = binaries;
        q->capacity = capacity;
    }
    struct binary binary = {strdup(path), strdup(strcmp(text, "-") != 0 ? text : "")};
    q->binaries[q->count++] = binary;
    return binary.path != NULL && binary.build_id != NULL ? 0 : -1;
}

/* A text without the characters that separate fields. */
static void put(FILE *answers, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        putc((unsigned char)*text < ' ' ? '?' : *text, answers);
    }
}

static void put_frames(FILE *answers, struct fm_symbol_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct fm_symbol_frame *frame = &frames[i];
        const char *const texts[] = {frame->name, frame->symbol, frame->file, frame->call_file};
        fprintf(answers, "F %u %u", frame->line, frame->call_line);
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            putc('\t', answers);
            put(answers, texts[k]);
        }
        putc('\n', answers);
    }
    fputs(".\n", answers);
    fm_symbols_free_frames(frames, count);
}

static int answer(struct fm_symbols *symbols, const struct questions *q, const char *text,
                  FILE *answers)
{
    struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST];
    size_t binary;
    uint64_t function, address;
    if (sscanf(text, "%zu %" SCNx64 " %" SCNx64, &binary, &function, &address) != 3 ||
        binary >= q->count) {
        return -1;
    }
    put_frames(answers, frames,
               fm_symbols_find(symbols, q->binaries[binary].path, q->binaries[binary].build_id,
                               function, address, frames));
    return 0;
}

static int answer_called(struct fm_symbols *symbols, const struct questions *q, const char *text,
                         FILE *answers)
{
    struct fm_symbol_frame frames[FM_SYMBOL_FRAMES_MOST];
    size_t binary, caller;
    uint64_t function, address;
    if (sscanf(text, "%zu %" SCNx64 " %zu %" SCNx64, &binary, &function, &caller, &address) != 4 ||
        binary >= q->count || caller >= q->count) {
        return -1;
    }
    const struct fm_symbol_call call = {q->binaries[caller].path, q->binaries[caller].build_id,
                                        address};
    put_frames(answers, frames,
               fm_symbols_find_called(symbols, q->binaries[binary].path,
                                      q->binaries[binary].build_id, function, &call, frames));
    return 0;
}

static int answer_variable(struct fm_symbols *symbols, const struct questions *q, const char *text,
                           FILE *answers)
{
    char name[512];
    size_t binary;
    uint64_t address;
    if (sscanf(text, "%zu %" SCNx64, &binary, &address) != 2 || binary >= q->count) {
        return -1;
    }
    if (fm_symbols_variable(symbols, q->binaries[binary].path, q->binaries[binary].build_id,
                            address, name, sizeof name)) {
        fputs("V ", answers);
        put(answers, name);
        putc('\n', answers);
    }
    fputs(".\n", answers);
    return 0;
}

/* ---- filters ---- */

struct filtering {
    const struct fm_filter *filter;
    bool others_excluded;
    FILE *answers;
};

static void tell_if_different(void *context, uint64_t address, const struct fm_symbol_frame *frame)
{
    const struct filtering *filtering = context;
    bool excluded = fm_filter_excludes(filtering->filter, frame->name, frame->symbol, frame->file);
    if (excluded != filtering->others_excluded) {
        fprintf(filtering->answers, "X %" PRIx64 "\n", address);
    }
}

/* The name of a function without a symbol is its address. */
static bool excludes_nameless(const struct fm_filter *filter, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[256];
    snprintf(name, sizeof name, "%s+0x0", slash != NULL ? slash + 1 : path);
    return fm_filter_excludes(filter, name, NULL, NULL);
}

static int answer_filter(struct fm_symbols *symbols, const struct questions *q, const char *text,
                         FILE *answers)
{
    struct fm_filter *filter = NULL;
    char *path;
    size_t binary = strtoull(text, &path, 10);
    if (path == text || *path != ' ' || binary >= q->count ||
        fm_filter_read(path + 1, &filter, NULL) != FM_OK) {
        return -1;
    }
    const struct binary *asked = &q->binaries[binary];
    struct filtering filtering = {filter, excludes_nameless(filter, asked->path), answers};
    fprintf(answers, "D %d\n", filtering.others_excluded);
    fm_symbols_visit(symbols, asked->path, asked->build_id, tell_if_different, &filtering);
    fputs(".\n", answers);
    fm_filter_free(filter);
    return 0;
}

int fm_symbols_answer(FILE *questions, FILE *answers)
{
    struct fm_symbols *symbols = fm_symbols_open();
    struct questions q = {0};
    char *line = NULL;
    size_t size = 0;
    int result = symbols != NULL ? 0 : -1;
    for (ssize_t length; result == 0 && (length = getline(&line, &size, questions)) > 0;) {
        line[length - (line[length - 1] == '\n')] = '\0';
        if (line[0] == 'M' && line[1] == ' ') {
            result = add_binary(&q, line + 2);
        } else if (line[0] == 'S' && line[1] == ' ') {
            result = answer(symbols, &q, line + 2, answers);
        } else if (line[0] == 'T' && line[1] == ' ') {
            result = answer_called(symbols, &q, line + 2, answers);
        } else if (line[0] == 'V' && line[1] == ' ') {
            result = answer_variable(symbols, &q, line + 2, answers);
        } else if (line[0] == 'E' && line[1] == ' ') {
            result = answer_filter(symbols, &q, line + 2, answers);
        } else {
            result = -1;
        }
    }
    for (size_t i = 0; i < q.count; i++) {
        free(q.binaries[i].path);
        free(q.binaries[i].build_id);
    }
    free(q.binaries);
    free(line);
    fm_symbols_close(symbols);
    return fflush(answers) == 0 && !ferror(answers) ? result : -1;
}
