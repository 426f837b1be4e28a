/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Selects the decoder of call instructions of the target processor.
 */
#ifndef FERMATA_RECORD_STACK_CALLS_H
#define FERMATA_RECORD_STACK_CALLS_H

#if defined(__x86_64__)
#include "record/stack/arch/x86_64/calls.h"
#elif defined(__aarch64__)
#include "record/stack/arch/aarch64/calls.h"
#else
#error "call stacks cannot be unwound on this processor"
#endif

#endif
