#include "trace/tables/callpaths.h"

#include "trace/tables/trace.h"

uint32_t fm_callpaths_add(struct fm_callpaths *callpaths, uint32_t parent, uint32_t region,
                          uint32_t line)
{
    uint32_t call = *fm_map_at(&callpaths->calls, (uint64_t)line << 32 | region,
                               (uint32_t)callpaths->calls.count);
    uint32_t next = (uint32_t)callpaths->nodes.count;
    uint32_t node = *fm_map_at(&callpaths->index, (uint64_t)parent << 32 | call, next);
    if (node == next) {
        fm_vector_push(&callpaths->nodes, (struct fm_callpath){parent, region, line});
    }
    return node;
}

void fm_callpaths_add_forest(struct fm_callpaths *callpaths, const struct fm_callpath *forest,
                             size_t count, uint32_t *number)
{
    uint32_t *numbers = number == NULL ? fm_allocate(count, sizeof *numbers) : number;
    for (size_t i = 0; i < count; ++i) {
        uint32_t parent = forest[i].parent == FM_NONE ? FM_NONE : numbers[forest[i].parent];
        numbers[i] = fm_callpaths_add(callpaths, parent, forest[i].region, forest[i].line);
    }
    if (number == NULL) {
        fm_free(numbers);
    }
}

void fm_callpaths_free(struct fm_callpaths *callpaths)
{
    fm_vector_free(&callpaths->nodes);
    fm_map_free(&callpaths->calls);
    fm_map_free(&callpaths->index);
}
