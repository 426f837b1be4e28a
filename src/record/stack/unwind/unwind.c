/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/unwind/unwind.h"

#include "base/code/calls.h"
#include "record/stack/modules.h"

/* A placeholder for a cell that is not known: the next check fails, so that the functions inside
 * are unwound again. */
static const uint64_t nothing;
static const struct fm_stack_cell never_unchanged = {&nothing, 1};

static bool read_cell(struct fm_unwinding *walk, uint64_t address, struct fm_stack_cell *cell)
{
    if (address < walk->at.sp || address % sizeof(uint64_t) != 0) {
        return false;
    }
    if (walk->foreign) {
        if (!fm_bounds_page_exists(&walk->pages, address)) {
            return false;
        }
    } else if (address > walk->stack->high - sizeof(uint64_t)) {
        return false;
    }
    cell->place = (const uint64_t *)(uintptr_t)address;
    cell->word = *cell->place;
    return true;
}

static void need(struct fm_stack_found *found, uint32_t frame, int extra)
{
    uint8_t bit = (uint8_t)(1u << extra);
    found->extra_count += (found->needed[frame] & bit) == 0;
    found->needed[frame] |= bit;
}

/* Unwinding uses the frame pointer of the outermost found frame. Marks it as relevant in all frames
 * with the same value, together with the cell that it was read from. */
static void note_frame_pointer(struct fm_unwinding *walk)
{
    for (uint32_t i = walk->found->first; i < FM_STACK_DEEPEST && i <= walk->fp_last; i++) {
        walk->found->frames[i].fp_matters = true;
    }
    if (walk->fp_last < FM_STACK_DEEPEST - 1) {
        need(walk->found, walk->fp_last + 1, FM_STACK_SAVED_FP);
    } else {
        walk->first_fp_matters = true;
    }
}

static uint64_t cell_address(const struct fm_unwinding *walk, uint8_t cell, int32_t offset,
                             uint64_t cfa)
{
    uint64_t base = cell == FM_CELL_CFA ? cfa : cell == FM_CELL_SP ? walk->at.sp : walk->at.fp;
    return base + (uint64_t)(int64_t)offset;
}

static bool find_cfa(struct fm_unwinding *walk, const struct fm_unwind_rule *rule, uint64_t *cfa)
{
    bool by_fp = rule->cfa == FM_CFA_FP || rule->cfa == FM_CFA_AT_FP;
    if (by_fp || rule->pc_cell == FM_CELL_FP || rule->fp_cell == FM_CELL_FP) {
        if (walk->fp_lost) {
            return false;
        }
        note_frame_pointer(walk);
    }
    uint64_t base = by_fp ? walk->at.fp : walk->at.sp;
    if (rule->cfa == FM_CFA_ARGUMENTS) {
        base = walk->at.arguments;
        if (!walk->exact || base == 0) {
            return false;
        }
    }
    *cfa = base + (uint64_t)(int64_t)rule->cfa_offset;
    if (rule->cfa == FM_CFA_AT_SP || rule->cfa == FM_CFA_AT_FP) {
        struct fm_stack_cell *cell = &walk->found->extras[walk->found->first][FM_STACK_CFA];
        if (!read_cell(walk, *cfa, cell)) {
            return false;
        }
        need(walk->found, walk->found->first, FM_STACK_CFA);
        *cfa = cell->word;
    }
    return *cfa > walk->at.sp || (*cfa == walk->at.sp && rule->pc_cell == FM_CELL_KEPT);
}

static bool find_pc(struct fm_unwinding *walk, const struct fm_unwind_rule *rule, uint64_t cfa,
                    uint64_t *pc)
{
    if (rule->pc_cell == FM_CELL_KEPT) {
        *pc = walk->at.link;
        walk->pc_cell = never_unchanged;
        return walk->exact && walk->at.link != 0;
    }
    if (!read_cell(walk, cell_address(walk, rule->pc_cell, rule->pc_offset, cfa), &walk->pc_cell)) {
        return false;
    }
    *pc = fm_plain_address(walk->pc_cell.word);
    return true;
}

static bool find_fp(struct fm_unwinding *walk, const struct fm_unwind_rule *rule, uint64_t cfa,
                    uint64_t *fp)
{
    if (rule->fp_cell == FM_CELL_KEPT) {
        return true;
    }
    if (rule->fp_cell == FM_CELL_LOST) {
        walk->fp_lost = true;
        return true;
    }
    struct fm_stack_cell *cell = &walk->found->extras[walk->found->first][FM_STACK_SAVED_FP];
    const uint64_t address = cell_address(walk, rule->fp_cell, rule->fp_offset, cfa);
    bool is_restored = address < walk->at.sp || (rule->fp_cell == FM_CELL_FP && walk->at.fp >= cfa);
    if (walk->exact && is_restored) {
        return true; /* in an epilogue: the frame of the function does not contain the word */
    }
    if (!read_cell(walk, address, cell)) {
        return false;
    }
    *fp = cell->word;
    walk->fp_last = walk->found->first - 1;
    walk->fp_lost = false;
    return true;
}

/* ---- interrupted code without unwind information ---- */

