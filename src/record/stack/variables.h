/** @file
 * Names of the program's variables by their addresses, from debug information and the symbol tables
 * of the loaded files.
 */
#ifndef FERMATA_RECORD_STACK_VARIABLES_H
#define FERMATA_RECORD_STACK_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A variable that is asked for. */
struct fm_variable {
    uint64_t address;
    char *name; /**< its name in the program's language, with the element or member at the address,
                     and its place if debug information has it: "queues[1].lock (queue.c:17)"; by
                     its symbol alone "queues+64"; to be freed; NULL: no variable, or not known */
};

/** Names the variables that contain some addresses, by the helper program fermata-symbols, or, if
 * it gives no answer, by the symbol tables of the files. Reads files; not async-signal-safe.
 * @param helper  path of the program; "": not available */
void fm_variables_name(struct fm_variable *variables, size_t count, const char *helper);

#endif
