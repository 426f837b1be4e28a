/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Compares the expectations of a scenario with the result of its analysis.
 */
#ifndef FERMATA_CLI_EXPECTATION_EXPECTATION_H
#define FERMATA_CLI_EXPECTATION_EXPECTATION_H

#include "base/error.h"
#include "cube/model/cube.h"
#include "scenario/scenario.h"

#include <stdbool.h>

/** How an expectation fared. */
struct fm_expectation_result {
    bool holds;
    bool computed;     /**< false: this version does not compute the metric, `actual` is 0 */
    bool is_quotient;  /**< known up to the precision of a floating-point number */
    fm_decimal actual; /**< units of time, or counts */
};

/** Compares one expectation: a time-tree metric without its metric children, any other with them; a
 * call path, location, phase, iteration or pair of locations that does not exist has the value 0.
 * @param cube  sealed, from the analysis of the scenario's archive
 * @return FM_ERR_DATA with file and line if there is no such metric or value. */
fm_status_t fm_expectation_compare(const struct fm_scenario *scenario,
                                   const struct fm_scenario_expectation *expectation,
                                   const struct fm_cube *cube, struct fm_expectation_result *result,
                                   struct fm_error *error);

#endif
