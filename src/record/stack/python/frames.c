/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/python/frames.h"

#include "record/stack/places.h"
#include "record/stack/python/code.h"
#include "record/stack/python/interpreter.h"
#include "record/stack/python/python_sites.h"

#include <pthread.h>

enum { FRAMES_MOST = 1 << 20 }; /* a longer chain is taken to be damaged */

struct walk {
    struct fm_python_frames *frames;
    struct fm_peek peek;
    uint64_t frame;  /* next frame outwards; 0: none */
    uint64_t cframe; /* _PyCFrame of the activation that `frame` is in (3.11, 3.12) */
    bool in_signal;
};

static uint64_t current_thread(void)
{
    return (uint64_t)(uintptr_t)fm_python.thread_state();
}

/* The thread's innermost frame. @return false: it cannot be read */
static bool find_innermost(struct fm_peek peek, uint64_t thread, uint64_t *cframe, uint64_t *frame)
{
    const struct fm_python_layout *layout = fm_python.layout;
    if (layout->thread_cframe == FM_LAYOUT_NONE) {
        return fm_peek_word(peek, thread + layout->thread_frame, frame);
    }
    return fm_peek_word(peek, thread + layout->thread_cframe, cframe) &&
           fm_peek_word(peek, *cframe + layout->cframe_frame, frame);
}

/* Whether a frame has no function: it only marks the end of an activation (3.12 and later). */
static bool is_mark(struct fm_peek peek, uint64_t frame, bool *mark)
{
    const uint16_t owner = fm_python.layout->frame_owner;
    char who = 0;
    *mark = false;
    if (owner == FM_LAYOUT_NONE) {
        return true;
    }
    if (!fm_peek_bytes(peek, frame + owner, &who, sizeof who)) {
        return false;
    }
    *mark = who == FM_PYTHON_ON_C_STACK;
    return true;
}

static bool end_loop(struct walk *walk, uint64_t place)
{
    struct fm_python_frames *frames = walk->frames;
    if (frames->loop_count == FM_PYTHON_LOOPS ||
        (frames->loop_count > 0 && place <= frames->loops[frames->loop_count - 1].place)) {
        return false;
    }
    frames->loops[frames->loop_count++] = (struct fm_python_loop){place, frames->count};
    return true;
}

/* The evaluation loop of 3.11 that ends with `frame` is followed by that of the next _PyCFrame. */
static bool end_loop_with(struct walk *walk, uint64_t frame)
{
    const struct fm_python_layout *layout = fm_python.layout;
    uint8_t entry;
    uint64_t cframe, next, previous;
    if (layout->frame_entry == FM_LAYOUT_NONE) {
        return true;
    }
    if (!fm_peek_bytes(walk->peek, frame + layout->frame_entry, &entry, sizeof entry)) {
        return false;
    }
    if (entry == 0) {
        return true;
    }
    if (!fm_peek_word(walk->peek, walk->cframe + layout->cframe_previous, &cframe) ||
        !fm_peek_word(walk->peek, cframe + layout->cframe_frame, &next) ||
        !fm_peek_word(walk->peek, frame + layout->frame_previous, &previous) || next != previous ||
        !end_loop(walk, walk->cframe)) {
        return false;
    }
    walk->cframe = cframe;
    return true;
}

static bool add_frame(struct walk *walk, uint64_t frame)
{
    const struct fm_python_layout *layout = fm_python.layout;
    struct fm_python_frame found = {.frame = frame};
    uint64_t code;
    if (!fm_peek_word(walk->peek, frame + layout->frame_code, &code) ||
        !fm_peek_word(walk->peek, frame + layout->frame_instruction, &found.instruction)) {
        return false;
    }
    found.mark = fm_code_mark(walk->peek, code);
    if (found.mark == 0) {
        return false;
    }
    uint32_t site =
        fm_python_site(walk->peek, code, found.instruction, found.mark, walk->in_signal);
    if (site == FM_PYTHON_NOT_NOW) {
        if (walk->in_signal) {
            return false;
        }
        site = FM_SITE_UNKNOWN;
    }
    uint32_t i = walk->frames->count++ % FM_PYTHON_DEEPEST;
    walk->frames->frames[i] = found;
    walk->frames->sites[i] = site;
    return true;
}

/* From the innermost frame to the outermost one. @return false: the chain is damaged */
static bool walk_frames(struct walk *walk)
{
    const struct fm_python_layout *layout = fm_python.layout;
    bool mark;
    for (uint32_t i = 0; walk->frame != 0; i++) {
        const uint64_t frame = walk->frame;
        if (i == FRAMES_MOST || frame % sizeof(uint64_t) != 0 ||
            !is_mark(walk->peek, frame, &mark)) {
            return false;
        }
        if (mark) {
            if (!end_loop(walk, frame)) {
                return false;
            }
        } else if (!add_frame(walk, frame) || !end_loop_with(walk, frame)) {
            return false;
        }
        if (!fm_peek_word(walk->peek, frame + layout->frame_previous, &walk->frame)) {
            return false;
        }
    }
    return walk->frames->loop_count > 0 &&
           walk->frames->loops[walk->frames->loop_count - 1].end == walk->frames->count;
}

