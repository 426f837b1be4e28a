/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Source-level names of functions from the linkage names that compilers generate.
 */
#ifndef FERMATA_SYMBOLS_SYMBOL_NAME_H
#define FERMATA_SYMBOLS_SYMBOL_NAME_H

#include <stdbool.h>

/** @return the name without the compiler's additions, to be freed with free(); NULL without memory.
 *
 * C++ (Itanium ABI): demangled, without parameters and result type, and shortened (short_name.h):
 *     `_ZN4Comm7forwardEi` -> `Comm::forward`
 * Rust, in its older form and, with libiberty, in its newer one (v0): demangled, without hashes:
 *     `_ZN4grid4Cell4step17h0123456789abcdefE`, `_RNvMCs15kBYyAo9fc_4gridNtB2_4Cell4step`
 *     -> `grid::Cell::step`
 * Fortran: procedures of modules by gfortran, flang, Intel:
 *     `__mod_MOD_proc`, `_QMmodPproc`, `mod_mp_proc_` -> `mod::proc`
 * Parts and copies of functions: `f.cold`, `f.part.0`, `f.constprop.0.isra.0` -> `f`.
 * Thread-safe. */
char *fm_symbol_name(const char *symbol);

/** Shortens the name of a C++ function that does not come from a symbol, in place, unless names are
 * left as they are. */
void fm_symbol_name_shorten(char *name);

/** Whether C++ names are left as they are demangled, with parameters. Initially they are not.
 * Called before other threads exist. */
void fm_symbol_names_full(bool full);

#endif
