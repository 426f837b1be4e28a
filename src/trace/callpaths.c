#include "trace/callpaths.h"

#include "trace/trace.h"

uint32_t fm_callpaths_add(struct fm_callpaths *callpaths, uint32_t parent, uint32_t region)
{
    uint32_t next = (uint32_t)callpaths->nodes.count;
    uint32_t node = *fm_map_at(&callpaths->index, (uint64_t)parent << 32 | region, next);
    if (node == next) {
        fm_vector_push(&callpaths->nodes, (struct fm_callpath){parent, region});
    }
    return node;
}

void fm_callpaths_add_forest(struct fm_callpaths *callpaths, const struct fm_callpath *forest,
                             size_t count, uint32_t *number)
{
    uint32_t *numbers = number == NULL ? fm_allocate(count, sizeof *numbers) : number;
    for (size_t i = 0; i < count; ++i) {
        uint32_t parent = forest[i].parent == FM_NONE ? FM_NONE : numbers[forest[i].parent];
        numbers[i] = fm_callpaths_add(callpaths, parent, forest[i].region);
    }
    if (number == NULL) {
        fm_free(numbers);
    }
}

void fm_callpaths_free(struct fm_callpaths *callpaths)
{
    fm_vector_free(&callpaths->nodes);
    fm_map_free(&callpaths->index);
}
