/** @file
 * The call stack of a thread at its recorded calls, as differences from one to the next.
 *
 * The stack of the last call is kept, with the memory cells that it was read from. If the registers
 * are as then and all cells hold the same words, the stack is the same: nothing is unwound. Else
 * the cells tell which of the outer functions are still there, and what is inside them is unwound.
 * What cannot be seen: a function that returned and was called again from the same place, with
 * nothing recorded in between, counts as one call.
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
    bool cut;         /**< functions inside all others are not shown, for there are too many */
    uint32_t kept;    /**< number of shown functions that are still there, in the same calls */
    uint32_t dropped; /**< number of shown functions behind them that are not */
    uint32_t added;   /**< number of call sites in `sites` */
    uint32_t newest;  /**< the one of them that was met last */
    uint32_t sites[FM_STACK_DEEPEST]; /**< outermost first */
};

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

/** The kept stack of a thread; functions are numbered from the outermost. */
struct fm_stack {
    struct fm_registers at;           /**< of the innermost function; pc as in fm_place */
    uint64_t fp_mask;                 /**< ~0 if its frame pointer matters, else 0 */
    const struct fm_place *innermost; /**< the place of it; NULL: none with a rule */
    uint64_t generation;              /**< fm_places_generation of the places */
    uint64_t low, high;               /**< the thread's own stack */
    uint32_t count;                   /**< frames; 0: nothing is kept */
    uint32_t extra_count;
    uint32_t first_shown; /**< functions outside it start the thread: they need no second look */
    uint32_t deepest;     /**< functions shown at most */
    bool compare;         /**< whether it may be compared with the memory: it is complete, and on
                               the thread's own stack */
    bool foreign;         /**< it is not on the thread's own stack */
    bool cut;             /**< functions were left out for `deepest` */
    struct fm_stack_cell cells[FM_STACK_DEEPEST]; /**< return addresses: cell i leads to frame i */
    struct fm_stack_extra extras[FM_STACK_EXTRAS * FM_STACK_DEEPEST]; /**< outer frames first */
    struct fm_stack_frame frames[FM_STACK_DEEPEST];
    struct fm_stack_found found;   /**< while unwinding */
    struct fm_stack_change change; /**< of the last update */
};

/** Prepares the calling thread's stack.
 * @param deepest  number of functions shown at most, from the outermost
 * @return NULL without memory; never freed, as threads of the recorder are not */
struct fm_stack *fm_stack_begin(uint32_t deepest);

/** Takes note of the stack at a call.
 * @param at  registers of the innermost function of interest, behind its call
 * @return what is different; NULL: nothing. It belongs to `stack`. */
const struct fm_stack_change *fm_stack_at_call(struct fm_stack *stack, struct fm_registers at);

/** As fm_stack_at_call(), in the handler of a signal that interrupted the innermost function there.
 * Async-signal-safe.
 * @param told  out: false: it cannot be told now, and nothing has changed */
const struct fm_stack_change *fm_stack_at_signal(struct fm_stack *stack, struct fm_registers at,
                                                 bool *told);

/** The outermost function that is shown, as its call site; FM_SITE_HIDDEN: there is none. */
static inline uint32_t fm_stack_outermost(const struct fm_stack *stack)
{
    return stack->first_shown < stack->count ? stack->frames[stack->first_shown].site
                                             : FM_SITE_HIDDEN;
}

/** The stack is the calling thread's from now on: nothing of it is known. */
void fm_stack_move(struct fm_stack *stack);

/** Forgets the kept stack: the next update tells all of it, with `kept` and `dropped` 0. */
void fm_stack_forget(struct fm_stack *stack);

#endif
