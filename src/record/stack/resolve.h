/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of call sites, determined by the helper program fermata-symbols, which reads debug
 * information.
 */
#ifndef FERMATA_RECORD_STACK_RESOLVE_H
#define FERMATA_RECORD_STACK_RESOLVE_H

#include "record/archive/define.h"

/** Determines functions, files and lines of call sites. A function without symbol is named
 * `binary+0xaddress`; in a shared library `(unnamed code in library)`, unless functions of the
 * library are instrumented. What a call calls has the name that the call has for it, if it is in a
 * library (fm_symbols_find_called).
 * @param sites     set with BINARY and SITE definitions
 * @param helper    path of fermata-symbols; "": not available, no symbols are read
 * @param resolved  empty set; out: the same sites, with the same numbers, and their frames
 * @return false without memory. Not thread-safe. */
bool fm_resolve(const struct fm_definitions *sites, const char *helper,
                struct fm_definitions *resolved);

/** Path of fermata-symbols in a folder, or "" if it does not exist. */
void fm_resolve_helper(const char *folder, char *path, size_t size);

/** Like fm_resolve_helper, for the folder of the library that contains this code. */
void fm_resolve_own_helper(char *path, size_t size);

#endif
