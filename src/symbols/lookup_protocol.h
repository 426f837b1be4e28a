/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The protocol of fermata-symbols: a stream of question lines and a stream of answer lines. The
 * recorder resolves addresses in this separate program at the end of a run, so that no code that
 * reads debug information is loaded into the recorded program.
 *
 * Questions:  `M <build-id or -> <path>`           a binary; they are numbered from 0
 *             `S <binary> <function> <address>`    addresses in the file, hexadecimal
 *             `T <binary> <function> <calling binary> <address>`  a function, and the last byte of
 * a call of it, which may name it `V <binary> <address>`               the variable at an address
 *             `E <binary> <path>`                  which functions the filter in a file leaves out
 * Answers, for each question but `M`, in order:
 *             `F <line> <call line>` and, behind tabs, name, symbol, file, call file (may be
 * empty), for each function, outermost first
 *             `V <text>`             a variable with its part and place
 *             `D <0 or 1>`           whether functions without a symbol are left out
 *             `X <address>`          a function with a symbol that is an exception to `D`
 *             `.`                    the end of this answer
 */
#ifndef FERMATA_SYMBOLS_LOOKUP_PROTOCOL_H
#define FERMATA_SYMBOLS_LOOKUP_PROTOCOL_H

#include <stdio.h>

/** Reads questions and writes answers until the questions end.
 * @return 0, or -1: a question is malformed or the answers cannot be written */
int fm_symbols_answer(FILE *questions, FILE *answers);

#endif
