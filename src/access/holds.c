/* SPDX-License-Identifier: BSD-3-Clause */
/* Holds of locks. */
#include "access/access_tables.h"

#include "analysis/locks/kept_holds.h"

static void put_hold(struct fm_access_source *source, size_t row, int32_t lock, const char *name,
                     bool is_first)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_kept_hold *kept = &source->detail->holds.items[row];
    const struct fm_lock_hold *hold = &kept->hold;
    const int64_t call =
        fm_access_call(source, hold->owner, fm_kept_hold_call(source->trace, kept));
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
        const bool is_first =
            i == 0 || !fm_kept_hold_same_lock(&holds->items[i - 1], &holds->items[i]);
        if (is_first) {
            lock++;
            char text[FM_LOCK_NAME_SIZE];
            fm_kept_hold_name(source->trace, &holds->items[i], text);
            name = fm_access_keep(source->tables, text);
        }
        put_hold(source, i, lock, name, is_first);
    }
}
