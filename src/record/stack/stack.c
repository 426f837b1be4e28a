/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/stack.h"

#include "record/stack/bounds.h"
#include "record/stack/python/interpreter.h"
#include "record/stack/python/python_stack.h"
#include "record/stack/stack_change.h"
#include "record/stack/unwind/unwind.h"

#include <string.h>
#include <sys/mman.h>

struct fm_stack *fm_stack_begin(uint32_t deepest)
{
    if (!fm_places_begin()) {
        return NULL;
    }
    struct fm_stack *stack =
        mmap(NULL, sizeof *stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) {
        return NULL;
    }
    stack->deepest = deepest < FM_STACK_DEEPEST ? deepest : FM_STACK_DEEPEST - 1;
    fm_bounds_own(&stack->low, &stack->high);
    return stack;
}

void fm_stack_move(struct fm_stack *stack)
{
    fm_stack_forget(stack);
    for (int i = 0; i < FM_STACK_SETS * FM_STACK_WAYS; i++) {
        stack->states[i / FM_STACK_WAYS][i % FM_STACK_WAYS].pc = 0;
    }
    fm_bounds_own(&stack->low, &stack->high);
}

void fm_stack_forget(struct fm_stack *stack)
{
    stack->shown_count = 0;
    stack->count = 0;
    stack->extra_count = 0;
    stack->cut = false;
}

/* ---- the part of the kept stack that is still active ---- */

static bool is_unchanged(struct fm_stack_cell cell)
{
    return *cell.place == cell.word;
}

/* The number of outer frames of the kept stack that may still be active: all words that they were
 * unwound with are unchanged. If unwinding reaches the innermost of them with the same registers,
 * its callers are the same. Their cells are mapped, because they lie outside the running frame. */
static uint32_t count_standing(const struct fm_stack *stack, uint64_t sp)
{
    const struct fm_stack_extra *extra = stack->extras, *end = extra + stack->extra_count;
    if (stack->foreign || stack->generation != fm_places_generation) {
        return 0;
    }
    for (uint32_t i = 0; i < stack->count; i++) {
        if (stack->frames[i].sp < sp ||
            (i > stack->first_shown && !is_unchanged(stack->cells[i - 1]))) {
            return i;
        }
        for (; extra < end && extra->frame == i; extra++) {
            if (!is_unchanged(extra->cell)) {
                return i;
            }
        }
    }
    return stack->count;
}

/* ---- what unwinding has found ---- */

/* Shows the `joined` outer frames of the kept stack and the found ones inside them, and sets
 * `shown` of the found frames. Functions beyond `deepest` are not shown. */
static const struct fm_stack_change *show_found(struct fm_stack *stack, uint32_t joined,
                                                uint32_t deepest)
{
    struct fm_stack_found *found = &stack->found;
    const uint32_t before = stack->shown_count;
    uint32_t shown = joined > 0 ? stack->frames[joined - 1].shown : 0, newest = FM_SITE_UNKNOWN;
    /* All `joined` frames were shown if the shown list is still that of the kept stack. */
    uint32_t kept = stack->shown == stack->sites && shown <= before
                        ? shown
                        : fm_stack_count_kept(stack, stack->sites, shown);
    bool same = kept == shown, cut = false;
    for (uint32_t i = found->first; i < FM_STACK_DEEPEST; i++) {
        struct fm_stack_frame *frame = &found->frames[i];
        const uint32_t site = frame->site;
        if (site != FM_SITE_HIDDEN && shown < deepest) {
            same = same && shown < before && stack->shown[shown] == site;
            kept += same;
            newest = site > newest ? site : newest;
            stack->sites[shown++] = site;
        } else if (site != FM_SITE_HIDDEN) {
            frame->site = FM_SITE_HIDDEN;
            cut = true;
        }
        frame->shown = (uint16_t)shown;
    }
    return fm_stack_show(stack, stack->sites, shown, kept, newest, cut);
}

