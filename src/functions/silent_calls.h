/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls about whose waiting an archive or the analysis says nothing: programming models and
 * functions without rules, and functions whose rules need records that the archive does not have.
 * Each gap is one sentence that names the functions. Thread-safe.
 */
#ifndef FERMATA_FUNCTIONS_SILENT_CALLS_H
#define FERMATA_FUNCTIONS_SILENT_CALLS_H

#include "functions/function_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of records inside calls; a set of them is their sum. For threads, those of OpenMP's teams,
 * and of waiting for a POSIX thread, are FM_RECORDED_COLLECTIVE, of objects FM_RECORDED_GROUP_SYNC,
 * of tasks FM_RECORDED_COMPLETION; launches that name work of accelerators, and what names events
 * of streams, are FM_RECORDED_GROUP_SYNC. */
enum {
    FM_RECORDED_MESSAGE = 1,           /**< sends, receives, their requests */
    FM_RECORDED_COLLECTIVE = 2,        /**< on a communicator */
    FM_RECORDED_WINDOW_COLLECTIVE = 4, /**< on a window */
    FM_RECORDED_GROUP_SYNC = 8,        /**< start, complete, post, wait */
    FM_RECORDED_LOCK = 16,             /**< request or acquisition of a window's lock */
    FM_RECORDED_RELEASE = 32,          /**< its release */
    FM_RECORDED_OPERATION = 64,        /**< one-sided operation */
    FM_RECORDED_COMPLETION = 128, /**< of one-sided operations; or what names a flush's target */
    FM_RECORDED_ACCESS = 256,     /**< to a file, with its bytes */
};

/** A function of an archive. */
struct fm_called_function {
    const char *name;
    fm_paradigm_t paradigm;
    fm_call_t call;
    uint64_t calls;   /**< 0: it is only defined */
    unsigned records; /**< FM_RECORDED_...: kinds of records inside its calls, or more */
    uint64_t merged;  /**< calls that were not recorded one by one, which are not in `calls` */
};

/** @return the kinds of records of which the rules of a function need at least one; 0: none. */
unsigned fm_records_needed(fm_paradigm_t paradigm, const char *name, fm_call_t call);

/** Notes that the archive has records of teams of OpenMP threads, or of their tasks, in no
 * particular calls: barriers, or task waits, have what their rule needs. */
void fm_silent_calls_note_threads(struct fm_called_function *functions, size_t count, bool teams,
                                  bool tasks);

/** Receives a sentence without a full stop. */
typedef void fm_silence_handler_t(void *context, const char *sentence);

/** Reports the gaps of an archive, each once, in a fixed order.
 * @param functions  each name at least once
 * @param is_own     fermata's recorder wrote the archive: what is missing there cannot be switched
 *                   on */
void fm_silent_calls_report(const struct fm_called_function *functions, size_t count, bool is_own,
                            fm_silence_handler_t *handler, void *context);

#endif
