/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/define.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t empty_string[1];

size_t fm_define_key_length(enum fm_define_kind kind, const uint32_t *words, size_t count)
{
    (void)words;
    switch (kind) {
    case FM_DEFINE_SITE:
        return FM_SITE_FRAMES;
    case FM_DEFINE_COMM:
        return FM_COMM_FLAGS;
    case FM_DEFINE_LINK:
        return FM_LINK_HOW;
    case FM_DEFINE_WIN:
        return FM_WIN_FLAGS;
    case FM_DEFINE_TOPOLOGY:
    case FM_DEFINE_PROCESS:
    case FM_DEFINE_LIFE:
        return 1;
    default:
        return count;
    }
}

static size_t hash_words(const uint32_t *words, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (size_t)hash;
}

uint32_t *fm_defined(const struct fm_definitions *set, enum fm_define_kind kind, uint32_t number,
                     size_t *count)
{
    const struct fm_define_table *table = &set->tables[kind];
    if (count != NULL) {
        *count = table->offsets[number + 1] - table->offsets[number];
    }
    return table->words + table->offsets[number];
}

/* Slot of the index that contains the key, or the free slot for it. */
static size_t index_place(const struct fm_definitions *set, enum fm_define_kind kind,
                          const uint32_t *key, size_t length)
{
    const struct fm_define_table *table = &set->tables[kind];
    size_t mask = table->index_capacity - 1;
    size_t place = hash_words(key, length) & mask;
    for (; table->index[place] != 0; place = (place + 1) & mask) {
        size_t count;
        const uint32_t *words = fm_defined(set, kind, table->index[place] - 1, &count);
        if (fm_define_key_length(kind, words, count) == length &&
            memcmp(words, key, length * sizeof *key) == 0) {
            break;
        }
    }
    return place;
}

