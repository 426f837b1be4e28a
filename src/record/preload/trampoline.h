/* SPDX-License-Identifier: BSD-3-Clause */
/* This file contains assembly, which clang-format would format as C. */
/* clang-format off */

/* Assembly macros of the preload library. An exported function jumps to the address in its slot.
 * Until fm_preload_resolve fills the slot, it contains the address of a stub, which calls the
 * resolver with the function's number. No argument register or stack slot of the caller changes, so
 * functions with any prototype, also variadic ones, can be forwarded. */
#if defined(__x86_64__)

#define FM_TRAMPOLINE(name, number)                                                                \
    .globl name;                                                                                   \
    .type name, %function;                                                                         \
    .p2align 4;                                                                                    \
    name : .cfi_startproc;                                                                         \
    endbr64;                                                                                       \
    jmp *fm_preload_slots + 8 * number(%rip);                                                      \
    .size name, .- name;                                                                           \
    .Lstub##number : endbr64;                                                                      \
    pushq $number;                                                                                 \
    .cfi_adjust_cfa_offset 8;                                                                      \
    jmp fm_preload_enter_resolver;                                                                 \
    .cfi_endproc

#elif defined(__aarch64__)

#define FM_TRAMPOLINE(name, number)                                                                \
    .globl name;                                                                                   \
    .type name, %function;                                                                         \
    .p2align 4;                                                                                    \
    name : .cfi_startproc;                                                                         \
    hint 34;                                                                                       \
    adrp x16, fm_preload_slots + 8 * number;                                                       \
    ldr x16, [x16, :lo12:fm_preload_slots + 8 * number];                                          \
    br x16;                                                                                        \
    .size name, .- name;                                                                           \
    .Lstub##number : hint 36;                                                                      \
    mov x17, number;                                                                               \
    b fm_preload_enter_resolver;                                                                   \
    .cfi_endproc

#else
#error "no trampolines for this processor"
#endif

#define FM_SLOTS_BEGIN                                                                             \
    .section .data;                                                                                \
    .p2align 4;                                                                                    \
    .globl fm_preload_slots;                                                                       \
    .hidden fm_preload_slots;                                                                      \
    fm_preload_slots:
#define FM_SLOT(number) .quad .Lstub##number
#define FM_SLOTS_END    .section .note.GNU-stack, "", %progbits
