/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Selects the decoder of call instructions of the target processor.
 */
#ifndef FERMATA_BASE_CODE_CALLS_H
#define FERMATA_BASE_CODE_CALLS_H

#if defined(__x86_64__)
#include "base/code/calls_x86_64.h"
#elif defined(__aarch64__)
#include "base/code/calls_aarch64.h"
#else
#error "calls cannot be decoded on this processor"
#endif

#endif
