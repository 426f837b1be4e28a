/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads the unwind information of a loaded binary: .eh_frame_hdr and .eh_frame (Linux Standard Base
 * 5.0, Exception Frames; DWARF 5, 6.4).
 *
 * Async-signal-safe, allocates nothing. The information may be damaged: nothing outside the bounds
 * is read, and invalid information yields no rule.
 */
#ifndef FERMATA_RECORD_STACK_UNWIND_CFI_H
#define FERMATA_RECORD_STACK_UNWIND_CFI_H

#include "record/stack/unwind/unwind_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where the unwind information of a binary lies in memory. */
struct fm_cfi {
    const uint8_t *header;     /**< .eh_frame_hdr; NULL: there is none */
    const uint8_t *header_end; /**< end of the readable memory it lies in */
    const uint8_t *low, *high; /**< readable memory that may hold .eh_frame */
};

/** Finds the unwind rule at `pc`. O(log n) in the number of functions with the sorted table of
 * .eh_frame_hdr, else O(n).
 * @param pc        address in the function; for a return address, the address before it: the call
 * @param rule      out: FM_CFA_UNKNOWN if there is no usable information
 * @param function  out: address of the function's begin; 0: unknown */
void fm_cfi_find(const struct fm_cfi *cfi, uint64_t pc, struct fm_unwind_rule *rule,
                 uint64_t *function);

#endif
