/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads the bundles of a page (src/view/bundle.h), for tests.
 */
#ifndef FERMATA_TESTS_BUNDLE_CONTENT_H
#define FERMATA_TESTS_BUNDLE_CONTENT_H

#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <zlib.h>

/** A bundle; to be freed with bundle_close(). */
struct content {
    unsigned char *bytes;
    json_t *json;
    const unsigned char *columns;
    size_t size; /**< compressed */
};

/** Decompresses a bundle of `size` bytes, and parses its text. */
static inline void bundle_open(struct content *content, const void *packed, size_t size)
{
    uLongf length = 1 << 24;
    *content = (struct content){.bytes = malloc(length), .size = size};
    assert_non_null(content->bytes);
    assert_int_equal(uncompress(content->bytes, &length, packed, size), Z_OK);
    const unsigned char *head = content->bytes;
    size_t text = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    content->json = json_loadb((const char *)head + 4, text, 0, NULL);
    assert_non_null(content->json);
    content->columns = head + 4 + text;
}

static inline void bundle_close(struct content *content)
{
    json_decref(content->json);
    free(content->bytes);
}

/** @return a number of an object; there must be one. */
static inline uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        fail_msg("%s is no number", key);
    }
    return (uint64_t)json_integer_value(value);
}

/** @return the integers of a column, to be freed */
static inline uint64_t *column(const struct content *content, const char *name, size_t *count)
{
    const json_t *place = json_object_get(json_object_get(content->json, "columns"), name);
    *count = (size_t)number(place, "count");
    const size_t width = (size_t)number(place, "width");
    const unsigned char *planes = content->columns + number(place, "at");
    const bool delta = json_is_true(json_object_get(place, "delta"));
    uint64_t *values = malloc((*count + 1) * sizeof *values), last = 0;
    assert_non_null(values);
    for (size_t i = 0; i < *count; i++) {
        values[i] = 0;
        for (size_t plane = 0; plane < width; plane++) {
            values[i] |= (uint64_t)planes[plane * *count + i] << 8 * plane;
        }
        if (delta) {
            last += values[i] >> 1 ^ (0 - (values[i] & 1));
            values[i] = last;
        }
    }
    return values;
}

#endif
