/* SPDX-License-Identifier: BSD-3-Clause */
/* The arbitration: chooses at most one wait state for each call among its candidates, and cuts
 * circles of wait states of one tick. Cost: O(n log n) for n candidates. */
#include "analysis/model/findings.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "engine/dispatch/inboxes.h"

#include <stdlib.h>
#include <string.h>

/* @return whether `a` is ordered before `b`: by call, then by precedence */
static bool precedes(const struct fm_candidate *a, const struct fm_candidate *b)
{
    if (a->activity != b->activity) {
        return a->activity < b->activity;
    }
    if (a->t != b->t) {
        return a->t > b->t;
    }
    if (a->precedence != b->precedence) {
        return a->precedence < b->precedence;
    }
    if (a->cause_location != b->cause_location) {
        return a->cause_location < b->cause_location;
    }
    return a->cause_activity < b->cause_activity;
}

static void merge(const struct fm_candidate *from, size_t begin, size_t middle, size_t end,
                  struct fm_candidate *to)
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; ++i) {
        if (left < middle && (right >= end || !precedes(&from[right], &from[left]))) {
            to[i] = from[left++];
        } else {
            to[i] = from[right++];
        }
    }
}

#define SMALL_CALL 16

static void reverse(struct fm_candidate *items, size_t count)
{
    for (size_t i = 0; i < count / 2; ++i) {
        struct fm_candidate other = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = other;
    }
}

/* Insertion sort within each call, limited to SMALL_CALL places: completes the order of calls that
 * wait for few messages. The merge sort orders the rest. */
static void sort_small_calls(struct fm_candidate *items, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        struct fm_candidate moved = items[i];
        size_t hole = i;
        while (hole > 0 && i - hole < SMALL_CALL && items[hole - 1].activity == moved.activity &&
               precedes(&moved, &items[hole - 1])) {
            items[hole] = items[hole - 1];
            --hole;
        }
        items[hole] = moved;
    }
}

/* Reverses runs with descending calls: some stages process a location backwards. */
static void turn_descending_runs(struct fm_candidate *items, size_t count)
{
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && items[end].activity <= items[end - 1].activity) {
            ++end;
        }
        if (items[begin].activity != items[end - 1].activity) {
            reverse(&items[begin], end - begin);
            /* Candidates of one call keep their order. */
            for (size_t i = begin, next; i < end; i = next) {
                next = i + 1;
                while (next < end && items[next].activity == items[i].activity) {
                    ++next;
                }
                reverse(&items[i], next - i);
            }
        }
        begin = end;
    }
}

/* Stable natural merge sort: each stage adds its candidates almost in order, so that there are few
 * runs. */
