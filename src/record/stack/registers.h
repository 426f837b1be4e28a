/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Selects the registers for unwinding of the target processor.
 */
#ifndef FERMATA_RECORD_STACK_REGISTERS_H
#define FERMATA_RECORD_STACK_REGISTERS_H

#if defined(__x86_64__)
#include "record/stack/arch/x86_64/registers.h"
#elif defined(__aarch64__)
#include "record/stack/arch/aarch64/registers.h"
#else
#error "call stacks cannot be unwound on this processor"
#endif

#endif
