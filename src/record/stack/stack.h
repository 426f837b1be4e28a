/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The call stack of a thread at its recorded calls, as differences from one to the next.
 *
 * Stacks of recent calls are cached, each with the memory cells that it was read from. If the
 * registers and all cells have the cached values, the stack is the same and is not unwound.
 * Otherwise the cells of the stack that was unwound last show which of its outer functions are
 * still active, and only the functions inside them are unwound. Limitation: a function that
 * returned and was called again from the same place, with nothing recorded in between, counts as
 * one call.
 *
 * Where the Python interpreter is on the stack, its frames replace the C functions that evaluate
 * Python code, and the interpreter's other functions are left out. The stack is unwound as usual:
 * an activation of the evaluation loop is recognized by a variable of the interpreter that lies in
 * its C frame. If the interpreter's frames cannot be read, its C functions are shown.
 *
 * The cells are read again only on the thread's own stack, between its outer end and the caller's
 * frame, where the memory is always mapped. On other stacks (coroutines, alternate stacks of signal
 * handlers) every call is unwound completely, and a system call checks each page before it is read.
 */
#ifndef FERMATA_RECORD_STACK_STACK_H
#define FERMATA_RECORD_STACK_STACK_H

#include "record/stack/places.h"
#include "record/stack/python/frames.h"
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
    uint64_t pc; /**< return address of the call that it is in; as in fm_place */
    uint64_t sp; /**< its stack pointer there */
    uint64_t fp; /**< its frame pointer there */
    uint32_t site;
    uint16_t shown;   /**< number of functions that are shown, from the outermost up to this one */
    bool fp_matters;  /**< whether `fp` is needed to unwind it or a function outside it */
    bool interpreter; /**< as fm_module.interpreter */
};

/** A word besides return addresses that unwinding needs: a saved frame pointer, or a cfa that is
 * stored in memory. */
struct fm_stack_extra {
    struct fm_stack_cell cell;
    uint32_t frame; /**< the function that is unwound with it */
};

/** Difference between a stack and the previous one. */
struct fm_stack_change {
    bool cut;         /**< the innermost functions are not shown: the stack is too deep */
    uint32_t kept;    /**< number of shown functions that are still active, in the same calls */
    uint32_t dropped; /**< number of shown functions inside them that have returned */
    uint32_t added;   /**< number of call sites in `sites` */
    uint32_t newest;  /**< highest number among the added call sites */
    const uint32_t *sites; /**< outermost first */
};

/** Cache of stacks: number of sets, stacks in each set, and largest stack that is cached. */
enum {
    FM_STACK_SETS = 64,
    FM_STACK_WAYS = 4,
    FM_STACK_STATE_SITES = 32,
    FM_STACK_STATE_CELLS = 40
};

/** A cached stack: the memory that it was read from, and the result. Fields that are read together
 * are adjacent, because programs evict most of them from the processor's cache. */
struct fm_stack_state {
    uint64_t pc, sp, fp; /**< of the innermost function; pc 0: the entry is empty */
    uint64_t fp_mask;    /**< ~0 if its frame pointer matters, else 0 */
    uint64_t generation; /**< fm_places_generation */
    uint32_t newest;     /**< highest number among the call sites */
    uint16_t site_count, cell_count;
    uint32_t stamp; /**< no other stack that the entry has contained had this number */
    bool cut;       /**< the innermost functions were left out */
    bool python; /**< the stack depends on the interpreter's frames, too (fm_stack_python.kept) */
    uint32_t sites[FM_STACK_STATE_SITES]; /**< shown functions, outermost first */
    struct fm_stack_cell cells[FM_STACK_STATE_CELLS];
} __attribute__((aligned(64)));

/** Kinds of words besides return addresses that unwinding needs. */
enum { FM_STACK_SAVED_FP, FM_STACK_CFA, FM_STACK_EXTRAS };

/** Functions in the order in which unwinding finds them. The arrays are filled from their end, so
 * that the outermost function is first. */
struct fm_stack_found {
    uint32_t first; /**< outermost found so far; FM_STACK_DEEPEST: none */
    uint32_t extra_count;
    struct fm_stack_frame frames[FM_STACK_DEEPEST];
    struct fm_stack_cell cells[FM_STACK_DEEPEST]; /**< return addresses, as in the kept stack */
    struct fm_stack_cell extras[FM_STACK_DEEPEST][FM_STACK_EXTRAS];
    uint8_t needed[FM_STACK_DEEPEST]; /**< bits: which of the extras are used; cleared after use */
};

/** Python functions on the stack of a thread. */
struct fm_stack_python {
    struct fm_python_frames frames;                           /**< while unwinding */
    struct fm_python_kept kept[FM_STACK_SETS][FM_STACK_WAYS]; /**< of cached stacks */
    uint32_t before[FM_STACK_DEEPEST]; /**< the functions that were shown before */
    uint32_t sites[FM_STACK_DEEPEST];  /**< shown functions, in binaries and of Python */
};

