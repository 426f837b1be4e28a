/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * C++ names as programmers write them.
 */
#ifndef FERMATA_SYMBOLS_SHORT_NAME_H
#define FERMATA_SYMBOLS_SHORT_NAME_H

/** Shortens a demangled name in place: leaves out the default template arguments of the standard
 * library and its inline namespaces, and uses its names for strings and streams:
 *     `std::vector<int, std::allocator<int> >::size` -> `std::vector<int>::size`
 *     `std::__cxx11::basic_string<char, ...>` -> `std::string` */
void fm_shorten_name(char *name);

#endif
