/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Targets of direct call instructions and of stubs on x86-64.
 */
#ifndef FERMATA_RECORD_STACK_ARCH_X86_64_CALLS_H
#define FERMATA_RECORD_STACK_ARCH_X86_64_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Bytes that the functions below read: before a return address, and from the begin of a stub. */
enum { FM_CALL_BYTES = 8, FM_STUB_BYTES = 16 };

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

/** Decodes a stub that jumps through a slot, like the entries of a procedure linkage table.
 * @return false: it is not such a stub */
static inline bool fm_stub_slot(const uint8_t *stub, uint64_t *slot)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    if (memcmp(stub, landing, sizeof landing) == 0) {
        stub += sizeof landing;
    }
    stub += *stub == 0xf2; /* bnd */
    if (stub[0] != 0xff || stub[1] != 0x25) {
        return false;
    }
    *slot = fm_code_relative(stub + 2);
    return true;
}

#endif
