/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * SIGINT and SIGTERM noted, for commands that must remove temporary files before they end.
 */
#ifndef FERMATA_BASE_PROCESS_INTERRUPT_H
#define FERMATA_BASE_PROCESS_INTERRUPT_H

#include <stdbool.h>

/** Notes the first SIGINT and the first SIGTERM from now on; a second one ends the process at once.
 * System calls that they interrupt fail with EINTR. To be called by one thread. */
void fm_interrupt_catch(void);

/** Whether a signal was noted. Thread-safe. */
bool fm_interrupt_is_noted(void);

/** Ends the process by the signal that was noted, if any. */
void fm_interrupt_follow(void);

#endif
