/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of the preload library that interposes functions of the C library in which threads sleep
 * or wait.
 */
#ifndef FERMATA_RECORD_PRELOAD_INTERPOSE_H
#define FERMATA_RECORD_PRELOAD_INTERPOSE_H

#include "record/interface.h"

/** Finds the original functions. Called once, when the library is loaded. */
void fm_preload_find_blocking(void);

/** From now on the calls may be recorded. Called once. */
void fm_preload_record_blocking(const struct fm_recorder *recorder);

#endif
