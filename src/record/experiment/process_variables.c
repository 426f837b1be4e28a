/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/kept_variables.h"

#include <stdlib.h>

struct fm_kept_variables fm_variables_of_process;

const char *fm_variable(const char *name)
{
    return fm_variables_of_process.items != NULL ? fm_variables_find(&fm_variables_of_process, name)
                                                 : getenv(name);
}