static bool make_room(struct fm_definitions *set, enum fm_define_kind kind, size_t words)
{
    struct fm_define_table *table = &set->tables[kind];
    if (table->count + 2 > table->capacity) {
        size_t capacity = table->capacity != 0 ? 2 * table->capacity : 64;
        size_t *offsets = realloc(table->offsets, capacity * sizeof *offsets);
        if (offsets == NULL) {
            return false;
        }
        offsets[0] = 0;
        table->offsets = offsets;
        table->capacity = capacity;
    }
    if (table->word_count + words > table->word_capacity) {
        size_t capacity = table->word_capacity != 0 ? 2 * table->word_capacity : 256;
        while (capacity < table->word_count + words) {
            capacity *= 2;
        }
        uint32_t *larger = realloc(table->words, capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        table->words = larger;
        table->word_capacity = capacity;
    }
    if (2 * (table->count + 1) > table->index_capacity) {
        size_t capacity = table->index_capacity != 0 ? 2 * table->index_capacity : 128;
        uint32_t *index = calloc(capacity, sizeof *index);
        if (index == NULL) {
            return false;
        }
        free(table->index);
        table->index = index;
        table->index_capacity = capacity;
        for (uint32_t i = 0; i < table->count; i++) {
            size_t count;
            const uint32_t *item = fm_defined(set, kind, i, &count);
            size_t length = fm_define_key_length(kind, item, count);
            index[index_place(set, kind, item, length)] = i + 1;
        }
    }
    return true;
}

uint32_t fm_define(struct fm_definitions *set, enum fm_define_kind kind, const uint32_t *words,
                   size_t count)
{
    struct fm_define_table *table = &set->tables[kind];
    if (!make_room(set, kind, count)) {
        return FM_DEFINE_NONE;
    }
    size_t place = index_place(set, kind, words, fm_define_key_length(kind, words, count));
    if (table->index[place] == 0) {
        memcpy(table->words + table->word_count, words, count * sizeof *words);
        table->word_count += count;
        table->offsets[++table->count] = table->word_count;
        table->index[place] = (uint32_t)table->count;
    }
    return table->index[place] - 1;
}

uint32_t fm_define_string(struct fm_definitions *set, const char *text)
{
    size_t length = strlen(text);
    size_t count = 1 + length / 4 + 1; /* at least one zero byte after the text */
    uint32_t *words = calloc(count, sizeof *words);
    if (words == NULL) {
        return FM_DEFINE_NONE;
    }
    words[0] = (uint32_t)length;
    memcpy(words + 1, text, length);
    uint32_t number = fm_define(set, FM_DEFINE_STRING, words, count);
    free(words);
    return number;
}

const char *fm_defined_string(const struct fm_definitions *set, uint32_t number)
{
    if (number == FM_DEFINE_NONE) {
        return (const char *)empty_string;
    }
    return (const char *)(fm_defined(set, FM_DEFINE_STRING, number, NULL) + 1);
}

uint32_t fm_define_region(struct fm_definitions *set, const char *name, uint32_t role,
                          uint32_t paradigm, uint32_t flags, const char *file, uint32_t line)
{
    const uint32_t words[] = {fm_define_string(set, name),
                              role,
                              paradigm,
                              flags,
                              file != NULL ? fm_define_string(set, file) : FM_DEFINE_NONE,
                              line};
    if (words[0] == FM_DEFINE_NONE || (file != NULL && words[4] == FM_DEFINE_NONE)) {
        return FM_DEFINE_NONE;
    }
    return fm_define(set, FM_DEFINE_REGION, words, sizeof words / sizeof words[0]);
}

uint32_t fm_define_function(struct fm_definitions *set, const struct fm_recorded_region *function)
{
    const struct fm_paradigm_description *paradigm = function->paradigm;
    return fm_define_region(set, function->name, function->role, paradigm->otf2, 0, paradigm->name,
                            0);
}

uint32_t fm_define_paradigm(struct fm_definitions *set,
                            const struct fm_paradigm_description *description)
{
    uint32_t words[FM_PARADIGM_WORDS];
    memcpy(words, description, sizeof words);
    return fm_define(set, FM_DEFINE_PARADIGM, words, FM_PARADIGM_WORDS);
}

uint32_t fm_define_line(struct fm_definitions *set, const char *file, uint32_t line)
{
    const uint32_t words[] = {fm_define_string(set, file), line};
    return words[0] != FM_DEFINE_NONE ? fm_define(set, FM_DEFINE_LINE, words, 2) : FM_DEFINE_NONE;
}

uint32_t fm_define_group(struct fm_definitions *set, uint32_t paradigm, const int *ranks,
                         size_t count)
{
    uint32_t *words = malloc((FM_GROUP_RANGES + 3 * count) * sizeof *words);
    if (words == NULL) {
        return FM_DEFINE_NONE;
    }
    size_t used = FM_GROUP_RANGES;
    words[FM_GROUP_PARADIGM] = paradigm;
    words[FM_GROUP_MEMBERS] = (uint32_t)count;
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        uint32_t stride = end < count ? (uint32_t)ranks[end] - (uint32_t)ranks[i] : 0;
        while (end < count && (uint32_t)ranks[end] - (uint32_t)ranks[end - 1] == stride) {
            end++;
        }
        words[used++] = (uint32_t)ranks[i];
        words[used++] = stride;
        words[used++] = (uint32_t)(end - i);
        i = end;
    }
    uint32_t number = fm_define(set, FM_DEFINE_GROUP, words, used);
    free(words);
    return number;
}

uint32_t fm_group_member(const uint32_t *group, uint32_t i)
{
    const uint32_t *range = group + FM_GROUP_RANGES;
    for (; i >= range[2]; range += 3) {
        i -= range[2];
    }
    return range[0] + i * range[1];
}

void *fm_definitions_pack(const struct fm_definitions *set, size_t *bytes)
{
    size_t count = FM_DEFINE_KIND_COUNT;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        count += set->tables[kind].count + set->tables[kind].word_count;
    }
    uint32_t *block = malloc(count * sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    uint32_t *out = block;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        const struct fm_define_table *table = &set->tables[kind];
        *out++ = (uint32_t)table->count;
        for (uint32_t i = 0; i < table->count; i++) {
            size_t length;
            const uint32_t *words = fm_defined(set, (enum fm_define_kind)kind, i, &length);
            *out++ = (uint32_t)length;
            memcpy(out, words, length * sizeof *words);
            out += length;
        }
    }
    *bytes = count * sizeof *block;
    return block;
}

/* Replaces a reference by the number in the merged set. @return false: invalid reference */
static bool translate(const struct fm_define_map *map, enum fm_define_kind kind, uint32_t *number)
{
    if (*number == FM_DEFINE_NONE) {
        return true;
    }
    if (*number >= map->counts[kind]) {
        return false;
    }
    *number = map->numbers[kind][*number];
    return *number != FM_DEFINE_NONE;
}

