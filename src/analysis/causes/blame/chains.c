/* SPDX-License-Identifier: BSD-3-Clause */
/* At an instant, locations, and the successions of the holders of locks, depend on one another: a
 * forest, as all but those who do not wait depend on one other, and the roots are blamed. Over time
 * its edges change where wait states begin and end and where locks change hands. The ends and
 * begins of a window are sorted; after each of them, the roots whose sums have changed report it.
 *
 * Two rules need care, though sound clocks hardly ever give them an occasion. A wait state that
 * ends later than the one before it in the chain is not followed: such ties lead to another node of
 * the same location, which is always a root ("dead end"). Pairs of wait states are compared where
 * both are known: by their locations (FM_TIE_DETOUR), or, if a lock stands between, here. Locations
 * that depend on one another in a circle are roots as long as the circle lasts. */
#include "analysis/causes/blame/chain_nodes.h"

#include "base/containers/keyed_sort.h"
#include "trace/tables/trace.h"

#include <string.h>

/* Classes of events, in the order in which those of a tick are handled. */
enum event {
    WAIT_ENDS,
    CONTENTION_ENDS,
    HOLDER_ENDS,
    DETOUR_ENDS,
    WEIGHT_CHANGES,
    DETOUR_BEGINS,
    HOLDER_BEGINS,
    WAIT_BEGINS,
    CONTENTION_BEGINS,
    EVENTS
};

/* ---- successions and their clients ---- */

static struct fm_chain_line *line_of(const struct fm_chains *chains, uint32_t succession)
{
    return &chains->lines.items[fm_chains_node(chains, succession)->line];
}

static uint64_t end_of(const struct fm_chains *chains, uint32_t client)
{
    return chains->clients.items[client].until;
}

static void push_client(struct fm_chains *chains, struct fm_chain_line *line, uint32_t client)
{
    fm_vector_push(&line->first_to_end, client);
    uint32_t *heap = line->first_to_end.items;
    for (size_t i = line->first_to_end.count - 1;
         i > 0 && end_of(chains, heap[(i - 1) / 2]) > end_of(chains, heap[i]); i = (i - 1) / 2) {
        uint32_t above = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = heap[i];
        heap[i] = above;
    }
}

static void pop_client(struct fm_chains *chains, struct fm_chain_line *line)
{
    uint32_t *heap = line->first_to_end.items;
    size_t count = --line->first_to_end.count;
    heap[0] = heap[count];
    for (size_t i = 0, next; (next = 2 * i + 1) < count; i = next) {
        next += next + 1 < count && end_of(chains, heap[next + 1]) < end_of(chains, heap[next]);
        if (end_of(chains, heap[i]) <= end_of(chains, heap[next])) {
            return;
        }
        uint32_t moved = heap[i];
        heap[i] = heap[next];
        heap[next] = moved;
    }
}

/* Makes a client depend on another node. */
static void move_client(struct fm_chains *chains, struct fm_chain_client *client, uint32_t from,
                        uint32_t to)
{
    if (client->node != FM_NONE) {
        fm_chains_change_target(chains, client->node, to);
    } else {
        fm_chains_add_weight(chains, from, client->kind, 0 - client->weight);
        fm_chains_add_weight(chains, to, client->kind, client->weight);
    }
}

/* Makes the first client to end depend on a dead end, a location at its waiting call. */
static void divert(struct fm_chains *chains, uint32_t succession, uint32_t location)
{
    struct fm_chain_line *line = line_of(chains, succession);
    const uint32_t number = line->first_to_end.items[0];
    struct fm_chain_client *client = &chains->clients.items[number];
    pop_client(chains, line);
    if (client->is_active) {
        client->dead_end = fm_chains_dead_end(chains, location);
        fm_vector_push(&line->astray, number);
        move_client(chains, client, succession, client->dead_end);
    }
}

/* Nobody holds the lock of a succession, or its holder waits for longer than some clients: these
 * must not follow it. */
static void send_astray(struct fm_chains *chains, uint32_t succession)
{
    struct fm_chain_line *line = line_of(chains, succession);
    while (line->is_free && line->first_to_end.count > 0) {
        divert(chains, succession, chains->clients.items[line->first_to_end.items[0]].location);
    }
    const struct fm_chain_node *node = fm_chains_node(chains, succession);
    if (node->wait == FM_NONE || fm_chains_node(chains, node->target)->wait == FM_NONE) {
        return;
    }
    const uint64_t until = fm_chains_node(chains, node->target)->until;
    const uint32_t location = fm_chains_node(chains, node->target)->location;
    while (line->first_to_end.count > 0) {
        const struct fm_chain_client *client = &chains->clients.items[line->first_to_end.items[0]];
        if (client->is_active && client->until >= until) {
            return;
        }
        divert(chains, succession, location);
    }
}

