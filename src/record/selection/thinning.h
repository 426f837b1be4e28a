/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which iterations of a run are kept when the recording becomes large: the size limit as an option,
 * and the rule that all processes agree on at the end of the run.
 *
 * Iterations are the visits of marked phases, numbered from 0 in each process. A process enters
 * stage 1 when half of the limit of its node is used, and each further stage when half of the rest
 * is used. In stage s it keeps a visit only if its number is divisible by 4^s: each stage has half
 * of the room of the last one and lasts twice as many iterations. Processes enter a stage at
 * different iterations. The table states where; the minimum of the tables of all processes keeps
 * exactly the visits that all processes have kept, because 4^s divides 4^(s+1).
 *
 * (Selective tracing by iterations: wolf-2002, section 4.7.1.)
 */
#ifndef FERMATA_RECORD_SELECTION_THINNING_H
#define FERMATA_RECORD_SELECTION_THINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_MAX_SIZE_VARIABLE "FERMATA_MAX_SIZE"

/** The limit without a choice of the user, and the least limit; bytes. */
#define FM_MAX_SIZE_DEFAULT ((uint64_t)10 << 30)
#define FM_MAX_SIZE_LEAST   ((uint64_t)1 << 20)

enum {
    FM_THINNING_BUCKETS = 32, /**< phases are told apart by a hash of their name */
    FM_THINNING_STAGES = 15,
    FM_THINNING_END = FM_THINNING_STAGES /**< column: no visit is kept from here on */
};

/** For each bucket, the first visit of each stage, from stage 1 on; UINT64_MAX: not reached.
 * Phases in one bucket share the numbers, not the counts of visits. Only 64-bit numbers: the table
 * is reduced as an array. */
struct fm_thinning {
    uint64_t first[FM_THINNING_BUCKETS][FM_THINNING_STAGES + 1];
};

enum { FM_THINNING_WORDS = sizeof(struct fm_thinning) / sizeof(uint64_t) };

/** Makes a table that keeps everything. */
void fm_thinning_begin(struct fm_thinning *table);

/** Whether a process that has this table has paused at its limit, within phases. */
bool fm_thinning_has_ended(const struct fm_thinning *table);

/** Makes a table the minimum of itself and another one. */
void fm_thinning_combine(struct fm_thinning *table, const struct fm_thinning *other);

/** The bucket of a phase by its name; equal in all processes. */
uint32_t fm_thinning_bucket(const char *name, size_t length);

/** Whether a visit is kept. */
bool fm_thinning_keeps(const struct fm_thinning *table, uint32_t bucket, uint64_t number);

/** Describes what is left out of a phase: `of the phase step, visits from number 120 on only if
 * divisible by 4, from 350 on by 16, none from 900 on`. Appends to `text` after a comma.
 * @param visits  number of visits; UINT64_MAX: not known
 * @return false: all of these visits are kept; the text is unchanged */
bool fm_thinning_describe(const struct fm_thinning *table, const char *phase, uint64_t visits,
                          char *text, size_t size);

/** Reads the size limit of an experiment: a size like 10G, or none (also 0).
 * @param text   NULL or empty: the default
 * @param bytes  receives the limit, UINT64_MAX: none; the default for an invalid text
 * @return false: the text is invalid, or below FM_MAX_SIZE_LEAST */
bool fm_max_size_read(const char *text, uint64_t *bytes);

/** Bytes for the events of one process: its part of the limit less an eighth for definitions.
 * @return UINT64_MAX: no limit */
uint64_t fm_max_size_share(uint64_t limit, uint32_t processes);

/** Writes a limit for the user: `10 GiB`. @return text, which has `size` bytes */
const char *fm_max_size_text(uint64_t limit, char *text, size_t size);

#endif
