#include "trace/requests.h"

static void release(struct fm_requests *requests, uint32_t position)
{
    fm_vector_push(&requests->unused, position);
}

void fm_requests_start(struct fm_requests *requests, const struct fm_open_request *request)
{
    uint32_t position;
    if (requests->unused.count != 0) {
        position = requests->unused.items[--requests->unused.count];
        requests->open.items[position] = *request;
    } else {
        position = (uint32_t)requests->open.count;
        fm_vector_push(&requests->open, *request);
    }
    uint32_t *slot = fm_map_at(&requests->open_by_id[request->kind], request->id, position);
    if (*slot != position) {
        fm_vector_push(&requests->left_open, requests->open.items[*slot]);
        release(requests, *slot);
        *slot = position;
    }
}

struct fm_open_request *fm_requests_find(struct fm_requests *requests, fm_request_kind_t kind,
                                         uint64_t id)
{
    uint32_t position = fm_map_get(&requests->open_by_id[kind], id);
    return position == FM_MAP_ABSENT ? NULL : &requests->open.items[position];
}

bool fm_requests_take(struct fm_requests *requests, fm_request_kind_t kind, uint64_t id,
                      struct fm_open_request *request)
{
    uint32_t position = fm_map_take(&requests->open_by_id[kind], id);
    if (position == FM_MAP_ABSENT) {
        return false;
    }
    *request = requests->open.items[position];
    release(requests, position);
    return true;
}

void fm_requests_close_location(struct fm_requests *requests)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        struct fm_map *map = &requests->open_by_id[kind];
        for (size_t i = 0; map->count != 0 && i <= map->mask; ++i) {
            if (map->slots[i].value != FM_MAP_ABSENT) {
                fm_vector_push(&requests->left_open, requests->open.items[map->slots[i].value]);
            }
        }
        fm_map_clear(map);
    }
    requests->open.count = 0;
    requests->unused.count = 0;
}

void fm_requests_clear(struct fm_requests *requests)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        fm_map_clear(&requests->open_by_id[kind]);
    }
    requests->open.count = requests->unused.count = 0;
    requests->left_open.count = requests->foreign.count = 0;
}

void fm_requests_free(struct fm_requests *requests)
{
    for (unsigned kind = 0; kind < 3; ++kind) {
        fm_map_free(&requests->open_by_id[kind]);
    }
    fm_vector_free(&requests->open);
    fm_vector_free(&requests->unused);
    fm_vector_free(&requests->left_open);
    fm_vector_free(&requests->foreign);
}
