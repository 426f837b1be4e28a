/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The lifetime of tables of records: they are freed when the last of their readers has finished.
 */
#ifndef FERMATA_ANALYSIS_MODEL_READERS_H
#define FERMATA_ANALYSIS_MODEL_READERS_H

#include "analysis/model/run.h"

/** A set of tables. */
#define FM_READS(table) (1U << FM_TABLE_##table)

/** Registers a reader of a set of tables. */
void fm_readers_add(struct fm_analysis *analysis, unsigned tables);

/** Removes a reader of a set of tables: frees the tables without another reader. Runs stages;
 * collective. */
void fm_readers_remove(struct fm_analysis *analysis, unsigned tables);

/** The running reader no longer needs the one-sided records of a process: frees them if it is the
 * last reader. Call on the worker that owns the process. */
void fm_readers_forget_one_sided(struct fm_analysis *analysis, uint32_t process);

/** The same for the records of messages. */
void fm_readers_forget_messages(struct fm_analysis *analysis, uint32_t process);

#endif
