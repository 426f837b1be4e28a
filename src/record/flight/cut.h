/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Summary of the oldest records of a thread, kept when their buffer space is reused (flight.h): the
 * counts that matching needs (unrecorded.h), and the functions and regions that are open after
 * them. From the summary, records are generated before the kept ones: a pause with its counts, the
 * call stack, the open regions. With these, the kept records have the same meaning as in the full
 * sequence.
 *
 * Every record is passed once, in order, whether it is lost or in the journal.
 */
#ifndef FERMATA_RECORD_FLIGHT_CUT_H
#define FERMATA_RECORD_FLIGHT_CUT_H

#include "record/selection/unrecorded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of items that can be open. */
enum fm_cut_kind {
    FM_CUT_STACK,       /**< a function of the call stack */
    FM_CUT_REGION,      /**< a marked region */
    FM_CUT_INSTRUMENTED /**< a function that reports its own begin and end */
};

/** An open item, or a returned function in which an open item began. */
struct fm_cut_item {
    uint32_t number; /**< call site or region */
    uint32_t depth;  /**< number of functions of the stack outside it */
    enum fm_cut_kind kind;
    uint32_t known; /**< of instrumented functions: aux of their record */
    bool is_over; /**< of functions of the stack: returned, but an item that began in it is open */
};

/** State of one thread; used by the thread that has claimed its records. Zeroed = no record was
 * passed. */
struct fm_cut {
    bool gone;          /**< records are lost, and the loss is not yet written */
    bool off;           /**< recording was paused at the last record */
    bool stack_cut;     /**< the call stack has functions that are not recorded */
    bool broken;        /**< there was no memory: the following records cannot be interpreted */
    uint64_t begin;     /**< time of the first lost record that has one; 0: none */
    uint64_t off_since; /**< time at which recording was paused last */
    uint32_t function;  /**< of the last call */
    uint32_t depth;     /**< functions on the call stack */
    uint64_t program[FM_WORDS_PROGRAM_BEGIN]; /**< the PROGRAM_BEGIN record, if lost; else 0 */
    struct fm_unrecorded_table unrecorded;
    struct fm_cut_item *items; /**< in the order in which they began; pages */
    size_t count, room;
};

/** Time of a record. @return false: the record contains no time */
bool fm_cut_time(const uint64_t *record, uint64_t *time);

/** Whether the kept records may begin with a record: it is not an operation of a call before it. */
bool fm_cut_may_begin(const uint64_t *record);

/** Passes a record to the summary.
 * @param lost           the record is not in the journal
 * @param function_name  names functions in records */
void fm_cut_pass(struct fm_cut *cut, const uint64_t *record, bool lost,
                 const char *(*function_name)(uint32_t function));

/** Maximum number of words that fm_cut_write writes. */
size_t fm_cut_words(const struct fm_cut *cut);

/** Writes the state as records: passing them, lost or not as `gone` says, makes it again. At most
 * fm_cut_words words.
 * @return the place after the written records */
uint64_t *fm_cut_put(const struct fm_cut *cut, uint64_t *place);

/** Writes the records before the kept ones, and clears the summary of lost records.
 * @param time    begin of the kept records; UINT64_MAX: no records are kept
 * @return the place after the written records */
uint64_t *fm_cut_write(struct fm_cut *cut, uint64_t *place, uint64_t time);

#endif
