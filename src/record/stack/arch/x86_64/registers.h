/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Registers of x86-64 (System V ABI) for unwinding: their DWARF numbers, and how to get the state
 * of a function's caller.
 */
#ifndef FERMATA_RECORD_STACK_ARCH_X86_64_REGISTERS_H
#define FERMATA_RECORD_STACK_ARCH_X86_64_REGISTERS_H

#include "record/stack/unwind/unwind_rule.h"

#include <stdint.h>
#include <ucontext.h>

/** The registers that unwinding needs. */
struct fm_registers {
    uint64_t pc, sp, fp;
    uint64_t link;      /**< 0: return addresses are always in memory */
    uint64_t arguments; /**< r10, which holds the cfa while a function aligns its stack, if the code
                             was interrupted; 0: unknown */
};

enum {
    FM_DWARF_FRAME_POINTER = 6,
    FM_DWARF_STACK_POINTER = 7,
    FM_DWARF_ARGUMENTS = 10,
    FM_DWARF_RETURN_ADDRESS = 16,
    FM_DWARF_PROGRAM_COUNTER = 16
};

/** Where a function has saved the registers of its caller, as given by FM_HERE in that function. */
struct fm_here {
    const uint64_t *frame; /**< saved frame pointer, return address */
};

/** In a function: makes the function keep a frame pointer; its value is a struct fm_here. A
 * function that aligns its stack for wide vectors has a frame with another layout: code that uses
 * FM_HERE must be compiled without them. */
#define FM_HERE ((struct fm_here){(const uint64_t *)__builtin_frame_address(0)})

/** State of the caller of the function that `here` belongs to, after the call instruction. */
static inline struct fm_registers fm_here_caller(struct fm_here here)
{
    return (struct fm_registers){.pc = here.frame[1],
                                 .sp = (uint64_t)(uintptr_t)(here.frame + 2),
                                 .fp = here.frame[0],
                                 .link = 0,
                                 .arguments = 0};
}

/** State of the code that a signal has interrupted. */
static inline struct fm_registers fm_here_interrupted(const ucontext_t *context)
{
    return (struct fm_registers){.pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP],
                                 .sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP],
                                 .fp = (uint64_t)context->uc_mcontext.gregs[REG_RBP],
                                 .link = 0,
                                 .arguments = (uint64_t)context->uc_mcontext.gregs[REG_R10]};
}

/** The return address in a stored word; here the word itself (on aarch64 it may be signed). */
static inline uint64_t fm_plain_address(uint64_t stored)
{
    return stored;
}

/** The rule of the code that a signal handler returns to, if that code has no unwind information.
 * On x86-64 the C library provides it, so the result is false. */
enum { FM_SIGNAL_BYTES = 8 };
static inline bool fm_signal_rule(const uint8_t *code, struct fm_unwind_rule *rule)
{
    (void)code, (void)rule;
    return false;
}

#endif
