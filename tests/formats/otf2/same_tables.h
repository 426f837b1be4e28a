/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Whether two traces in memory are the same. */
#ifndef FERMATA_TESTS_SAME_TABLES_H
#define FERMATA_TESTS_SAME_TABLES_H

#include "trace/tables/trace.h"

/** Loads an archive, by OTF2's reader alone and with the decoder, and compares all that events
 * leave behind: tables, call forest, defects, the program's name.
 * @param archive  experiment directory or anchor file
 * @param decoded  out: locations that were decoded
 * @param reason   out: what differs first, or why the archive cannot be opened
 * @return whether both are the same */
bool same_tables(const char *archive, uint32_t *decoded, uint32_t *locations,
                 struct fm_error *reason);

#endif
