/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Expectations on what is no severity. Private to the files that compare expectations.
 */
#ifndef FERMATA_CLI_EXPECTATION_EXPECTATION_INTERNAL_H
#define FERMATA_CLI_EXPECTATION_EXPECTATION_INTERNAL_H

#include "cli/expectation/expectation.h"

/** @return the cube's location index, FM_CUBE_NONE if the analysis saw no such location. */
uint32_t fm_expectation_location(const struct fm_cube *cube, uint32_t rank, uint32_t thread);

/** Find what the cube has to say about an expectation on a phase, matrix or problem; `holds` is not
 * set.
 * @return FM_ERR_DATA with file and line if there is no such value */
fm_status_t fm_expectation_of_phase(const struct fm_scenario *scenario,
                                    const struct fm_scenario_expectation *expectation,
                                    const struct fm_cube *cube,
                                    struct fm_expectation_result *result, struct fm_error *error);
fm_status_t fm_expectation_of_matrix(const struct fm_scenario *scenario,
                                     const struct fm_scenario_expectation *expectation,
                                     const struct fm_cube *cube,
                                     struct fm_expectation_result *result, struct fm_error *error);
fm_status_t fm_expectation_of_problem(const struct fm_scenario *scenario,
                                      const struct fm_scenario_expectation *expectation,
                                      const struct fm_cube *cube,
                                      struct fm_expectation_result *result, struct fm_error *error);

#endif
