/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The symbols of a binary, found by address in O(log symbols), with the results of libdwfl's
 * dwfl_module_addrinfo(), which visits all symbols for each address.
 */
#ifndef FERMATA_SYMBOLS_SYMBOL_TABLE_H
#define FERMATA_SYMBOLS_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

struct fm_symbol_table;

/** Reads the symbols of a binary.
 * @return valid as long as the module, to be freed with fm_symbol_table_free(); NULL: no memory */
struct fm_symbol_table *fm_symbol_table_read(Dwfl_Module *module);

/** NULL is allowed. */
void fm_symbol_table_free(struct fm_symbol_table *table);

/** Finds the symbol that an address lies in.
 * @param address  as libdwfl counts
 * @param offset   out: of the address in the symbol
 * @return the symbol's name, which belongs to the module; NULL: none with a size contains it */
const char *fm_symbol_table_find(const struct fm_symbol_table *table, GElf_Addr address,
                                 GElf_Off *offset);

/** @return whether a symbol without a size, such as a label in assembly, is at an address. */
bool fm_symbol_table_has_label(const struct fm_symbol_table *table, GElf_Addr address);

#endif
