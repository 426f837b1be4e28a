/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Conversion of this process's call sites to definitions, for the journal and for other processes.
 */
#ifndef FERMATA_RECORD_STACK_SITE_SET_H
#define FERMATA_RECORD_STACK_SITE_SET_H

#include "record/archive/define.h"

/** Adds the binaries and call sites that are new since the last call. Call site n of the process
 * is number n - 1 of the SITE definitions. Calls must not overlap.
 * @return false without memory: the next call adds the missing ones */
bool fm_site_set_update(struct fm_definitions *set);

#endif
