/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/python/python_stack.h"

#include "record/stack/python/interpreter.h"
#include "record/stack/python/python_sites.h"
#include "record/stack/stack_change.h"

#include <sys/mman.h>

struct fm_stack_python *fm_stack_python_of(struct fm_stack *stack, bool in_signal)
{
    if (!fm_python_is_present()) {
        return NULL;
    }
    if (stack->python == NULL && !in_signal && fm_python_functions_begin()) {
        void *pages = mmap(NULL, sizeof *stack->python, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack->python = pages != MAP_FAILED ? pages : NULL;
    }
    return stack->python;
}

/* A list of shown functions. */
struct listing {
    uint32_t *sites;
    uint32_t count, deepest, newest;
    bool cut;
};

static void list(struct listing *listing, uint32_t site)
{
    if (listing->count < listing->deepest) {
        listing->newest = site > listing->newest ? site : listing->newest;
        listing->sites[listing->count++] = site;
    } else {
        listing->cut = true;
    }
}

/* Lists the Python functions of an activation of the evaluation loop, outermost first. */
static void list_loop(struct listing *listing, const struct fm_python_frames *frames, uint32_t loop)
{
    const uint32_t begin = loop > 0 ? frames->loops[loop - 1].end : 0;
    for (uint32_t i = frames->loops[loop].end; i-- > begin;) {
        const uint32_t site = frames->sites[i % FM_PYTHON_DEEPEST];
        if (frames->count - i > FM_PYTHON_DEEPEST) { /* not kept */
            listing->cut = true;
        } else if (site != FM_SITE_HIDDEN) {
            list(listing, site);
        }
    }
}

/* Lists the functions of the kept stack, with Python functions in place of the interpreter's. A
 * variable of each activation of the evaluation loop lies in its C frame, between the stack
 * pointers of that frame and its caller's; the outermost frame stands for all code outside of it.
 * Code between them that cannot be unwound belongs to the interpreter if it called the interpreter.
 * @param frames  NULL: the interpreter's functions are shown
 * @return false: an activation is not on this stack */
static bool list_all(const struct fm_stack *stack, const struct fm_python_frames *frames,
                     struct listing *listing)
{
    uint32_t loops = frames != NULL ? frames->loop_count : 0;
    if (loops > 0 && !stack->foreign && frames->loops[loops - 1].place >= stack->high) {
        return false;
    }
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct fm_stack_frame *frame = &stack->frames[i];
        bool evaluates = false;
        while (loops > 0 && frames->loops[loops - 1].place >= frame->sp) {
            list_loop(listing, frames, --loops);
            evaluates = true;
        }
        bool is_stub = frame->pc == 0 && i + 1 < stack->count && frame[1].interpreter;
        bool is_replaced = frames != NULL && (evaluates || frame->interpreter || is_stub);
        if (!is_replaced && frame->site != FM_SITE_HIDDEN) {
            list(listing, frame->site);
        }
    }
    return loops == 0;
}

const struct fm_stack_change *fm_stack_show_python(struct fm_stack *stack,
                                                   enum fm_python_found found, uint32_t before,
                                                   bool cut_before, bool *merged)
{
    struct fm_stack_python *python = stack->python;
    const struct listing empty = {
        .sites = python->sites, .deepest = stack->deepest, .newest = FM_SITE_UNKNOWN};
    struct listing listing = empty;
    listing.cut = stack->cut;
    bool tested = __atomic_load_n(&fm_python.state, __ATOMIC_ACQUIRE) == FM_PYTHON_WORKS;
    *merged = found != FM_PYTHON_TORN && (tested || found == FM_PYTHON_FRAMES) &&
              list_all(stack, &python->frames, &listing);
    if (found != FM_PYTHON_NO_FRAMES && !tested) {
        *merged = *merged && fm_python_frames_are_sound(&python->frames);
        fm_python_tested(*merged);
    }
    if (!*merged) {
        listing = empty;
        listing.cut = stack->cut;
        list_all(stack, NULL, &listing);
    }
    stack->shown = python->before;
    stack->shown_count = before;
    stack->cut = cut_before;
    const uint32_t kept = fm_stack_count_kept(stack, python->sites, listing.count);
    return fm_stack_show(stack, python->sites, listing.count, kept, listing.newest, listing.cut);
}
