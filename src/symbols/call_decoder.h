/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Decoders of call instructions by processor, for code that is read from files of any of them.
 */
#ifndef FERMATA_SYMBOLS_CALL_DECODER_H
#define FERMATA_SYMBOLS_CALL_DECODER_H

#include <stdbool.h>
#include <stdint.h>

/** The functions of base/code/calls_x86_64.h or calls_aarch64.h, and the types of the relocations
 * of slots: words that the dynamic linker sets to the addresses of functions. */
struct fm_call_decoder {
    int call_bytes, stub_bytes;
    bool (*call_target)(const uint8_t *behind, uint64_t *target, bool *in_slot);
    bool (*stub_slot)(const uint8_t *stub, uint64_t *slot, int *length);
    unsigned jump_slot, global_data;
};

extern const struct fm_call_decoder fm_call_decoder_x86_64, fm_call_decoder_aarch64;

#endif