static void bring_back(struct fm_chains *chains, uint32_t succession)
{
    struct fm_chain_line *line = line_of(chains, succession);
    for (size_t i = 0; i < line->astray.count; i++) {
        uint32_t number = line->astray.items[i];
        struct fm_chain_client *client = &chains->clients.items[number];
        if (client->is_active) {
            move_client(chains, client, client->dead_end, succession);
            client->dead_end = FM_NONE;
            push_client(chains, line, number);
        }
    }
    line->astray.count = 0;
}

static void begin_holder(struct fm_chains *chains, uint32_t number)
{
    const struct fm_blame_tie *tie_record = &chains->window->ties.items[number];
    uint32_t succession = fm_chains_succession(chains, tie_record->succession);
    if (tie_record->location == FM_NONE) {
        line_of(chains, succession)->is_free = true;
        send_astray(chains, succession);
        return;
    }
    uint32_t holder = fm_chains_location(chains, tie_record->location);
    struct fm_chain_node *node = fm_chains_node(chains, succession);
    node->wait = number;
    node->target = holder;
    node->before = FM_NONE;
    node->next = fm_chains_node(chains, holder)->held;
    if (node->next != FM_NONE) {
        fm_chains_node(chains, node->next)->before = succession;
    }
    fm_chains_node(chains, holder)->held = succession;
    fm_chains_tie(chains, succession);
    send_astray(chains, succession);
}

static void end_holder(struct fm_chains *chains, uint32_t number)
{
    uint32_t succession =
        fm_chains_succession(chains, chains->window->ties.items[number].succession);
    struct fm_chain_node *node = fm_chains_node(chains, succession);
    bring_back(chains, succession);
    if (chains->window->ties.items[number].location == FM_NONE) {
        line_of(chains, succession)->is_free = false;
        return;
    }
    fm_chains_untie(chains, succession);
    node->wait = FM_NONE;
    if (node->next != FM_NONE) {
        fm_chains_node(chains, node->next)->before = node->before;
    }
    if (node->before != FM_NONE) {
        fm_chains_node(chains, node->before)->next = node->next;
    } else {
        fm_chains_node(chains, node->target)->held = node->next;
    }
}

static uint32_t add_client(struct fm_chains *chains, uint32_t succession,
                           const struct fm_chain_client *client)
{
    uint32_t number = (uint32_t)chains->clients.count;
    fm_vector_push(&chains->clients, *client);
    push_client(chains, line_of(chains, succession), number);
    return number;
}

static void begin_contention(struct fm_chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t succession = fm_chains_succession(chains, record->succession);
    uint32_t kind = chains->kinds->index[record->kind];
    fm_chains_add_weight(chains, succession, kind, record->weight);
    chains->client_of_tie[number] =
        add_client(chains, succession,
                   &(struct fm_chain_client){.until = record->until,
                                             .weight = record->weight,
                                             .location = record->location,
                                             .node = FM_NONE,
                                             .kind = kind,
                                             .dead_end = FM_NONE,
                                             .is_active = true});
    send_astray(chains, succession);
}

static void end_contention(struct fm_chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    struct fm_chain_client *client = &chains->clients.items[chains->client_of_tie[number]];
    uint32_t at = client->dead_end != FM_NONE ? client->dead_end
                                              : fm_chains_succession(chains, record->succession);
    fm_chains_add_weight(chains, at, client->kind, 0 - client->weight);
    client->is_active = false;
}

/* ---- waiting locations ---- */

static bool is_of(const struct fm_blame_tie *detour, const struct fm_blame_tie *wait)
{
    return wait->until == detour->until && wait->other == detour->other;
}

static bool makes_detour(const struct fm_chains *chains, uint32_t node)
{
    const struct fm_chain_node *waiting = fm_chains_node(chains, node);
    const struct fm_blame_tie *ties = chains->window->ties.items;
    uint32_t detour = waiting->detour;
    while (detour != FM_NONE && !is_of(&ties[detour], &ties[waiting->wait])) {
        detour = chains->next_detour[detour];
    }
    return detour != FM_NONE;
}

