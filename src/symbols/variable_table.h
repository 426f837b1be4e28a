/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The variables of a binary by their addresses, from its debug information.
 */
#ifndef FERMATA_SYMBOLS_VARIABLE_TABLE_H
#define FERMATA_SYMBOLS_VARIABLE_TABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_variables;

/** Finds the global variables, those of namespaces and classes, and static ones of functions. Time:
 * a pass over the debug information.
 * @return to be freed with fm_variables_free(); NULL without memory */
struct fm_variables *fm_variables_read(Dwarf *dwarf);

/** NULL is allowed. */
void fm_variables_free(struct fm_variables *variables);

/** Finds the variable that contains an address.
 * @param offset  out: of the address in it
 * @return false: there is none */
bool fm_variables_find(const struct fm_variables *variables, Dwarf *dwarf, Dwarf_Addr address,
                       Dwarf_Die *variable, uint64_t *offset);

/** Appends the element or member of a variable that begins at an offset, in C and C++:
 * "[2].lock". A member at the begin of a structure is not named: the structure is. What of the
 * offset cannot be expressed is appended as "+16".
 * @param text  of `size` bytes, ending with 0 */
void fm_variable_append_part(Dwarf_Die *variable, uint64_t offset, char *text, size_t size);

#endif
