/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/inside.h"

#include "counters/counter_layout.h"
#include "record/counting/library_counters.h"
#include "record/mpi/inside/hook_connection.h"
#include "record/mpi/inside/library_name.h"
#include "record/mpi/inside/offered_pvars.h"
#include "record/mpi/inside/pvars.h"

#include <stdio.h>

void fm_inside_prepare(void)
{
    fm_pvars_prepare();
}

void fm_inside_begin(const char *version, int has_world, uint32_t rank, uint32_t size)
{
    char reason[FM_COUNTER_MEANING], name[FM_LIBRARY_NAME];
    fm_counter_reader_t *reader = fm_pvars_begin(version, has_world);
    fm_hooks_begin(version, rank, size);
    snprintf(reason, sizeof reason, "%s does not offer it", fm_library_name(name, version));
    fm_library_counters_complete(reason, reader);
    fm_offered_pvars_begin();
}

void fm_inside_end(void)
{
    fm_hooks_end();
    fm_pvars_end();
}
