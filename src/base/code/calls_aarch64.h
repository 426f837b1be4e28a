/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Targets of direct call instructions and of stubs on 64-bit Arm.
 */
#ifndef FERMATA_BASE_CODE_CALLS_AARCH64_H
#define FERMATA_BASE_CODE_CALLS_AARCH64_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Bytes that the functions below read: before a return address, and from the begin of a stub.
 * Stubs begin at multiples of FM_STUB_UNIT. */
enum { FM_CALL_BYTES = 4, FM_STUB_BYTES = 16, FM_STUB_LONGEST = 24, FM_STUB_UNIT = 8 };

/** A call leaves the return address in the link register. */
enum { FM_CALL_PUSHES = 0 };

static inline uint32_t fm_code_word(const uint8_t *place)
{
    uint32_t word;
    memcpy(&word, place, sizeof word);
    return word;
}

/** Decodes the call before a return address.
 * @param target   out: address of the called function, or (`in_slot`) of the word that contains it
 * @return false: it is not a call with a fixed target */
static inline bool fm_call_target(const uint8_t *behind, uint64_t *target, bool *in_slot)
{
    uint32_t word = fm_code_word(behind - 4);
    *in_slot = false;
    if ((word & 0xfc000000u) != 0x94000000u) { /* bl */
        return false;
    }
    int32_t distance = (int32_t)(word << 6) >> 4; /* 26 bits, in words */
    *target = (uint64_t)(uintptr_t)(behind - 4) + (uint64_t)(int64_t)distance;
    return true;
}

/** Whether a call precedes an address, so that it may be a return address: bl, blr, blraa, ... */
static inline bool fm_follows_call(const uint8_t *behind)
{
    uint32_t word = fm_code_word(behind - 4);
    return (word & 0xfc000000u) == 0x94000000u || (word & 0xfefff000u) == 0xd63f0000u;
}

/** Number of words on the stack in front of the return address; here always unknown, -1: calls
 * leave it in the link register. */
enum { FM_PLACE_BEHIND = 4 };
static inline int fm_words_pushed(const uint8_t *code, bool before)
{
    (void)code, (void)before;
    return -1;
}

/** Whether the code is the entry of the table that stubs jump to at the first call: stp x16, x30,
 * [sp, -16]!
 * @param code  FM_STUB_BYTES */
static inline bool fm_stub_binds(const uint8_t *code)
{
    uint32_t word = fm_code_word(code);
    return (word == 0xd503245fu ? fm_code_word(code + 4) : word) == 0xa9bf7bf0u; /* bti c */
}

/** Decodes a stub that jumps through a slot, like the entries of a procedure linkage table: adrp
 * x16, page; ldr x17, [x16, offset]; ...
 * @param length  out: bytes up to the end of the jump
 * @return false: it is not such a stub */
static inline bool fm_stub_slot(const uint8_t *stub, uint64_t *slot, int *length)
{
    enum { INSTRUCTION = 4, INSTRUCTIONS = 4 };
    uint32_t page = fm_code_word(stub);
    *length = INSTRUCTIONS * INSTRUCTION;
    if (page == 0xd503245fu) { /* bti c */
        stub += INSTRUCTION;
        *length += INSTRUCTION;
        page = fm_code_word(stub);
    }
    uint32_t load = fm_code_word(stub + 4);
    if ((page & 0x9f00001fu) != 0x90000010u || (load & 0xffc003ffu) != 0xf9400211u) {
        return false;
    }
    uint32_t pages = (page >> 5 & 0x7ffffu) << 2 | (page >> 29 & 3u);
    int64_t distance = (int64_t)(int32_t)(pages << 11) * 2; /* 21 bits, times 4096 */
    *slot = ((uint64_t)(uintptr_t)stub & ~(uint64_t)0xfff) + (uint64_t)distance +
            (uint64_t)(load >> 10 & 0xfffu) * 8;
    return true;
}

#endif
