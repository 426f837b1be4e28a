#include "analysis/threads/thread_starts.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"

typedef FM_VECTOR(struct fm_thread_start) start_vector;

struct fm_thread_starts {
    uint32_t location_count;
    start_vector *of; /* by location, ascending by time */
};

struct fm_thread_starts *fm_thread_starts_create(uint32_t location_count)
{
    struct fm_thread_starts *starts = fm_allocate(1, sizeof *starts);
    *starts =
        (struct fm_thread_starts){location_count, fm_allocate(location_count, sizeof *starts->of)};
    return starts;
}

void fm_thread_starts_free(struct fm_thread_starts *starts)
{
    if (starts == NULL) {
        return;
    }
    for (uint32_t l = 0; l < starts->location_count; l++) {
        fm_vector_free(&starts->of[l]);
    }
    fm_free(starts->of);
    fm_free(starts);
}

void fm_thread_starts_add(struct fm_thread_starts *starts, uint32_t location,
                          struct fm_thread_start start)
{
    fm_vector_push(&starts->of[location], start);
}

static int compare_starts(const void *a, const void *b)
{
    const struct fm_thread_start *left = a, *right = b;
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left->creator < right->creator ? -1 : left->creator > right->creator;
}

void fm_thread_starts_sort(struct fm_thread_starts *starts)
{
    for (uint32_t l = 0; l < starts->location_count; l++) {
        start_vector *of = &starts->of[l];
        fm_sort(of->items, of->count, sizeof *of->items, compare_starts);
    }
}

const struct fm_thread_start *fm_thread_starts_until(const struct fm_thread_starts *starts,
                                                     uint32_t location, uint64_t time)
{
    const start_vector *of = &starts->of[location];
    if (of->count == 0) {
        return NULL;
    }
    size_t behind = time == UINT64_MAX
                        ? of->count
                        : fm_count_below(&of->items->time, of->count, sizeof *of->items, time + 1);
    return behind == 0 ? NULL : &of->items[behind - 1];
}
