/** @file
 * What unwinding has to know of x86-64 (System V ABI): DWARF numbers of registers, and how to get
 * the state of a function's caller.
 */
#ifndef FERMATA_RECORD_STACK_ARCH_X86_64_REGISTERS_H
#define FERMATA_RECORD_STACK_ARCH_X86_64_REGISTERS_H

#include "record/stack/unwind_rule.h"

#include <stdint.h>
#include <ucontext.h>

/** The registers that unwinding needs. */
struct fm_registers {
    uint64_t pc, sp, fp;
    uint64_t link; /**< 0: return addresses are always in memory */
};

enum { FM_DWARF_FRAME_POINTER = 6, FM_DWARF_STACK_POINTER = 7, FM_DWARF_RETURN_ADDRESS = 16 };

/** Where a function keeps what its caller needs, as given by FM_HERE in that function. */
struct fm_here {
    const uint64_t *frame; /**< saved frame pointer, return address */
};

/** In a function: makes it keep a frame pointer, and returns its place. A function that aligns its
 * stack for wide vectors has a frame of another kind: such code is to be compiled without them. */
#define FM_HERE ((struct fm_here){(const uint64_t *)__builtin_frame_address(0)})

/** State of the caller of the function `here` is of, behind the call. */
static inline struct fm_registers fm_here_caller(struct fm_here here)
{
    return (struct fm_registers){.pc = here.frame[1],
                                 .sp = (uint64_t)(uintptr_t)(here.frame + 2),
                                 .fp = here.frame[0],
                                 .link = 0};
}

/** State of what a signal has interrupted. */
static inline struct fm_registers fm_here_interrupted(const ucontext_t *context)
{
    return (struct fm_registers){.pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP],
                                 .sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP],
                                 .fp = (uint64_t)context->uc_mcontext.gregs[REG_RBP],
                                 .link = 0};
}

/** A return address as it lies in memory, as the address it leads to. */
static inline uint64_t fm_plain_address(uint64_t stored)
{
    return stored;
}

/** The rule of the code that a signal handler returns to, where its unwind information does not
 * tell: that of the C library does. */
enum { FM_SIGNAL_BYTES = 8 };
static inline bool fm_signal_rule(const uint8_t *code, struct fm_unwind_rule *rule)
{
    (void)code, (void)rule;
    return false;
}

#endif
