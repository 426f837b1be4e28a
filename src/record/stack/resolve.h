/** @file
 * Names of call sites: asks the helper program fermata-symbols, which reads debug information.
 */
#ifndef FERMATA_RECORD_STACK_RESOLVE_H
#define FERMATA_RECORD_STACK_RESOLVE_H

#include "record/archive/define.h"

/** Finds out what call sites stand for. Where nothing is known, functions are named
 * `binary+0xaddress`.
 * @param sites     set with BINARY and SITE definitions
 * @param helper    path of fermata-symbols; "": nothing can be asked
 * @param resolved  out: an empty set gets the same sites, with the same numbers, and frames behind
 *                  them
 * @return false without memory. Not thread-safe. */
bool fm_resolve(const struct fm_definitions *sites, const char *helper,
                struct fm_definitions *resolved);

/** Path of fermata-symbols in a folder, or "" if it is not there. */
void fm_resolve_helper(const char *folder, char *path, size_t size);

/** The same for the folder of the library that this code is in. */
void fm_resolve_own_helper(char *path, size_t size);

#endif
