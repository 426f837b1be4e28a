/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Code objects of the interpreter: the name, file and lines of a Python function.
 *
 * A code object may be freed, and another one be created at its address. A mark tells the two
 * apart: it is computed from the addresses of the object and its parts, the first line, and the
 * text of the name.
 *
 * All functions are async-signal-safe.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_CODE_H
#define FERMATA_RECORD_STACK_PYTHON_CODE_H

#include "record/stack/python/peek.h"

#include <stdbool.h>
#include <stdint.h>

/** Longest text with its end, in bytes; longer ones are cut. */
enum { FM_CODE_TEXT_MOST = 1024 };

/** Mark of a code object; 0: there is none at this address. */
uint64_t fm_code_mark(struct fm_peek peek, uint64_t code);

/** Text of a function's name, of characters with `width` bytes. */
struct fm_code_name {
    uint64_t begin, length;
    uint32_t width;
};

/** Finds the characters of a name, a text object. @return false: there are none to be read */
bool fm_code_name(struct fm_peek peek, uint64_t object, struct fm_code_name *name);

/** What is shown of a code object. */
struct fm_code_text {
    char name[FM_CODE_TEXT_MOST]; /**< qualified name, UTF-8 */
    char file[FM_CODE_TEXT_MOST];
    uint32_t first_line;
};

/** Reads name, file and first line. @return false: this is no code object */
bool fm_code_text(struct fm_peek peek, uint64_t code, struct fm_code_text *text);

/** Offset in bytes of an instruction from the first one; before the first one: 0. */
uint32_t fm_code_offset(uint64_t code, uint64_t instruction);

/** Line of the instruction at an offset, by the location table of PEP 626 as of Python 3.11; the
 * first line if the table does not state it. */
uint32_t fm_code_line(struct fm_peek peek, uint64_t code, uint32_t offset);

#endif
