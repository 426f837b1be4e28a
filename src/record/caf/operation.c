/* One-sided operations on coarrays.
 *
 * Puts on an image between two image control statements share a matching id: only their remote
 * completion is missing. The other operations are complete when they return; each has its own id.
 */
#include "record/caf/caf.h"

#include <stdlib.h>

/* Processes with puts that are not complete. */
static struct {
    fm_spin_t lock;
    struct target {
        uint64_t puts; /* matching id; 0: none */
    } * targets;       /* by process; NULL: nothing is recorded */
    uint32_t *open, open_count;
} pending;

/* Threads of an image may call the library at the same time, if MPI permits it. */
enum { THREADED = true };

void fm_caf_operations_begin(void)
{
    size_t size = (size_t)fm_caf_world.size;
    if (size == 0) {
        return;
    }
    pending.targets = calloc(size, sizeof *pending.targets);
    pending.open = calloc(size, sizeof *pending.open);
    if (pending.targets == NULL || pending.open == NULL) {
        free(pending.targets);
        free(pending.open);
        pending.targets = NULL;
    }
}

/* ---- completion ---- */

uint64_t fm_caf_completions(void)
{
    return pending.open_count;
}

void fm_caf_complete(struct fm_thread *thread)
{
    fm_spin_lock_if(THREADED, &pending.lock);
    for (uint32_t i = 0; i < pending.open_count; i++) {
        struct target *target = &pending.targets[pending.open[i]];
        fm_put_id(fm_thread_reserve(thread, FM_WORDS_COMPLETE_REMOTE), FM_RECORD_COMPLETE_REMOTE,
                  fm_caf_world.window, target->puts);
        target->puts = 0;
    }
    pending.open_count = 0;
    fm_spin_unlock_if(THREADED, &pending.lock);
}

void fm_caf_complete_call(struct fm_thread *thread)
{
    fm_thread_leave(thread, 0);
    fm_caf_complete(thread);
    fm_thread_done(thread);
}

/* The matching id of a put. */
static uint64_t put_id(struct fm_thread *thread, int process)
{
    fm_spin_lock_if(THREADED, &pending.lock);
    struct target *target = &pending.targets[process];
    if (target->puts == 0) {
        target->puts = fm_thread_new_id(thread);
        pending.open[pending.open_count++] = (uint32_t)process;
    }
    uint64_t id = target->puts;
    fm_spin_unlock_if(THREADED, &pending.lock);
    return id;
}

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
    return pending.targets != NULL ? fm_caf_process(fm_caf_team, image) : -1;
}

/* Writes a put or get with its completion at the origin. */
static uint64_t *put_operation(struct fm_thread *thread, uint64_t *r, enum fm_record_kind kind,
                               int process, uint64_t bytes, uint64_t *id)
{
    *id = kind == FM_RECORD_PUT ? put_id(thread, process) : fm_thread_new_id(thread);
    return fm_put_transfer(r, kind, fm_caf_world.window, process, bytes, *id);
}

static void transfer(struct fm_thread *thread, enum fm_record_kind kind, uint64_t bytes, int image)
{
    int process = target_of(image);
    uint64_t id;
    if (FM_LIKELY(process >= 0)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_PUT + fm_words_above(bytes) +
                                                  FM_WORDS_COMPLETE_BLOCKING);
        r = put_operation(thread, r, kind, process, bytes, &id);
        fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_caf_world.window, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

void fm_caf_put(struct fm_thread *thread, uint64_t bytes, int image)
{
    transfer(thread, FM_RECORD_PUT, bytes, image);
}

void fm_caf_get(struct fm_thread *thread, uint64_t bytes, int image)
{
    transfer(thread, FM_RECORD_GET, bytes, image);
}

void fm_caf_copy(struct fm_thread *thread, uint64_t got, int from, uint64_t put, int to)
{
    int source = target_of(from), target = target_of(to);
    uint64_t ids[2];
    if (source >= 0 && target >= 0) {
        uint64_t *r =
            fm_thread_leave(thread, FM_WORDS_GET + fm_words_above(got) + FM_WORDS_PUT +
                                        fm_words_above(put) + 2 * FM_WORDS_COMPLETE_BLOCKING);
        r = put_operation(thread, r, FM_RECORD_GET, source, got, &ids[0]);
        r = put_operation(thread, r, FM_RECORD_PUT, target, put, &ids[1]);
        r = fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_caf_world.window, ids[0]);
        fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_caf_world.window, ids[1]);
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
        r = fm_put_id(r, FM_RECORD_COMPLETE_BLOCKING, fm_caf_world.window, id);
        fm_put_id(r, FM_RECORD_COMPLETE_REMOTE, fm_caf_world.window, id);
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}