/* A word that may be the return address of the interrupted code. */
struct candidate {
    struct fm_stack_cell cell; /* place NULL: the link register */
    uint64_t pc, cfa;
    uint64_t strength; /* fm_place_call_strength */
    bool by_fp;        /* it belongs to the frame record that the frame pointer leads to */
};

/* Takes the candidate if it is better than the best one so far. */
static void consider(const struct fm_unwinding *walk, struct candidate *best,
                     struct candidate candidate)
{
    candidate.strength = fm_place_call_strength(candidate.pc, walk->at.pc);
    if (candidate.strength > best->strength) {
        *best = candidate;
    }
}

static void consider_word(struct fm_unwinding *walk, struct candidate *best, uint64_t address)
{
    enum { WORD = 8 };
    struct candidate candidate = {.cfa = address + WORD, .by_fp = address == walk->at.fp + WORD};
    if (read_cell(walk, address, &candidate.cell)) {
        candidate.pc = fm_plain_address(candidate.cell.word);
        consider(walk, best, candidate);
    }
}

/* fm_words_pushed of the interrupted code, if it can be read. */
static int words_pushed(const struct fm_unwinding *walk, bool is_generated)
{
    enum { PAGE = 4096 };
    struct fm_bounds_pages pages = {0};
    const uint64_t before = walk->at.pc % PAGE, behind = PAGE - before;
    if (behind < FM_PLACE_BEHIND || (is_generated && !fm_bounds_page_exists(&pages, walk->at.pc))) {
        return -1;
    }
    return fm_words_pushed((const uint8_t *)(uintptr_t)walk->at.pc, before > 0);
}

/* Searches the return address of code without unwind information: stubs, functions in assembly,
 * code that was generated at run time. Candidates are the link register, the next words of the
 * stack, and the frame record, if a call precedes the address that they contain. The best one is
 * that whose call is known to reach the interrupted code; else the first one. Generated code
 * usually keeps a frame pointer, stubs and assembly do not: theirs is that of a function outside.
 */
static bool search_caller(struct fm_unwinding *walk, struct fm_registers *caller)
{
    enum { WORDS = 64, WORD = 8 };
    const uint64_t record = walk->at.fp + WORD;
    const bool is_generated = fm_modules_find(walk->at.pc) < 0;
    const int pushed = words_pushed(walk, is_generated);
    struct candidate best = {.strength = FM_CALL_NONE};
    if (pushed >= 0) {
        consider_word(walk, &best, walk->at.sp + (uint64_t)pushed * WORD);
    }
    if (walk->at.link != 0) {
        consider(walk, &best, (struct candidate){.pc = walk->at.link, .cfa = walk->at.sp});
    }
    const bool is_certain = pushed >= 0 && best.strength != FM_CALL_NONE;
    if (is_generated && !is_certain) {
        consider_word(walk, &best, record);
    }
    for (uint64_t i = 0; FM_CALL_PUSHES && !is_certain && i < WORDS; i++) {
        consider_word(walk, &best, walk->at.sp + i * WORD);
    }
    if (!is_certain) {
        consider_word(walk, &best, record);
    }
    struct fm_stack_cell *saved = &walk->found->extras[walk->found->first][FM_STACK_SAVED_FP];
    if (best.strength == FM_CALL_NONE || (best.by_fp && !read_cell(walk, walk->at.fp, saved))) {
        return false;
    }
    caller->pc = best.pc;
    caller->sp = best.cfa;
    walk->pc_cell = best.cell.place != NULL ? best.cell : never_unchanged;
    if (best.by_fp) {
        note_frame_pointer(walk);
        caller->fp = saved->word;
        walk->fp_last = walk->found->first - 1;
    }
    return true;
}

/* From the outermost found frame to its caller. */
static enum fm_unwind_end step_out(struct fm_unwinding *walk, const struct fm_unwind_rule *rule)
{
    struct fm_registers caller = {.fp = walk->at.fp};
    if (rule->cfa == FM_CFA_END) {
        return FM_UNWIND_OUTERMOST;
    }
    if (rule->cfa == FM_CFA_SEARCH) {
        if (!search_caller(walk, &caller)) {
            return FM_UNWIND_UNKNOWN;
        }
        walk->exact = false;
        walk->at = caller;
        return FM_UNWIND_GO_ON;
    }
    if (rule->cfa == FM_CFA_UNKNOWN || !find_cfa(walk, rule, &caller.sp) ||
        !find_pc(walk, rule, caller.sp, &caller.pc) ||
        !find_fp(walk, rule, caller.sp, &caller.fp)) {
        return FM_UNWIND_UNKNOWN;
    }
    walk->exact = rule->signal;
    walk->at = caller;
    return FM_UNWIND_GO_ON;
}

/* Unwinds plain frames (fm_unwind_rule_is_plain) until the stack pointer reaches a frame of the
 * kept stack that may still be active. Fast path: unwind_one does the same for all frames. */
