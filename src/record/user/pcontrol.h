/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * MPI_Pcontrol, as far as the setting `marks` selects it.
 */
#ifndef FERMATA_RECORD_USER_PCONTROL_H
#define FERMATA_RECORD_USER_PCONTROL_H

#include "record/capture/hot.h"

#include <stdbool.h>

/** Whether the name behind the levels 1 and -1 is read (`pcontrol-names`): it begins and ends a
 * region. C cannot tell whether the program passes one. */
FM_API bool fm_pcontrol_has_names(void);

/** Applies a call of MPI_Pcontrol outside of recorded calls. Level 0 switches marked regions and
 * samples off in all threads of the process, level 1 on; calls are recorded in any case. Other
 * levels do nothing.
 * @param name  NULL: none */
FM_API void fm_pcontrol(int level, const char *name);

#endif
