/** @file
 * Reads the unwind information of a loaded binary: .eh_frame_hdr and .eh_frame (Linux Standard Base
 * 5.0, Exception Frames; DWARF 5, 6.4).
 *
 * Async-signal-safe, allocates nothing. What it reads may be damaged: nothing outside the bounds is
 * read, and what makes no sense leads to no rule.
 */
#ifndef FERMATA_RECORD_STACK_CFI_H
#define FERMATA_RECORD_STACK_CFI_H

#include "record/stack/unwind_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where the unwind information of a binary lies in memory. */
struct fm_cfi {
    const uint8_t *header;     /**< .eh_frame_hdr; NULL: there is none */
    const uint8_t *header_end; /**< end of the readable memory it lies in */
    const uint8_t *low, *high; /**< readable memory that may hold .eh_frame */
};

/** Finds the rule of the function that `pc` is in.
 * @param pc        any address in it; of a return address, the one before: the call itself
 * @param rule      out: FM_CFA_UNKNOWN if there is no usable information
 * @param function  out: where the function begins; 0: unknown */
void fm_cfi_find(const struct fm_cfi *cfi, uint64_t pc, struct fm_unwind_rule *rule,
                 uint64_t *function);

#endif
