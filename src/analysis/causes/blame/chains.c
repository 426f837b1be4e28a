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
#include "analysis/causes/blame/blame_window.h"
#include "analysis/causes/blame/forest.h"

#include "base/containers/keyed_sort.h"
#include "base/containers/map.h"
#include "trace/tables/trace.h"

#include <string.h>

/* A node of the forest. */
struct node {
    uint64_t until;        /* of the wait state of a location, as long as it waits */
    uint32_t location;     /* FM_NONE: a succession */
    uint32_t wait;         /* tie that it depends by; FM_NONE: it does not */
    uint32_t target;       /* node that it depends on */
    uint32_t client;       /* of a waiting location, that it is of a succession; FM_NONE */
    uint32_t detour;       /* of a location: the first of its detours; FM_NONE: none */
    uint32_t held;         /* of a location: the first succession that it is holder of */
    uint32_t next, before; /* of a succession: others of the same holder */
    uint32_t line;         /* of a succession: its table */
    bool is_suspended;     /* on a circle */
};

/* Who depends on a succession: a wait state's weight, or a waiting location. */
struct client {
    uint64_t until;
    uint64_t weight;
    uint32_t node;     /* waiting location; FM_NONE: a weight */
    uint32_t kind;     /* index */
    uint32_t dead_end; /* node, if the holder waits for longer; FM_NONE: none */
    bool is_active;
};

/* The clients of a succession. */
struct line {
    FM_VECTOR(uint32_t) first_to_end; /* heap of those that depend on the succession's node */
    FM_VECTOR(uint32_t) astray;       /* that depend on a dead end */
};

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

struct chains {
    const struct fm_blame_window *window;
    const struct fm_blame_kinds *kinds;
    void (*blame)(void *context, const struct fm_blame_change *change);
    void *context;
    struct fm_forest forest;
    FM_VECTOR(struct node) nodes;
    uint32_t *node_of_location;
    uint32_t *dead_end_of_location; /* NULL: none yet */
    uint32_t locations;
    struct fm_map node_of_succession;
    FM_VECTOR(struct line) lines;
    FM_VECTOR(struct client) clients;
    uint32_t *client_of_tie;
    uint32_t *next_detour; /* [tie]; NULL: none yet */
    FM_VECTOR(uint32_t) suspended;
    FM_VECTOR(uint32_t) circle;
    FM_VECTOR(uint64_t) changes; /* [node][kind] of roots, at the current time */
    FM_VECTOR(uint32_t) changed; /* nodes, maybe more than once */
    uint64_t time;
    uint64_t *sums; /* [kind] */
};

/* ---- nodes ---- */

static uint32_t add_node(struct chains *chains, uint32_t location)
{
    fm_vector_push(&chains->nodes, (struct node){.location = location,
                                                 .wait = FM_NONE,
                                                 .client = FM_NONE,
                                                 .detour = FM_NONE,
                                                 .held = FM_NONE,
                                                 .next = FM_NONE,
                                                 .before = FM_NONE,
                                                 .line = FM_NONE});
    fm_vector_reserve(&chains->changes, chains->kinds->count);
    memset(chains->changes.items + chains->changes.count, 0,
           chains->kinds->count * sizeof *chains->changes.items);
    chains->changes.count += chains->kinds->count;
    return fm_forest_add_node(&chains->forest);
}

static struct node *node_at(const struct chains *chains, uint32_t node)
{
    return &chains->nodes.items[node];
}

static uint32_t location_node(struct chains *chains, uint32_t location)
{
    uint32_t *node = &chains->node_of_location[location];
    if (*node == FM_NONE) {
        *node = add_node(chains, location);
    }
    return *node;
}

static uint32_t dead_end(struct chains *chains, uint32_t location)
{
    if (chains->dead_end_of_location == NULL) {
        chains->dead_end_of_location =
            fm_resize(NULL, 0, chains->locations * sizeof *chains->dead_end_of_location);
        memset(chains->dead_end_of_location, 0xff,
               chains->locations * sizeof *chains->dead_end_of_location);
    }
    uint32_t *node = &chains->dead_end_of_location[location];
    if (*node == FM_NONE) {
        *node = add_node(chains, location);
    }
    return *node;
}

static uint32_t succession_node(struct chains *chains, uint64_t succession)
{
    uint32_t next = (uint32_t)chains->nodes.count;
    uint32_t node = *fm_map_at(&chains->node_of_succession, succession, next);
    if (node == next) {
        add_node(chains, FM_NONE);
        node_at(chains, node)->line = (uint32_t)chains->lines.count;
        fm_vector_push(&chains->lines, (struct line){0});
    }
    return node;
}

