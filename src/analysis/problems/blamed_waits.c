#include "analysis/problems/blamed_waits.h"

#include "analysis/causes/blame/blame.h"
#include "analysis/causes/caused_waits.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

/* From the blamed location to the one that waits. */
struct part_message {
    struct fm_blamed_part part;
    uint32_t waiter;
    uint32_t unused;
};

struct search {
    const struct fm_formation *formation;
    const struct fm_shown_problems *shown;
    uint8_t **numbers; /* [location]: [node][FM_CHARGES]: problem; NULL: not known yet */
    struct fm_blamed_parts *parts; /* by location that waits */
    struct fm_dispatch *messages;
};

static bool is_charged(void *context, uint32_t location, const struct fm_caused_wait *wait)
{
    (void)context;
    (void)location;
    return fm_charge_of((fm_delay_kind_t)wait->delay_kind) != FM_CHARGE_DELAY;
}

static uint8_t problem_of(struct search *search, const struct fm_blame_wait_piece *piece)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    uint8_t **numbers = &search->numbers[piece->location];
    if (piece->visit == FM_NONE) {
        return search->shown->unattributed;
    }
    if (*numbers == NULL) {
        *numbers =
            fm_allocate(analysis->trace->locations[piece->location].profile.count, FM_CHARGES);
        fm_shown_problems_of(search->shown, analysis, piece->location, *numbers);
    }
    return (*numbers)[(size_t)piece->visit * FM_CHARGES + fm_charge_of(piece->kind)];
}

static void take_piece(void *context, unsigned worker, const struct fm_blame_wait_piece *piece)
{
    struct search *search = context;
    uint8_t problem = problem_of(search, piece);
    if (problem != FM_NOT_SHOWN) {
        const struct fm_trace *trace = search->formation->analysis->trace;
        fm_dispatch_send(search->messages, worker, fm_trace_process(trace, piece->waiter),
                         &(struct part_message){
                             .part = {piece->from, piece->to, piece->number, problem},
                             .waiter = piece->waiter,
                         });
    }
}

static void take_part(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct search *search = context;
    const struct part_message *message = record;
    fm_vector_push(&search->parts[message->waiter].items, message->part);
}

static int compare_parts(const void *left, const void *right)
{
    const struct fm_blamed_part *a = left, *b = right;
    if (a->number != b->number) {
        return a->number < b->number ? -1 : 1;
    }
    return a->from < b->from ? -1 : a->from > b->from;
}

static void sort_parts(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct fm_blamed_parts *parts = &search->parts[l];
        fm_sort(parts->items.items, parts->items.count, sizeof *parts->items.items, compare_parts);
        fm_free(search->numbers[l]);
    }
}

struct fm_blamed_parts *fm_blamed_waits_find(const struct fm_formation *formation,
                                             const struct fm_shown_problems *shown)
{
    struct fm_engine *engine = formation->analysis->engine;
    uint32_t locations = formation->analysis->trace->location_count;
    struct search search = {
        .formation = formation,
        .shown = shown,
        .numbers = fm_allocate(locations, sizeof *search.numbers),
        .parts = fm_allocate(locations, sizeof *search.parts),
    };
    search.messages = fm_dispatch_create(engine, sizeof(struct part_message), take_part, &search);
    fm_blame_waits(formation, &(struct fm_blame_each){
                                  .context = &search, .is_wanted = is_charged, .take = take_piece});
    fm_dispatch_deliver(search.messages);
    fm_dispatch_free(search.messages);
    fm_engine_run(engine, sort_parts, &search);
    fm_free(search.numbers);
    return search.parts;
}

void fm_blamed_waits_free(struct fm_blamed_parts *blamed, uint32_t location_count)
{
    for (uint32_t l = 0; blamed != NULL && l < location_count; ++l) {
        fm_vector_free(&blamed[l].items);
    }
    fm_free(blamed);
}

const struct fm_blamed_part *fm_blamed_wait_parts(const struct fm_blamed_parts *parts,
                                                  uint32_t number, size_t *count)
{
    size_t low = 0, high = parts->items.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts->items.items[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t end = low;
    while (end < parts->items.count && parts->items.items[end].number == number) {
        ++end;
    }
    *count = end - low;
    return parts->items.items + low;
}
