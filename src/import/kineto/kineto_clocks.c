/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_clocks.h"

#include "base/containers/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Fewer collectives show nothing, and differences are not larger than this times their variation.
 */
#define FEWEST      3
#define SIGNIFICANT 3

typedef FM_VECTOR(int64_t) differences;

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static int64_t median(differences *list)
{
    fm_sort(list->items, list->count, sizeof *list->items, compare);
    return list->items[list->count / 2];
}

static bool is_same(const struct fm_kineto_part *left, const struct fm_kineto_part *right)
{
    return left->communicator == right->communicator && left->sequence == right->sequence &&
           left->key == right->key;
}

static int64_t end_of(const struct fm_kineto_job *job, const struct fm_kineto_part *part)
{
    return part->kernel->end + job->traces.items[part->rank].base;
}

/* Lists by how much the kernels of a rank end before those of the first rank of their collective
 * whose clock is aligned already, which are those with lower numbers. */
static void list_differences(const struct fm_kineto_job *job, const fm_kineto_part_vector *parts,
                             uint32_t rank, differences *list)
{
    size_t first = 0;
    list->count = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct fm_kineto_part *part = &parts->items[i];
        first = is_same(&parts->items[first], part) ? first : i;
        if (part->communicator != FM_KINETO_NONE && part->rank == rank && first != i) {
            fm_vector_push(list, end_of(job, &parts->items[first]) - end_of(job, part));
        }
    }
}

/* Makes differences their distances from a value. */
static void subtract(differences *list, int64_t value)
{
    for (size_t i = 0; i < list->count; i++) {
        list->items[i] = llabs(list->items[i] - value);
    }
}

/* @return the largest difference between the ends of the kernels of one collective */
static int64_t largest_spread(const struct fm_kineto_job *job, const fm_kineto_part_vector *parts)
{
    int64_t largest = 0, earliest = 0, latest = 0;
    for (size_t i = 0; i < parts->count; i++) {
        const struct fm_kineto_part *part = &parts->items[i];
        if (part->communicator == FM_KINETO_NONE) {
            continue;
        }
        const int64_t end = end_of(job, part);
        const bool continues = i > 0 && is_same(part, part - 1);
        earliest = !continues || end < earliest ? end : earliest;
        latest = !continues || end > latest ? end : latest;
        largest = latest - earliest > largest ? latest - earliest : largest;
    }
    return largest;
}

void fm_kineto_clocks_align(struct fm_kineto_job *job, const fm_kineto_part_vector *parts)
{
    differences list = {0};
    uint32_t moved = 0;
    int64_t farthest = 0;
    size_t matched = 0;
    for (size_t i = 0; i < parts->count; i++) {
        matched += parts->items[i].communicator != FM_KINETO_NONE;
    }
    for (uint32_t rank = 1; rank < job->traces.count; rank++) {
        list_differences(job, parts, rank, &list);
        if (list.count < FEWEST) {
            continue;
        }
        const int64_t offset = median(&list);
        subtract(&list, offset);
        if (llabs(offset) > SIGNIFICANT * median(&list) && offset != 0) {
            job->traces.items[rank].base += offset;
            moved++;
            farthest = llabs(offset) > farthest ? llabs(offset) : farthest;
        }
    }
    fm_vector_free(&list);
    if (moved != 0) {
        fm_kineto_warn(job,
                       "The clocks of %" PRIu32 " of %zu ranks are moved by up to %.3f us, so that "
                       "the kernels of collectives end together.",
                       moved, job->traces.count, (double)farthest / 1e3);
    }
    if (matched != 0) {
        fm_kineto_warn(job,
                       "The kernels of one collective end up to %.3f us apart: waiting of one rank "
                       "for another that is shorter is not certain.",
                       (double)largest_spread(job, parts) / 1e3);
    } else if (job->traces.count > 1) {
        fm_kineto_warn(job, "No collectives of different ranks are matched: times of different "
                            "ranks are compared as their clocks state them.");
    }
    fm_kineto_set_origin(job);
}
