/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations on coarrays. The library returns from each when it is complete at its
 * target. */
#include "record/caf/caf.h"

/* ---- sizes ---- */

static uint64_t range_size(ptrdiff_t lower, ptrdiff_t upper, ptrdiff_t stride)
{
    ptrdiff_t size = stride != 0 ? (upper - lower) / stride + 1 : 1;
    return size > 0 ? (uint64_t)size : 0;
}

uint64_t fm_caf_section_bytes(const struct fm_caf_array *array, const struct fm_caf_vector *vectors)
{
    uint64_t bytes = array->element.length;
    for (int d = 0; d < array->element.rank; d++) {
        if (vectors == NULL) {
            bytes *= range_size(array->dimensions[d].lower, array->dimensions[d].upper, 1);
        } else if (vectors[d].count != 0) {
            bytes *= vectors[d].count;
        } else {
            bytes *= range_size(vectors[d].of.range.lower, vectors[d].of.range.upper,
                                vectors[d].of.range.stride);
        }
    }
    return bytes;
}

static uint64_t elements_of(const struct fm_caf_reference *reference)
{
    uint64_t count = 1;
    for (int d = 0; d < FM_CAF_MOST_DIMENSIONS && reference->of.elements.mode[d] != 0; d++) {
        switch (reference->of.elements.mode[d]) {
        case FM_CAF_VECTOR:
            count *= reference->of.elements.dimensions[d].vector.count;
            break;
        case FM_CAF_RANGE:
            count *= range_size(reference->of.elements.dimensions[d].range.start,
                                reference->of.elements.dimensions[d].range.end,
                                reference->of.elements.dimensions[d].range.stride);
            break;
        case FM_CAF_FULL:
            if (reference->type == FM_CAF_STATIC_ELEMENTS) {
                count *= range_size(0, reference->of.elements.dimensions[d].range.end,
                                    reference->of.elements.dimensions[d].range.stride);
            }
            break;
        default:
            break;
        }
    }
    return count;
}

uint64_t fm_caf_reference_bytes(const struct fm_caf_reference *reference)
{
    uint64_t count = 1, bytes = 0;
    for (; reference != NULL; reference = reference->next) {
        bytes = reference->item_bytes;
        count *= reference->type == FM_CAF_COMPONENT ? 1 : elements_of(reference);
    }
    return count * bytes;
}

/* ---- operations ---- */

static int target_of(int image)
{
    return fm_caf_world.size != 0 ? fm_caf_process(fm_caf_team, image) : -1;
}

/* Words of an operation with its completions. */
static size_t words_of(uint64_t bytes)
{
    return FM_WORDS_PUT + fm_words_above(bytes) + FM_WORDS_COMPLETE_BLOCKING +
           FM_WORDS_COMPLETE_REMOTE;
}

/* Completes a get at the origin, other operations at the target, too. */
static uint64_t *put_completion(uint64_t *r, bool remotely, uint64_t id)
{
    r = fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_caf_world.window, id);
    return remotely ? fm_put_id(r, FM_RECORD_COMPLETE_REMOTE, fm_caf_world.window, id) : r;
}

void fm_caf_put(struct fm_thread *thread, uint64_t bytes, int image)
{
    int process = target_of(image);
    if (FM_LIKELY(process >= 0)) {
        uint64_t *r = fm_thread_leave(thread, words_of(bytes));
        uint64_t id = fm_thread_new_id(thread);
        r = fm_put_transfer(r, FM_RECORD_PUT, fm_caf_world.window, process, bytes, id);
        put_completion(r, true, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_caf_get(struct fm_thread *thread, uint64_t bytes, int image)
{
    int process = target_of(image);
    if (FM_LIKELY(process >= 0)) {
        uint64_t *r = fm_thread_leave(thread, words_of(bytes) - FM_WORDS_COMPLETE_REMOTE);
        uint64_t id = fm_thread_new_id(thread);
        r = fm_put_transfer(r, FM_RECORD_GET, fm_caf_world.window, process, bytes, id);
        put_completion(r, false, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_caf_copy(struct fm_thread *thread, uint64_t got, int from, uint64_t put, int to)
{
    int source = target_of(from), target = target_of(to);
    if (source >= 0 && target >= 0) {
        uint64_t *r =
            fm_thread_leave(thread, words_of(got) - FM_WORDS_COMPLETE_REMOTE + words_of(put));
        uint64_t first = fm_thread_new_id(thread), second = fm_thread_new_id(thread);
        r = fm_put_transfer(r, FM_RECORD_GET, fm_caf_world.window, source, got, first);
        r = fm_put_transfer(r, FM_RECORD_PUT, fm_caf_world.window, target, put, second);
        r = put_completion(r, false, first);
        put_completion(r, true, second);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_caf_atomic(struct fm_thread *thread, OTF2_RmaAtomicType type, uint64_t sent,
                   uint64_t received, int image)
{
    int process = target_of(image);
    if (FM_LIKELY(process >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ATOMIC + FM_WORDS_COMPLETE_BLOCKING +
                                                  FM_WORDS_COMPLETE_REMOTE);
        uint64_t id = fm_thread_new_id(thread);
        r = fm_put_atomic(r, type, fm_caf_world.window, process, sent, received, id);
        put_completion(r, true, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}
