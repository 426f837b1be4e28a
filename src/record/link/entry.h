/* SPDX-License-Identifier: BSD-3-Clause */
/* This file contains assembly, which clang-format would format as C. */
/* clang-format off */

/* Entries of functions whose library is linked into the program (`fermata link`). The linker leads
 * calls of NAME to __wrap_NAME, the entry, and calls of __real_NAME to the library's NAME. The entry
 * jumps to the address in its slot, which is that of the library's function until the recorder
 * replaces it (linked.h). No argument register or stack slot of the caller changes.
 *
 * Each entry is a member of an archive of its own: a program contains those of the functions that it
 * calls, and the library need not have the others. */
#if defined(__x86_64__)
#define FM_ENTRY_JUMP                                                                              \
    endbr64;                                                                                       \
    jmp *.Lfunction(%rip)
#elif defined(__aarch64__)
#define FM_ENTRY_JUMP                                                                              \
    hint 34;                                                                                       \
    adrp x16, .Lfunction;                                                                          \
    ldr x16, [x16, :lo12:.Lfunction];                                                              \
    br x16
#else
#error "no entries for this processor"
#endif

/* The entry of a function; `others`: what FM_ENTRIES_BEGIN defines for its paradigm. The data is a
 * struct fm_linked_entry (linked.h). */
#define FM_ENTRY(name, others)                                                                     \
    .text;                                                                                         \
    .globl __wrap_##name;                                                                          \
    .type __wrap_##name, %function;                                                                \
    .p2align 4;                                                                                    \
    __wrap_##name : .cfi_startproc;                                                                \
    FM_ENTRY_JUMP;                                                                                 \
    .cfi_endproc;                                                                                  \
    .size __wrap_##name, .- __wrap_##name;                                                         \
    .section .rodata.str1.1, "aMS", %progbits, 1;                                                  \
    .Lname : .asciz #name;                                                                         \
    .section fermata_linked, "aw", %progbits;                                                      \
    .p2align 3;                                                                                    \
    .quad .Lname, __real_##name;                                                                   \
    .Lfunction : .quad __real_##name, others;                                                      \
    .section .note.GNU-stack, "", %progbits

/* Addresses of entries that belong to each entry of a paradigm, behind that of the function which
 * reports all of them to the recorder. */
#define FM_ENTRIES_BEGIN(others)                                                                   \
    .section .data.rel.ro, "aw", %progbits;                                                        \
    .p2align 3;                                                                                    \
    .globl others;                                                                                 \
    .hidden others;                                                                                \
    others : .quad fermata_link_connect
#define FM_ENTRIES_END .section .note.GNU-stack, "", %progbits
