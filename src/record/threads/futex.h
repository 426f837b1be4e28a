/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The regions of futexes (futex.c).
 */
#ifndef FERMATA_RECORD_THREADS_FUTEX_H
#define FERMATA_RECORD_THREADS_FUTEX_H

#include "record/threads/posix.h"

/** Adds the regions to the recorder's functions. Called once, when POSIX threads are attached. */
void fm_futexes_attach(const struct fm_paradigm_description *description);

#endif
