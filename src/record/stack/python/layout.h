/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Layouts of CPython's structures that call stacks are read from, by version of the interpreter.
 *
 * The functions that a thread of the interpreter is in form a chain of frames, from the innermost
 * (struct _PyInterpreterFrame). Each activation of the interpreter's evaluation loop in C runs a
 * part of the chain, because calls between Python functions do not recurse in C. The part ends
 *   3.11  with a frame that is marked (`entry`); the activations form a chain, too, of _PyCFrame
 *         structures on the C stack, the innermost first
 *   3.12  before a frame that has no function and is on the C stack (FRAME_OWNED_BY_CSTACK)
 * A frame contains the address of its code object and that of the instruction that it executes,
 * which is inside the code object.
 *
 * The offsets are those of the interpreter's headers (pycore_frame.h, cpython/code.h and others);
 * tests/live/python compares what is read by them with what the interpreter itself reports.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_LAYOUT_H
#define FERMATA_RECORD_STACK_PYTHON_LAYOUT_H

#include <stdint.h>

/** Offsets in bytes. FM_LAYOUT_NONE: the version does not have the member. */
#define FM_LAYOUT_NONE UINT16_MAX

struct fm_python_layout {
    uint16_t version; /**< major << 8 | minor */
    /* PyThreadState */
    uint16_t thread_id;     /**< pthread_t of the thread */
    uint16_t thread_cframe; /**< innermost _PyCFrame */
    uint16_t thread_frame;  /**< innermost frame; in versions with _PyCFrame it is there */
    /* _PyCFrame */
    uint16_t cframe_frame; /**< innermost frame */
    uint16_t cframe_previous;
    /* _PyInterpreterFrame */
    uint16_t frame_code, frame_instruction, frame_previous;
    uint16_t frame_entry; /**< bool: outermost frame of its activation */
    uint16_t frame_owner; /**< char: FM_PYTHON_ON_C_STACK: no function */
    /* PyCodeObject */
    uint16_t code_name, code_file, code_lines; /**< qualified name, file, location table */
    uint16_t code_first_line;                  /**< int */
    uint16_t code_begin;                       /**< first instruction */
    /* PyASCIIObject and PyCompactUnicodeObject */
    uint16_t ascii_text, wide_text; /**< sizes of the structures: the text follows */
};

/** Members that all versions have at the same place. */
enum {
    FM_PYTHON_OBJECT_TYPE = 8,
    FM_PYTHON_TEXT_LENGTH = 16, /**< in characters */
    FM_PYTHON_TEXT_STATE =
        32, /**< bits: interned 2, kind 3 (bytes of a character), compact, ascii */
    FM_PYTHON_BYTES_LENGTH = 16,
    FM_PYTHON_BYTES_CONTENT = 32,
    FM_PYTHON_INSTRUCTION = 2, /**< size */
    FM_PYTHON_ON_C_STACK = 3
};

/** Layout of a version.
 * @param version  major << 8 | minor
 * @return NULL: the version is not supported */
const struct fm_python_layout *fm_python_layout(uint32_t version);

#endif
