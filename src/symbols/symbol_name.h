/** @file
 * Source-level names of functions from the linkage names that compilers generate.
 */
#ifndef FERMATA_SYMBOLS_SYMBOL_NAME_H
#define FERMATA_SYMBOLS_SYMBOL_NAME_H

/** @return the name without the compiler's additions, to be freed with free(); NULL without memory.
 *
 * C++ (Itanium ABI), Rust in its older form: demangled, without parameters and result type:
 *     `_ZN4Comm7forwardEi` -> `Comm::forward`
 * Fortran: procedures of modules by gfortran, flang, Intel:
 *     `__mod_MOD_proc`, `_QMmodPproc`, `mod_mp_proc_` -> `mod::proc`
 * Parts and copies of functions: `f.cold`, `f.part.0`, `f.constprop.0.isra.0` -> `f`.
 * Thread-safe. */
char *fm_symbol_name(const char *symbol);

#endif
