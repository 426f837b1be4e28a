/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/region_kind.h"

#include "functions/function_kind.h"

struct fm_region_kind fm_region_kind(const char *name)
{
    fm_paradigm_t paradigm = fm_paradigm_of_function(name);
    return (struct fm_region_kind){fm_paradigm_otf2(paradigm),
                                   fm_function_kind(paradigm, name).role};
}
