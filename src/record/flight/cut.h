/** @file
 * Summary of the oldest records of a thread, kept when their buffer space is reused (flight.h): the
 * counts that matching needs (unrecorded.h), and the functions and regions that are open after
 * them. From the summary, records are generated in front of the kept ones: a pause with its counts,
 * the call stack, the open regions. With these, the kept records have the same meaning as in the
 * full sequence.
 *
 * Every record is passed once, in its order, whether it is lost or has been written elsewhere.
 */
#ifndef FERMATA_RECORD_FLIGHT_CUT_H
#define FERMATA_RECORD_FLIGHT_CUT_H

#include "record/selection/unrecorded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What can be open. */
enum fm_cut_kind {
    FM_CUT_STACK,       /**< a function of the call stack */
    FM_CUT_REGION,      /**< a marked region */
    FM_CUT_INSTRUMENTED /**< a function that reports its own begin and end */
};

/** What is open, or was when what is open began. */
struct fm_cut_item {
    uint32_t number; /**< call site or region */
    uint32_t depth;  /**< number of functions of the stack outside it */
    enum fm_cut_kind kind;
    uint32_t known; /**< of instrumented functions: aux of their record */
    bool is_over;   /**< of functions of the stack: returned, but what began in it is open */
};

/** State of one thread; used by the thread that has claimed its records. Zeroed = no record was
 * passed. */
struct fm_cut {
    bool gone;      /**< records are lost, and the loss is not yet written */
    bool off;       /**< recording was paused at the last record */
    bool stack_cut; /**< the call stack has functions that are not recorded */
    bool broken;    /**< there was no memory: the records after it cannot be interpreted */
    uint64_t begin; /**< time of the first of the lost ones; 0: none had one */
    uint64_t off_since;
    uint32_t function;                        /**< of the last call */
    uint32_t depth;                           /**< functions on the call stack */
    uint64_t program[FM_WORDS_PROGRAM_BEGIN]; /**< that record, if it is lost; else 0 */
    struct fm_unrecorded_table unrecorded;
    struct fm_cut_item *items; /**< in the order in which they began; pages */
    size_t count, room;
};

/** Time of a record. @return false: it has none of its own */
bool fm_cut_time(const uint64_t *record, uint64_t *time);

/** Whether nothing that a record needs stands before it. */
bool fm_cut_may_begin(const uint64_t *record);

/** Passes a record.
 * @param lost           it is kept nowhere
 * @param function_name  names functions in records */
void fm_cut_pass(struct fm_cut *cut, const uint64_t *record, bool lost,
                 const char *(*function_name)(uint32_t function));

/** Words that fm_cut_write writes at most. */
size_t fm_cut_words(const struct fm_cut *cut);

/** Writes the records in front of the kept ones, and clears the summary of lost records.
 * @param time    at which they begin; UINT64_MAX: there are none
 * @return the place behind */
uint64_t *fm_cut_write(struct fm_cut *cut, uint64_t *place, uint64_t time);

#endif
