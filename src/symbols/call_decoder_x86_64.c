/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/code/calls_x86_64.h"
#include "symbols/call_decoder.h"

#include <elf.h>

const struct fm_call_decoder fm_call_decoder_x86_64 = {
    .call_bytes = FM_CALL_BYTES,
    .stub_bytes = FM_STUB_BYTES,
    .call_target = fm_call_target,
    .stub_slot = fm_stub_slot,
    .jump_slot = R_X86_64_JUMP_SLOT,
    .global_data = R_X86_64_GLOB_DAT,
};
