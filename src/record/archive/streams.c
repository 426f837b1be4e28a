/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/streams.h"

#include <stdlib.h>

static struct {
    struct fm_noted_stream *items;
    size_t count, room;
} noted;

bool fm_stream_note(struct fm_noted_stream stream)
{
    for (size_t i = 0; i < noted.count; i++) {
        if (noted.items[i].index == stream.index) {
            return true;
        }
    }
    if (noted.count == noted.room) {
        size_t room = 2 * noted.room + 16;
        struct fm_noted_stream *larger = realloc(noted.items, room * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        noted.items = larger;
        noted.room = room;
    }
    noted.items[noted.count++] = stream;
    return true;
}

const struct fm_noted_stream *fm_streams_noted(size_t *count)
{
    *count = noted.count;
    return noted.items;
}

bool fm_streams_define(struct fm_definitions *set, uint32_t rank)
{
    bool good = true;
    for (size_t i = 0; i < noted.count; i++) {
        const uint32_t words[] = {rank, noted.items[i].index, noted.items[i].name};
        if (words[2] < set->tables[FM_DEFINE_STRING].count) {
            good = fm_define(set, FM_DEFINE_STREAM, words, 3) != FM_DEFINE_NONE && good;
        }
    }
    free(noted.items);
    noted.items = NULL;
    noted.count = noted.room = 0;
    return good;
}

uint32_t fm_stream_name(const struct fm_definitions *set, uint32_t rank, uint32_t index)
{
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_STREAM].count; i++) {
        const uint32_t *words = fm_defined(set, FM_DEFINE_STREAM, i, NULL);
        if (words[0] == rank && words[1] == index) {
            return words[2];
        }
    }
    return FM_DEFINE_NONE;
}