static void unwind_plain(struct fm_unwinding *walk)
{
    struct fm_stack *stack = walk->stack;
    struct fm_stack_found *found = walk->found;
    struct fm_registers at = walk->at;
    struct fm_stack_cell cell = walk->pc_cell;
    uint64_t stop = walk->standing > 0 ? stack->frames[walk->standing - 1].sp : stack->high;
    struct fm_place *place = at.sp < stop ? fm_places_find(at.pc) : NULL;
    while (place != NULL && place->plain && at.sp < stop && found->first > 0) {
        const struct fm_unwind_rule *rule = &place->rule;
        bool by_fp = rule->cfa == FM_CFA_FP;
        uint64_t cfa = (by_fp ? at.fp : at.sp) + (uint64_t)(int64_t)rule->cfa_offset;
        uint64_t pc_place = cfa + (uint64_t)(int64_t)rule->pc_offset;
        uint64_t fp_place = cfa + (uint64_t)(int64_t)rule->fp_offset;
        if (cfa > stack->high || cfa <= at.sp || pc_place < at.sp || fp_place < at.sp ||
            ((pc_place | fp_place) & 7) != 0) {
            break;
        }
        fm_stack_push_found(found, at, place, cell);
        if (by_fp) {
            note_frame_pointer(walk);
        }
        if (rule->fp_cell == FM_CELL_CFA) {
            cell.place = (const uint64_t *)(uintptr_t)fp_place;
            cell.word = at.fp = *cell.place;
            found->extras[found->first][FM_STACK_SAVED_FP] = cell;
            walk->fp_last = found->first - 1;
        }
        cell.place = (const uint64_t *)(uintptr_t)pc_place;
        cell.word = *cell.place;
        at.pc = fm_plain_address(cell.word);
        at.sp = cfa;
        place = fm_places_find_caller(place, at.pc);
    }
    walk->at = at;
    walk->pc_cell = cell;
}

static bool joins(struct fm_unwinding *walk, const struct fm_stack_frame *frame, uint64_t pc)
{
    if (frame->sp != walk->at.sp || frame->pc != pc) {
        return false;
    }
    if (frame->fp_matters) {
        if (frame->fp != walk->at.fp || walk->fp_lost) {
            return false;
        }
        note_frame_pointer(walk);
    }
    return true;
}

/* Unwinds one frame. */
static enum fm_unwind_end unwind_one(struct fm_unwinding *walk)
{
    struct fm_stack *stack = walk->stack;
    uint64_t pc = walk->at.pc | (walk->exact ? FM_PLACE_EXACT : 0);
    if (pc == 0) { /* some outermost functions have a return address of 0 */
        return FM_UNWIND_OUTERMOST;
    }
    while (walk->standing > 0 && stack->frames[walk->standing - 1].sp < walk->at.sp) {
        walk->standing--;
    }
    if (walk->standing > 0 && joins(walk, &stack->frames[walk->standing - 1], pc)) {
        /* the frame may have been the innermost one, without a valid cell */
        stack->cells[walk->standing - 1] = walk->pc_cell;
        return FM_UNWIND_JOINED;
    }
    if (walk->found->first == 0) {
        return FM_UNWIND_UNKNOWN;
    }
    const struct fm_place *place = fm_places_find(pc);
    if (place == NULL) {
        place = fm_places_add(pc, walk->in_signal);
        if (place == NULL) {
            return walk->in_signal ? FM_UNWIND_NOT_NOW : FM_UNWIND_UNKNOWN;
        }
    }
    struct fm_registers at = walk->at;
    at.pc = pc;
    fm_stack_push_found(walk->found, at, place, walk->pc_cell);
    return step_out(walk, &place->rule);
}

/* Whether the innermost of the frames that may still be active may belong to another function,
 * which the same indirect call has called: the word that its caller was unwound with is the same
 * then. */
static bool may_be_other_call(const struct fm_unwinding *walk)
{
    const struct fm_stack *stack = walk->stack;
    const uint32_t frame = walk->standing - 1;
    if (frame <= stack->first_shown) {
        return false;
    }
    const uint32_t caller = stack->frames[frame - 1].site;
    return caller == FM_SITE_HIDDEN || caller == FM_SITE_UNKNOWN ||
           fm_sites_get(caller).target_module == FM_SITE_NO_TARGET;
}

enum fm_unwind_end fm_unwind(struct fm_unwinding *walk)
{
    const struct fm_stack_frame *frames = walk->stack->frames;
    enum fm_unwind_end step = FM_UNWIND_GO_ON;
    while (step == FM_UNWIND_GO_ON) {
        if (!walk->exact && !walk->foreign && !walk->fp_lost) {
            unwind_plain(walk);
        }
        step = unwind_one(walk);
    }
    /* Code that cannot be unwound is taken to be called from the active frames outside of it. */
    while (step == FM_UNWIND_UNKNOWN && walk->standing > 0 &&
           (frames[walk->standing - 1].sp <= walk->at.sp ||
            (walk->in_signal && may_be_other_call(walk)))) {
        walk->standing--;
    }
    if (step == FM_UNWIND_OUTERMOST) {
        walk->standing = 0;
    }
    if (step == FM_UNWIND_UNKNOWN && walk->standing > 0) {
        walk->stack->cells[walk->standing - 1] = never_unchanged;
    }
    return step;
}
