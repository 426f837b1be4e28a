/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Python functions and their call sites, numbered together with the call sites in binaries
 * (places.h). A function is identified by name, file and first line, so that code that is compiled
 * again is the same function.
 */
#ifndef FERMATA_RECORD_STACK_PYTHON_PYTHON_SITES_H
#define FERMATA_RECORD_STACK_PYTHON_PYTHON_SITES_H

#include "record/stack/python/peek.h"

#include <stdbool.h>
#include <stdint.h>

/** Not a call site: it cannot be determined now. */
#define FM_PYTHON_NOT_NOW (UINT32_MAX - 1)

/** Allocates the tables, once. Thread-safe; not async-signal-safe. @return false without memory */
bool fm_python_functions_begin(void);

/** Call site of an instruction of a code object. The first use of an instruction copies what is
 * needed of the code object. Thread-safe; async-signal-safe.
 * @param mark       fm_code_mark() of the code object
 * @param in_signal  whether the caller is a signal handler: then the function does not wait for
 *                   locks
 * @return FM_SITE_HIDDEN: the function is part of the import system, which tracebacks do not show,
 *         either; FM_SITE_UNKNOWN: there is no room for it; FM_PYTHON_NOT_NOW */
uint32_t fm_python_site(struct fm_peek peek, uint64_t code, uint64_t instruction, uint64_t mark,
                        bool in_signal);

/** A function by its number in fm_site.function; the texts are constant. */
struct fm_python_function {
    const char *name, *file;
    uint32_t line; /**< of its definition; 0: unknown */
};
struct fm_python_function fm_python_function(uint32_t number);

#endif