static bool translate_comm(const struct fm_define_map *map, uint32_t *words, size_t count)
{
    bool good = count == FM_COMM_WORDS;
    if (good && words[FM_COMM_ORIGIN] == FM_COMM_FROM_PARENT) {
        good = translate(map, FM_DEFINE_COMM, &words[FM_COMM_A]);
    } else if (good && words[FM_COMM_ORIGIN] == FM_COMM_FROM_GROUP) {
        good = translate(map, FM_DEFINE_GROUP, &words[FM_COMM_A]);
    } else if (good && words[FM_COMM_ORIGIN] == FM_COMM_FROM_PAIR) {
        good = translate(map, FM_DEFINE_GROUP, &words[FM_COMM_A]) &&
               translate(map, FM_DEFINE_GROUP, &words[FM_COMM_B]);
    }
    return good && translate(map, FM_DEFINE_GROUP, &words[FM_COMM_GROUP]) &&
           translate(map, FM_DEFINE_GROUP, &words[FM_COMM_SECOND_GROUP]) &&
           translate(map, FM_DEFINE_COMM, &words[FM_COMM_PARENT]) &&
           translate(map, FM_DEFINE_STRING, &words[FM_COMM_NAME]);
}

static bool translate_site(const struct fm_define_map *map, uint32_t *words, size_t count)
{
    bool good = count >= FM_SITE_FRAMES &&
                translate(map, FM_DEFINE_BINARY, &words[FM_SITE_BINARY]) &&
                translate(map, FM_DEFINE_BINARY, &words[FM_SITE_TARGET_BINARY]);
    if (good && words[FM_SITE_BINARY] == FM_DEFINE_NONE) {
        good = translate(map, FM_DEFINE_REGION, &words[FM_SITE_FUNCTION]);
    }
    for (size_t i = FM_SITE_FRAMES; good && i < count; i++) {
        bool is_line = (i - FM_SITE_FRAMES) % 2 == 1;
        good = translate(map, is_line ? FM_DEFINE_LINE : FM_DEFINE_REGION, &words[i]);
    }
    return good;
}

static bool translate_item(const struct fm_define_map *map, enum fm_define_kind kind,
                           uint32_t *words, size_t count)
{
    switch (kind) {
    case FM_DEFINE_REGION:
        return count == 6 && translate(map, FM_DEFINE_STRING, &words[0]) &&
               translate(map, FM_DEFINE_STRING, &words[4]);
    case FM_DEFINE_PARAMETER:
        return count == 2 && translate(map, FM_DEFINE_STRING, &words[0]);
    case FM_DEFINE_METRIC:
        return count == 4 && translate(map, FM_DEFINE_STRING, &words[0]) &&
               translate(map, FM_DEFINE_STRING, &words[1]);
    case FM_DEFINE_ATTRIBUTE:
        return count == 3 && translate(map, FM_DEFINE_STRING, &words[0]) &&
               translate(map, FM_DEFINE_STRING, &words[1]);
    case FM_DEFINE_MARKER:
        return count == 5 && translate(map, FM_DEFINE_STRING, &words[4]);
    case FM_DEFINE_OBJECT:
    case FM_DEFINE_STREAM:
        return count == 3 && translate(map, FM_DEFINE_STRING, &words[2]);
    case FM_DEFINE_LINE:
        return count == 2 && translate(map, FM_DEFINE_STRING, &words[0]);
    case FM_DEFINE_BINARY:
        return count == FM_BINARY_WORDS &&
               translate(map, FM_DEFINE_STRING, &words[FM_BINARY_PATH]) &&
               translate(map, FM_DEFINE_STRING, &words[FM_BINARY_ID]);
    case FM_DEFINE_SITE:
        return translate_site(map, words, count);
    case FM_DEFINE_COMM:
        return translate_comm(map, words, count);
    case FM_DEFINE_WIN:
        return count == FM_WIN_WORDS && translate(map, FM_DEFINE_COMM, &words[FM_WIN_COMM]) &&
               translate(map, FM_DEFINE_STRING, &words[FM_WIN_NAME]);
    case FM_DEFINE_IO_FILE:
        return count == 1 && translate(map, FM_DEFINE_STRING, &words[0]);
    case FM_DEFINE_IO_HANDLE:
        return count == FM_IO_HANDLE_WORDS &&
               translate(map, FM_DEFINE_IO_FILE, &words[FM_IO_HANDLE_FILE]) &&
               translate(map, FM_DEFINE_COMM, &words[FM_IO_HANDLE_COMM]);
    case FM_DEFINE_LINK:
        return count == FM_LINK_WORDS && translate(map, FM_DEFINE_GROUP, &words[FM_LINK_GROUP]) &&
               translate(map, FM_DEFINE_STRING, &words[FM_LINK_DETAIL]);
    case FM_DEFINE_TOPOLOGY:
        return count >= 3 && translate(map, FM_DEFINE_COMM, &words[0]) &&
               translate(map, FM_DEFINE_STRING, &words[1]);
    case FM_DEFINE_NODE:
        return count == 1 && translate(map, FM_DEFINE_STRING, &words[0]);
    case FM_DEFINE_PROCESS:
        return count >= 4 && translate(map, FM_DEFINE_NODE, &words[1]);
    default:
        return count >= 1;
    }
}

