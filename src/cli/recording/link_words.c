/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/recording/link_words.h"

#include "base/process/installed.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fm_status_t fm_words_add(struct fm_words *words, const char *word, struct fm_error *error)
{
    if (words->count + 1 >= words->room) {
        size_t room = words->room != 0 ? 2 * words->room : 64;
        const char **more = realloc((void *)(uintptr_t)words->items, room * sizeof *more);
        if (more == NULL) {
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
        }
        words->items = more;
        words->room = room;
    }
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
    return FM_OK;
}

void fm_words_free(struct fm_words *words)
{
    for (size_t i = 0; i < FM_LINK_ARCHIVES; i++) {
        free(words->texts[i][0]);
        free(words->texts[i][1]);
    }
    free((void *)(uintptr_t)words->items);
    *words = (struct fm_words){0};
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), end = strlen(with);
    return length >= end && strcmp(text + length - end, with) == 0;
}

/* Whether a word names a library whose functions have entries. */
static bool names_linked_library(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *base = slash != NULL ? slash + 1 : word;
    return begins(word, "-larmci") || strcmp(word, "-lga") == 0 || begins(word, "-lga-") ||
           begins(base, "libarmci") || begins(base, "libga.") || begins(base, "libga-");
}

/* Whether a word names MPICH's static library.
 * @param is_static  the linker searches for static libraries only */
static bool names_mpich(const char *word, bool is_static)
{
    const char *slash = strrchr(word, '/');
    return strcmp(slash != NULL ? slash + 1 : word, "libmpich.a") == 0 ||
           strcmp(word, "-l:libmpich.a") == 0 ||
           (is_static && (strcmp(word, "-lmpich") == 0 || strcmp(word, "-lmpi") == 0));
}

/* Whether the program will contain MPICH. */
static bool contains_mpi(char *const *arguments)
{
    bool is_static = false;
    for (; *arguments != NULL; arguments++) {
        if (strcmp(*arguments, "-Wl,-Bstatic") == 0) {
            is_static = true;
        } else if (strcmp(*arguments, "-Wl,-Bdynamic") == 0) {
            is_static = false;
        } else if (names_mpich(*arguments, is_static)) {
            return true;
        }
    }
    return false;
}

bool fm_link_is_needed(char *const *arguments)
{
    static const char *const without_linking[] = {"-c", "-S", "-E", "-M", "-MM", "-r"};
    bool named = contains_mpi(arguments);
    for (; *arguments != NULL; arguments++) {
        for (size_t i = 0; i < sizeof without_linking / sizeof without_linking[0]; i++) {
            if (strcmp(*arguments, without_linking[i]) == 0) {
                return false;
            }
        }
        named = named || names_linked_library(*arguments);
    }
    return named;
}

/* Whether a word names a library, or says how the linker searches for the following ones. */
static bool is_about_libraries(const char *word)
{
    return (word[0] == '-' && word[1] == 'l' && word[2] != '\0') ||
           (word[0] != '-' && ends(word, ".a")) || strcmp(word, "-Wl,-Bstatic") == 0 ||
           strcmp(word, "-Wl,-Bdynamic") == 0;
}

/* Appends the libraries of the command again. All members of those between --whole-archive and
 * --no-whole-archive are in the program already. */
static fm_status_t repeat_libraries(struct fm_words *words, char *const *arguments,
                                    struct fm_error *error)
{
    bool whole = false;
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && arguments[i] != NULL; i++) {
        const char *word = arguments[i];
        if (strcmp(word, "-o") == 0 && arguments[i + 1] != NULL) {
            i++;
        } else if (strcmp(word, "-l") == 0 && arguments[i + 1] != NULL && !whole) {
            status = fm_words_add(words, word, error);
            status = status == FM_OK ? fm_words_add(words, arguments[++i], error) : status;
        } else if (ends(word, "--whole-archive") || ends(word, "--no-whole-archive")) {
            whole = ends(word, "--whole-archive");
        } else if (!whole && is_about_libraries(word)) {
            status = fm_words_add(words, word, error);
        }
    }
    return status;
}

/* Whether the command selects LLVM's linker. That resolves calls of a function before it leads them
 * to the entry, and does not search archives for an entry of a weak function: it must get all
 * entries. */
static bool links_by_lld(char *const *arguments)
{
    for (; *arguments != NULL; arguments++) {
        if ((begins(*arguments, "-fuse-ld=") || begins(*arguments, "--ld-path=")) &&
            strstr(*arguments, "lld") != NULL) {
            return true;
        }
    }
    return false;
}

/* Adds an archive of entries. */
static fm_status_t add_entries(struct fm_words *words, const char *archive, bool all,
                               struct fm_error *error)
{
    fm_status_t status = all ? fm_words_add(words, "-Wl,--whole-archive", error) : FM_OK;
    status = status == FM_OK ? fm_words_add(words, archive, error) : status;
    return status == FM_OK && all ? fm_words_add(words, "-Wl,--no-whole-archive", error) : status;
}

/* Finds a file of fermata. @param text  out: its path behind `before`, to be freed */
static fm_status_t find(const char *before, const char *name, char **text, struct fm_error *error)
{
    char path[PATH_MAX];
    fm_status_t status = fm_find_library(name, path, sizeof path, error);
    if (status == FM_OK && asprintf(text, "%s%s", before, path) < 0) {
        *text = NULL;
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    return status;
}

fm_status_t fm_link_add_words(struct fm_words *words, char *const *arguments,
                              struct fm_error *error)
{
    static const char *const names[FM_LINK_ARCHIVES][2] = {
        {"fermata-link.options", "libfermata-link.a"},
        {"fermata-link-mpi.options", "libfermata-link-mpi.a"},
    };
    const size_t archives = contains_mpi(arguments) ? FM_LINK_ARCHIVES : 1;
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < archives && status == FM_OK; i++) {
        char **texts = words->texts[i];
        if ((status = find("-Wl,@", names[i][0], &texts[0], error)) == FM_OK &&
            (status = find("", names[i][1], &texts[1], error)) == FM_OK) {
            status = fm_words_add(words, texts[0], error);
        }
    }
    status = status == FM_OK ? fm_words_add(words, "-Wl,--start-group", error) : status;
    for (size_t i = 0; i < archives && status == FM_OK; i++) {
        const bool all = i == 0 && links_by_lld(arguments);
        status = add_entries(words, words->texts[i][1], all, error);
    }
    status = status == FM_OK ? repeat_libraries(words, arguments, error) : status;
    return status == FM_OK ? fm_words_add(words, "-Wl,--end-group", error) : status;
}
