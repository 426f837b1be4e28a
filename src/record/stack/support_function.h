/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Support functions: code between a program's own functions that its author has not written and
 * does not know, such as the inner functions of C++'s templates (`std::__invoke_impl`) and of the
 * runtime libraries of languages.
 */
#ifndef FERMATA_RECORD_STACK_SUPPORT_FUNCTION_H
#define FERMATA_RECORD_STACK_SUPPORT_FUNCTION_H

#include <stdbool.h>

/** Whether a function belongs to a runtime library of C, C++, Fortran or CUDA or to C++'s namespace
 * std, or is defined in a header that is installed for the whole system or comes with a compiler.
 * @param name    source-level name (symbols/symbol_name.h)
 * @param binary  path of the program or library that contains the function
 * @param file    where it is defined; NULL: unknown
 * Thread-safe. */
bool fm_is_support_function(const char *name, const char *binary, const char *file);

#endif
