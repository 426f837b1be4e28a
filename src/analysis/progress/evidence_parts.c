/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/evidence_parts.h"

#include "analysis/results/order_statistics.h"
#include "base/containers/sort.h"

struct summing {
    const struct fm_evidence *evidence;
    struct fm_evidence_part *parts; /* by worker */
    uint64_t **pieces;              /* by worker: passed and held ones of each kind */
};

struct fm_evidence_part *fm_evidence_parts_create(struct fm_engine *engine)
{
    return fm_allocate_apart(fm_engine_workers(engine), sizeof(struct fm_evidence_part));
}

uint32_t fm_evidence_part_kind(struct fm_evidence_part *part, uint64_t key)
{
    const uint32_t next = (uint32_t)part->kinds.count;
    const uint32_t kind = *fm_map_at(&part->kind_of_key, key, next);
    if (kind == next) {
        fm_vector_push(&part->kinds, (struct fm_kind_part){.key = key});
    }
    return kind;
}

static int compare_keys(const void *a, const void *b)
{
    return fm_compare_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Adds the kinds of all workers and processes, without their values. */
static void add_kinds(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                      const struct fm_evidence_part *parts)
{
    FM_VECTOR(uint64_t) own = {0}, all = {0};
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); w++) {
        for (size_t k = 0; k < parts[w].kinds.count; k++) {
            fm_vector_push(&own, parts[w].kinds.items[k].key);
        }
    }
    fm_team_share_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    fm_sort(all.items, all.count, sizeof *all.items, compare_keys);
    for (size_t i = 0; i < all.count; i++) {
        if (i == 0 || all.items[i] != all.items[i - 1]) {
            fm_vector_push(
                &evidence->kinds,
                (struct fm_progress_kind){.key = all.items[i], .waits = evidence->is_stated});
        }
    }
    fm_vector_free(&all);
}

/* @return the values of u that a worker has of a kind */
static struct fm_order_part times_of(const struct fm_evidence_part *part, uint64_t key)
{
    const uint32_t kind = fm_map_get(&part->kind_of_key, key);
    if (kind == FM_MAP_ABSENT) {
        return (struct fm_order_part){NULL, 0};
    }
    const struct fm_kind_part *found = &part->kinds.items[kind];
    return (struct fm_order_part){found->times.items, found->times.count};
}

/* Sets u of the kinds that have values of it: the lower median. */
static void set_usual_times(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                            const struct fm_evidence_part *parts)
{
    const size_t kinds = evidence->kinds.count;
    const unsigned workers = fm_engine_workers(analysis->engine);
    struct fm_order_part *times = fm_allocate(kinds * workers, sizeof *times);
    uint64_t *counts = fm_allocate(kinds, sizeof *counts);
    struct fm_order *orders = fm_allocate(kinds, sizeof *orders);
    for (size_t k = 0; k < kinds; k++) {
        for (unsigned w = 0; w < workers; w++) {
            times[k * workers + w] = times_of(&parts[w], evidence->kinds.items[k].key);
            counts[k] += times[k * workers + w].count;
        }
    }
    fm_team_sum(analysis->team, counts, kinds);
    size_t known = 0;
    for (size_t k = 0; k < kinds; k++) {
        if (counts[k] != 0) {
            const uint64_t median = (counts[k] - 1) / 2;
            orders[known++] = (struct fm_order){.parts = &times[k * workers],
                                                .positions = {median, median, median, median}};
        }
    }
    fm_order_statistics(analysis->engine, orders, known);
    known = 0;
    for (size_t k = 0; k < kinds; k++) {
        evidence->kinds.items[k].usual = counts[k] == 0 ? 0 : orders[known++].elements[0];
    }
    fm_free(orders);
    fm_free(counts);
    fm_free(times);
}

static uint64_t count(const fm_evidence_pieces *pieces, uint64_t usual)
{
    uint64_t counted = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        counted += pieces->items[i].from <= usual && usual < pieces->items[i].below;
    }
    return counted;
}

/* Counts the pieces of a worker and frees its part. */
static void count_pieces(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)first;
    (void)last;
    const struct summing *summing = context;
    struct fm_evidence_part *part = &summing->parts[worker];
    for (size_t k = 0; k < part->kinds.count; k++) {
        struct fm_kind_part *found = &part->kinds.items[k];
        const struct fm_progress_kind *kind = fm_evidence_kind_of(summing->evidence, found->key);
        uint64_t *pieces =
            &summing->pieces[worker][2 * (size_t)(kind - summing->evidence->kinds.items)];
        pieces[0] = count(&found->passed, kind->usual);
        pieces[1] = count(&found->held, kind->usual);
        fm_vector_free(&found->times);
        fm_vector_free(&found->passed);
        fm_vector_free(&found->held);
    }
    fm_vector_free(&part->kinds);
    fm_map_free(&part->kind_of_key);
}

/* Sets whether the kinds wait, by the pieces of all workers and processes; frees the parts. */
static void set_pieces(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                       struct fm_evidence_part *parts)
{
    const unsigned workers = fm_engine_workers(analysis->engine);
    const size_t kinds = evidence->kinds.count;
    uint64_t *sums = fm_allocate(2 * kinds, sizeof *sums);
    struct summing summing = {evidence, parts, fm_allocate(workers, sizeof *summing.pieces)};
    for (unsigned w = 0; w < workers; w++) {
        summing.pieces[w] = fm_allocate(2 * kinds, sizeof **summing.pieces);
    }
    fm_engine_run(analysis->engine, count_pieces, &summing);
    for (unsigned w = 0; w < workers; w++) {
        for (size_t i = 0; i < 2 * kinds; i++) {
            sums[i] += summing.pieces[w][i];
        }
        fm_free(summing.pieces[w]);
    }
    fm_free(summing.pieces);
    fm_team_sum(analysis->team, sums, 2 * kinds);
    for (size_t k = 0; k < kinds; k++) {
        struct fm_progress_kind *kind = &evidence->kinds.items[k];
        kind->passed = sums[2 * k];
        kind->held = sums[2 * k + 1];
        kind->waits |= kind->held > kind->passed;
    }
    fm_free(sums);
}

void fm_evidence_sum_up(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                        struct fm_evidence_part *parts)
{
    add_kinds(evidence, analysis, parts);
    set_usual_times(evidence, analysis, parts);
    set_pieces(evidence, analysis, parts);
    fm_free(parts);
}
