/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The entries of .eh_frame: common information (CIE), and frame descriptions (FDE), one for each
 * function. As cfi.h: async-signal-safe, nothing outside the bounds is read. Private to cfi.c and
 * cfi_entries.c.
 */
#ifndef FERMATA_RECORD_STACK_UNWIND_CFI_ENTRIES_H
#define FERMATA_RECORD_STACK_UNWIND_CFI_ENTRIES_H

#include "record/stack/unwind/cfi.h"
#include "record/stack/unwind/dwarf_bytes.h"

/** What several functions share. */
struct fm_cfi_cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    uint8_t address_encoding;
    bool augmented; /**< FDEs have augmentation data */
    bool signal;
    struct fm_bytes program;
};

/** A function. */
struct fm_cfi_fde {
    struct fm_cfi_cie cie;
    uint64_t begin, length;
    struct fm_bytes program;
};

/** Reads an address.
 * @param encoding  DW_EH_PE_...; an unknown one makes `in` bad
 * @param header    .eh_frame_hdr, which it may be relative to */
uint64_t fm_cfi_address(struct fm_bytes *in, uint8_t encoding, const uint8_t *header);

/** Finds the description of the function at an address.
 * @return false: there is none, or it is damaged */
bool fm_cfi_find_fde(const struct fm_cfi *cfi, uint64_t pc, struct fm_cfi_fde *fde);

#endif
