/** @file
 * Names of the program's variables by their addresses, from the symbol tables of the loaded files.
 */
#ifndef FERMATA_RECORD_STACK_VARIABLES_H
#define FERMATA_RECORD_STACK_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The variable that contains an address: its name in the program's language, with the offset in it
 * if that is not 0 ("table+64"). Reads the file; not async-signal-safe.
 * @param text  receives the name, shortened to the size
 * @return false: it is not known: no variable, or the file has no symbols */
bool fm_variable_at(uint64_t address, char *text, size_t size);

#endif
