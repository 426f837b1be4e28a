/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of the program's variables by their addresses, from debug information and the symbol tables
 * of the files that were loaded.
 */
#ifndef FERMATA_RECORD_STACK_VARIABLES_H
#define FERMATA_RECORD_STACK_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/** A loaded file. */
struct fm_variable_file {
    const char *path; /**< NULL: not known */
    const uint8_t *build_id;
    uint32_t build_id_length; /**< 0: it has none */
};

/** Instead of a file: the variable lies in none. */
#define FM_VARIABLE_NO_FILE UINT32_MAX

/** A variable that is asked for. */
struct fm_variable {
    uint64_t address; /**< in the process */
    uint32_t file;    /**< that it lies in: position among the files; FM_VARIABLE_NO_FILE */
    uint64_t base;    /**< of the file: address = base + address in the file */
    char *name; /**< its name in the program's language, with the element or member at the address,
                     and its place if debug information has it: "queues[1].lock (queue.c:17)"; by
                     its symbol alone "queues+64"; to be freed; NULL: no variable, or not known */
};

/** Names variables by the helper program fermata-symbols, which refuses files that are not those of
 * their build IDs. Not async-signal-safe.
 * @param helper  path of the program; "": not available */
void fm_variables_name(struct fm_variable *variables, size_t count,
                       const struct fm_variable_file *files, size_t file_count, const char *helper);

/** Names the variables that have no name yet by the symbol tables of the files, which must be the
 * ones that are loaded. Reads files; not async-signal-safe. */
void fm_variables_search(struct fm_variable *variables, size_t count,
                         const struct fm_variable_file *files);

#endif