/** Call stacks of a thread: the shown one, and the kept one, which was unwound last. Functions are
 * numbered from the outermost. */
struct fm_stack {
    const uint32_t *shown; /**< functions that were recorded, outermost first */
    uint32_t shown_count;
    bool cut; /**< the innermost functions were left out because of `deepest` */
    struct fm_stack_change change; /**< the last one */
    /** Entry of the cache with the stack at the last call; NULL: it is not in the cache, or a
     * signal handler has determined another one since. */
    const struct fm_stack_state *latest;
    uint32_t stamps;               /**< last stamp of an entry */
    uint8_t misses[FM_STACK_SETS]; /**< consecutive misses in each set of the cache */
    struct fm_stack_state states[FM_STACK_SETS][FM_STACK_WAYS];
    uint8_t next[FM_STACK_SETS]; /**< entry of each set that is replaced next */

    uint64_t low, high;  /**< the thread's own stack */
    uint64_t generation; /**< fm_places_generation of the places */
    uint32_t count;      /**< frames; 0: nothing is kept */
    uint32_t extra_count;
    uint32_t first_shown; /**< functions outside it start the thread: they are not checked again */
    uint32_t deepest;     /**< functions shown at most */
    bool foreign;         /**< the kept stack is not the thread's own stack */
    struct fm_stack_cell cells[FM_STACK_DEEPEST]; /**< return addresses: cell i leads to frame i */
    struct fm_stack_extra extras[FM_STACK_EXTRAS * FM_STACK_DEEPEST]; /**< outer frames first */
    struct fm_stack_frame frames[FM_STACK_DEEPEST];
    struct fm_stack_python *python;   /**< NULL: the thread has not been in Python */
    struct fm_stack_found found;      /**< while unwinding */
    uint32_t sites[FM_STACK_DEEPEST]; /**< shown functions of the kept stack */
};

/** Allocates the state of the calling thread's stack.
 * @param deepest  number of functions shown at most, from the outermost
 * @return NULL without memory; never freed, like the recorder's data of threads */
struct fm_stack *fm_stack_begin(uint32_t deepest);

/** Determines the stack at a call. Called by the stack's thread.
 * @param here  a function that the innermost function of interest has called
 * @return the difference from the previous stack, valid until the next call; NULL: none */
const struct fm_stack_change *fm_stack_at_call(struct fm_stack *stack, struct fm_here here);

/** Like fm_stack_at_call(), by unwinding it in any case: its frames are known then
 * (fm_stack_shown_around). */
const struct fm_stack_change *fm_stack_unwind(struct fm_stack *stack, struct fm_here here);

/** Whether the frames of the shown functions are known, after fm_stack_unwind(): those of Python
 * and of other stacks than the thread's own are not. */
static inline bool fm_stack_has_frames(const struct fm_stack *stack)
{
    return !stack->foreign && stack->python == NULL && stack->shown == stack->sites;
}

/** The number of shown functions, from the outermost, that contain a place of the stack or have
 * called the function that does. The frames are known. O(frames). */
uint32_t fm_stack_shown_around(const struct fm_stack *stack, uint64_t sp);

/** Whether the stack at a call is that of an entry of the cache. The state is not changed.
 * @param here  as for fm_stack_at_call() */
bool fm_stack_is_still(const struct fm_stack *stack, const struct fm_stack_state *state,
                       struct fm_here here);

/** The difference of an entry of the cache from the previous stack. The state is not changed.
 * @return false: there is none */
bool fm_stack_differs(const struct fm_stack *stack, const struct fm_stack_state *state,
                      struct fm_stack_change *change);

/** Makes the outer `count` functions of the previous stack the previous stack.
 * @param change  out: the difference
 * @return false: it has no more functions than these; nothing is changed */
bool fm_stack_cut_back(struct fm_stack *stack, uint32_t count, struct fm_stack_change *change);

/** Makes an entry of the cache the previous stack. */
void fm_stack_adopt(struct fm_stack *stack, const struct fm_stack_state *state);

/** Like fm_stack_at_call(), in a signal handler or where one may be running. Async-signal-safe; all
 * signals are blocked.
 * @param at     registers of the innermost function
 * @param exact  it was interrupted there; else it has made a call, which returns there
 * @param told   out: false: the stack cannot be determined now, and the state is unchanged */
const struct fm_stack_change *fm_stack_at_signal(struct fm_stack *stack, struct fm_registers at,
                                                 bool exact, bool *told);

/** Call site of the outermost shown function; FM_SITE_HIDDEN: there is none. */
static inline uint32_t fm_stack_outermost(const struct fm_stack *stack)
{
    return stack->shown_count > 0 ? stack->shown[0] : FM_SITE_HIDDEN;
}

/** Assigns the state to the calling thread, and clears all that it contains. */
void fm_stack_move(struct fm_stack *stack);

/** Clears the kept stack: the next update records all functions, with `kept` and `dropped` 0. */
void fm_stack_forget(struct fm_stack *stack);

#endif
