/* SPDX-License-Identifier: BSD-3-Clause */
/* What the environment says when the library of marks is loaded. */
#include "record/marks/mistakes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static uint32_t selected;
static bool is_first = true;

__attribute__((constructor)) static void read_environment(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0] && rank == NULL; i++) {
        rank = getenv(ranks[i]);
    }
    is_first = rank == NULL || strcmp(rank, "0") == 0;
    fm_mark_kinds_read(getenv(FM_MARKS_VARIABLE), &selected);
}

bool fm_marks_are_selected(enum fm_mark_kind kind)
{
    return (selected >> kind & 1) != 0;
}

bool fm_marks_process_is_first(void)
{
    return is_first;
}
