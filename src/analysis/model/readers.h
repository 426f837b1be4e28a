/** @file
 * How long tables of records are kept: until the last of their readers has finished.
 */
#ifndef FERMATA_ANALYSIS_MODEL_READERS_H
#define FERMATA_ANALYSIS_MODEL_READERS_H

#include "analysis/model/run.h"

/** A set of tables. */
#define FM_READS(table) (1U << FM_TABLE_##table)

/** Announces a reader of a set of tables. */
void fm_readers_add(struct fm_analysis *analysis, unsigned tables);

/** The reader of a set of tables has finished: frees those without another reader. Runs stages;
 * collective. */
void fm_readers_remove(struct fm_analysis *analysis, unsigned tables);

/** The reader at work has finished with the one-sided records of a process: frees them if it is the
 * last one. For the owner of the process. */
void fm_readers_forget_one_sided(struct fm_analysis *analysis, uint32_t process);

#endif
