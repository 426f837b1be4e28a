/* Holds of locks. */
#include "access/access_tables.h"

#include "analysis/locks/lock_names.h"

#include <stdio.h>

/* @return the call of a location that begins at a time; FM_NONE: none does */
static uint32_t call_at(const struct fm_location *location, uint64_t enter)
{
    size_t low = 0, high = location->enter.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (location->enter.items[middle] < enter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < location->enter.count && location->enter.items[low] == enter ? (uint32_t)low
                                                                              : FM_NONE;
}

static bool is_same_lock(const struct fm_kept_hold *a, const struct fm_kept_hold *b)
{
    return a->window == b->window && a->hold.paradigm == b->hold.paradigm &&
           a->hold.target == b->hold.target && a->hold.lock == b->hold.lock;
}

static const char *name_of(struct fm_access_source *source, const struct fm_kept_hold *kept)
{
    char name[320];
    const struct fm_lock_hold *hold = &kept->hold;
    if (hold->paradigm != FM_PARADIGM_MPI) {
        const struct fm_named_lock named = {hold->lock, hold->target, hold->region, hold->paradigm,
                                            kept->window == FM_NONE};
        fm_lock_name(source->trace, &named, name, sizeof name);
    } else {
        const char *window =
            kept->window == FM_NONE ? NULL : source->trace->windows[kept->window].name;
        int length = snprintf(name, 256, "%s", window == NULL ? "window" : window);
        length = length > 255 ? 255 : length;
        if (hold->target == FM_NONE) {
            snprintf(name + length, sizeof name - (size_t)length, ", all targets");
        } else {
            snprintf(name + length, sizeof name - (size_t)length, ", rank %u", hold->target);
        }
    }
    return fm_access_keep(source->tables, name);
}

static void put_hold(struct fm_access_source *source, size_t row, int32_t lock, const char *name,
                     bool is_first)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_lock_hold *hold = &source->detail->holds.items[row].hold;
    const int64_t call = fm_access_call(
        source, hold->owner, call_at(&source->trace->locations[hold->owner], hold->requested));
    fm_access_int32(tables, FM_COLUMN_holds_lock)[row] = lock;
    fm_access_text(tables, FM_COLUMN_holds_name)[row] = name;
    fm_access_int32(tables, FM_COLUMN_holds_owner)[row] = (int32_t)hold->owner;
    fm_access_int64(tables, FM_COLUMN_holds_call)[row] = call;
    fm_access_int64(tables, FM_COLUMN_holds_requested)[row] =
        fm_access_ticks(source, hold->requested);
    fm_access_int64(tables, FM_COLUMN_holds_acquired)[row] =
        fm_access_ticks(source, hold->held_from);
    fm_access_int64(tables, FM_COLUMN_holds_released)[row] =
        fm_access_ticks(source, hold->released);
    fm_access_int64(tables, FM_COLUMN_holds_waited)[row] =
        (int64_t)(hold->queued_until - hold->queued_from);
    fm_access_int32(tables, FM_COLUMN_holds_exclusive)[row] = hold->exclusive;
    fm_access_int64(tables, FM_COLUMN_holds_previous)[row] = is_first ? -1 : (int64_t)row - 1;
    fm_access_int64(tables, FM_COLUMN_holds_blocked_by)[row] = fm_access_row(hold->blocked_by);
    int64_t *of_calls = fm_access_int64(tables, FM_COLUMN_calls_hold);
    if (call >= 0 && of_calls[call] < 0) {
        of_calls[call] = (int64_t)row;
    }
}

void fm_access_holds(struct fm_access_source *source)
{
    const fm_kept_holds *holds = &source->detail->holds;
    int32_t lock = -1;
    const char *name = NULL;
    fm_access_size(source->tables, FM_TABLE_OF_holds, holds->count);
    for (size_t i = 0; i < holds->count; i++) {
        const bool is_first = i == 0 || !is_same_lock(&holds->items[i - 1], &holds->items[i]);
        if (is_first) {
            lock++;
            name = name_of(source, &holds->items[i]);
        }
        put_hold(source, i, lock, name, is_first);
    }
}
