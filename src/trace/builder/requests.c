/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/builder/requests.h"

static void leave_open(struct fm_requests *requests, unsigned kind, uint64_t id, uint32_t row,
                       bool restarted)
{
    fm_vector_push(&requests->left_open, (struct fm_open_request){
                                             .id = id,
                                             .location = requests->location,
                                             .row = row,
                                             .kind = (uint8_t)kind,
                                             .restarted = restarted,
                                         });
}

void fm_requests_open_location(struct fm_requests *requests, uint32_t location)
{
    requests->location = location;
}

void fm_requests_reopen_location(struct fm_requests *requests, size_t left_open, size_t foreign)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        fm_map_clear(&requests->row_by_id[kind]);
    }
    requests->left_open.count = left_open;
    requests->foreign.count = foreign;
}

void fm_requests_start(struct fm_requests *requests, fm_request_kind_t kind, uint64_t id,
                       uint32_t row)
{
    uint32_t *open = fm_map_at(&requests->row_by_id[kind], id, row);
    if (*open != row) {
        leave_open(requests, kind, id, *open, true);
        *open = row;
    }
}

void fm_requests_close_location(struct fm_requests *requests)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        struct fm_map *map = &requests->row_by_id[kind];
        for (size_t i = 0; map->count != 0 && i <= map->mask; ++i) {
            if (map->slots[i].value != FM_MAP_ABSENT) {
                leave_open(requests, kind, map->slots[i].key, map->slots[i].value, false);
            }
        }
        fm_map_clear(map);
    }
}

void fm_requests_clear(struct fm_requests *requests)
{
    fm_requests_reopen_location(requests, 0, 0);
}

void fm_requests_free(struct fm_requests *requests)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        fm_map_free(&requests->row_by_id[kind]);
    }
    fm_vector_free(&requests->left_open);
    fm_vector_free(&requests->foreign);
}
