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
    for (size_t i = 0; i < sizeof words->texts / sizeof words->texts[0]; i++) {
        free(words->texts[i]);
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

bool fm_link_is_needed(char *const *arguments)
{
    static const char *const without_linking[] = {"-c", "-S", "-E", "-M", "-MM", "-r"};
    bool named = false;
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

static fm_status_t format(char **text, const char *before, const char *path, struct fm_error *error)
{
    if (asprintf(text, "%s%s", before, path) < 0) {
        *text = NULL;
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    return FM_OK;
}

fm_status_t fm_link_add_words(struct fm_words *words, char *const *arguments,
                              struct fm_error *error)
{
    char options[PATH_MAX], archive[PATH_MAX];
    fm_status_t status = fm_find_library("fermata-link.options", options, sizeof options, error);
    if (status != FM_OK ||
        (status = fm_find_library("libfermata-link.a", archive, sizeof archive, error)) != FM_OK ||
        (status = format(&words->texts[0], "-Wl,@", options, error)) != FM_OK ||
        (status = format(&words->texts[1], "", archive, error)) != FM_OK ||
        (status = fm_words_add(words, words->texts[0], error)) != FM_OK ||
        (status = fm_words_add(words, "-Wl,--start-group", error)) != FM_OK ||
        (status = fm_words_add(words, words->texts[1], error)) != FM_OK ||
        (status = repeat_libraries(words, arguments, error)) != FM_OK) {
        return status;
    }
    return fm_words_add(words, "-Wl,--end-group", error);
}
