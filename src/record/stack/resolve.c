/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/resolve.h"

#include "base/library_function.h"
#include "record/stack/helper.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 120, INLINED_MOST = 64, FIELDS = 4 };

void fm_resolve_helper(const char *folder, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/fermata-symbols", folder);
    if (length < 0 || (size_t)length >= size || access(path, X_OK) != 0) {
        path[0] = '\0';
    }
}

void fm_resolve_own_helper(char *path, size_t size)
{
    char folder[PATH_MAX];
    Dl_info self;
    path[0] = '\0';
    if (dladdr((void *)(uintptr_t)fm_resolve_own_helper, &self) != 0 && self.dli_fname != NULL) {
        const char *slash = strrchr(self.dli_fname, '/');
        size_t length = slash != NULL ? (size_t)(slash - self.dli_fname) : 0;
        if (length != 0 && length < sizeof folder) {
            memcpy(folder, self.dli_fname, length);
            folder[length] = '\0';
            fm_resolve_helper(folder, path, size);
        }
    }
}

static uint64_t wide(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* ---- questions (symbols/lookup_protocol.h) ---- */

static bool write_questions(FILE *file, const struct fm_definitions *sites)
{
    for (uint32_t i = 0; i < sites->tables[FM_DEFINE_BINARY].count; i++) {
        const uint32_t *words = fm_defined(sites, FM_DEFINE_BINARY, i, NULL);
        const char *path = fm_defined_string(sites, words[FM_BINARY_PATH]);
        const char *id = fm_defined_string(sites, words[FM_BINARY_ID]);
        bool askable = strchr(path, '\n') == NULL;
        fprintf(file, "M %s %s\n", id[0] != '\0' ? id : "-", askable ? path : "");
    }
    for (uint32_t i = 0; i < sites->tables[FM_DEFINE_SITE].count; i++) {
        const uint32_t *words = fm_defined(sites, FM_DEFINE_SITE, i, NULL);
        if (words[FM_SITE_BINARY] == FM_DEFINE_NONE) {
            continue; /* in a Python function */
        }
        fprintf(file, "S %u %" PRIx64 " %" PRIx64 "\n", words[FM_SITE_BINARY],
                wide(words + FM_SITE_FUNCTION), wide(words + FM_SITE_ADDRESS));
        if (words[FM_SITE_TARGET_BINARY] != FM_DEFINE_NONE) {
            fprintf(file, "T %u %" PRIx64 " %u %" PRIx64 "\n", words[FM_SITE_TARGET_BINARY],
                    wide(words + FM_SITE_TARGET), words[FM_SITE_BINARY],
                    wide(words + FM_SITE_ADDRESS));
        }
    }
    return fflush(file) == 0 && !ferror(file) && lseek(fileno(file), 0, SEEK_SET) == 0;
}

/* Runs the helper program. @return its answers, which may be incomplete; NULL: none */
static FILE *ask(const struct fm_definitions *sites, const char *helper)
{
    FILE *questions = fm_helper_file("fermata-questions");
    FILE *answers = fm_helper_file("fermata-answers");
    if (questions != NULL && answers != NULL && write_questions(questions, sites)) {
        fm_helper_run(helper, fileno(questions), fileno(answers), SECONDS);
        rewind(answers);
    } else if (answers != NULL) {
        fclose(answers);
        answers = NULL;
    }
    if (questions != NULL) {
        fclose(questions);
    }
    return answers;
}

/* ---- answers ---- */

/* A function in an answer; the texts point into the line. */
struct answer {
    const char *name, *symbol, *file, *call_file; /* files: NULL: unknown */
    unsigned line, call_line;
};

struct answers {
    FILE *file; /* NULL: there are none */
    char *line;
    size_t size;
};

static const char *filled(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* Reads `F line call-line<TAB>name<TAB>symbol<TAB>file<TAB>call file`. @return false: the line has
 * another format */
static bool parse(char *text, struct answer *answer)
{
    char *fields[FIELDS];
    char *next = strchr(text, '\t');
    if (sscanf(text, "F %u %u", &answer->line, &answer->call_line) != 2) {
        return false;
    }
    for (int i = 0; i < FIELDS; i++) {
        if (next == NULL) {
            return false;
        }
        *next++ = '\0';
        fields[i] = next;
        next = strchr(next, '\t');
    }
    answer->name = fields[0];
    answer->symbol = fields[1];
    answer->file = filled(fields[2]);
    answer->call_file = filled(fields[3]);
    return fields[0][0] != '\0';
}

/* The next function in the answer to a question. @return false: there is no further one */
static bool next_answer(struct answers *answers, struct answer *answer)
{
    for (;;) {
        ssize_t length =
            answers->file != NULL ? getline(&answers->line, &answers->size, answers->file) : 0;
        if (length <= 0 || answers->line[0] == '.') {
            return false;
        }
        answers->line[length - (answers->line[length - 1] == '\n')] = '\0';
        if (parse(answers->line, answer)) {
            return true;
        }
    }
}

/* ---- call sites ---- */

/* A call site under construction, with its frames. */
struct making {
    struct fm_definitions *set;
    const bool *has_instrumented; /* of each binary: whether it has instrumented functions */
    uint32_t last_region;         /* of the innermost frame */
    bool at_its_declaration; /* the line of the call is the line of the function's declaration */
    uint32_t words[FM_SITE_FRAMES + 2 * INLINED_MOST + 1];
    size_t count;
};

/* Name of a binary and an address in it. */
static void place_text(const struct fm_definitions *set, uint32_t binary, uint64_t address,
                       char *text, size_t size)
{
    const uint32_t *words = fm_defined(set, FM_DEFINE_BINARY, binary, NULL);
    const char *path = fm_defined_string(set, words[FM_BINARY_PATH]), *slash = strrchr(path, '/');
    snprintf(text, size, "%s+0x%" PRIx64, slash != NULL ? slash + 1 : path, address);
}

/* Fermata's functions for marks are linked into programs; they are not shown. */
static bool is_ours(const struct answer *answer)
{
    return strncmp(answer->symbol, "fermata_", 8) == 0 ||
           strncmp(answer->name, "fermata::fermata_", 17) == 0;
}

static uint32_t define_function(struct fm_definitions *set, const struct answer *answer)
{
    return fm_define_region(set, answer->name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                            OTF2_REGION_FLAG_NONE, answer->file,
                            answer->file != NULL ? answer->line : 0);
}

/* Whether a site is the first instruction of an instrumented function. */
static bool is_instrumented(const uint32_t *site)
{
    return site[FM_SITE_TARGET_BINARY] == FM_DEFINE_NONE && wide(site + FM_SITE_TARGET) != 0;
}

/* Sets the paradigm of an instrumented function's region, so that it holds at all call sites. */
static void mark_instrumented(struct fm_definitions *set, const uint32_t *site, size_t count)
{
    if (is_instrumented(site) && count > FM_SITE_FRAMES) {
        fm_defined(set, FM_DEFINE_REGION, site[FM_SITE_FRAMES], NULL)[2] = OTF2_PARADIGM_COMPILER;
    }
}

/* A function without symbol is named after its begin address, which is all that distinguishes it;
 * code of a library is one function. The main function is named main. */
static uint32_t define_nameless(const struct making *site, uint32_t binary, uint64_t function,
                                uint64_t address)
{
    char name[512], file[480];
    const uint32_t *words = fm_defined(site->set, FM_DEFINE_BINARY, binary, NULL);
    struct answer answer = {.name = "main"};
    if (function == 0 || function != wide(words + FM_BINARY_MAIN)) {
        const char *path = fm_defined_string(site->set, words[FM_BINARY_PATH]);
        const char *slash = strrchr(path, '/');
        const bool is_library = strstr(slash != NULL ? slash : path, ".so") != NULL;
        snprintf(file, sizeof file, "%s", slash != NULL ? slash + 1 : path);
        place_text(site->set, binary, function != 0 ? function : address, name, sizeof name);
        if (is_library && !site->has_instrumented[binary]) {
            snprintf(name, sizeof name, FM_UNNAMED_CODE, file);
        }
        answer.name = name;
        answer.file = is_library ? file : NULL;
    }
    return define_function(site->set, &answer);
}

static bool add_frame(struct making *site, uint32_t region, const struct answer *answer)
{
    char place[512];
    const char *file = answer->call_file;
    if (site->count + 2 >= sizeof site->words / sizeof site->words[0]) {
        return true;
    }
    if (file == NULL) {
        place_text(site->set, site->words[FM_SITE_BINARY], wide(site->words + FM_SITE_ADDRESS),
                   place, sizeof place);
        file = place;
    }
    uint32_t line =
        fm_define_line(site->set, file, answer->call_file != NULL ? answer->call_line : 0);
    site->words[site->count++] = region;
    site->words[site->count++] = line;
    return region != FM_DEFINE_NONE && line != FM_DEFINE_NONE;
}

static bool add_frames(struct making *site, struct answers *answers)
{
    static const struct answer nothing;
    struct answer answer;
    bool answered = false, good = true;
    site->last_region = FM_DEFINE_NONE;
    while (next_answer(answers, &answer)) {
        if (!is_ours(&answer)) {
            site->last_region = define_function(site->set, &answer);
            site->at_its_declaration = answer.line != 0 && answer.call_line == answer.line &&
                                       answer.file != NULL && answer.call_file != NULL &&
                                       strcmp(answer.file, answer.call_file) == 0;
            good = good && add_frame(site, site->last_region, &answer);
        }
        answered = true;
    }
    if (!answered) {
        uint32_t region =
            define_nameless(site, site->words[FM_SITE_BINARY], wide(site->words + FM_SITE_FUNCTION),
                            wide(site->words + FM_SITE_ADDRESS));
        good = add_frame(site, region, &nothing);
    }
    return good;
}

/* Compilers split functions into parts. If a function calls a part of itself, the function's frame
 * is removed, because the frame of the part shows the same function. */
static void leave_to_part(struct making *site, const struct answer *called, uint32_t region)
{
    if (region == site->last_region && site->count >= FM_SITE_FRAMES + 2 &&
        (strstr(called->symbol, ".part.") != NULL || site->at_its_declaration)) {
        site->count -= 2;
    }
}

static bool add_target(struct making *site, struct answers *answers)
{
    struct answer answer;
    uint32_t binary = site->words[FM_SITE_TARGET_BINARY], region = FM_DEFINE_NONE;
    uint64_t target = wide(site->words + FM_SITE_TARGET);
    bool answered = false, ours = false;
    if (binary == FM_DEFINE_NONE) {
        return true;
    }
    while (next_answer(answers, &answer)) {
        if (!answered) {
            ours = is_ours(&answer);
            region = define_function(site->set, &answer);
            leave_to_part(site, &answer, region);
        }
        answered = true;
    }
    if (!answered) {
        region = define_nameless(site, binary, target, target);
    }
    if (!ours) {
        site->words[site->count++] = region;
    }
    return region != FM_DEFINE_NONE;
}

/* The frame of a call site in a Python function, of which everything is known. */
static bool add_python_frame(struct making *site, const struct fm_definitions *sites)
{
    const uint32_t *words =
        fm_defined(sites, FM_DEFINE_REGION, site->words[FM_SITE_FUNCTION], NULL);
    const char *name = fm_defined_string(sites, words[0]);
    const char *file = words[4] != FM_DEFINE_NONE ? fm_defined_string(sites, words[4]) : "";
    const uint32_t call_line = site->words[FM_SITE_FUNCTION + 1];
    uint32_t region =
        fm_define_region(site->set, name, words[1], words[2], words[3], file, words[5]);
    uint32_t line = fm_define_line(site->set, file, call_line);
    site->words[FM_SITE_FUNCTION] = region;
    site->words[site->count++] = region;
    site->words[site->count++] = line;
    return region != FM_DEFINE_NONE && line != FM_DEFINE_NONE;
}

static bool copy_binaries(const struct fm_definitions *sites, struct fm_definitions *resolved)
{
    bool good = true;
    for (uint32_t i = 0; good && i < sites->tables[FM_DEFINE_BINARY].count; i++) {
        const uint32_t *words = fm_defined(sites, FM_DEFINE_BINARY, i, NULL);
        uint32_t copy[FM_BINARY_WORDS];
        memcpy(copy, words, sizeof copy);
        copy[FM_BINARY_PATH] =
            fm_define_string(resolved, fm_defined_string(sites, words[FM_BINARY_PATH]));
        copy[FM_BINARY_ID] =
            fm_define_string(resolved, fm_defined_string(sites, words[FM_BINARY_ID]));
        good = fm_define(resolved, FM_DEFINE_BINARY, copy, FM_BINARY_WORDS) == i;
    }
    return good;
}

/* Which binaries have instrumented functions; to be freed. @return NULL without memory */
static bool *find_instrumented(const struct fm_definitions *sites)
{
    bool *has_instrumented =
        calloc(sites->tables[FM_DEFINE_BINARY].count + 1, sizeof *has_instrumented);
    for (uint32_t i = 0; has_instrumented != NULL && i < sites->tables[FM_DEFINE_SITE].count; i++) {
        const uint32_t *words = fm_defined(sites, FM_DEFINE_SITE, i, NULL);
        if (words[FM_SITE_BINARY] != FM_DEFINE_NONE && is_instrumented(words)) {
            has_instrumented[words[FM_SITE_BINARY]] = true;
        }
    }
    return has_instrumented;
}

bool fm_resolve(const struct fm_definitions *sites, const char *helper,
                struct fm_definitions *resolved)
{
    uint32_t count = (uint32_t)sites->tables[FM_DEFINE_SITE].count;
    struct making *site = malloc(sizeof *site);
    bool *has_instrumented = find_instrumented(sites);
    bool good = site != NULL && has_instrumented != NULL && copy_binaries(sites, resolved);
    struct answers answers = {0};
    if (good && helper[0] != '\0' && count != 0) {
        answers.file = ask(sites, helper);
    }
    for (uint32_t i = 0; good && i < count; i++) {
        const uint32_t *words = fm_defined(sites, FM_DEFINE_SITE, i, NULL);
        site->set = resolved;
        site->has_instrumented = has_instrumented;
        site->count = FM_SITE_FRAMES;
        memcpy(site->words, words, FM_SITE_FRAMES * sizeof *words);
        good = words[FM_SITE_BINARY] == FM_DEFINE_NONE
                   ? add_python_frame(site, sites)
                   : add_frames(site, &answers) && add_target(site, &answers);
        good = good && fm_define(resolved, FM_DEFINE_SITE, site->words, site->count) == i;
    }
    /* Last, because it changes the keys of regions: no definition may be added after it. */
    for (uint32_t i = 0; good && i < count; i++) {
        size_t words;
        const uint32_t *resolved_site = fm_defined(resolved, FM_DEFINE_SITE, i, &words);
        mark_instrumented(resolved, resolved_site, words);
    }
    if (answers.file != NULL) {
        fclose(answers.file);
    }
    free(answers.line);
    free(has_instrumented);
    free(site);
    return good;
}
