/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Targets of direct call instructions and of stubs on x86-64.
 */
#ifndef FERMATA_BASE_CODE_CALLS_X86_64_H
#define FERMATA_BASE_CODE_CALLS_X86_64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Bytes that the functions below read: before a return address, and from the begin of a stub.
 * Stubs begin at multiples of FM_STUB_UNIT. */
enum { FM_CALL_BYTES = 8, FM_STUB_BYTES = 16, FM_STUB_LONGEST = 16, FM_STUB_UNIT = 8 };

/** A call pushes the return address. */
enum { FM_CALL_PUSHES = 1 };

static inline uint64_t fm_code_relative(const uint8_t *distance)
{
    int32_t value;
    memcpy(&value, distance, sizeof value);
    return (uint64_t)(uintptr_t)(distance + sizeof value) + (uint64_t)(int64_t)value;
}

/** Decodes the call before a return address.
 * @param target   out: address of the called function, or (`in_slot`) of the word that contains it
 * @return false: it is not a call with a fixed target */
static inline bool fm_call_target(const uint8_t *behind, uint64_t *target, bool *in_slot)
{
    *in_slot = behind[-6] == 0xff && behind[-5] == 0x15; /* call *slot(%rip) */
    if (behind[-5] != 0xe8 && !*in_slot) {
        return false;
    }
    *target = fm_code_relative(behind - 4);
    return true;
}

/** Whether an indirect call with operands of this length precedes a return address. */
static inline bool fm_is_indirect_call(const uint8_t *begin, int length)
{
    enum { CALL = 2, SIB = 4, NO_BASE = 5 };
    const unsigned mode = begin[1] >> 6, memory = begin[1] & 7;
    if (begin[0] != 0xff || (begin[1] >> 3 & 7) != CALL) {
        return false;
    }
    int needed = 2 + (mode != 3 && memory == SIB);
    if (mode == 1) {
        needed += 1;
    } else if (mode == 2 || (mode == 0 && memory == NO_BASE) ||
               (mode == 0 && memory == SIB && (begin[2] & 7) == NO_BASE)) {
        needed += 4;
    }
    return needed == length;
}

/** Whether a call precedes an address, so that it may be a return address. */
static inline bool fm_follows_call(const uint8_t *behind)
{
    enum { SHORTEST = 2, LONGEST = 7 };
    bool found = behind[-5] == 0xe8;
    for (int length = SHORTEST; !found && length <= LONGEST; length++) {
        found = fm_is_indirect_call(behind - length, length);
    }
    return found;
}

/** Number of words on the stack in front of the return address, if the code at this place shows it:
 * at the begin of a function that keeps a frame pointer, and at a return.
 * @param code    FM_PLACE_BEHIND bytes
 * @param before  whether the byte before them is readable, too
 * @return -1: unknown */
enum { FM_PLACE_BEHIND = 3 };
static inline int fm_words_pushed(const uint8_t *code, bool before)
{
    static const uint8_t moves[][3] = {{0x48, 0x89, 0xe5}, {0x48, 0x8b, 0xec}}; /* mov %rsp, %rbp */
    enum { PUSH = 0x55, RETURN = 0xc3 };                                        /* push %rbp, ret */
    bool moves_next = memcmp(code, moves[0], sizeof moves[0]) == 0 ||
                      memcmp(code, moves[1], sizeof moves[1]) == 0;
    if (code[0] == RETURN || code[0] == PUSH) {
        return 0;
    }
    return before && moves_next && code[-1] == PUSH ? 1 : -1;
}

/** Length of the instruction endbr64, if the code begins with it. */
static inline int fm_landing_length(const uint8_t *code)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    return memcmp(code, landing, sizeof landing) == 0 ? (int)sizeof landing : 0;
}

/** Decodes a stub that jumps through a slot, like the entries of a procedure linkage table.
 * @param length  out: bytes up to the end of the jump
 * @return false: it is not such a stub */
static inline bool fm_stub_slot(const uint8_t *stub, uint64_t *slot, int *length)
{
    int begin = fm_landing_length(stub);
    begin += stub[begin] == 0xf2; /* bnd */
    if (stub[begin] != 0xff || stub[begin + 1] != 0x25) {
        return false;
    }
    *slot = fm_code_relative(stub + begin + 2);
    *length = begin + 6;
    return true;
}

/** Whether the code binds the function of a stub at its first call: it pushes a number and jumps,
 * or it is the entry of the table that such code jumps to.
 * @param code  FM_STUB_BYTES */
static inline bool fm_stub_binds(const uint8_t *code)
{
    const uint8_t *push = code + fm_landing_length(code);
    if (push[0] == 0x68) {
        return push[5 + (push[5] == 0xf2)] == 0xe9;
    }
    return push[0] == 0xff && push[1] == 0x35 && push[6 + (push[6] == 0xf2)] == 0xff;
}

#endif
