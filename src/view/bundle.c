/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/bundle.h"

#include "base/containers/vector.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/** Compression level of zlib, 1 to 9. Levels above 6 cost much time and save little space. */
#define COMPRESSION 6

struct fm_bundle {
    FILE *text_stream, *columns_stream; /* JSON members; directory of the columns */
    struct fm_json json, columns;
    char *text, *columns_text;
    size_t text_size, columns_size;
    FM_VECTOR(unsigned char) data;
};

struct fm_bundle *fm_bundle_create(void)
{
    struct fm_bundle *bundle = fm_allocate(1, sizeof *bundle);
    bundle->text_stream = open_memstream(&bundle->text, &bundle->text_size);
    bundle->columns_stream = open_memstream(&bundle->columns_text, &bundle->columns_size);
    if (bundle->text_stream == NULL || bundle->columns_stream == NULL) {
        abort(); /* no memory for the buffer of a stream */
    }
    bundle->json = fm_json_begin(bundle->text_stream, FM_JSON_COMPACT);
    bundle->columns = fm_json_begin(bundle->columns_stream, FM_JSON_COMPACT);
    fm_json_object(&bundle->json, NULL);
    fm_json_object(&bundle->columns, NULL);
    return bundle;
}

void fm_bundle_free(struct fm_bundle *bundle)
{
    if (bundle == NULL)
        return;
    if (bundle->text_stream != NULL) {
        fclose(bundle->text_stream);
    }
    if (bundle->columns_stream != NULL) {
        fclose(bundle->columns_stream);
    }
    free(bundle->text);
    free(bundle->columns_text);
    fm_vector_free(&bundle->data);
    fm_free(bundle);
}

struct fm_json *fm_bundle_json(struct fm_bundle *bundle)
{
    return &bundle->json;
}

static uint64_t zigzag(uint64_t value, uint64_t before)
{
    int64_t difference = (int64_t)(value - before);
    return difference < 0 ? ~((uint64_t)difference << 1) : (uint64_t)difference << 1;
}

void fm_bundle_add(struct fm_bundle *bundle, const char *name, const uint64_t *values, size_t count,
                   bool delta)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= delta ? zigzag(values[i], i == 0 ? 0 : values[i - 1]) : values[i];
    unsigned width = 1;
    while (width < 8 && all >> (8 * width) != 0)
        width++;
    fm_json_object(&bundle->columns, name);
    fm_json_unsigned(&bundle->columns, "at", bundle->data.count);
    fm_json_unsigned(&bundle->columns, "count", count);
    fm_json_unsigned(&bundle->columns, "width", width);
    fm_json_bool(&bundle->columns, "delta", delta);
    fm_json_end(&bundle->columns);
    fm_vector_reserve(&bundle->data, count * width);
    for (unsigned plane = 0; plane < width; plane++) {
        for (size_t i = 0; i < count; i++) {
            uint64_t value = delta ? zigzag(values[i], i == 0 ? 0 : values[i - 1]) : values[i];
            bundle->data.items[bundle->data.count++] = (unsigned char)(value >> (8 * plane));
        }
    }
}

/** Ends the JSON text. @return whether all of it was written. */
static bool close_text(struct fm_bundle *bundle)
{
    fm_json_end(&bundle->columns);
    bool good = fclose(bundle->columns_stream) == 0;
    bundle->columns_stream = NULL;
    if (good) {
        fm_json_raw(&bundle->json, "columns", bundle->columns_text);
    }
    fm_json_end(&bundle->json);
    good = good && ferror(bundle->text_stream) == 0;
    good = fclose(bundle->text_stream) == 0 && good;
    bundle->text_stream = NULL;
    return good;
}

/** Appends bytes to the input of the compression. */
static int feed(z_stream *stream, const void *bytes, size_t size, int flush)
{
    const size_t largest = 1U << 30; /* zlib counts bytes in unsigned int */
    const unsigned char *at = bytes;
    int state = Z_OK;
    do {
        size_t part = size < largest ? size : largest;
        stream->next_in = (unsigned char *)at;
        stream->avail_in = (unsigned)part;
        size -= part;
        at += part;
        state = deflate(stream, size == 0 ? flush : Z_NO_FLUSH);
    } while (state == Z_OK && size > 0);
    return state;
}

fm_status_t fm_bundle_finish(struct fm_bundle *bundle, unsigned char **bytes, size_t *size,
                             struct fm_error *error)
{
    if (!close_text(bundle) || bundle->text_size > UINT32_MAX)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the page's data");
    uint32_t length = (uint32_t)bundle->text_size;
    const unsigned char head[4] = {(unsigned char)length, (unsigned char)(length >> 8),
                                   (unsigned char)(length >> 16), (unsigned char)(length >> 24)};
    z_stream stream = {0};
    if (deflateInit(&stream, COMPRESSION) != Z_OK)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot compress the page's data");
    size_t whole = sizeof head + bundle->text_size + bundle->data.count;
    size_t bound = deflateBound(&stream, whole);
    unsigned char *compressed = fm_allocate(bound, 1);
    stream.next_out = compressed;
    stream.avail_out = (unsigned)bound;
    int state = bound > UINT32_MAX ? Z_BUF_ERROR : Z_OK;
    if (state == Z_OK)
        state = feed(&stream, head, sizeof head, Z_NO_FLUSH);
    if (state == Z_OK)
        state = feed(&stream, bundle->text, bundle->text_size, Z_NO_FLUSH);
    if (state == Z_OK)
        state = feed(&stream, bundle->data.items, bundle->data.count, Z_FINISH);
    *size = stream.total_out;
    deflateEnd(&stream);
    if (state != Z_STREAM_END) {
        fm_free(compressed);
        return fm_fail(error, FM_ERR_SYSTEM, "the report is too big for a page");
    }
    *bytes = compressed;
    return FM_OK;
}