static void keep_extras(struct fm_stack *stack, uint32_t joined)
{
    struct fm_stack_found *found = &stack->found;
    uint32_t count = stack->extra_count;
    while (count > 0 && stack->extras[count - 1].frame >= joined) {
        count--;
    }
    for (uint32_t i = found->first; found->extra_count != 0 && i < FM_STACK_DEEPEST; i++) {
        for (int k = 0; k < FM_STACK_EXTRAS; k++) {
            if ((found->needed[i] & 1u << k) != 0 && found->frames[i].shown > 0) {
                stack->extras[count++] =
                    (struct fm_stack_extra){found->extras[i][k], joined + i - found->first};
            }
        }
        found->needed[i] = 0;
    }
    found->extra_count = 0;
    stack->extra_count = count;
}

static void keep(struct fm_stack *stack, uint32_t joined)
{
    const struct fm_stack_found *found = &stack->found;
    uint32_t count = FM_STACK_DEEPEST - found->first;
    keep_extras(stack, joined);
    memcpy(&stack->frames[joined], &found->frames[found->first], count * sizeof *stack->frames);
    memcpy(&stack->cells[joined], &found->cells[found->first], count * sizeof *stack->cells);
    stack->count = joined + count;
    if (joined <= stack->first_shown) {
        stack->first_shown = 0;
        while (stack->first_shown < stack->count && stack->frames[stack->first_shown].shown == 0) {
            stack->first_shown++;
        }
    }
}

static void forget_found(struct fm_stack_found *found)
{
    if (found->extra_count != 0) {
        memset(found->needed, 0, sizeof found->needed);
        found->extra_count = 0;
    }
    found->first = FM_STACK_DEEPEST;
}

/* ---- cache of stacks ---- */

/* The set of a stack in the cache. It depends on the innermost function only, not on its callers.
 */
static unsigned set_of(struct fm_registers at)
{
    enum { WORD_BITS = 64 };
    uint64_t hash = (at.pc ^ at.sp << 1) * 0x9e3779b97f4a7c15u;
    return (unsigned)(hash >> (WORD_BITS - __builtin_ctz(FM_STACK_SETS)));
}

/* Whether a cached stack was captured with these registers. */
static bool has_registers(const struct fm_stack_state *state, struct fm_registers at,
                          uint64_t generation)
{
    return ((at.pc ^ state->pc) | (at.sp ^ state->sp) | ((at.fp ^ state->fp) & state->fp_mask) |
            (generation ^ state->generation)) == 0;
}

/* Whether the memory that a cached stack was read from is unchanged. */
static bool is_as_before(const struct fm_stack_state *state)
{
    for (uint32_t i = 0; i < state->cell_count; i++) {
        if (!is_unchanged(state->cells[i])) {
            return false;
        }
    }
    return true;
}

static uint32_t newest_of(const uint32_t *sites, uint32_t count)
{
    uint32_t newest = FM_SITE_UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        newest = sites[i] > newest ? sites[i] : newest;
    }
    return newest;
}

/* Stores the kept stack, which is the shown one, in the cache, unless it is too deep. A set with
 * many misses in a row is updated more and more rarely, because its entries are hardly ever used.
 */