enum fm_python_found fm_python_frames_find(struct fm_python_frames *frames, bool in_signal)
{
    bool tested = __atomic_load_n(&fm_python.state, __ATOMIC_ACQUIRE) == FM_PYTHON_WORKS;
    struct fm_peek_pages pages;
    struct walk walk = {.frames = frames, .in_signal = in_signal};
    if (in_signal || !tested) {
        memset(&pages, 0, sizeof pages);
        walk.peek.pages = &pages;
    }
    frames->count = frames->loop_count = 0;
    frames->thread = current_thread();
    if (frames->thread == 0 || (in_signal && !tested)) {
        return FM_PYTHON_NO_FRAMES;
    }
    if (!find_innermost(walk.peek, frames->thread, &walk.cframe, &walk.frame)) {
        return FM_PYTHON_TORN;
    }
    if (walk.frame == 0) {
        return FM_PYTHON_NO_FRAMES;
    }
    return walk_frames(&walk) ? FM_PYTHON_FRAMES : FM_PYTHON_TORN;
}

bool fm_python_frames_are_sound(const struct fm_python_frames *frames)
{
    const struct fm_python_layout *layout = fm_python.layout;
    struct fm_peek_pages pages = {{0}};
    const struct fm_peek peek = {&pages};
    uint64_t thread = 0;
    if (!fm_peek_word(peek, frames->thread + layout->thread_id, &thread) ||
        thread != (uint64_t)pthread_self()) {
        return false;
    }
    for (uint32_t i = 0; i < frames->count && i < FM_PYTHON_DEEPEST; i++) {
        const uint32_t site = frames->sites[i];
        if (site == FM_SITE_UNKNOWN) { /* its texts were not as expected */
            return false;
        }
        if (site == FM_SITE_HIDDEN) {
            continue;
        }
        const struct fm_python_function function =
            fm_python_function((uint32_t)fm_sites_get(site).function);
        if (function.name[0] == '\0' || function.file[0] == '\0') {
            return false;
        }
    }
    return frames->count > 0;
}

/* ---- kept frames; all memory is trusted ---- */

static const struct fm_peek trusted;

static uint64_t word_at(uint64_t address)
{
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
    return word;
}

bool fm_python_keep(struct fm_python_kept *kept, const struct fm_python_frames *frames)
{
    const struct fm_python_layout *layout = fm_python.layout;
    if (frames->count > FM_PYTHON_KEPT) {
        return false;
    }
    for (uint32_t i = 0; i < frames->count; i++) {
        struct fm_python_kept_frame *frame = &kept->frames[i];
        struct fm_code_name name;
        frame->frame = frames->frames[i].frame;
        frame->instruction = frames->frames[i].instruction;
        frame->code = word_at(frame->frame + layout->frame_code);
        frame->name = word_at(frame->code + layout->code_name);
        frame->lines = word_at(frame->code + layout->code_lines);
        if (!fm_code_name(trusted, frame->name, &name)) {
            return false;
        }
        frame->length = name.length;
        frame->begin_at = name.begin;
        /* of a short text, with the end of the structure before it */
        frame->end_at = name.begin + name.length * name.width - sizeof(uint64_t);
        frame->begin = name.length * name.width >= sizeof(uint64_t) ? word_at(frame->begin_at) : 0;
        frame->end = word_at(frame->end_at);
        frame->begin_at = frame->begin != 0 ? frame->begin_at : 0;
    }
    kept->thread = frames->thread;
    kept->count = frames->count;
    return true;
}

static bool is_unchanged(const struct fm_python_kept_frame *kept, uint64_t frame)
{
    const struct fm_python_layout *layout = fm_python.layout;
    return frame == kept->frame &&
           word_at(frame + layout->frame_instruction) == kept->instruction &&
           word_at(frame + layout->frame_code) == kept->code &&
           word_at(kept->code + layout->code_name) == kept->name &&
           word_at(kept->code + layout->code_lines) == kept->lines &&
           word_at(kept->name + FM_PYTHON_TEXT_LENGTH) == kept->length &&
           word_at(kept->end_at) == kept->end &&
           (kept->begin_at == 0 || word_at(kept->begin_at) == kept->begin);
}

/* The next frame with a function, from this one outwards; 0: there is none. */
static inline uint64_t with_function(uint64_t frame)
{
    const struct fm_python_layout *layout = fm_python.layout;
    while (layout->frame_owner != FM_LAYOUT_NONE && frame != 0 &&
           *(const char *)(uintptr_t)(frame + layout->frame_owner) == FM_PYTHON_ON_C_STACK) {
        frame = word_at(frame + layout->frame_previous);
    }
    return frame;
}

bool fm_python_is_as_kept(const struct fm_python_kept *kept)
{
    const struct fm_python_layout *layout = fm_python.layout;
    uint64_t thread = current_thread(), cframe, frame;
    if (thread == 0 || thread != kept->thread) {
        return thread == kept->thread;
    }
    if (!find_innermost(trusted, thread, &cframe, &frame)) {
        return false;
    }
    for (uint32_t i = 0; i < kept->count; i++) {
        frame = with_function(frame);
        if (frame == 0 || !is_unchanged(&kept->frames[i], frame)) {
            return false;
        }
        frame = word_at(frame + layout->frame_previous);
    }
    return with_function(frame) == 0;
}
