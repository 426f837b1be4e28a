/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Programs that this process starts, as launchers, shells and tools like `env` do. Where LD_PRELOAD
 * names other libraries for them (`mpirun -x LD_PRELOAD=...`), this one is added; where it was
 * removed, that is noted, as nothing else would explain a run without a recording.
 */
#ifndef FERMATA_RECORD_PRELOAD_PROGRAMS_H
#define FERMATA_RECORD_PRELOAD_PROGRAMS_H

#include <stdint.h>

/** The functions that start programs, in the order of system.tbl. */
enum fm_start_function {
    FM_START_execve,
    FM_START_execv,
    FM_START_execvp,
    FM_START_execvpe,
    FM_START_posix_spawn,
    FM_START_posix_spawnp
};

/** Called before such a function in a process that is not recorded itself; in a child of vfork(),
 * too. Takes no lock and changes no data of the process.
 * @param arguments  of the call: the environment may be replaced
 * @return the name of the function to call with these arguments */
const char *fm_programs_start(enum fm_start_function function, uintptr_t *arguments);

#endif