static void remember(struct fm_stack *stack, struct fm_registers at, uint64_t fp_mask, bool python)
{
    const unsigned set = set_of(at), misses = ++stack->misses[set];
    if (misses > FM_STACK_WAYS && (misses & (misses - 1)) != 0) {
        return;
    }
    const unsigned way = stack->next[set];
    struct fm_stack_state *state = &stack->states[set][way];
    uint32_t cell_count = stack->extra_count, cells = 0;
    cell_count += stack->count > stack->first_shown ? stack->count - 1 - stack->first_shown : 0;
    if (stack->shown_count > FM_STACK_STATE_SITES || cell_count > FM_STACK_STATE_CELLS) {
        return;
    }
    if (python && !fm_python_keep(&stack->python->kept[set][way], &stack->python->frames)) {
        return;
    }
    stack->next[set] = (uint8_t)((way + 1u) % FM_STACK_WAYS);
    stack->latest = state;
    state->stamp = ++stack->stamps;
    state->pc = at.pc;
    state->sp = at.sp;
    state->fp = at.fp;
    state->fp_mask = fp_mask;
    state->generation = stack->generation;
    state->newest = newest_of(stack->shown, stack->shown_count);
    state->cut = stack->cut;
    state->python = python;
    state->site_count = (uint16_t)stack->shown_count;
    state->cell_count = (uint16_t)cell_count;
    memcpy(state->sites, stack->shown, stack->shown_count * sizeof *state->sites);
    /* Inner cells first: they change more often, so that the comparison ends early. */
    for (uint32_t i = stack->count; i-- > stack->first_shown + 1;) {
        state->cells[cells++] = stack->cells[i - 1];
    }
    for (uint32_t i = stack->extra_count; i-- > 0;) {
        state->cells[cells++] = stack->extras[i].cell;
    }
}

/* ---- the stack at an event ---- */

/* A placeholder for a cell that is not known: its next check succeeds. */
static const uint64_t nothing;
static const struct fm_stack_cell always_unchanged = {&nothing, 0};

static const struct fm_place unknown_place = {.site = FM_SITE_UNKNOWN};

/* Unwinds the stack. @return the difference from the previous stack; NULL: none.
 * @param told  out: false: not possible now, and the state is unchanged */
static const struct fm_stack_change *update(struct fm_stack *stack, struct fm_registers at,
                                            bool in_signal, bool exact, bool *told)
{
    struct fm_stack_found *found = &stack->found;
    struct fm_unwinding walk = {.stack = stack,
                                .found = found,
                                .at = at,
                                .exact = exact,
                                .in_signal = in_signal,
                                .fp_last = FM_STACK_DEEPEST - 1,
                                .foreign = at.sp < stack->low || at.sp >= stack->high};
    struct fm_stack_python *python = fm_stack_python_of(stack, in_signal);
    const uint32_t before = stack->shown_count;
    const bool cut_before = stack->cut;
    enum fm_python_found python_found = FM_PYTHON_NO_FRAMES;
    if (python != NULL) {
        memcpy(python->before, stack->shown, before * sizeof *stack->shown);
        python_found = fm_python_frames_find(&python->frames, in_signal);
        if (python_found == FM_PYTHON_TORN && in_signal) {
            *told = false;
            return NULL;
        }
    }
    uint64_t generation = __atomic_load_n(&fm_places_generation, __ATOMIC_ACQUIRE);
    stack->latest = NULL;
    forget_found(found);
    walk.standing = walk.foreign ? 0 : count_standing(stack, at.sp);
    enum fm_unwind_end step = fm_unwind(&walk);
    *told = step != FM_UNWIND_NOT_NOW;
    if (!*told) {
        return NULL;
    }
    bool too_deep = walk.standing + FM_STACK_DEEPEST - found->first >= FM_STACK_DEEPEST;
    if (too_deep) {
        forget_found(found);
        walk.standing = walk.standing < FM_STACK_DEEPEST ? walk.standing : FM_STACK_DEEPEST - 1;
    }
    bool is_named =
        found->first < FM_STACK_DEEPEST && found->frames[found->first].site == FM_SITE_UNKNOWN;
    if (too_deep || (step == FM_UNWIND_UNKNOWN && !is_named)) {
        bool read = walk.pc_cell.place != NULL; /* false if the innermost function has no rule */
        fm_stack_push_found(found, (struct fm_registers){.sp = at.sp}, &unknown_place,
                            read ? walk.pc_cell : always_unchanged);
    }
    const struct fm_stack_change *change =
        show_found(stack, walk.standing, python != NULL ? FM_STACK_DEEPEST - 1 : stack->deepest);
    keep(stack, walk.standing);
    stack->generation = generation;
    stack->foreign = walk.foreign;
    bool merged = false;
    if (python != NULL) {
        change = fm_stack_show_python(stack, python_found, before, cut_before, &merged);
    }
    if (!in_signal && !walk.foreign && !too_deep && (merged || python == NULL)) {
        remember(stack, at, walk.first_fp_matters ? ~(uint64_t)0 : 0, merged);
    }
    return change;
}

