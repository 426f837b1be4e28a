/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The acquisitions of locks in their order, whether they waited or not: what decides who gets a
 * lock next in a changed run (whatif/decisions/lock_turns.h).
 *
 * An acquisition behind another owner has a dependency on a release (FM_DEPENDS_ON_LOCK,
 * FM_DEPENDS_ON_THREAD_LOCK). Any other has a dormant one (FM_DEPENDS_ON_OVERTAKER), with its own
 * request as the source, which a changed run may direct to a release.
 *
 * Left out are the locks of windows that a process locks for all targets at once, and the sections
 * of ordered constructs, whose order the program decides.
 */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_ACQUISITIONS_H
#define FERMATA_ANALYSIS_DEPENDENCIES_ACQUISITIONS_H

#include "analysis/dependencies/dependencies.h"
#include "analysis/model/call_ref.h"

/** One acquisition. Times are those of the measured run. */
struct fm_ordered_acquisition {
    uint64_t t; /**< when the release that it depends on lets it have the lock; 0: none does */
    uint64_t acquired; /**< used if nothing is known of the request */
    uint64_t passed;   /**< when it passes the lock on: end of the release */
    uint64_t id;       /**< of a lock of threads, as in struct fm_thread_record; else 0 */
    uint32_t order;    /**< of a lock of threads: number of the acquisition in its records */
    uint32_t lock;     /**< number among those of the process that lists it */
    uint32_t owner;    /**< what waits for no lock of its own: a process, of threads a location */
    uint32_t before;   /**< the acquisition whose release it depends on; only if `t` is not 0 */
    struct fm_call_ref request; /**< activity FM_NONE: not known, it did not wait */
    struct fm_call_ref call;    /**< waits for the release; FM_NONE: none could */
    struct fm_call_ref release;
    bool is_exclusive;
    bool releases_at_begin; /**< the releasing call waits for a condition meanwhile */
};

/** Adds the acquisitions of some locks of a process: ascending by lock, those of one lock in the
 * order in which they had it. `lock` counts from 0 and `before` is the position among them; both
 * are moved behind the earlier ones of the process. States their dormant dependencies. To be called
 * by the owner of the process, in a stage that fm_finders_run() runs. */
void fm_acquisitions_add(const struct fm_analysis *analysis, unsigned worker, uint32_t process,
                         struct fm_ordered_acquisition *acquisitions, uint32_t count);

#endif
