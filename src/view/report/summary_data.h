/** @file
 * The summary of the report as sentences, for the page: the first part of the output of `fermata
 * report`.
 */
#ifndef FERMATA_VIEW_REPORT_SUMMARY_DATA_H
#define FERMATA_VIEW_REPORT_SUMMARY_DATA_H

#include "base/json/json_writer.h"
#include "cube/model/cube.h"

/** Writes the member "summary": "waiting" (ticks), "shares" ("name", "ticks": the CPU time by
 * class), "efficiency" (null, or "parallel", "load_balance", "communication", each with "value" and
 * "verdict"), "problems" ("metric", "cost" (metric of the delays that cause this waiting),
 * "callpath", "cause" (call path or null), "ticks", "headline", "lines" of "label" and "text"),
 * "others" ("count", "ticks": of the remaining problems), "observations" (sentences). Errors may be
 * left in the stream. */
fm_status_t fm_summary_data_put(const struct fm_cube *cube, struct fm_json *json,
                                struct fm_error *error);

#endif
