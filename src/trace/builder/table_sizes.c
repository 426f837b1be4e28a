/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/builder/table_sizes.h"

/* Limit of the growth from one location to the next one, whatever number of events a definition
 * states: the archive may be damaged. */
#define MOST_TIMES_LARGER 4

static size_t scale(size_t size, uint64_t events, uint64_t of_events)
{
    double expected = (double)size * (double)events / (double)of_events;
    double most = (double)size * MOST_TIMES_LARGER;
    return (size_t)((expected < most ? expected : most) * 1.02) + 8;
}

void fm_tables_reserve(struct fm_location *location, const struct fm_table_sizes *sizes)
{
    uint64_t events = location->defined_events;
    if (sizes->events == 0 || events == 0) {
        return;
    }
#define RESERVE(table)                                                                             \
    if (sizes->table != 0) {                                                                       \
        fm_vector_reserve(&location->table, scale(sizes->table, events, sizes->events));           \
    }
    FM_LOCATION_TABLES(RESERVE)
#undef RESERVE
}

void fm_tables_clear(struct fm_location *location)
{
#define CLEAR(table) location->table.count = 0;
    FM_LOCATION_TABLES(CLEAR)
#undef CLEAR
}

void fm_tables_trim(struct fm_location *location, struct fm_table_sizes *sizes)
{
    sizes->events = location->event_count;
#define TRIM(table)                                                                                \
    sizes->table = location->table.count;                                                          \
    fm_vector_trim(&location->table);
    FM_LOCATION_TABLES(TRIM)
#undef TRIM
}
