/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the launcher of an MPI library states in the environment of a process that it starts: known
 * before MPI is, and without it.
 */
#ifndef FERMATA_BASE_PROCESS_LAUNCHER_H
#define FERMATA_BASE_PROCESS_LAUNCHER_H

#include <stdbool.h>

/** This process among those that were started together. */
struct fm_launch {
    const char *library; /**< "openmpi" or "mpich", whose launcher it was; NULL: none that is known,
                              then the process is alone */
    unsigned rank;       /**< 0 .. size - 1 */
    unsigned size;
    unsigned local_rank; /**< among the processes on this machine */
    bool all_are_here;   /**< all processes are on this machine, as the launcher says; false:
                              some are not, or it does not say */
    bool is_own; /**< the launcher is MPICH's own one (Hydra), which cannot connect processes of
                      Open MPI; false: other libraries may understand the launcher, too */
};

/** @return what the environment states. Thread-safe as long as no thread changes the environment.
 */
struct fm_launch fm_launch_read(void);

#endif
