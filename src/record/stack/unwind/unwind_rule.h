/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Unwind rule for one place in the code of a function: how to compute the registers of its caller.
 * It contains the part of a binary's unwind information (.eh_frame) that call stacks need.
 *
 * With sp and fp being the registers in the function, after the call instruction:
 *   cfa            sp + cfa_offset, fp + cfa_offset, or the word at one of these
 *   caller's pc    the word at base + pc_offset, base being what `pc_cell` names
 *   caller's fp    the word at base + fp_offset, or fp where the function did not save it
 *   caller's sp    cfa
 */
#ifndef FERMATA_RECORD_STACK_UNWIND_UNWIND_RULE_H
#define FERMATA_RECORD_STACK_UNWIND_UNWIND_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum fm_cfa_kind {
    FM_CFA_SP,
    FM_CFA_FP,
    FM_CFA_AT_SP,     /**< in memory: the frames of signal handlers */
    FM_CFA_AT_FP,     /**< in memory: functions that align their stack */
    FM_CFA_ARGUMENTS, /**< in the register fm_registers.arguments: functions that align their stack,
                           at their begin and end */
    FM_CFA_SEARCH, /**< interrupted code without unwind information: the return address is searched
                    */
    FM_CFA_END,    /**< this is the outermost function */
    FM_CFA_UNKNOWN
};

enum fm_cell {
    FM_CELL_CFA,  /**< at cfa + offset */
    FM_CELL_SP,   /**< at sp + offset */
    FM_CELL_FP,   /**< at fp + offset */
    FM_CELL_KEPT, /**< not saved: still in the register */
    FM_CELL_LOST  /**< cannot be restored */
};

struct fm_unwind_rule {
    int32_t cfa_offset, pc_offset, fp_offset;
    uint8_t cfa;     /**< fm_cfa_kind */
    uint8_t pc_cell; /**< fm_cell; KEPT: in the link register, if the processor has one */
    uint8_t fp_cell; /**< fm_cell */
    uint8_t signal;  /**< the caller's pc is not a return address: a signal interrupted it there */
};

/** Whether the rule is of the kind that nearly all code has: the cfa is a register plus an offset,
 * and the saved registers lie below the cfa. */
static inline bool fm_unwind_rule_is_plain(const struct fm_unwind_rule *rule)
{
    enum { WORD = 8 };
    return (rule->cfa == FM_CFA_SP || rule->cfa == FM_CFA_FP) && rule->signal == 0 &&
           rule->pc_cell == FM_CELL_CFA && rule->pc_offset <= -WORD &&
           (rule->fp_cell == FM_CELL_KEPT ||
            (rule->fp_cell == FM_CELL_CFA && rule->fp_offset <= -WORD));
}

#endif