/* ---- what roots are blamed for ---- */

static uint64_t *changes_of(struct chains *chains, uint32_t node)
{
    fm_vector_push(&chains->changed, node);
    return chains->changes.items + (size_t)node * chains->kinds->count;
}

static void change_root(struct chains *chains, uint32_t root, uint32_t kind, uint64_t change)
{
    changes_of(chains, root)[kind] += change;
}

/* Moves the sums of a subtree, in `chains->sums`, from one root to another. */
static void move_sums(struct chains *chains, uint32_t from, uint32_t to)
{
    const uint32_t kinds = chains->kinds->count;
    bool any = false;
    for (uint32_t k = 0; k < kinds; k++) {
        any |= chains->sums[k] != 0;
    }
    if (!any) {
        return;
    }
    uint64_t *less = changes_of(chains, from);
    for (uint32_t k = 0; k < kinds; k++) {
        less[k] -= chains->sums[k];
    }
    uint64_t *more = changes_of(chains, to);
    for (uint32_t k = 0; k < kinds; k++) {
        more[k] += chains->sums[k];
    }
}

static void keep_sums(struct chains *chains, uint32_t root)
{
    memcpy(chains->sums, fm_forest_sums(&chains->forest, root),
           chains->kinds->count * sizeof *chains->sums);
}

static void report(struct chains *chains)
{
    const uint32_t kinds = chains->kinds->count;
    for (size_t i = 0; i < chains->changed.count; i++) {
        uint32_t node = chains->changed.items[i];
        uint64_t *changes = chains->changes.items + (size_t)node * kinds;
        for (uint32_t k = 0; k < kinds; k++) {
            if (changes[k] != 0 && node_at(chains, node)->location != FM_NONE) {
                chains->blame(chains->context, &(struct fm_blame_change){
                                                   .time = chains->time,
                                                   .weight = changes[k],
                                                   .location = node_at(chains, node)->location,
                                                   .kind = chains->kinds->kinds[k],
                                               });
            }
            changes[k] = 0;
        }
    }
    chains->changed.count = 0;
}

static void add_weight(struct chains *chains, uint32_t node, uint32_t kind, uint64_t change)
{
    fm_forest_count(&chains->forest, node, kind, change);
    change_root(chains, fm_forest_root(&chains->forest, node), kind, change);
}

/* ---- edges ---- */

static void cut(struct chains *chains, uint32_t node)
{
    uint32_t root = fm_forest_root(&chains->forest, node);
    fm_forest_cut(&chains->forest, node);
    keep_sums(chains, node);
    move_sums(chains, root, node);
}

static void suspend(struct chains *chains, uint32_t node)
{
    node_at(chains, node)->is_suspended = true;
    fm_vector_push(&chains->suspended, node);
}

/* `node`, which is a root, is to depend on one of its own tree: makes all locations of the circle
 * roots. */
static void open_circle(struct chains *chains, uint32_t node, uint32_t target)
{
    chains->circle.count = 0;
    for (uint32_t n = target; n != node; n = fm_forest_parent(&chains->forest, n)) {
        fm_vector_push(&chains->circle, n);
    }
    for (size_t i = 0; i < chains->circle.count; i++) {
        uint32_t n = chains->circle.items[i];
        if (node_at(chains, n)->location != FM_NONE) {
            cut(chains, n);
            suspend(chains, n);
        }
    }
}

/* Makes a root depend on its target. */
static void tie(struct chains *chains, uint32_t node)
{
    uint32_t target = node_at(chains, node)->target;
    uint32_t root = fm_forest_root(&chains->forest, target);
    if (root == node) {
        open_circle(chains, node, target);
        if (node_at(chains, node)->location != FM_NONE) {
            suspend(chains, node);
            return;
        }
        root = fm_forest_root(&chains->forest, target);
    }
    keep_sums(chains, node);
    fm_forest_link(&chains->forest, node, target);
    move_sums(chains, node, root);
}

static void untie(struct chains *chains, uint32_t node)
{
    if (!node_at(chains, node)->is_suspended) {
        cut(chains, node);
    }
}

/* Of a node that depends on another one. */
static void change_target(struct chains *chains, uint32_t node, uint32_t target)
{
    untie(chains, node);
    node_at(chains, node)->target = target;
    if (!node_at(chains, node)->is_suspended) {
        tie(chains, node);
    }
}

