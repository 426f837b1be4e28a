/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/blocking_size.h"

#include "base/containers/sort.h"

static struct fm_size_samples *samples_of(struct fm_send_samples *samples, fm_locality_t locality,
                                          uint32_t bytes)
{
    const uint32_t next = (uint32_t)samples->sizes.count;
    const uint32_t position =
        *fm_map_at(&samples->position_of, (uint64_t)locality << 32 | bytes, next);
    if (position == next) {
        fm_vector_push(&samples->sizes,
                       (struct fm_size_samples){.locality = locality, .bytes = bytes});
    }
    return &samples->sizes.items[position];
}

void fm_send_samples_pass(struct fm_send_samples *samples, fm_locality_t locality, uint32_t bytes,
                          uint64_t duration)
{
    struct fm_size_samples *size = samples_of(samples, locality, bytes);
    size->passed++;
    size->longest = duration > size->longest ? duration : size->longest;
    size->total += duration;
}

/* @return the first of the shared samples with this locality and as many bytes or more; NULL: none
 */
static const struct fm_size_samples *find(const struct fm_send_samples *shared,
                                          fm_locality_t locality, uint32_t bytes)
{
    size_t low = 0, high = shared->sizes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_size_samples *size = &shared->sizes.items[middle];
        if (size->locality < locality || (size->locality == locality && size->bytes < bytes)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < shared->sizes.count && shared->sizes.items[low].locality == locality
               ? &shared->sizes.items[low]
               : NULL;
}

void fm_send_samples_wait(struct fm_send_samples *samples, const struct fm_send_samples *passed,
                          fm_locality_t locality, uint32_t bytes, uint64_t lateness)
{
    const struct fm_size_samples *larger = find(passed, locality, bytes);
    if (larger == NULL || lateness > larger->longest) {
        samples_of(samples, locality, bytes)->waited++;
    }
}

bool fm_send_stood_still(const struct fm_send_samples *passed, fm_locality_t locality,
                         uint32_t bytes, uint64_t duration)
{
    const struct fm_size_samples *size = find(passed, locality, bytes);
    return size != NULL && size->bytes == bytes && size->passed != 0 &&
           duration / FM_STANDSTILL >= size->total / size->passed;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct fm_size_samples *left = a, *right = b;
    if (left->locality != right->locality) {
        return left->locality < right->locality ? -1 : 1;
    }
    return left->bytes < right->bytes ? -1 : left->bytes > right->bytes;
}

void fm_send_samples_share(struct fm_send_samples *all, struct fm_send_samples *const *of_workers,
                           unsigned workers, struct fm_team *team)
{
    struct fm_send_samples own = {0};
    for (unsigned w = 0; w < workers; w++) {
        for (size_t i = 0; i < of_workers[w]->sizes.count; i++) {
            fm_vector_push(&own.sizes, of_workers[w]->sizes.items[i]);
        }
        fm_send_samples_free(of_workers[w]);
    }
    fm_team_share_vector(team, &own.sizes, &all->sizes);
    fm_send_samples_free(&own);
    struct fm_size_samples *sizes = all->sizes.items;
    fm_sort(sizes, all->sizes.count, sizeof *sizes, compare_sizes);
    size_t kept = 0;
    for (size_t i = 0; i < all->sizes.count; i++) {
        if (kept > 0 && compare_sizes(&sizes[kept - 1], &sizes[i]) == 0) {
            struct fm_size_samples *same = &sizes[kept - 1];
            same->passed += sizes[i].passed;
            same->waited += sizes[i].waited;
            same->total += sizes[i].total;
            same->longest = sizes[i].longest > same->longest ? sizes[i].longest : same->longest;
        } else {
            sizes[kept++] = sizes[i];
        }
    }
    all->sizes.count = kept;
    for (size_t i = kept; i-- > 1;) {
        if (sizes[i].locality == sizes[i - 1].locality && sizes[i].longest > sizes[i - 1].longest) {
            sizes[i - 1].longest = sizes[i].longest;
        }
    }
}

struct fm_blocking_sizes fm_blocking_sizes_find(const struct fm_send_samples *passed,
                                                const struct fm_send_samples *waited)
{
    struct fm_blocking_sizes found = {{UINT64_MAX, UINT64_MAX}};
    for (size_t i = waited->sizes.count; i-- > 0;) {
        const struct fm_size_samples *size = &waited->sizes.items[i];
        const struct fm_size_samples *same =
            find(passed, (fm_locality_t)size->locality, size->bytes);
        if (same == NULL || same->bytes != size->bytes || size->waited >= same->passed) {
            found.from[size->locality] = size->bytes;
        }
    }
    return found;
}

void fm_send_samples_free(struct fm_send_samples *samples)
{
    fm_map_free(&samples->position_of);
    fm_vector_free(&samples->sizes);
}
