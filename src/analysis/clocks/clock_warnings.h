/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a report states about its clocks. */
#ifndef FERMATA_ANALYSIS_CLOCKS_CLOCK_WARNINGS_H
#define FERMATA_ANALYSIS_CLOCKS_CLOCK_WARNINGS_H

#include "base/error.h"
#include "cube/model/cube.h"

/** Adds the sentences that follow from cube->clock: none if the clocks agree. */
fm_status_t fm_clock_warn(struct fm_cube *cube, struct fm_error *error);

#endif
