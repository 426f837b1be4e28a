/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Keeps the recording of this process within the size limit (thinning.h): skips iterations, and
 * pauses (pause.h) when the limit is reached.
 *
 * Each process has an equal share. The processes of a node put theirs into a pool, a file that they
 * map: what some do not need, others may use, and all of them enter a stage at about the same time.
 *
 * The size of what is recorded is that of its events (selection/archive_bytes.h); what exceeds the
 * limit nevertheless is left out of the archive (conversion/dropped.h). It is determined where a
 * buffer is full or written, and at the begins of visits; a recorded call costs nothing more.
 */
#ifndef FERMATA_RECORD_SELECTION_SIZE_LIMIT_H
#define FERMATA_RECORD_SELECTION_SIZE_LIMIT_H

#include "record/selection/thinning.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fm_thread;

/** A marked phase. Zeroed except for name and bucket; never freed once it is added. */
struct fm_phase_visits {
    const char *name;
    uint32_t bucket;       /**< fm_thinning_bucket of the name */
    _Atomic uint64_t next; /**< number of the next visit */
    _Atomic uint32_t open; /**< number of open visits that are iterations */
    _Atomic bool listed;
    struct fm_phase_visits *before; /**< list of all phases */
};

/** Sets the share of this process. Called once, at the begin of the run.
 * @param share  bytes of events; UINT64_MAX: no limit
 * @param path   file of the pool of this node, which may not exist yet; NULL: the process has its
 *               own share only, and so it has if the file cannot be had */
void fm_size_limit_begin(uint64_t share, const char *path);

/** Removes the file of the pool, when the records of this process are in the archive. */
void fm_size_limit_remove_pool(void);

/** @return bytes of events that the archive may have of this process: its share, or more if it has
 * used what others do not need; UINT64_MAX: no limit */
uint64_t fm_size_limit_bytes(void);

/** Sets a function that is called after each change of the table of kept iterations
 * (fm_size_limit_changed), by the thread that has made it, without a lock. Called once, before
 * fm_size_limit_begin. */
void fm_size_limit_report_to(void (*changed)(void));

/** Adds a phase, when it is defined; further calls have no effect. Thread-safe. */
void fm_size_limit_add_phase(struct fm_phase_visits *phase);

/** Numbers a visit of a phase that begins. It is an iteration, which is kept or skipped as a whole,
 * unless it is the first visit or another iteration is open in the thread; recording pauses in
 * skipped visits. Called between calls, before the visit's own record.
 * @param thread  the calling thread; may be NULL
 * @param number  receives the number of the visit
 * @return flags of fm_thread.open: FM_OPEN_ITERATION, FM_OPEN_SKIPPED, or 0 */
uint64_t fm_size_limit_visit_begins(struct fm_phase_visits *phase, struct fm_thread *thread,
                                    uint64_t *number);

/** Ends a visit.
 * @param flags  the result of fm_size_limit_visit_begins */
void fm_size_limit_visit_ends(struct fm_phase_visits *phase, struct fm_thread *thread,
                              uint64_t flags);

/** Adds what the thread has recorded, and enters the stages that are due. Ends the pause of a
 * skipped visit that has ended. Called by the thread itself; errno is not preserved. */
void fm_size_limit_check(struct fm_thread *thread);

/** Copies the table of this process, if it has changed since the last call. Takes no lock: may be
 * called in a signal handler. @return whether it has changed */
bool fm_size_limit_changed(struct fm_thinning *table);

/** Copies the table of this process. */
void fm_size_limit_table(struct fm_thinning *table);

/** Whether the limit is reached, and recording has paused. */
bool fm_size_limit_is_reached(void);

/** Whether visits were skipped, or are left out by the table that all processes have agreed on. */
bool fm_size_limit_thins(const struct fm_thinning *agreed);

/** Describes what is left out of the phases of this process.
 * @return false: nothing; the text is empty */
bool fm_size_limit_describe(const struct fm_thinning *agreed, char *text, size_t size);

#endif
