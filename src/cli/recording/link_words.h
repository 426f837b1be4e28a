/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What `fermata link` adds to the command that links a program, so that the linker leads calls of
 * libraries that become part of the program through the recorder's entries
 * (src/record/link/entry.h).
 *
 *     mpicc -o app app.o -lga -larmci
 *       -Wl,@.../fermata-link.options       calls of f go to the entry, those of __real_f to f
 *       -Wl,--start-group
 *           .../libfermata-link.a           the entries
 *           -lga -larmci                    again: what only entries call
 *       -Wl,--end-group
 *
 * If the program will contain MPICH (-l:libmpich.a), likewise fermata-link-mpi.options and
 * libfermata-link-mpi.a.
 */
#ifndef FERMATA_CLI_RECORDING_LINK_WORDS_H
#define FERMATA_CLI_RECORDING_LINK_WORDS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** Archives of entries: of libraries that are always static, and of MPI's. */
enum { FM_LINK_ARCHIVES = 2 };

/** Words of a command, followed by NULL. Zeroed = none. The texts belong to the caller, except
 * those that fm_link_add_words() makes. */
struct fm_words {
    const char **items;
    size_t count, room;
    char *texts[FM_LINK_ARCHIVES][2];
};

/** Appends a word; FM_ERR_SYSTEM without memory. */
fm_status_t fm_words_add(struct fm_words *words, const char *word, struct fm_error *error);

void fm_words_free(struct fm_words *words);

/** Whether the arguments of a compiler link a program with such a library. Ends with NULL. */
bool fm_link_is_needed(char *const *arguments);

/** Appends what the linker needs for a command with these arguments; FM_ERR_SYSTEM if files of
 * fermata are missing, or without memory. */
fm_status_t fm_link_add_words(struct fm_words *words, char *const *arguments,
                              struct fm_error *error);

#endif