static void begin_wait(struct fm_chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t location = fm_chains_location(chains, record->location);
    uint32_t target = record->other != FM_NONE ? fm_chains_location(chains, record->other)
                                               : fm_chains_succession(chains, record->succession);
    struct fm_chain_node *node = fm_chains_node(chains, location);
    node->wait = number;
    node->until = record->until;
    node->client = FM_NONE;
    if (record->other != FM_NONE && node->detour != FM_NONE && makes_detour(chains, location)) {
        target = fm_chains_dead_end(chains, record->other);
        node = fm_chains_node(chains, location);
    }
    node->target = target;
    fm_chains_tie(chains, location);
    if (record->other == FM_NONE) {
        uint32_t client = add_client(chains, target,
                                     &(struct fm_chain_client){.until = record->until,
                                                               .location = record->location,
                                                               .node = location,
                                                               .dead_end = FM_NONE,
                                                               .is_active = true});
        fm_chains_node(chains, location)->client = client;
        send_astray(chains, target);
    }
    for (uint32_t s = fm_chains_node(chains, location)->held; s != FM_NONE;
         s = fm_chains_node(chains, s)->next) {
        send_astray(chains, s);
    }
}

static void end_wait(struct fm_chains *chains, uint32_t number)
{
    uint32_t location = fm_chains_location(chains, chains->window->ties.items[number].location);
    struct fm_chain_node *node = fm_chains_node(chains, location);
    fm_chains_untie(chains, location);
    node->wait = FM_NONE;
    node->is_suspended = false;
    if (node->client != FM_NONE) {
        chains->clients.items[node->client].is_active = false;
        node->client = FM_NONE;
    }
    for (uint32_t s = node->held; s != FM_NONE; s = fm_chains_node(chains, s)->next) {
        bring_back(chains, s);
    }
}

static void redirect(struct fm_chains *chains, uint32_t number, bool to_dead_end)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t location = chains->node_of_location[record->location];
    const struct fm_blame_tie *ties = chains->window->ties.items;
    if (fm_chains_node(chains, location)->wait != FM_NONE &&
        is_of(record, &ties[fm_chains_node(chains, location)->wait])) {
        fm_chains_change_target(chains, location,
                                to_dead_end ? fm_chains_dead_end(chains, record->other)
                                            : fm_chains_location(chains, record->other));
    }
}

static void begin_detour(struct fm_chains *chains, uint32_t number)
{
    uint32_t location = fm_chains_location(chains, chains->window->ties.items[number].location);
    if (chains->next_detour == NULL) {
        chains->next_detour = fm_allocate(chains->window->ties.count, sizeof(uint32_t));
    }
    chains->next_detour[number] = fm_chains_node(chains, location)->detour;
    fm_chains_node(chains, location)->detour = number;
    redirect(chains, number, true);
}

static void end_detour(struct fm_chains *chains, uint32_t number)
{
    uint32_t location = fm_chains_location(chains, chains->window->ties.items[number].location);
    uint32_t *link = &fm_chains_node(chains, location)->detour;
    while (*link != number) {
        link = &chains->next_detour[*link];
    }
    *link = chains->next_detour[number];
    redirect(chains, number, false);
}

static void change_weight(struct fm_chains *chains, uint32_t number)
{
    const struct fm_blame_change *change = &chains->window->changes.items[number];
    fm_chains_add_weight(chains, fm_chains_location(chains, change->location),
                         chains->kinds->index[change->kind], change->weight);
}

/* ---- the window ---- */

static void handle(struct fm_chains *chains, enum event event, uint32_t number)
{
    switch (event) {
    case WAIT_ENDS:
        end_wait(chains, number);
        break;
    case CONTENTION_ENDS:
        end_contention(chains, number);
        break;
    case HOLDER_ENDS:
        end_holder(chains, number);
        break;
    case DETOUR_ENDS:
        end_detour(chains, number);
        break;
    case WEIGHT_CHANGES:
        change_weight(chains, number);
        break;
    case DETOUR_BEGINS:
        begin_detour(chains, number);
        break;
    case HOLDER_BEGINS:
        begin_holder(chains, number);
        break;
    case WAIT_BEGINS:
        begin_wait(chains, number);
        break;
    case CONTENTION_BEGINS:
        begin_contention(chains, number);
        break;
    case EVENTS:
        break;
    }
}

static size_t list_ties(const struct fm_blame_window *window, fm_tie_type_t type, bool ends,
                        struct fm_keyed *events, size_t count)
{
    for (size_t i = 0; i < window->ties.count; i++) {
        const struct fm_blame_tie *record = &window->ties.items[i];
        if (record->type == (uint16_t)type) {
            events[count++] = (struct fm_keyed){ends ? record->to : record->from, (uint32_t)i};
        }
    }
    return count;
}

