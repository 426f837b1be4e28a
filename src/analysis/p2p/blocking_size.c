#include "analysis/p2p/blocking_size.h"

#include "base/containers/sort.h"
#include "base/memory.h"

typedef FM_VECTOR(struct fm_sends_of_size) size_vector;

void fm_late_sends_add(struct fm_late_sends *sends, fm_locality_t locality, uint32_t bytes,
                       uint64_t lateness, uint64_t duration)
{
    const uint32_t next = (uint32_t)sends->sizes.count;
    const uint32_t at = *fm_map_at(&sends->of_size, (uint64_t)locality << 32 | bytes, next);
    if (at == next) {
        fm_vector_push(&sends->sizes,
                       (struct fm_sends_of_size){.bytes = bytes, .locality = (uint32_t)locality});
    }
    struct fm_sends_of_size *size = &sends->sizes.items[at];
    if (lateness <= duration) {
        fm_vector_push(&sends->contained, (struct fm_contained_post){lateness, at});
        return;
    }
    size->passed++;
    size->longest_passed = duration > size->longest_passed ? duration : size->longest_passed;
}

void fm_late_sends_free(struct fm_late_sends *sends)
{
    fm_map_free(&sends->of_size);
    fm_vector_free(&sends->sizes);
    fm_vector_free(&sends->contained);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct fm_sends_of_size *left = a, *right = b;
    if (left->locality != right->locality) {
        return left->locality < right->locality ? -1 : 1;
    }
    return left->bytes < right->bytes ? -1 : left->bytes > right->bytes;
}

/* Makes the sizes of all parts and processes known to all processes.
 * @param all  out: ascending by locality and size, each once */
static void share_sizes(const struct fm_late_sends *parts, size_t count, struct fm_team *team,
                        size_vector *all)
{
    size_vector own = {0}, shared = {0};
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < parts[p].sizes.count; i++) {
            fm_vector_push(&own, parts[p].sizes.items[i]);
        }
    }
    fm_team_share_vector(team, &own, &shared);
    fm_sort(shared.items, shared.count, sizeof *shared.items, compare_sizes);
    for (size_t i = 0; i < shared.count; i++) {
        const struct fm_sends_of_size *size = &shared.items[i];
        if (all->count == 0 || compare_sizes(&all->items[all->count - 1], size) != 0) {
            fm_vector_push(all, *size);
            continue;
        }
        struct fm_sends_of_size *sum = &all->items[all->count - 1];
        sum->passed += size->passed;
        if (size->longest_passed > sum->longest_passed) {
            sum->longest_passed = size->longest_passed;
        }
    }
    fm_vector_free(&own);
    fm_vector_free(&shared);
}

/* Makes `longest_passed` of each size that of the calls of at least this size. */
static void extend_longest(const size_vector *sizes)
{
    for (size_t i = sizes->count; i-- > 1;) {
        struct fm_sends_of_size *smaller = &sizes->items[i - 1];
        const struct fm_sends_of_size *larger = &sizes->items[i];
        if (smaller->locality == larger->locality &&
            larger->longest_passed > smaller->longest_passed) {
            smaller->longest_passed = larger->longest_passed;
        }
    }
}

/* @return position of a size that is among `sizes` */
static size_t position_of(const size_vector *sizes, const struct fm_sends_of_size *size)
{
    size_t low = 0, high = sizes->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (compare_sizes(&sizes->items[middle], size) <= 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts the calls of this process that contained their t and not by chance.
 * @param counts  [size], out */
static void count_contained(const struct fm_late_sends *part, const size_vector *sizes,
                            uint64_t *counts)
{
    uint32_t *positions = fm_allocate(part->sizes.count, sizeof *positions);
    for (size_t i = 0; i < part->sizes.count; i++) {
        positions[i] = (uint32_t)position_of(sizes, &part->sizes.items[i]);
    }
    for (size_t i = 0; i < part->contained.count; i++) {
        const uint32_t position = positions[part->contained.items[i].of_size];
        counts[position] +=
            part->contained.items[i].lateness > sizes->items[position].longest_passed;
    }
    fm_free(positions);
}

void fm_blocking_sizes_find(struct fm_blocking_sizes *sizes, const struct fm_late_sends *parts,
                            size_t count, struct fm_team *team)
{
    size_vector all = {0};
    share_sizes(parts, count, team, &all);
    extend_longest(&all);
    uint64_t *contained = fm_allocate(all.count, sizeof *contained);
    for (size_t p = 0; p < count; p++) {
        count_contained(&parts[p], &all, contained);
    }
    fm_team_sum(team, contained, all.count);
    for (int locality = 0; locality < FM_LOCALITIES; locality++) {
        sizes->from[locality] = UINT64_MAX;
    }
    for (size_t i = all.count; i-- > 0;) {
        if (contained[i] > 0 && contained[i] >= all.items[i].passed) {
            sizes->from[all.items[i].locality] = all.items[i].bytes;
        }
    }
    fm_free(contained);
    fm_vector_free(&all);
}