/* Whether a cached stack is the one at these registers. */
static inline __attribute__((always_inline)) bool is_stack_at(const struct fm_stack *stack,
                                                              const struct fm_stack_state *state,
                                                              struct fm_registers at,
                                                              uint64_t generation)
{
    const ptrdiff_t entry = state - &stack->states[0][0];
    return has_registers(state, at, generation) &&
           (!state->python || fm_python_is_as_kept(&stack->python->kept[0][0] + entry)) &&
           is_as_before(state);
}

bool fm_stack_is_still(const struct fm_stack *stack, const struct fm_stack_state *state,
                       struct fm_here here)
{
    return is_stack_at(stack, state, fm_here_caller(here),
                       __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED));
}

bool fm_stack_differs(const struct fm_stack *stack, const struct fm_stack_state *state,
                      struct fm_stack_change *change)
{
    const uint32_t before = stack->shown_count, count = state->site_count;
    const uint32_t kept = fm_stack_count_kept(stack, state->sites, count);
    *change = (struct fm_stack_change){
        .cut = state->cut,
        .kept = kept,
        .dropped = before - kept,
        .added = count - kept,
        .newest = state->newest,
        .sites = state->sites + kept,
    };
    return kept != count || kept != before || state->cut != stack->cut;
}

bool fm_stack_cut_back(struct fm_stack *stack, uint32_t count, struct fm_stack_change *change)
{
    const uint32_t before = stack->shown_count;
    if (count >= before) {
        return false;
    }
    *change = (struct fm_stack_change){
        .kept = count, .dropped = before - count, .sites = stack->shown + count};
    stack->shown_count = count;
    stack->cut = false;
    stack->latest = NULL;
    return true;
}

void fm_stack_adopt(struct fm_stack *stack, const struct fm_stack_state *state)
{
    const uint32_t kept = fm_stack_count_kept(stack, state->sites, state->site_count);
    fm_stack_show(stack, state->sites, state->site_count, kept, state->newest, state->cut);
    stack->latest = state;
}

const struct fm_stack_change *fm_stack_at_call(struct fm_stack *stack, struct fm_here here)
{
    const struct fm_registers at = fm_here_caller(here);
    uint64_t generation = __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED);
    const struct fm_stack_state *latest = stack->latest;
    if (latest != NULL && stack->shown == latest->sites &&
        stack->shown_count == latest->site_count && is_stack_at(stack, latest, at, generation)) {
        return NULL;
    }
    const unsigned set = set_of(at);
    for (int i = 0; i < FM_STACK_WAYS; i++) {
        const struct fm_stack_state *state = &stack->states[set][i];
        if (is_stack_at(stack, state, at, generation)) {
            stack->latest = state;
            stack->misses[set] = 0;
            const uint32_t kept = fm_stack_count_kept(stack, state->sites, state->site_count);
            return fm_stack_show(stack, state->sites, state->site_count, kept, state->newest,
                                 state->cut);
        }
    }
    bool told;
    return update(stack, at, false, false, &told);
}

const struct fm_stack_change *fm_stack_unwind(struct fm_stack *stack, struct fm_here here)
{
    bool told;
    return update(stack, fm_here_caller(here), false, false, &told);
}

/* A function's frame begins where its caller's ends. */
uint32_t fm_stack_shown_around(const struct fm_stack *stack, uint64_t sp)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stack->count && (i == 0 || stack->frames[i - 1].sp > sp); i++) {
        count = stack->frames[i].shown;
    }
    return count;
}

const struct fm_stack_change *fm_stack_at_signal(struct fm_stack *stack, struct fm_registers at,
                                                 bool exact, bool *told)
{
    return update(stack, at, true, exact, told);
}
