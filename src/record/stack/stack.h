/** @file
 * The call stack of a thread at its recorded calls, as differences from one to the next.
 *
 * Stacks of recent calls are remembered, each with the memory cells that it was read from. If the
 * registers are as then and all cells hold the same words, the stack is the same: nothing is
 * unwound. Else the cells of the stack that was unwound last show which of the outer functions are
 * still there, and what is inside them is unwound. What cannot be seen: a function that returned
 * and was called again from the same place, with nothing recorded in between, counts as one call.
 *
 * The cells are read again only on the thread's own stack, between its outer end and the caller's
 * frame, where they exist for sure. On other stacks (coroutines, alternate stacks of signal
 * handlers) every call is unwound, page by page, after asking the system whether the page exists.
 */
#ifndef FERMATA_RECORD_STACK_STACK_H
#define FERMATA_RECORD_STACK_STACK_H

#include "record/stack/places.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_STACK_DEEPEST = 1024 };

/** A word of the stack. */
struct fm_stack_cell {
    const uint64_t *place;
    uint64_t word;
};

/** A function on the stack. */
struct fm_stack_frame {
    uint64_t pc; /**< where it is, behind the call that it is in; as in fm_place */
    uint64_t sp; /**< its stack pointer there */
    uint64_t fp; /**< its frame pointer there */
    uint32_t site;
    uint16_t shown;  /**< number of functions that are shown, from the outermost up to this one */
    bool fp_matters; /**< whether `fp` is needed to unwind it or a function outside it */
};

/** A word besides return addresses that unwinding needs: a saved frame pointer, an address that is
 * kept in memory. */
struct fm_stack_extra {
    struct fm_stack_cell cell;
    uint32_t frame; /**< the function that is unwound with it */
};

/** What has changed since the last time. */
struct fm_stack_change {
    bool cut;              /**< functions inside all others are not shown, for there are too many */
    uint32_t kept;         /**< number of shown functions that are still there, in the same calls */
    uint32_t dropped;      /**< number of shown functions behind them that are not */
    uint32_t added;        /**< number of call sites in `sites` */
    uint32_t newest;       /**< none of them was met later than this one */
    const uint32_t *sites; /**< outermost first */
};

/** Remembered stacks: so many sets of so many each, and how deep they are at most. */
enum {
    FM_STACK_SETS = 64,
    FM_STACK_WAYS = 4,
    FM_STACK_STATE_SITES = 32,
    FM_STACK_STATE_CELLS = 40
};

/** A stack as it was at a call: what it was read from, and what was found. What is looked at stands
 * close together, for programs leave little of it in the processor's cache. */
struct fm_stack_state {
    struct fm_registers at; /**< of the innermost function; pc 0: nothing is remembered */
    uint64_t fp_mask;       /**< ~0 if its frame pointer matters, else 0 */
    uint64_t generation;    /**< fm_places_generation */
    uint32_t newest;        /**< none of the sites was met later than this one */
    uint16_t site_count, cell_count;
    bool cut;                             /**< functions inside these were left out */
    uint32_t sites[FM_STACK_STATE_SITES]; /**< shown functions, outermost first */
    struct fm_stack_cell cells[FM_STACK_STATE_CELLS];
} __attribute__((aligned(64)));

/** What unwinding a function needs besides the return address. */
enum { FM_STACK_SAVED_FP, FM_STACK_CFA, FM_STACK_EXTRAS };

/** Functions as they are found, from the end of the arrays on: the outermost stands first. */
struct fm_stack_found {
    uint32_t first; /**< outermost found so far; FM_STACK_DEEPEST: none */
    uint32_t extra_count;
    struct fm_stack_frame frames[FM_STACK_DEEPEST];
    struct fm_stack_cell cells[FM_STACK_DEEPEST]; /**< return addresses, as in the kept stack */
    struct fm_stack_cell extras[FM_STACK_DEEPEST][FM_STACK_EXTRAS];
    uint8_t needed[FM_STACK_DEEPEST]; /**< bits: which of the extras matter; cleared after use */
};

/** Call stacks of a thread: the shown one, and the one that was unwound last, whose functions are
 * numbered from the outermost. */
struct fm_stack {
    const uint32_t *shown; /**< functions that were recorded, outermost first */
    uint32_t shown_count;
    bool cut;                      /**< functions inside these were left out for `deepest` */
    struct fm_stack_change change; /**< the last one */
    uint8_t misses[FM_STACK_SETS]; /**< stacks that were none of a set, in a row */
    struct fm_stack_state states[FM_STACK_SETS][FM_STACK_WAYS];
    uint8_t next[FM_STACK_SETS]; /**< state of a set that is to be replaced next */

    uint64_t low, high;  /**< the thread's own stack */
    uint64_t generation; /**< fm_places_generation of the places */
    uint32_t count;      /**< frames; 0: nothing is kept */
    uint32_t extra_count;
    uint32_t first_shown; /**< functions outside it start the thread: they need no second look */
    uint32_t deepest;     /**< functions shown at most */
    bool foreign;         /**< it is not on the thread's own stack */
    struct fm_stack_cell cells[FM_STACK_DEEPEST]; /**< return addresses: cell i leads to frame i */
    struct fm_stack_extra extras[FM_STACK_EXTRAS * FM_STACK_DEEPEST]; /**< outer frames first */
    struct fm_stack_frame frames[FM_STACK_DEEPEST];
    struct fm_stack_found found;      /**< while unwinding */
    uint32_t sites[FM_STACK_DEEPEST]; /**< shown functions of the kept stack */
};

/** Prepares the calling thread's stack.
 * @param deepest  number of functions shown at most, from the outermost
 * @return NULL without memory; never freed, as threads of the recorder are not */
struct fm_stack *fm_stack_begin(uint32_t deepest);

/** Takes note of the stack at a call.
 * @param here  a function that the innermost function of interest has called
 * @return what is different; NULL: nothing. It belongs to `stack`. */
const struct fm_stack_change *fm_stack_at_call(struct fm_stack *stack, struct fm_here here);

/** As fm_stack_at_call(), in the handler of a signal. Async-signal-safe.
 * @param at    registers of the innermost function, where it was interrupted
 * @param told  out: false: it cannot be recorded now, and nothing has changed */
const struct fm_stack_change *fm_stack_at_signal(struct fm_stack *stack, struct fm_registers at,
                                                 bool *told);

/** The outermost function that is shown, as its call site; FM_SITE_HIDDEN: there is none. */
static inline uint32_t fm_stack_outermost(const struct fm_stack *stack)
{
    return stack->shown_count > 0 ? stack->shown[0] : FM_SITE_HIDDEN;
}

/** The stack is the calling thread's from now on: nothing of it is known. */
void fm_stack_move(struct fm_stack *stack);

/** Forgets the kept stack: the next update records all of it, with `kept` and `dropped` 0. */
void fm_stack_forget(struct fm_stack *stack);

#endif
