/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the buffer file of a process lies (buffer_layout.h): in memory that is a file system, or in
 * the experiment.
 *
 * A mapped file must never end the program: where room cannot be reserved for good, such as on file
 * systems of networks, of snapshots or of compression, no buffer file is made.
 */
#ifndef FERMATA_RECORD_BUFFERS_BUFFER_PLACE_H
#define FERMATA_RECORD_BUFFERS_BUFFER_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/** Environment variable with the choice of the user: `auto`, `off`, or a folder. */
#define FM_BUFFERS_VARIABLE "FERMATA_BUFFERS"

/** Folder of the buffer files that is tried first: a file system in memory. */
#define FM_BUFFERS_IN_MEMORY "/dev/shm"

/** Length of the path of a folder that the user chooses, at most. */
enum { FM_BUFFERS_FOLDER_LONGEST = 400 };

/** Beginning of the names of buffer files outside of experiments; the user's number follows. */
#define FM_BUFFER_NAME "fermata-buffers-"

/** Memory for records of a process that has a buffer file, in bytes, unless the user chooses it. */
enum { FM_BUFFERS_DEFAULT = 16 * 1024 * 1024 };

/** A place. */
struct fm_buffer_place {
    char folder[PATH_MAX];
    bool in_experiment; /**< the folder is that of the journals */
    uint64_t share;     /**< largest size of the process's file, bytes */
    char reason[256];   /**< why there is no place; else of a place that was not taken; "": none */
};

/** Chooses the place. A process gets a quarter of what is free, divided by the processes on its
 * node: the rest belongs to the program, whose MPI library may need it, too.
 * @param choice     value of the variable; NULL: none
 * @param directory  of the experiment, absolute
 * @param processes  of the run
 * @return false: the records stay in memory of the process alone, because of `reason` */
bool fm_buffer_place_choose(const char *choice, const char *directory, uint32_t processes,
                            struct fm_buffer_place *place);

#endif