/* Adds the name of a later definition if the earlier definition of the key has no name. */
static void take_name(struct fm_definitions *set, enum fm_define_kind kind, uint32_t number,
                      const uint32_t *words)
{
    size_t place = kind == FM_DEFINE_COMM ? FM_COMM_NAME : kind == FM_DEFINE_WIN ? FM_WIN_NAME : 0;
    if (place != 0) {
        uint32_t *mine = fm_defined(set, kind, number, NULL);
        if (mine[place] == FM_DEFINE_NONE) {
            mine[place] = words[place];
        }
    }
}

/* Adds a copy of one definition of a packed set. @return its number in `set`; FM_DEFINE_NONE: it is
 * damaged, or there is no memory */
static uint32_t merge_item(struct fm_definitions *set, enum fm_define_kind kind,
                           const uint32_t *item, size_t length, const struct fm_define_map *map,
                           fm_define_change_t *change, void *context)
{
    uint32_t number = FM_DEFINE_NONE;
    uint32_t *words = malloc((length + 1) * sizeof *words);
    if (words == NULL) {
        return FM_DEFINE_NONE;
    }
    memcpy(words, item, length * sizeof *words);
    if (translate_item(map, kind, words, length)) {
        words = change != NULL ? change(context, kind, words, &length) : words;
        number = words != NULL ? fm_define(set, kind, words, length) : FM_DEFINE_NONE;
    }
    if (number != FM_DEFINE_NONE) {
        take_name(set, kind, number, words);
    }
    free(words);
    return number;
}

bool fm_definitions_merge_changed(struct fm_definitions *set, const void *block, size_t bytes,
                                  struct fm_define_map *map, fm_define_change_t *change,
                                  void *context)
{
    const uint32_t *in = block, *end = in + bytes / sizeof *in;
    memset(map, 0, sizeof *map);
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        if (in == end || *in > (size_t)(end - in)) {
            return false;
        }
        size_t count = *in++;
        map->numbers[kind] = malloc((count + 1) * sizeof *map->numbers[kind]);
        if (map->numbers[kind] == NULL) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (in == end || *in >= (size_t)(end - in)) {
                return false;
            }
            size_t length = *in++;
            uint32_t number =
                merge_item(set, (enum fm_define_kind)kind, in, length, map, change, context);
            if (number == FM_DEFINE_NONE) {
                return false;
            }
            in += length;
            map->numbers[kind][i] = number;
            map->counts[kind] = i + 1;
        }
    }
    return true;
}

bool fm_definitions_merge(struct fm_definitions *set, const void *block, size_t bytes,
                          struct fm_define_map *map)
{
    return fm_definitions_merge_changed(set, block, bytes, map, NULL, NULL);
}

void fm_define_map_free(struct fm_define_map *map)
{
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        free(map->numbers[kind]);
    }
    memset(map, 0, sizeof *map);
}

uint64_t fm_definitions_bytes(const struct fm_definitions *set)
{
    uint64_t bytes = 0;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        const struct fm_define_table *table = &set->tables[kind];
        bytes += table->capacity * sizeof *table->offsets +
                 table->word_capacity * sizeof *table->words +
                 table->index_capacity * sizeof *table->index;
    }
    return bytes;
}

void fm_definitions_free(struct fm_definitions *set)
{
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        free(set->tables[kind].offsets);
        free(set->tables[kind].words);
        free(set->tables[kind].index);
    }
    memset(set, 0, sizeof *set);
}