/* Looks whether circles still exist. */
static void resume(struct chains *chains)
{
    size_t count = 0;
    for (size_t i = 0; i < chains->suspended.count; i++) {
        struct node *node = node_at(chains, chains->suspended.items[i]);
        if (node->is_suspended) { /* each once */
            node->is_suspended = false;
            chains->suspended.items[count++] = chains->suspended.items[i];
        }
    }
    chains->suspended.count = count;
    for (size_t i = 0; i < count; i++) {
        tie(chains, chains->suspended.items[i]);
    }
    memmove(chains->suspended.items, chains->suspended.items + count,
            (chains->suspended.count - count) * sizeof *chains->suspended.items);
    chains->suspended.count -= count;
}

/* ---- successions and their clients ---- */

static struct line *line_of(const struct chains *chains, uint32_t succession)
{
    return &chains->lines.items[node_at(chains, succession)->line];
}

static uint64_t end_of(const struct chains *chains, uint32_t client)
{
    return chains->clients.items[client].until;
}

static void push_client(struct chains *chains, struct line *line, uint32_t client)
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

static void pop_client(struct chains *chains, struct line *line)
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
static void move_client(struct chains *chains, struct client *client, uint32_t from, uint32_t to)
{
    if (client->node != FM_NONE) {
        change_target(chains, client->node, to);
    } else {
        add_weight(chains, from, client->kind, 0 - client->weight);
        add_weight(chains, to, client->kind, client->weight);
    }
}

/* The holder of a succession may wait for longer than some clients, which must not follow it. */
static void send_astray(struct chains *chains, uint32_t succession)
{
    const struct node *node = node_at(chains, succession);
    if (node->wait == FM_NONE || node_at(chains, node->target)->wait == FM_NONE) {
        return;
    }
    const uint64_t until = node_at(chains, node->target)->until;
    const uint32_t location = node_at(chains, node->target)->location;
    struct line *line = line_of(chains, succession);
    while (line->first_to_end.count > 0) {
        uint32_t number = line->first_to_end.items[0];
        struct client *client = &chains->clients.items[number];
        if (client->is_active && client->until >= until) {
            return;
        }
        pop_client(chains, line);
        if (client->is_active) {
            client->dead_end = dead_end(chains, location);
            fm_vector_push(&line->astray, number);
            move_client(chains, client, succession, client->dead_end);
        }
    }
}

static void bring_back(struct chains *chains, uint32_t succession)
{
    struct line *line = line_of(chains, succession);
    for (size_t i = 0; i < line->astray.count; i++) {
        uint32_t number = line->astray.items[i];
        struct client *client = &chains->clients.items[number];
        if (client->is_active) {
            move_client(chains, client, client->dead_end, succession);
            client->dead_end = FM_NONE;
            push_client(chains, line, number);
        }
    }
    line->astray.count = 0;
}

static void begin_holder(struct chains *chains, uint32_t number)
{
    const struct fm_blame_tie *tie_record = &chains->window->ties.items[number];
    uint32_t succession = succession_node(chains, tie_record->succession);
    uint32_t holder = location_node(chains, tie_record->location);
    struct node *node = node_at(chains, succession);
    node->wait = number;
    node->target = holder;
    node->before = FM_NONE;
    node->next = node_at(chains, holder)->held;
    if (node->next != FM_NONE) {
        node_at(chains, node->next)->before = succession;
    }
    node_at(chains, holder)->held = succession;
    tie(chains, succession);
    send_astray(chains, succession);
}

static void end_holder(struct chains *chains, uint32_t number)
{
    uint32_t succession = succession_node(chains, chains->window->ties.items[number].succession);
    struct node *node = node_at(chains, succession);
    bring_back(chains, succession);
    untie(chains, succession);
    node->wait = FM_NONE;
    if (node->next != FM_NONE) {
        node_at(chains, node->next)->before = node->before;
    }
    if (node->before != FM_NONE) {
        node_at(chains, node->before)->next = node->next;
    } else {
        node_at(chains, node->target)->held = node->next;
    }
}

static uint32_t add_client(struct chains *chains, uint32_t succession, const struct client *client)
{
    uint32_t number = (uint32_t)chains->clients.count;
    fm_vector_push(&chains->clients, *client);
    push_client(chains, line_of(chains, succession), number);
    return number;
}

static void begin_contention(struct chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t succession = succession_node(chains, record->succession);
    uint32_t kind = chains->kinds->index[record->kind];
    add_weight(chains, succession, kind, record->weight);
    chains->client_of_tie[number] = add_client(chains, succession,
                                               &(struct client){.until = record->until,
                                                                .weight = record->weight,
                                                                .node = FM_NONE,
                                                                .kind = kind,
                                                                .dead_end = FM_NONE,
                                                                .is_active = true});
    send_astray(chains, succession);
}

