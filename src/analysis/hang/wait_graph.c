/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hang/wait_graph.h"

#include "base/memory.h"

#include <string.h>

#define NONE UINT32_MAX

uint32_t fm_wait_graph_add(struct fm_wait_graph *graph, bool is_any)
{
    fm_vector_push(&graph->nodes, ((struct fm_wait_node){NONE, NONE, 0, is_any, false}));
    return (uint32_t)graph->nodes.count - 1;
}

void fm_wait_graph_link(struct fm_wait_graph *graph, uint32_t node, uint32_t input)
{
    struct fm_wait_node *nodes = graph->nodes.items;
    const uint32_t link = (uint32_t)graph->links.count;
    fm_vector_push(&graph->links, ((struct fm_wait_link){node, input, nodes[node].first_input,
                                                         nodes[input].first_user}));
    nodes[node].first_input = nodes[input].first_user = link;
    nodes[node].needed++;
}

void fm_wait_graph_release(struct fm_wait_graph *graph, uint32_t node)
{
    if (!graph->nodes.items[node].is_free) {
        graph->nodes.items[node].is_free = true;
        fm_vector_push(&graph->ready, node);
    }
}

void fm_wait_graph_solve(struct fm_wait_graph *graph)
{
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        struct fm_wait_node *node = &graph->nodes.items[n];
        if (node->is_any) {
            node->needed = 1;
        } else if (node->needed == 0) {
            fm_wait_graph_release(graph, n);
        }
    }
    while (graph->ready.count != 0) {
        const uint32_t ready = graph->ready.items[--graph->ready.count];
        for (uint32_t l = graph->nodes.items[ready].first_user; l != NONE;
             l = graph->links.items[l].next_user) {
            const uint32_t user = graph->links.items[l].node;
            struct fm_wait_node *node = &graph->nodes.items[user];
            node->needed -= node->needed != 0;
            if (node->needed == 0) {
                fm_wait_graph_release(graph, user);
            }
        }
    }
}

/* ---- cycles ---- */

/* A search through stuck nodes. The path to a node is `from`, back to the begin. */
struct search {
    const struct fm_wait_graph *graph;
    uint32_t count;
    uint32_t *from;       /* [node]: NONE: not reached */
    uint32_t *next_input; /* [node]: link to be followed next */
    uint8_t *state;       /* [node] of the search for any cycle */
    fm_wait_cycle stack;
};

enum { NEW, OPEN, DONE };

static void enter(struct search *search, uint32_t node, uint32_t from)
{
    search->state[node] = OPEN;
    search->from[node] = from;
    search->next_input[node] = search->graph->nodes.items[node].first_input;
    fm_vector_push(&search->stack, node);
}

/* @return the lowest node of the cycle that a link from `node` to `input`, on the path to it,
 * closes
 */
static uint32_t lowest_between(const struct search *search, uint32_t node, uint32_t input)
{
    uint32_t lowest = NONE;
    for (uint32_t at = node;; at = search->from[at]) {
        lowest = at < search->count && at < lowest ? at : lowest;
        if (at == input) {
            return lowest;
        }
    }
}

/* @return a node below `count` on a cycle, by a search in depth; NONE: there is none from here */
static uint32_t node_on_cycle(struct search *search, uint32_t begin)
{
    enter(search, begin, NONE);
    while (search->stack.count != 0) {
        const uint32_t node = search->stack.items[search->stack.count - 1];
        const uint32_t link = search->next_input[node];
        if (link == NONE) {
            search->state[node] = DONE;
            search->stack.count--;
            continue;
        }
        const uint32_t input = search->graph->links.items[link].input;
        search->next_input[node] = search->graph->links.items[link].next_input;
        if (search->graph->nodes.items[input].is_free) {
            continue;
        }
        if (search->state[input] == OPEN) {
            return lowest_between(search, node, input);
        }
        if (search->state[input] == NEW) {
            enter(search, input, node);
        }
    }
    return NONE;
}

static void reverse(fm_wait_cycle *cycle)
{
    for (size_t i = 0, j = cycle->count; i + 1 < j; i++) {
        const uint32_t moved = cycle->items[i];
        cycle->items[i] = cycle->items[--j];
        cycle->items[j] = moved;
    }
}

/* Finds the shortest way from a node back to it, by a search in breadth. */
static void find_shortest(struct search *search, uint32_t begin, fm_wait_cycle *cycle)
{
    const struct fm_wait_graph *graph = search->graph;
    memset(search->from, 0xff, graph->nodes.count * sizeof *search->from);
    search->stack.count = 0;
    fm_vector_push(&search->stack, begin);
    for (size_t i = 0; i < search->stack.count && search->from[begin] == NONE; i++) {
        const uint32_t node = search->stack.items[i];
        for (uint32_t l = graph->nodes.items[node].first_input; l != NONE;
             l = graph->links.items[l].next_input) {
            const uint32_t input = graph->links.items[l].input;
            if (search->from[input] == NONE && !graph->nodes.items[input].is_free) {
                search->from[input] = node;
                fm_vector_push(&search->stack, input);
            }
        }
    }
    for (uint32_t at = search->from[begin]; at != NONE; at = search->from[at]) {
        if (at < search->count) {
            fm_vector_push(cycle, at);
        }
        if (at == begin) {
            break;
        }
    }
    reverse(cycle); /* it was followed from the end to the begin */
}

void fm_wait_graph_cycle(const struct fm_wait_graph *graph, uint32_t count, fm_wait_cycle *cycle)
{
    const size_t nodes = graph->nodes.count;
    struct search search = {
        .graph = graph,
        .count = count,
        .from = fm_allocate(nodes + 1, sizeof *search.from),
        .next_input = fm_allocate(nodes + 1, sizeof *search.next_input),
        .state = fm_allocate(nodes + 1, sizeof *search.state),
    };
    uint32_t on_cycle = NONE;
    cycle->count = 0;
    for (uint32_t n = 0; n < count && on_cycle == NONE; n++) {
        if (!graph->nodes.items[n].is_free && search.state[n] == NEW) {
            on_cycle = node_on_cycle(&search, n);
        }
    }
    if (on_cycle != NONE) {
        find_shortest(&search, on_cycle, cycle);
    }
    fm_free(search.from);
    fm_free(search.next_input);
    fm_free(search.state);
    fm_vector_free(&search.stack);
}

void fm_wait_graph_free(struct fm_wait_graph *graph)
{
    fm_vector_free(&graph->nodes);
    fm_vector_free(&graph->links);
    fm_vector_free(&graph->ready);
}
