/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/python/layout.h"

#include <stddef.h>

static const struct fm_python_layout layouts[] = {
    {
        .version = 0x030b,
        .thread_id = 152,
        .thread_cframe = 56,
        .thread_frame = FM_LAYOUT_NONE,
        .cframe_frame = 8,
        .cframe_previous = 16,
        .frame_code = 32,
        .frame_instruction = 56,
        .frame_previous = 48,
        .frame_entry = 68,
        .frame_owner = FM_LAYOUT_NONE,
        .code_name = 128,
        .code_file = 112,
        .code_lines = 136,
        .code_first_line = 72,
        .code_begin = 184,
        .ascii_text = 48,
        .wide_text = 72,
    },
    {
        .version = 0x030c,
        .thread_id = 136,
        .thread_cframe = 56,
        .thread_frame = FM_LAYOUT_NONE,
        .cframe_frame = 0,
        .cframe_previous = 8,
        .frame_code = 0,
        .frame_instruction = 56,
        .frame_previous = 8,
        .frame_entry = FM_LAYOUT_NONE,
        .frame_owner = 70,
        .code_name = 128,
        .code_file = 112,
        .code_lines = 136,
        .code_first_line = 68,
        .code_begin = 192,
        .ascii_text = 40,
        .wide_text = 56,
    },
    {
        .version = 0x030d,
        .thread_id = 152,
        .thread_cframe = FM_LAYOUT_NONE,
        .thread_frame = 72,
        .cframe_frame = FM_LAYOUT_NONE,
        .cframe_previous = FM_LAYOUT_NONE,
        .frame_code = 0,
        .frame_instruction = 56,
        .frame_previous = 8,
        .frame_entry = FM_LAYOUT_NONE,
        .frame_owner = 70,
        .code_name = 128,
        .code_file = 112,
        .code_lines = 136,
        .code_first_line = 68,
        .code_begin = 200,
        .ascii_text = 40,
        .wide_text = 56,
    },
};

const struct fm_python_layout *fm_python_layout(uint32_t version)
{
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].version == version) {
            return &layouts[i];
        }
    }
    return NULL;
}
