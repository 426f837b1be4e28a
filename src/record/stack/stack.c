#include "record/stack/stack.h"

#include "record/stack/bounds.h"
#include "record/stack/python/interpreter.h"
#include "record/stack/python/python_sites.h"

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
        stack->states[i / FM_STACK_WAYS][i % FM_STACK_WAYS].at.pc = 0;
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

/* ---- unwinding ---- */

struct walk {
    struct fm_stack *stack;
    struct fm_stack_found *found;
    struct fm_registers at;
    struct fm_stack_cell pc_cell; /* where at.pc was read */
    uint32_t fp_last;  /* innermost of the found frames with this fp; the next inner one saved it */
    uint32_t standing; /* number of outer frames of the kept stack that may still be active */
    bool exact;        /* at.pc is where a signal interrupted the function */
    bool in_signal;
    bool foreign;
    bool first_fp_matters;
    bool fp_lost;                 /* a function did not save fp at a known place */
    struct fm_bounds_pages pages; /* of a foreign stack */
};

enum step { GO_ON, JOINED, OUTERMOST, UNKNOWN, NOT_NOW };

static bool read_cell(struct walk *walk, uint64_t address, struct fm_stack_cell *cell)
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
static void note_frame_pointer(struct walk *walk)
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

static uint64_t cell_address(const struct walk *walk, uint8_t cell, int32_t offset, uint64_t cfa)
{
    uint64_t base = cell == FM_CELL_CFA ? cfa : cell == FM_CELL_SP ? walk->at.sp : walk->at.fp;
    return base + (uint64_t)(int64_t)offset;
}

