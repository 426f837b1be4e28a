/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The names by which the code of a binary calls functions of other binaries. Such a call leads
 * through a slot, `call *slot(%rip)`, or through a stub of the procedure linkage table that jumps
 * through a slot. The relocation of the slot contains the name of the function, whatever the
 * dynamic linker has chosen for it: the call of `sin` leads to a function of libm that has no
 * exported name. x86-64 and 64-bit Arm.
 */
#ifndef FERMATA_SYMBOLS_CALL_NAMES_H
#define FERMATA_SYMBOLS_CALL_NAMES_H

#include <libelf.h>
#include <stdint.h>

struct fm_call_names;

/** Reads the relocations of a binary's slots.
 * @return valid as long as `elf`, to be freed with fm_call_names_free(); NULL: no memory */
struct fm_call_names *fm_call_names_read(Elf *elf);

/** NULL is allowed. */
void fm_call_names_free(struct fm_call_names *names);

/** Finds the name of the function that a call instruction calls. O(log slots).
 * @param address  in the file, of the last byte of the instruction
 * @return the compiler's name, which belongs to the binary; NULL: there is no call, it calls a
 * function of the same binary, or by an address that the code computes. Not thread-safe. */
const char *fm_call_names_find(const struct fm_call_names *names, uint64_t address);

#endif
