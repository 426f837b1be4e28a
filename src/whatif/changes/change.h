/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Changes of a run, as users write them: KIND=WHERE[:VALUE][,ranks=LIST][,threads=LIST]
 * [,iterations=LIST], or
 * network=ideal, latency=x0.5, bandwidth=x2, init=0, noprogress-wait, with the same selections.
 *
 * WHERE is the name of a function (with all call paths that end in it), or a call path from its
 * root, "main/solve/MPI_Barrier", in which the level "..." stands for any number of levels. */
#ifndef FERMATA_WHATIF_CHANGES_CHANGE_H
#define FERMATA_WHATIF_CHANGES_CHANGE_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FM_CHANGE_SCALE,   /**< the computation in WHERE, or the remaining time of the call WHERE, by a
                          factor */
    FM_CHANGE_CAP,     /**< no visit of WHERE computes longer */
    FM_CHANGE_LEVEL,   /**< what is above the median of the locations becomes the median */
    FM_CHANGE_BALANCE, /**< each location computes for the mean of the locations */
    FM_CHANGE_REMOVE,  /**< a barrier: its synchronization and its remaining time */
    FM_CHANGE_NARROW,  /**< a fence: it waits only for partners that exchange data with it */
    FM_CHANGE_NO_LOCK, /**< calls in WHERE wait for no lock */
    FM_CHANGE_NO_PROGRESS, /**< calls wait for no progress of their targets */
    FM_CHANGE_NETWORK,     /**< ideal: transfers and synchronizations take no remaining time */
    FM_CHANGE_INIT,        /**< 0: Init waits for nobody and takes no time */
    FM_CHANGE_NO_WAIT,     /**< the blocking calls WHERE do not block: the next call of
                                `at` waits for them at its begin */
    FM_CHANGE_LATENCY,     /**< what calls take apart from bytes, by a factor */
    FM_CHANGE_BANDWIDTH,   /**< bytes a second, by a factor */
    FM_CHANGE_SPLIT_LOCK   /**< locks of windows: several locks, each acquired in turn */
} fm_change_kind_t;

/** A range of ranks, threads or iterations. */
struct fm_number_range {
    uint64_t first, last;
};

typedef FM_VECTOR(struct fm_number_range) fm_number_ranges;

struct fm_run_change {
    fm_change_kind_t kind;
    char *text;  /**< as the user wrote it */
    char *where; /**< function or call path; of the changes without one: "ideal", "0" or "" */
    char *at;    /**< NO_WAIT: function or call path of the call that waits; else NULL */
    uint64_t numerator, denominator; /**< SCALE, LATENCY, BANDWIDTH: the factor; CAP:
                                        seconds; SPLIT_LOCK: number of locks */
    fm_number_ranges ranks;          /**< none: all */
    fm_number_ranges threads;        /**< positions in their processes; none: all */
    fm_number_ranges iterations;     /**< none: all */
};

typedef FM_VECTOR(struct fm_run_change) fm_changes;

/** Reads a change and appends it.
 * @return FM_ERR_USAGE: the text is no change, `error` has the reason */
fm_status_t fm_changes_add(fm_changes *changes, const char *text, struct fm_error *error);

/** @return whether a number is in the ranges; true if there are none. */
bool fm_ranges_have(const fm_number_ranges *ranges, uint64_t number);

/** @return whether a change is about a location. */
bool fm_change_concerns(const struct fm_run_change *change, const struct fm_trace *trace,
                        uint32_t location);

void fm_changes_free(fm_changes *changes);

#endif
