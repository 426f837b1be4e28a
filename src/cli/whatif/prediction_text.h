/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sentences of `fermata whatif`.
 */
#ifndef FERMATA_CLI_WHATIF_PREDICTION_TEXT_H
#define FERMATA_CLI_WHATIF_PREDICTION_TEXT_H

#include "analysis/detail.h"
#include "whatif/best_changes.h"
#include "whatif/identity.h"
#include "whatif/prediction.h"

/** Prints the outcome of the identity check.
 * @param archive  name of the experiment */
void fm_print_identity(const char *archive, const struct fm_detail *detail,
                       const struct fm_identity *identity);

/** Prints what the changes do, and the predicted run time beside the measured one. */
void fm_print_prediction(const struct fm_detail *detail, const fm_changes *changes,
                         const struct fm_prediction *prediction);

/** Prints the changes that save most, with the predicted run times. */
void fm_print_advice(const struct fm_detail *detail, const struct fm_advice *advice);

/** Prints what a prediction decides otherwise than the measured run, what it leaves as measured,
 * and which dependencies are not followed. */
void fm_print_limits(const struct fm_detail *detail, const struct fm_prediction *prediction);

#endif