static void end_contention(struct chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    struct client *client = &chains->clients.items[chains->client_of_tie[number]];
    uint32_t at = client->dead_end != FM_NONE ? client->dead_end
                                              : succession_node(chains, record->succession);
    add_weight(chains, at, client->kind, 0 - client->weight);
    client->is_active = false;
}

/* ---- waiting locations ---- */

static bool is_of(const struct fm_blame_tie *detour, const struct fm_blame_tie *wait)
{
    return wait->until == detour->until && wait->other == detour->other;
}

static bool makes_detour(const struct chains *chains, uint32_t node)
{
    const struct node *waiting = node_at(chains, node);
    const struct fm_blame_tie *ties = chains->window->ties.items;
    uint32_t detour = waiting->detour;
    while (detour != FM_NONE && !is_of(&ties[detour], &ties[waiting->wait])) {
        detour = chains->next_detour[detour];
    }
    return detour != FM_NONE;
}

static void begin_wait(struct chains *chains, uint32_t number)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t location = location_node(chains, record->location);
    uint32_t target = record->other != FM_NONE ? location_node(chains, record->other)
                                               : succession_node(chains, record->succession);
    struct node *node = node_at(chains, location);
    node->wait = number;
    node->until = record->until;
    node->client = FM_NONE;
    if (record->other != FM_NONE && node->detour != FM_NONE && makes_detour(chains, location)) {
        target = dead_end(chains, record->other);
        node = node_at(chains, location);
    }
    node->target = target;
    tie(chains, location);
    if (record->other == FM_NONE) {
        uint32_t client = add_client(
            chains, target,
            &(struct client){
                .until = record->until, .node = location, .dead_end = FM_NONE, .is_active = true});
        node_at(chains, location)->client = client;
        send_astray(chains, target);
    }
    for (uint32_t s = node_at(chains, location)->held; s != FM_NONE; s = node_at(chains, s)->next) {
        send_astray(chains, s);
    }
}

static void end_wait(struct chains *chains, uint32_t number)
{
    uint32_t location = location_node(chains, chains->window->ties.items[number].location);
    struct node *node = node_at(chains, location);
    untie(chains, location);
    node->wait = FM_NONE;
    node->is_suspended = false;
    if (node->client != FM_NONE) {
        chains->clients.items[node->client].is_active = false;
        node->client = FM_NONE;
    }
    for (uint32_t s = node->held; s != FM_NONE; s = node_at(chains, s)->next) {
        bring_back(chains, s);
    }
}

static void redirect(struct chains *chains, uint32_t number, bool to_dead_end)
{
    const struct fm_blame_tie *record = &chains->window->ties.items[number];
    uint32_t location = chains->node_of_location[record->location];
    const struct fm_blame_tie *ties = chains->window->ties.items;
    if (node_at(chains, location)->wait != FM_NONE &&
        is_of(record, &ties[node_at(chains, location)->wait])) {
        change_target(chains, location,
                      to_dead_end ? dead_end(chains, record->other)
                                  : location_node(chains, record->other));
    }
}

static void begin_detour(struct chains *chains, uint32_t number)
{
    uint32_t location = location_node(chains, chains->window->ties.items[number].location);
    if (chains->next_detour == NULL) {
        chains->next_detour = fm_allocate(chains->window->ties.count, sizeof(uint32_t));
    }
    chains->next_detour[number] = node_at(chains, location)->detour;
    node_at(chains, location)->detour = number;
    redirect(chains, number, true);
}

static void end_detour(struct chains *chains, uint32_t number)
{
    uint32_t location = location_node(chains, chains->window->ties.items[number].location);
    uint32_t *link = &node_at(chains, location)->detour;
    while (*link != number) {
        link = &chains->next_detour[*link];
    }
    *link = chains->next_detour[number];
    redirect(chains, number, false);
}

static void change_weight(struct chains *chains, uint32_t number)
{
    const struct fm_blame_change *change = &chains->window->changes.items[number];
    add_weight(chains, location_node(chains, change->location), chains->kinds->index[change->kind],
               change->weight);
}

/* ---- the window ---- */

static void handle(struct chains *chains, enum event event, uint32_t number)
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

static void close_chains(struct chains *chains)
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
    struct chains chains = {
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
                resume(&chains);
            }
            report(&chains);
            chains.time = list.items[i].key;
        }
        uint32_t position = list.items[i].value;
        handle(&chains, class_of(&list, position), list.numbers[position]);
    }
    report(&chains);
    close_chains(&chains);
    fm_free(list.items);
    fm_free(list.numbers);
}
