/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states, their parts, and who is blamed for them. */
#include "access/access_tables.h"

#include "base/containers/sort.h"
#include "base/memory.h"

static void make_waits(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_detail *detail = source->detail;
    int64_t count = 0;
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        source->first_wait[l] = count;
        count += (int64_t)detail->findings[l].waits.count;
    }
    fm_access_size(tables, FM_TABLE_OF_waits, (size_t)count);
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        const struct fm_findings *findings = &detail->findings[l];
        for (size_t i = 0; i < findings->waits.count; i++) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
            const int64_t row = source->first_wait[l] + (int64_t)i;
            const int64_t call = fm_access_call(source, l, wait->activity);
            fm_access_int64(tables, FM_COLUMN_waits_call)[row] = call;
            fm_access_int32(tables, FM_COLUMN_waits_metric)[row] = wait->metric;
            fm_access_int64(tables, FM_COLUMN_waits_ticks)[row] =
                fm_access_ticks(source, wait->t) -
                fm_access_ticks(source,
                                fm_trace_begin(&source->trace->locations[l], wait->activity));
            fm_access_int64(tables, FM_COLUMN_waits_cause)[row] =
                fm_access_call(source, wait->cause_location, wait->cause_activity);
            fm_access_int32(tables, FM_COLUMN_waits_cause_location)[row] =
                fm_access_row(wait->cause_location);
            fm_access_int64(tables, FM_COLUMN_calls_wait)[call] = row;
        }
    }
}

/* ---- parts ---- */

static int compare_parts(const void *left, const void *right)
{
    const struct fm_part *a = left, *b = right;
    if (a->activity != b->activity) {
        return a->activity < b->activity ? -1 : 1;
    }
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static void put_part(struct fm_access_source *source, uint32_t location, const struct fm_part *part,
                     size_t *row)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_candidate *wait =
        fm_findings_wait(&source->detail->findings[location], part->activity);
    if (wait == NULL || wait->metric != part->of ||
        (part->kind != FM_PART_HEAD && part->kind != FM_PART_TAIL)) {
        return;
    }
    const uint64_t enter = fm_trace_begin(&source->trace->locations[location], part->activity);
    const uint64_t waited = wait->t - enter;
    const uint64_t ticks = part->kind == FM_PART_HEAD ? part->since - enter : wait->t - part->since;
    const int64_t call = fm_access_call(source, location, part->activity);
    fm_access_int64(tables, FM_COLUMN_parts_wait)[*row] =
        fm_access_int64(tables, FM_COLUMN_calls_wait)[call];
    fm_access_int32(tables, FM_COLUMN_parts_metric)[*row] = part->metric;
    fm_access_int64(tables, FM_COLUMN_parts_ticks)[*row] =
        (int64_t)(ticks < waited ? ticks : waited);
    ++*row;
}

static void make_parts(struct fm_access_source *source)
{
    const struct fm_findings *findings = source->detail->findings;
    FM_VECTOR(struct fm_part) parts = {0};
    size_t most = 0, row = 0;
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        most += findings[l].parts.count;
    }
    fm_access_size(source->tables, FM_TABLE_OF_parts, most);
    for (uint32_t l = 0; l < source->trace->location_count; l++) {
        parts.count = 0;
        for (size_t i = 0; i < findings[l].parts.count; i++) {
            fm_vector_push(&parts, findings[l].parts.items[i]);
        }
        fm_sort(parts.items, parts.count, sizeof *parts.items, compare_parts);
        for (size_t i = 0; i < parts.count; i++) {
            put_part(source, l, &parts.items[i], &row);
        }
    }
    fm_access_shorten(source->tables, FM_TABLE_OF_parts, row);
    fm_vector_free(&parts);
}

/* ---- blame ---- */

static void make_blame(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const fm_detail_blames *blames = &source->detail->blames;
    fm_access_size(tables, FM_TABLE_OF_blame, blames->count);
    for (size_t i = 0; i < blames->count; i++) {
        const struct fm_detail_blame *blame = &blames->items[i];
        const int64_t call = fm_access_call(source, blame->waiter, blame->activity);
        const int64_t wait = fm_access_int64(tables, FM_COLUMN_calls_wait)[call];
        fm_access_int64(tables, FM_COLUMN_blame_wait)[i] = wait;
        fm_access_int64(tables, FM_COLUMN_blame_begin)[i] = fm_access_ticks(source, blame->from);
        fm_access_int64(tables, FM_COLUMN_blame_end)[i] = fm_access_ticks(source, blame->to);
        fm_access_int32(tables, FM_COLUMN_blame_location)[i] = (int32_t)blame->location;
        fm_access_int32(tables, FM_COLUMN_blame_callpath)[i] = fm_access_row(blame->callpath);
        int64_t *first = &fm_access_int64(tables, FM_COLUMN_waits_first_blame)[wait];
        *first = *first < 0 ? (int64_t)i : *first;
        fm_access_int32(tables, FM_COLUMN_waits_blames)[wait]++;
    }
}

void fm_access_waits(struct fm_access_source *source)
{
    make_waits(source);
    make_parts(source);
    make_blame(source);
}