static void sort_candidates(struct fm_findings *findings)
{
    size_t count = findings->candidates.count;
    struct fm_candidate *items = findings->candidates.items;
    turn_descending_runs(items, count);
    sort_small_calls(items, count);
    FM_VECTOR(size_t) runs = {0};
    fm_vector_push(&runs, 0);
    for (size_t i = 1; i < count; ++i) {
        if (precedes(&items[i], &items[i - 1])) {
            fm_vector_push(&runs, i);
        }
    }
    if (runs.count == 1) {
        fm_vector_free(&runs);
        return;
    }
    struct fm_candidate *spare = fm_resize(NULL, 0, count * sizeof *spare);
    struct fm_candidate *from = items, *to = spare;
    fm_vector_push(&runs, count);
    while (runs.count > 2) {
        size_t kept = 0;
        for (size_t r = 0; r + 1 < runs.count; r += 2) {
            size_t begin = runs.items[r], middle = runs.items[r + 1];
            size_t end = r + 2 < runs.count ? runs.items[r + 2] : middle;
            merge(from, begin, middle, end, to);
            runs.items[kept++] = begin;
        }
        runs.items[kept++] = count;
        runs.count = kept;
        struct fm_candidate *other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
    fm_free(spare);
    fm_vector_free(&runs);
}

static void choose(struct fm_findings *findings)
{
    sort_candidates(findings);
    findings->waits.count = 0;
    for (size_t i = 0; i < findings->candidates.count; ++i) {
        if (i == 0 ||
            findings->candidates.items[i].activity != findings->candidates.items[i - 1].activity) {
            fm_vector_push(&findings->waits, (uint32_t)i);
        }
    }
}

/* A wait state that ends at the Leave of its call. Only such wait states can form a circle: the
 * later events of location p at this tick depend on location q, and the earlier events of q at this
 * tick depend on p. All links of one tick are sent to one process. A call with several candidates
 * at this tick sends all of them, in their order. */
struct link {
    uint64_t t;
    uint32_t location;
    uint32_t cause_location;
    uint32_t wait;   /* position in the location's `waits` */
    uint32_t choice; /* number of candidates of the call before this one */
    uint32_t precedence;
};

/* Sent to a call in a circle, which falls back to a later candidate. */
struct verdict {
    uint32_t location;
    uint32_t wait;
    uint32_t choice;
};

struct arbitration {
    struct fm_findings *findings;
    const struct fm_trace *trace;
    struct fm_inboxes *links;
    struct fm_inboxes *verdicts;
};

static void post_link(struct arbitration *arbitration, unsigned worker, const struct link *link)
{
    uint32_t home = (uint32_t)(fm_hash(link->t) % arbitration->trace->process_count);
    fm_inboxes_send(arbitration->links, worker, home, link);
}

static void post_links(struct arbitration *arbitration, unsigned worker, uint32_t l)
{
    const struct fm_findings *findings = &arbitration->findings[l];
    const struct fm_location *location = &arbitration->trace->locations[l];
    const struct fm_candidate *candidates = findings->candidates.items;
    for (uint32_t w = 0; w < findings->waits.count; ++w) {
        uint32_t first = findings->waits.items[w];
        uint32_t activity = candidates[first].activity;
        for (uint32_t c = first;
             c < findings->candidates.count && candidates[c].activity == activity &&
             candidates[c].t == location->leave.items[activity];
             ++c) {
            post_link(arbitration, worker,
                      &(struct link){candidates[c].t, l, candidates[c].cause_location, w, c - first,
                                     candidates[c].precedence});
        }
    }
}

static void arbitrate_locations(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct arbitration *arbitration = context;
    const struct fm_trace *trace = arbitration->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        choose(&arbitration->findings[l]);
        post_links(arbitration, worker, l);
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct link *left = a, *right = b;
    if (left->t != right->t) {
        return left->t < right->t ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    if (left->wait != right->wait) {
        return left->wait < right->wait ? -1 : 1;
    }
    return left->choice < right->choice ? -1 : left->choice > right->choice;
}

/* A node of the graph of one tick: a call that waits until this tick. */
struct node {
    const struct link *links; /* its candidates at this tick */
    uint32_t count;           /* number of them */
    uint32_t chosen;          /* index of the chosen one; `count`: none is left */
    uint32_t visited;         /* number of the walk; 0: none */
};

typedef FM_VECTOR(struct node) node_vector;

/* @return the node of a location, or FM_NONE */
static uint32_t find_node(const node_vector *nodes, uint32_t location)
{
    uint32_t low = 0, high = (uint32_t)nodes->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (nodes->items[middle].links->location < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < nodes->count && nodes->items[low].links->location == location ? low : FM_NONE;
}

static uint32_t successor(const node_vector *nodes, uint32_t node)
{
    const struct node *n = &nodes->items[node];
    return find_node(nodes, n->links[n->chosen].cause_location);
}

static bool is_gone(const struct node *node)
{
    return node->chosen == node->count;
}

/* Cuts all circles in the graph of one tick. Each location has at most one call in it, so that
 * every node has at most one successor. In a circle, the candidate of the latest pattern in
 * patterns.def is dropped; ties: the highest location. */
static void cut_circles(node_vector *nodes)
{
    uint32_t walk = 0;
    for (uint32_t start = 0; start < nodes->count;) {
        ++walk;
        uint32_t at = start;
        while (at != FM_NONE && !is_gone(&nodes->items[at]) && nodes->items[at].visited == 0) {
            nodes->items[at].visited = walk;
            at = successor(nodes, at);
        }
        if (at == FM_NONE || is_gone(&nodes->items[at]) || nodes->items[at].visited != walk) {
            ++start;
            continue;
        }
        uint32_t dropped = at;
        for (uint32_t i = successor(nodes, at); i != at; i = successor(nodes, i)) {
            const struct node *other = &nodes->items[i], *worst = &nodes->items[dropped];
            uint32_t precedence = other->links[other->chosen].precedence;
            uint32_t worst_precedence = worst->links[worst->chosen].precedence;
            if (precedence > worst_precedence ||
                (precedence == worst_precedence &&
                 other->links->location > worst->links->location)) {
                dropped = i;
            }
        }
        ++nodes->items[dropped].chosen;
        /* The successor has changed: reset this walk's nodes for the next walk. */
        for (uint32_t i = 0; i < nodes->count; ++i) {
            nodes->items[i].visited = nodes->items[i].visited == walk ? 0 : nodes->items[i].visited;
        }
    }
}

/* Cuts the circles of one tick and sends the changed choices. */
static void judge_tick(struct arbitration *arbitration, unsigned worker, const struct link *links,
                       size_t count, node_vector *nodes)
{
    nodes->count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (links[i].choice == 0) {
            fm_vector_push(nodes, (struct node){.links = &links[i]});
        }
        ++nodes->items[nodes->count - 1].count;
    }
    /* A single node is no circle unless its call waits for the next call of its own location. */
    if (nodes->count == 1 && links[0].cause_location != links[0].location) {
        return;
    }
    cut_circles(nodes);
    for (size_t i = 0; i < nodes->count; ++i) {
        const struct node *node = &nodes->items[i];
        if (node->chosen != 0) {
            const struct verdict verdict = {node->links->location, node->links->wait, node->chosen};
            fm_inboxes_send(arbitration->verdicts, worker,
                            fm_trace_process(arbitration->trace, verdict.location), &verdict);
        }
    }
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct arbitration *arbitration = context;
    FM_VECTOR(struct link) links = {0};
    node_vector nodes = {0};
    for (uint32_t p = first; p < last; ++p) {
        size_t count;
        const struct link *inbox = fm_inbox(arbitration->links, p, &count);
        links.count = 0;
        for (size_t i = 0; i < count; ++i) {
            fm_vector_push(&links, inbox[i]);
        }
        fm_sort(links.items, count, sizeof *links.items, compare_links);
        for (size_t begin = 0; begin < count;) {
            size_t end = begin + 1;
            while (end < count && links.items[end].t == links.items[begin].t) {
                ++end;
            }
            judge_tick(arbitration, worker, &links.items[begin], end - begin, &nodes);
            begin = end;
        }
    }
    fm_vector_free(&links);
    fm_vector_free(&nodes);
}

/* Replaces the call's wait state by the candidate `choice` places after its best one, or by
 * none. */
static void fall_back(struct fm_findings *findings, uint32_t wait, uint32_t choice)
{
    uint32_t best = findings->waits.items[wait];
    uint32_t next = best + choice;
    bool exists =
        next < findings->candidates.count &&
        findings->candidates.items[next].activity == findings->candidates.items[best].activity;
    findings->waits.items[wait] = exists ? next : FM_NONE;
}

static void remove_dropped(struct fm_findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->waits.count; ++i) {
        if (findings->waits.items[i] != FM_NONE) {
            findings->waits.items[kept++] = findings->waits.items[i];
        }
    }
    findings->waits.count = kept;
}

static void take_verdicts(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct arbitration *arbitration = context;
    for (uint32_t p = first; p < last; ++p) {
        size_t count;
        const struct verdict *verdicts = fm_inbox(arbitration->verdicts, p, &count);
        for (size_t i = 0; i < count; ++i) {
            fall_back(&arbitration->findings[verdicts[i].location], verdicts[i].wait,
                      verdicts[i].choice);
        }
        for (uint32_t l = fm_trace_first_location(arbitration->trace, p);
             count != 0 && l < fm_trace_first_location(arbitration->trace, p + 1); ++l) {
            remove_dropped(&arbitration->findings[l]);
        }
    }
}

void fm_findings_arbitrate(struct fm_findings *findings, const struct fm_trace *trace,
                           struct fm_engine *engine)
{
    struct arbitration arbitration = {
        .findings = findings,
        .trace = trace,
        .links = fm_inboxes_create(engine, sizeof(struct link)),
        .verdicts = fm_inboxes_create(engine, sizeof(struct verdict)),
    };
    fm_engine_run(engine, arbitrate_locations, &arbitration);
    fm_inboxes_deliver(arbitration.links);
    fm_engine_run(engine, judge, &arbitration);
    fm_inboxes_deliver(arbitration.verdicts);
    fm_engine_run(engine, take_verdicts, &arbitration);
    fm_inboxes_free(arbitration.links);
    fm_inboxes_free(arbitration.verdicts);
}
