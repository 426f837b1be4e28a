/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counts marks that cannot be recorded exactly. The counts are reported once, when the process
 * ends, by the first process of a launcher.
 */
#ifndef FERMATA_RECORD_MARKS_MISTAKES_H
#define FERMATA_RECORD_MARKS_MISTAKES_H

#include "record/marks/marks.h"

#include <stdbool.h>
#include <stdint.h>

/** What can be wrong. */
enum fm_mistake_kind {
    FM_MISTAKE_CROSSING, /**< a mark ended before marks inside it */
    FM_MISTAKE_THREAD,   /**< a mark was ended by another thread */
    FM_MISTAKE_END,      /**< an end without an open mark */
    FM_MISTAKE_DEEP,     /**< too many open marks */
    FM_MISTAKE_NAMES,    /**< too many names */
    FM_MISTAKE_KINDS
};

/** Counts a mistake. Thread-safe. */
void fm_mistake(enum fm_mistake_kind kind);

/** Whether this is the first process of its launcher. In environment.c. */
bool fm_marks_process_is_first(void);

/** Number of marks that are open in the calling thread. In mark_stack.c. */
uint32_t fm_marks_open(void);

#endif