/* Where the events of each class begin in the list of all, before it is sorted. */
struct event_list {
    struct fm_keyed *items; /* value: position before the sorting */
    uint32_t *numbers;      /* [position]: of the tie or change */
    size_t first[EVENTS + 1];
};

static enum event class_of(const struct event_list *list, uint32_t position)
{
    unsigned event = 0;
    while (list->first[event + 1] <= position) {
        event++;
    }
    return (enum event)event;
}

static void list_events(const struct fm_blame_window *window, struct event_list *list)
{
    static const struct {
        fm_tie_type_t type;
        bool ends;
    } of_ties[EVENTS] = {
        [WAIT_ENDS] = {FM_TIE_WAIT, true},        [CONTENTION_ENDS] = {FM_TIE_CONTENTION, true},
        [HOLDER_ENDS] = {FM_TIE_HOLDER, true},    [DETOUR_ENDS] = {FM_TIE_DETOUR, true},
        [DETOUR_BEGINS] = {FM_TIE_DETOUR, false}, [HOLDER_BEGINS] = {FM_TIE_HOLDER, false},
        [WAIT_BEGINS] = {FM_TIE_WAIT, false},     [CONTENTION_BEGINS] = {FM_TIE_CONTENTION, false},
    };
    size_t count = 2 * window->ties.count + window->changes.count;
    list->items = fm_resize(NULL, 0, count * sizeof *list->items);
    list->numbers = fm_resize(NULL, 0, count * sizeof *list->numbers);
    size_t position = 0;
    for (unsigned event = 0; event < EVENTS; event++) {
        list->first[event] = position;
        if (event == WEIGHT_CHANGES) {
            for (size_t i = 0; i < window->changes.count; i++) {
                list->items[position++] =
                    (struct fm_keyed){window->changes.items[i].time, (uint32_t)i};
            }
        } else {
            position =
                list_ties(window, of_ties[event].type, of_ties[event].ends, list->items, position);
        }
    }
    list->first[EVENTS] = position;
    for (size_t i = 0; i < position; i++) {
        list->numbers[i] = list->items[i].value;
        list->items[i].value = (uint32_t)i;
    }
    fm_keyed_sort(list->items, position, NULL);
}

static void close_chains(struct fm_chains *chains)
{
    for (size_t i = 0; i < chains->lines.count; i++) {
        fm_vector_free(&chains->lines.items[i].first_to_end);
        fm_vector_free(&chains->lines.items[i].astray);
    }
    fm_forest_free(&chains->forest);
    fm_vector_free(&chains->nodes);
    fm_vector_free(&chains->lines);
    fm_vector_free(&chains->clients);
    fm_vector_free(&chains->suspended);
    fm_vector_free(&chains->circle);
    fm_vector_free(&chains->changes);
    fm_vector_free(&chains->changed);
    fm_map_free(&chains->node_of_succession);
    fm_free(chains->node_of_location);
    fm_free(chains->dead_end_of_location);
    fm_free(chains->client_of_tie);
    fm_free(chains->next_detour);
    fm_free(chains->sums);
}

void fm_chains_follow(const struct fm_blame_window *window, const struct fm_blame_kinds *kinds,
                      uint32_t locations,
                      void (*blame)(void *context, const struct fm_blame_change *change),
                      void *context)
{
    struct fm_chains chains = {
        .window = window,
        .kinds = kinds,
        .blame = blame,
        .context = context,
        .forest = {.kinds = kinds->count},
        .node_of_location = fm_resize(NULL, 0, locations * sizeof *chains.node_of_location),
        .locations = locations,
        .client_of_tie = fm_resize(NULL, 0, window->ties.count * sizeof *chains.client_of_tie),
        .sums = fm_allocate(kinds->count, sizeof *chains.sums),
    };
    memset(chains.node_of_location, 0xff, locations * sizeof *chains.node_of_location);
    struct event_list list;
    list_events(window, &list);
    const size_t count = list.first[EVENTS];
    for (size_t i = 0; i < count; i++) {
        if (list.items[i].key != chains.time) {
            if (chains.suspended.count > 0) {
                fm_chains_resume(&chains);
            }
            fm_chains_report(&chains);
            chains.time = list.items[i].key;
        }
        uint32_t position = list.items[i].value;
        handle(&chains, class_of(&list, position), list.numbers[position]);
    }
    fm_chains_report(&chains);
    close_chains(&chains);
    fm_free(list.items);
    fm_free(list.numbers);
}
