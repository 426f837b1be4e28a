/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Why a program cannot be recorded: the preload library is not loaded into it.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_OBSTACLE_H
#define FERMATA_RECORD_EXPERIMENT_OBSTACLE_H

#include <limits.h>
#include <stdbool.h>

/** Finds a program as the C library does when it starts one.
 * @param name         the program; with a slash a path
 * @param is_searched  it is searched for in the folders of `folders`
 * @param folders      as PATH; may be NULL
 * @param path         out: its path; the name itself if it is found nowhere */
void fm_program_find(const char *name, bool is_searched, const char *folders, char path[PATH_MAX]);

/** @return why the dynamic linker loads no preloaded library into a program, part of a sentence;
 * NULL: it does, or the file is no program. Takes no lock and allocates nothing. */
const char *fm_program_obstacle(const char *path);

#endif
