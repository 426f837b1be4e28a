/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the null paradigm's wrappers include, the generated ones too.
 */
#ifndef NULL_PARADIGM_H
#define NULL_PARADIGM_H

#include "functions.h"
#include "prototypes.h"
#include "record/paradigm/wrapper.h"

#endif
