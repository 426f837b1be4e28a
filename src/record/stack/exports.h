/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Symbols that a loaded binary exports, by its own tables for the dynamic linker: no lock, no
 * allocation, unlike dlsym().
 */
#ifndef FERMATA_RECORD_STACK_EXPORTS_H
#define FERMATA_RECORD_STACK_EXPORTS_H

#include <link.h>
#include <stdint.h>

/** Address of a symbol that a loaded binary defines; 0: it exports none with that name, or has no
 * GNU hash table. O(1). Called for binaries that stay loaded during the call. */
uint64_t fm_export_find(const struct dl_phdr_info *binary, const char *name);

#endif
