/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Signals for the recorder's own use.
 */
#ifndef FERMATA_RECORD_CAPTURE_FREE_SIGNAL_H
#define FERMATA_RECORD_CAPTURE_FREE_SIGNAL_H

/** The highest real-time signal without a handler; 0: there is none. */
int fm_free_signal(void);

#endif
