/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/source_data.h"

#include "base/containers/vector.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/** Number of lines before and after the named line. */
#define CONTEXT 12U

/** Larger files are not hand-written sources. */
#define FILE_LIMIT ((off_t)8 << 20)

/** Maximum bytes of a line; the rest is cut off. */
#define LINE_LIMIT 400U

/** Maximum bytes of all excerpts. */
#define TEXT_LIMIT ((size_t)256 << 10)

struct place {
    const char *file;
    uint32_t line;
};

typedef FM_VECTOR(struct place) places;

struct writer {
    struct fm_json *json;
    size_t bytes; /**< bytes of the excerpts written so far */
};

bool fm_source_is_named(const char *file)
{
    static const char *const endings[] = {"c",  "h",   "cc",  "cpp", "cxx", "hpp", "hxx", "cu",
                                          "f",  "for", "f77", "f90", "f95", "f03", "f08", "inc",
                                          "py", "jl",  "rs",  "upc", "ipp", "tpp", "hip"};
    const char *slash = strrchr(file, '/'), *name = slash == NULL ? file : slash + 1;
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && dot != NULL && dot > name; i++) {
        if (strcasecmp(dot + 1, endings[i]) == 0)
            return true;
    }
    return false;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/** @return the source lines of the regions of call paths, by file and line */
static places collect(const struct fm_cube *cube)
{
    places found = {0};
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const struct fm_cube_region *region = &cube->regions[cube->callpaths[i].region];
        if (region->file != NULL && region->line > 0 && fm_source_is_named(region->file))
            fm_vector_push(&found, (struct place){region->file, region->line});
    }
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, compare_places);
    return found;
}

/** @return the text of a regular file of at most FILE_LIMIT bytes, to be freed; NULL: none */
static char *read_text(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= FILE_LIMIT)
        text = malloc((size_t)info.st_size + 1);
    ssize_t size = text == NULL ? -1 : read(fd, text, (size_t)info.st_size);
    if (fd >= 0)
        close(fd);
    if (size < 0 || memchr(text, '\0', (size_t)size) != NULL) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

/** Writes the lines first .. last of a text that exist. */
static void put_excerpt(struct writer *writer, const char *file, const char *text, uint64_t first,
                        uint64_t last)
{
    for (uint64_t line = 1; line < first && text != NULL; line++) {
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    if (text == NULL || *text == '\0' || writer->bytes > TEXT_LIMIT)
        return;
    fm_json_object(writer->json, NULL);
    fm_json_string(writer->json, "file", file);
    fm_json_unsigned(writer->json, "first", first);
    fm_json_array(writer->json, "lines");
    for (uint64_t line = first; line <= last && *text != '\0'; line++) {
        char shown[LINE_LIMIT + 1];
        size_t length = strcspn(text, "\n");
        size_t kept = length < LINE_LIMIT ? length : LINE_LIMIT;
        memcpy(shown, text, kept);
        shown[kept] = '\0';
        if (kept > 0 && shown[kept - 1] == '\r')
            shown[kept - 1] = '\0';
        fm_json_string(writer->json, NULL, shown);
        writer->bytes += kept;
        text += length + (text[length] == '\n');
    }
    fm_json_end(writer->json);
    fm_json_end(writer->json);
}

/** Writes the excerpts of one file around `count` places, in ascending order of line. */
static void put_file(struct writer *writer, const struct place *of, size_t count)
{
    char *text = read_text(of[0].file);
    for (size_t i = 0; i < count && text != NULL;) {
        uint64_t first = of[i].line > CONTEXT ? of[i].line - CONTEXT : 1;
        uint64_t last = (uint64_t)of[i].line + CONTEXT;
        while (++i < count && of[i].line <= last + CONTEXT)
            last = (uint64_t)of[i].line + CONTEXT;
        put_excerpt(writer, of[0].file, text, first, last);
    }
    free(text);
}

void fm_source_data_put(const struct fm_cube *cube, bool wanted, struct fm_json *json)
{
    struct writer writer = {.json = json};
    places all = {0};
    if (wanted)
        all = collect(cube);
    fm_json_array(json, "sources");
    for (size_t i = 0; i < all.count;) {
        size_t end = i + 1;
        while (end < all.count && strcmp(all.items[end].file, all.items[i].file) == 0)
            end++;
        put_file(&writer, &all.items[i], end - i);
        i = end;
    }
    fm_json_end(json);
    fm_vector_free(&all);
}
