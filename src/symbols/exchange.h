/** @file
 * How a program is asked what addresses stand for: by one file with questions and one with answers,
 * both of lines. The recorder asks in this way at the end of a run, so that nothing that reads
 * debug information ever lives in the program that is recorded.
 *
 * Questions:  `M <build-id or -> <path>`           a binary; they are numbered from 0
 *             `S <binary> <function> <address>`    addresses in the file, hexadecimal
 *             `E <binary> <path>`                  which functions the filter in a file leaves out
 * Answers, for each question but `M`, in order:
 *             `F <line> <call line>` and, behind tabs, name, symbol, file, call file (may be
 * empty), for each function, outermost first
 *             `D <0 or 1>`           whether functions without a symbol are left out
 *             `X <address>`          a function of which that is not true
 *             `.`                    the end of this one's
 */
#ifndef FERMATA_SYMBOLS_EXCHANGE_H
#define FERMATA_SYMBOLS_EXCHANGE_H

#include <stdio.h>

/** Reads questions and writes answers until the questions end.
 * @return 0, or -1: a question makes no sense or the answers cannot be written */
int fm_symbols_answer(FILE *questions, FILE *answers);

#endif
