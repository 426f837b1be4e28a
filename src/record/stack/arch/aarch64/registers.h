/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Registers of 64-bit Arm (AAPCS64) for unwinding: their DWARF numbers, and how to get the state of
 * a function's caller.
 */
#ifndef FERMATA_RECORD_STACK_ARCH_AARCH64_REGISTERS_H
#define FERMATA_RECORD_STACK_ARCH_AARCH64_REGISTERS_H

#include "record/stack/unwind/unwind_rule.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

/** The registers that unwinding needs. */
struct fm_registers {
    uint64_t pc, sp, fp;
    uint64_t link;      /**< return address if it may still be in the link register; 0: unknown */
    uint64_t arguments; /**< 0: no register holds the cfa while a function aligns its stack */
};

enum {
    FM_DWARF_FRAME_POINTER = 29,
    FM_DWARF_STACK_POINTER = 31,
    FM_DWARF_ARGUMENTS = 255, /* no register */
    FM_DWARF_RETURN_ADDRESS = 30,
    FM_DWARF_PROGRAM_COUNTER = 32
};

/** Where a function has saved the registers of its caller, as given by FM_HERE in that function. */
struct fm_here {
    const uint64_t *frame; /**< frame record: the caller's x29, the return address */
    uint64_t cfa;          /**< the stack pointer before the call */
};

/** In a function: makes the function keep a frame record; its value is a struct fm_here. */
#define FM_HERE                                                                                    \
    ((struct fm_here){(const uint64_t *)__builtin_frame_address(0),                                \
                      (uint64_t)(uintptr_t)__builtin_dwarf_cfa()})

/** The return address without its signature, if it is signed (xpaclri, which has no effect on
 * processors without pointer authentication). */
static inline uint64_t fm_plain_address(uint64_t stored)
{
    register uint64_t link __asm__("x30") = stored;
    __asm__("hint 7" : "+r"(link));
    return link;
}

/** State of the caller of the function that `here` belongs to, after the call instruction. */
static inline struct fm_registers fm_here_caller(struct fm_here here)
{
    return (struct fm_registers){.pc = fm_plain_address(here.frame[1]),
                                 .sp = here.cfa,
                                 .fp = here.frame[0],
                                 .link = 0,
                                 .arguments = 0};
}

/** State of the code that a signal has interrupted. */
static inline struct fm_registers fm_here_interrupted(const ucontext_t *context)
{
    return (struct fm_registers){.pc = context->uc_mcontext.pc,
                                 .sp = context->uc_mcontext.sp,
                                 .fp = context->uc_mcontext.regs[29],
                                 .link = fm_plain_address(context->uc_mcontext.regs[30]),
                                 .arguments = 0};
}

/** The rule of the code that a signal handler returns to, which the kernel provides: it restores
 * all registers from the stack, but its unwind information describes the frame pointer only.
 * @param code  FM_SIGNAL_BYTES from a return address on
 * @return false: it is other code; the rule is unchanged */
enum { FM_SIGNAL_BYTES = 8 };
static inline bool fm_signal_rule(const uint8_t *code, struct fm_unwind_rule *rule)
{
    static const uint32_t rt_sigreturn[] = {0xd2801168u, 0xd4000001u}; /* mov x8, 139; svc 0 */
    enum { REGISTERS = 312 };                                          /* behind siginfo, ... */
    if (memcmp(code, rt_sigreturn, sizeof rt_sigreturn) != 0) {
        return false;
    }
    *rule = (struct fm_unwind_rule){.cfa_offset = REGISTERS + 8 * 31,
                                    .pc_offset = REGISTERS + 8 * 32,
                                    .fp_offset = REGISTERS + 8 * 29,
                                    .cfa = FM_CFA_AT_SP,
                                    .pc_cell = FM_CELL_SP,
                                    .fp_cell = FM_CELL_SP,
                                    .signal = 1};
    return true;
}

#endif
