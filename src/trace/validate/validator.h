/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The state of a validation. Private to src/trace.
 */
#ifndef FERMATA_TRACE_VALIDATE_VALIDATOR_H
#define FERMATA_TRACE_VALIDATE_VALIDATOR_H

#include "functions/silent_calls.h"
#include "trace/validate/members.h"
#include "trace/validate/validate.h"

/** A collective operation between its begin and end record. */
struct fm_open_collective {
    bool is_open;
    size_t depth; /**< of the call stack at its begin */
};

struct fm_validator {
    struct fm_survey *survey;
    fm_finding_handler_t handler;
    void *context;
    struct fm_validation result;
    struct fm_called_function *functions; /**< by region of the survey */
    bool has_teams, has_tasks;            /**< of OpenMP threads */
    struct fm_message_check *messages;
    struct fm_collective_check *collectives;
    struct fm_members members; /**< for the current process */

    /* of the current process */
    bool is_partial; /**< not all of its records can be read */
    bool several_threads;
    bool was_paused;  /**< recording was off for some time: begin or end records may be missing */
    bool ends_inside; /**< it states how it ended, and some location is inside of regions */
    struct fm_map requests;     /**< by id: see validate_state.c */
    struct fm_map operations;   /**< by window and matching id: record_state bits */
    struct fm_map locks;        /**< by window, target and lock id: record_state bits */
    struct fm_map thread_locks; /**< by lock id: record_state bits */

    /* of the current location */
    uint32_t location;
    bool any_event, left_clock;
    uint64_t last_time;
    FM_VECTOR(uint32_t) stack;   /**< references of regions */
    FM_VECTOR(uint64_t) entered; /**< by position in `stack`: time of the Enter */
    struct fm_open_collective collective, rma_collective;
};

/** Reports a finding at a time of the current location. */
void fm_validator_find(struct fm_validator *validator, uint64_t time, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reports a finding that has no time; `location` may be FM_SURVEY_NONE. */
void fm_validator_find_untimed(struct fm_validator *validator, uint32_t location,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Checks that all references between definitions exist. */
void fm_validator_check_definitions(struct fm_validator *validator);

/** Checks one event: the fm_survey_handler_t of a validation. */
void fm_validator_check_event(void *validator, const struct fm_survey_event *event);

/** Checks the state at the end of the current location's events. */
void fm_validator_end_location(struct fm_validator *validator);

/** Prepares the count of calls and of the kinds of records in them. */
void fm_validator_begin_calls(struct fm_validator *validator);

/** Counts an event: a call, or a record in the innermost one. */
void fm_validator_count(struct fm_validator *validator, const struct fm_survey_event *event);

/** Lets the innermost call not count, which lacks the records that are written at its end. */
void fm_validator_uncount(struct fm_validator *validator);

/** Reports the calls without the records that their analysis needs, and frees the counts. */
void fm_validator_end_calls(struct fm_validator *validator, fm_silence_handler_t *handler,
                            void *context);

/** Prepares the comparison of messages, after the definitions are checked. */
void fm_validator_begin_messages(struct fm_validator *validator);

/** Notes an event for the comparison of messages; ignores all that are no part of one. */
void fm_validator_note_message(struct fm_validator *validator, const struct fm_survey_event *event);

/** Notes that calls returned, of which the stack no longer has any.
 * @param time  UINT64_MAX: they never return */
void fm_validator_leave_messages(struct fm_validator *validator, uint64_t time);

/** Compares the messages of the current process with those of the processes before it.
 * @param is_whole  all of them are recorded and can be read; false: they are not compared */
void fm_validator_end_process_messages(struct fm_validator *validator, bool is_whole);

/** Reports the messages that are received before they are sent, and frees the comparison. */
void fm_validator_end_messages(struct fm_validator *validator);

/** Prepares the comparison of collective operations, after fm_validator_begin_calls(). */
void fm_validator_begin_collectives(struct fm_validator *validator);

/** Notes an event for the comparison of collective operations, also each Enter. */
void fm_validator_note_collective(struct fm_validator *validator,
                                  const struct fm_survey_event *event);

/** Compares the operations of the current process with those of the processes before it.
 * @param is_whole  as that of fm_validator_end_process_messages() */
void fm_validator_end_process_collectives(struct fm_validator *validator, bool is_whole);

/** Reports the operations whose members differ, and frees the comparison. To be called before
 * fm_validator_end_calls(). */
void fm_validator_end_collectives(struct fm_validator *validator);

/** Checks the records of requests, one-sided operations and locks; ignores all others. */
void fm_validator_check_state(struct fm_validator *validator, const struct fm_survey_event *event);

/** Checks what is left open at the end of a process and resets the state of the process. */
void fm_validator_end_process(struct fm_validator *validator, uint32_t location);

#endif
