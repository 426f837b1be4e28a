/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the files are that belong to the program that runs.
 */
#ifndef FERMATA_BASE_PROCESS_INSTALLED_H
#define FERMATA_BASE_PROCESS_INSTALLED_H

#include "base/error.h"

#include <stddef.h>

/** Finds a library that belongs to this program. It lies in ../lib (build tree) or ../lib/fermata
 * (installed) of the program's folder.
 * @param name  of the file, without a folder
 * @param path  out: absolute path, in `size` bytes
 * @return FM_ERR_SYSTEM if there is no such file. Thread-safe. */
fm_status_t fm_find_library(const char *name, char *path, size_t size, struct fm_error *error);

#endif
