/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of the preload library that notifies the recorder when the program may have unloaded a
 * library, sets the handler of a real-time signal, or changes a signal mask.
 */
#ifndef FERMATA_RECORD_PRELOAD_NOTIFY_H
#define FERMATA_RECORD_PRELOAD_NOTIFY_H

#include "record/interface.h"

#include <signal.h>

/** From now on the recorder is notified. Called once. */
void fm_preload_notify(const struct fm_recorder *recorder);

/** pthread_sigmask() of the C library. */
int fm_preload_sigmask(int how, const sigset_t *set, sigset_t *before);

#endif
