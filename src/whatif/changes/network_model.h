/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A network with another latency or bandwidth.
 *
 * For each function that communicates or synchronizes processes, the remaining times of its calls
 * are fitted by least squares, r = a + b * bytes, a and b not negative. Bytes are those of the
 * messages that a call sends or completes the receive of, of one-sided operations, and for a call
 * that completes these, of those since the completion before. Of collective operations, traces of
 * several recorders state no bytes: all of their time is a. */
#ifndef FERMATA_WHATIF_CHANGES_NETWORK_MODEL_H
#define FERMATA_WHATIF_CHANGES_NETWORK_MODEL_H

#include "whatif/changes/apply.h"

/** Changes a of all calls (latency) or 1 / b (bandwidth) by the factor: a call's remaining time
 * changes by the difference that the model has, to not less than 0.
 * @param effect  its `calls`, `locations` and `error`
 * @return FM_ERR_USAGE: no call communicates; bandwidth: no call's time depends on bytes */
fm_status_t fm_network_change(const struct fm_run_change *change, const struct fm_detail *detail,
                              struct fm_edits *edits, struct fm_change_effect *effect,
                              struct fm_error *error);

#endif
