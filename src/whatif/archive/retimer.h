/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The new times of all events of a location: of its calls as replayed, of what lies between and in
 * them accordingly.
 *
 * In computation that a change lengthens or shortens, times are stretched. Inside a call, an event
 * keeps its distance to the end of the call: what the call waits for comes before it. */
#ifndef FERMATA_WHATIF_ARCHIVE_RETIMER_H
#define FERMATA_WHATIF_ARCHIVE_RETIMER_H

#include "analysis/detail.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/steps.h"
#include "export/otf2/otf2_copy.h"

/** A walk over the events of a location. {0}: unused. */
struct fm_retimer {
    const struct fm_location *location;
    const struct fm_new_times *times;
    const struct fm_edits *edits; /**< NULL: none */
    const fm_mark_vector *marks;
    struct fm_steps steps;
    struct fm_step next; /**< next step, if `has_next` */
    bool has_next;
    uint64_t old_last, new_last; /**< the point up to which computation is mapped, or last step */
    size_t stretch, removed;
    size_t release; /**< record of threads: first one that may be of the next release */
    FM_VECTOR(uint32_t) activity_of; /**< [number of a call]: activity */
    uint64_t latest;                 /**< new time of the event before */
    uint32_t left_out;               /**< removed call that is open; FM_NONE: none */
};

/** Begins with the first event of a location. */
void fm_retimer_begin(struct fm_retimer *retimer, const struct fm_detail *detail, uint32_t location,
                      const struct fm_replay *replay, const struct fm_edits *edits);

/** @return the new time of the next event; FM_OTF2_LEFT_OUT: it belongs to a removed call. See
 * `retime` of struct fm_otf2_additions. */
uint64_t fm_retimer_map(struct fm_retimer *retimer, fm_otf2_event_t event, uint32_t call,
                        uint64_t time);

/** @return the new time of the acquisition of a lock, of the next release that states one. */
uint64_t fm_retimer_acquisition(struct fm_retimer *retimer);

void fm_retimer_free(struct fm_retimer *retimer);

#endif
