/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The summary of the report as sentences, for the page: the first part of the output of `fermata
 * report`.
 */
#ifndef FERMATA_VIEW_REPORT_SUMMARY_DATA_H
#define FERMATA_VIEW_REPORT_SUMMARY_DATA_H

#include "base/json/json_writer.h"
#include "cube/model/cube.h"

/** Writes the member "summary": "process" (what a process is called: "one", "many", and "first",
 * its first number: diagnosis/process_word.h), "time" (all time without start-up, ticks), "startup"
 * (Init and Finalize of the location where they are longest, ticks), "waiting" (ticks), "shares"
 * ("name", "ticks": all time by class), "efficiency" (null, or "parallel", "load_balance",
 * "communication", if predicted "serialization" and "transfer", each with "value" and "verdict"),
 * "hang" (null, or of a run that ended inside of calls "headline" and "lines" of
 * diagnosis/hang/hang_text.h),
 * "problems" ("cause" (call path; null: the
 * entry is a kind of wait state, as the report has no problems), "metric" and "callpath" of the
 * largest symptom (or null), "ticks", "phase" (its number; null: none), "when" ("begin", "end":
 * ticks since the begin of the run; with a phase "first", "last": its iterations), "headline",
 * "lines" of "label" and "text"), "others" ("count", "ticks": of the remaining problems),
 * "without_cause" (a sentence, or null), "predictions" of the described problems ("cause": name,
 * null for changes of a barrier or fence, "text", "callpath", "saved": ticks), "observations"
 * (sentences). Errors may be left in the stream. */
fm_status_t fm_summary_data_put(const struct fm_cube *cube, struct fm_json *json,
                                struct fm_error *error);

#endif