static bool find_cfa(struct walk *walk, const struct fm_unwind_rule *rule, uint64_t *cfa)
{
    bool by_fp = rule->cfa == FM_CFA_FP || rule->cfa == FM_CFA_AT_FP;
    if (by_fp || rule->pc_cell == FM_CELL_FP || rule->fp_cell == FM_CELL_FP) {
        if (walk->fp_lost) {
            return false;
        }
        note_frame_pointer(walk);
    }
    *cfa = (by_fp ? walk->at.fp : walk->at.sp) + (uint64_t)(int64_t)rule->cfa_offset;
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

static bool find_pc(struct walk *walk, const struct fm_unwind_rule *rule, uint64_t cfa,
                    uint64_t *pc)
{
    if (rule->pc_cell == FM_CELL_KEPT) {
        *pc = walk->at.link;
        return walk->exact && walk->at.link != 0;
    }
    if (!read_cell(walk, cell_address(walk, rule->pc_cell, rule->pc_offset, cfa), &walk->pc_cell)) {
        return false;
    }
    *pc = fm_plain_address(walk->pc_cell.word);
    return true;
}

static bool find_fp(struct walk *walk, const struct fm_unwind_rule *rule, uint64_t cfa,
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
    if (!read_cell(walk, cell_address(walk, rule->fp_cell, rule->fp_offset, cfa), cell)) {
        return false;
    }
    *fp = cell->word;
    walk->fp_last = walk->found->first - 1;
    walk->fp_lost = false;
    return true;
}

/* From the outermost found frame to its caller. */
static enum step step_out(struct walk *walk, const struct fm_unwind_rule *rule)
{
    struct fm_registers caller = {.fp = walk->at.fp};
    if (rule->cfa == FM_CFA_END) {
        return OUTERMOST;
    }
    if (rule->cfa == FM_CFA_UNKNOWN || !find_cfa(walk, rule, &caller.sp) ||
        !find_pc(walk, rule, caller.sp, &caller.pc) ||
        !find_fp(walk, rule, caller.sp, &caller.fp)) {
        return UNKNOWN;
    }
    walk->exact = rule->signal;
    walk->at = caller;
    return GO_ON;
}

static inline void push_found(struct fm_stack_found *found, struct fm_registers at,
                              const struct fm_place *place, struct fm_stack_cell cell)
{
    uint32_t i = --found->first;
    found->frames[i] = (struct fm_stack_frame){.pc = at.pc,
                                               .sp = at.sp,
                                               .fp = at.fp,
                                               .site = place->site,
                                               .interpreter = place->interpreter};
    found->cells[i] = cell;
}

/* Unwinds plain frames (fm_unwind_rule_is_plain) until the stack pointer reaches a frame of the
 * kept stack that may still be active. Fast path: unwind_one does the same for all frames. */
static void unwind_plain(struct walk *walk)
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
        push_found(found, at, place, cell);
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

static bool joins(struct walk *walk, const struct fm_stack_frame *frame, uint64_t pc)
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
static enum step unwind_one(struct walk *walk)
{
    struct fm_stack *stack = walk->stack;
    uint64_t pc = walk->at.pc | (walk->exact ? FM_PLACE_EXACT : 0);
    if (pc == 0) { /* some outermost functions have a return address of 0 */
        return OUTERMOST;
    }
    while (walk->standing > 0 && stack->frames[walk->standing - 1].sp < walk->at.sp) {
        walk->standing--;
    }
    if (walk->standing > 0 && joins(walk, &stack->frames[walk->standing - 1], pc)) {
        /* the frame may have been the innermost one, without a valid cell */
        stack->cells[walk->standing - 1] = walk->pc_cell;
        return JOINED;
    }
    if (walk->found->first == 0) {
        return UNKNOWN;
    }
    const struct fm_place *place = fm_places_find(pc);
    if (place == NULL) {
        place = fm_places_add(pc, walk->in_signal);
        if (place == NULL) {
            return walk->in_signal ? NOT_NOW : UNKNOWN;
        }
    }
    struct fm_registers at = walk->at;
    at.pc = pc;
    push_found(walk->found, at, place, walk->pc_cell);
    return step_out(walk, &place->rule);
}

/* Placeholders for a cell that is not known. never_unchanged makes the next check fail, so that the
 * functions inside are unwound again; always_unchanged makes it succeed. */
static const uint64_t nothing;
static const struct fm_stack_cell never_unchanged = {&nothing, 1};
static const struct fm_stack_cell always_unchanged = {&nothing, 0};

static const struct fm_place unknown_place = {.site = FM_SITE_UNKNOWN};

/* Unwinds until a frame of the kept stack that is still active, or to the end; then walk->standing
 * is the number of kept frames outside of those found. */
static enum step unwind(struct walk *walk)
{
    const struct fm_stack_frame *frames = walk->stack->frames;
    enum step step = GO_ON;
    while (step == GO_ON) {
        if (!walk->exact && !walk->foreign && !walk->fp_lost) {
            unwind_plain(walk);
        }
        step = unwind_one(walk);
    }
    /* Code that cannot be unwound is taken to be called from the active frames outside of it. */
    while (step == UNKNOWN && walk->standing > 0 && frames[walk->standing - 1].sp <= walk->at.sp) {
        walk->standing--;
    }
    if (step == OUTERMOST) {
        walk->standing = 0;
    }
    if (step == UNKNOWN && walk->standing > 0) {
        walk->stack->cells[walk->standing - 1] = never_unchanged;
    }
    return step;
}

/* ---- differences ---- */

/* Replaces the shown functions by `sites`, of which the first `kept` were shown before.
 * @return the difference; NULL: none */
static const struct fm_stack_change *show(struct fm_stack *stack, const uint32_t *sites,
                                          uint32_t count, uint32_t kept, uint32_t newest, bool cut)
{
    const uint32_t before = stack->shown_count;
    const bool same = kept == count && kept == before && cut == stack->cut;
    stack->shown = sites;
    stack->shown_count = count;
    stack->cut = cut;
    stack->change = (struct fm_stack_change){
        .cut = cut,
        .kept = kept,
        .dropped = before - kept,
        .added = count - kept,
        .newest = newest,
        .sites = sites + kept,
    };
    return same ? NULL : &stack->change;
}

/* Length of the common beginning of `sites` and the shown call sites. */
static uint32_t count_kept(const struct fm_stack *stack, const uint32_t *sites, uint32_t count)
{
    uint32_t kept = 0;
    count = count < stack->shown_count ? count : stack->shown_count;
    while (kept < count && sites[kept] == stack->shown[kept]) {
        kept++;
    }
    return kept;
}

/* Shows the `joined` outer frames of the kept stack and the found ones inside them, and sets
 * `shown` of the found frames. Functions beyond `deepest` are not shown. */
static const struct fm_stack_change *show_found(struct fm_stack *stack, uint32_t joined,
                                                uint32_t deepest)
{
    struct fm_stack_found *found = &stack->found;
    const uint32_t before = stack->shown_count;
    uint32_t shown = joined > 0 ? stack->frames[joined - 1].shown : 0, newest = FM_SITE_UNKNOWN;
    /* All `joined` frames were shown if the shown list is still that of the kept stack. */
    uint32_t kept = stack->shown == stack->sites ? shown : count_kept(stack, stack->sites, shown);
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
    return show(stack, stack->sites, shown, kept, newest, cut);
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

/* ---- Python functions ---- */

/* State of the thread's Python functions. @return NULL: there are none */
static struct fm_stack_python *python_of(struct fm_stack *stack, bool in_signal)
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

/* Replaces the shown functions, which are those of the kept stack, by those with Python functions.
 * @param found   what is in python->frames
 * @param before  number of functions in python->before, which were shown before
 * @param merged  out: whether the shown functions depend on the frames
 * @return the difference from `before`; NULL: none */
static const struct fm_stack_change *show_python(struct fm_stack *stack, enum fm_python_found found,
                                                 uint32_t before, bool cut_before, bool *merged)
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
    const uint32_t kept = count_kept(stack, python->sites, listing.count);
    return show(stack, python->sites, listing.count, kept, listing.newest, listing.cut);
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
    return ((at.pc ^ state->at.pc) | (at.sp ^ state->at.sp) |
            ((at.fp ^ state->at.fp) & state->fp_mask) | (generation ^ state->generation)) == 0;
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
    state->at = at;
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

/* Unwinds the stack. @return the difference from the previous stack; NULL: none.
 * @param told  out: false: not possible now, and the state is unchanged */
static const struct fm_stack_change *update(struct fm_stack *stack, struct fm_registers at,
                                            bool in_signal, bool exact, bool *told)
{
    struct fm_stack_found *found = &stack->found;
    struct walk walk = {.stack = stack,
                        .found = found,
                        .at = at,
                        .exact = exact,
                        .in_signal = in_signal,
                        .fp_last = FM_STACK_DEEPEST - 1,
                        .foreign = at.sp < stack->low || at.sp >= stack->high};
    struct fm_stack_python *python = python_of(stack, in_signal);
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
    forget_found(found);
    walk.standing = walk.foreign ? 0 : count_standing(stack, at.sp);
    enum step step = unwind(&walk);
    *told = step != NOT_NOW;
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
    if (too_deep || (step == UNKNOWN && !is_named)) {
        bool read = walk.pc_cell.place != NULL; /* false if the innermost function has no rule */
        push_found(found, (struct fm_registers){.sp = at.sp}, &unknown_place,
                   read ? walk.pc_cell : always_unchanged);
    }
    const struct fm_stack_change *change =
        show_found(stack, walk.standing, python != NULL ? FM_STACK_DEEPEST - 1 : stack->deepest);
    keep(stack, walk.standing);
    stack->generation = generation;
    stack->foreign = walk.foreign;
    bool merged = false;
    if (python != NULL) {
        change = show_python(stack, python_found, before, cut_before, &merged);
    }
    if (!in_signal && !walk.foreign && !too_deep && (merged || python == NULL)) {
        remember(stack, at, walk.first_fp_matters ? ~(uint64_t)0 : 0, merged);
    }
    return change;
}

const struct fm_stack_change *fm_stack_at_call(struct fm_stack *stack, struct fm_here here)
{
    const struct fm_registers at = fm_here_caller(here);
    const unsigned set = set_of(at);
    uint64_t generation = __atomic_load_n(&fm_places_generation, __ATOMIC_RELAXED);
    for (int i = 0; i < FM_STACK_WAYS; i++) {
        const struct fm_stack_state *state = &stack->states[set][i];
        if (has_registers(state, at, generation) &&
            (!state->python || fm_python_is_as_kept(&stack->python->kept[set][i])) &&
            is_as_before(state)) {
            stack->misses[set] = 0;
            const uint32_t kept = count_kept(stack, state->sites, state->site_count);
            return show(stack, state->sites, state->site_count, kept, state->newest, state->cut);
        }
    }
    bool told;
    return update(stack, at, false, false, &told);
}

const struct fm_stack_change *fm_stack_at_signal(struct fm_stack *stack, struct fm_registers at,
                                                 bool exact, bool *told)
{
    return update(stack, at, true, exact, told);
}
