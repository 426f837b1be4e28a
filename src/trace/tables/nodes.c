/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/nodes.h"

#include "base/containers/sort.h"
#include "base/memory.h"

#include <string.h>

struct named_node {
    const char *name;
    uint32_t process;
};

static int compare_nodes(const void *a, const void *b)
{
    return strcmp(((const struct named_node *)a)->name, ((const struct named_node *)b)->name);
}

uint32_t *fm_number_nodes(const struct fm_trace *trace)
{
    const uint32_t count = trace->process_count;
    struct named_node *nodes = fm_allocate(count, sizeof *nodes);
    uint32_t *numbers = fm_allocate(count, sizeof *numbers);
    for (uint32_t p = 0; p < count; p++) {
        const char *name = trace->processes[p].node;
        nodes[p] = (struct named_node){name == NULL ? "" : name, p};
    }
    fm_sort(nodes, count, sizeof *nodes, compare_nodes);
    for (uint32_t i = 1, number = 0; i < count; i++) {
        number += compare_nodes(&nodes[i - 1], &nodes[i]) != 0;
        numbers[nodes[i].process] = number;
    }
    fm_free(nodes);
    return numbers;
}
