/* Leaves each call at most one wait state, and none in a circle. */
#include "analysis/findings.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* @return whether `a` is to stand before `b`: by call, then by precedence */
static bool precedes(const struct fm_candidate *a, const struct fm_candidate *b)
{
    if (a->activity != b->activity) {
        return a->activity < b->activity;
    }
    if (a->t != b->t) {
        return a->t > b->t;
    }
    if (a->rule != b->rule) {
        return a->rule < b->rule;
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

/* Moves each candidate towards its place among those of the same call. Calls that wait for a few
 * messages are in order then; others are left to the merge sort. */
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

/* Turns runs round in which the calls descend: some phases go through a location backwards. */
static void turn_descending_runs(struct fm_candidate *items, size_t count)
{
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && items[end].activity <= items[end - 1].activity) {
            ++end;
        }
        if (items[begin].activity != items[end - 1].activity) {
            reverse(&items[begin], end - begin);
            /* Those of one call keep their order. */
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

/* Stable merge sort that starts from the runs that are there: each phase adds its candidates almost
 * in order. */
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

/* A wait that ends at the Leave of its call. Only such waits can form a circle: what follows on p
 * at this tick depends on q, where what precedes at this tick depends on p. */
struct link {
    uint64_t t;
    uint32_t location;
    uint32_t cause_location;
    uint32_t wait; /* position in the location's `waits` */
};

typedef FM_VECTOR(struct link) link_vector;

struct arbitration {
    struct fm_findings *findings;
    const struct fm_trace *trace;
    link_vector *links; /* by worker */
};

static void arbitrate_locations(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct arbitration *arbitration = context;
    const struct fm_trace *trace = arbitration->trace;
    link_vector *links = &arbitration->links[worker];
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t l = process->first_location;
             l < process->first_location + process->location_count; ++l) {
            struct fm_findings *findings = &arbitration->findings[l];
            const struct fm_location *location = &trace->locations[l];
            choose(findings);
            for (uint32_t w = 0; w < findings->waits.count; ++w) {
                const struct fm_candidate *wait =
                    &findings->candidates.items[findings->waits.items[w]];
                if (wait->t == location->leave.items[wait->activity]) {
                    fm_vector_push(links, (struct link){wait->t, l, wait->cause_location, w});
                }
            }
        }
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct link *left = a, *right = b;
    if (left->t != right->t) {
        return left->t < right->t ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static const struct fm_candidate *candidate_of(const struct arbitration *arbitration,
                                               const struct link *link)
{
    const struct fm_findings *findings = &arbitration->findings[link->location];
    return &findings->candidates.items[findings->waits.items[link->wait]];
}

/* Gives the call its next candidate, or none. @return whether the new one may be in a circle, too;
 * `link` is updated then */
static bool fall_back(struct arbitration *arbitration, struct link *link)
{
    struct fm_findings *findings = &arbitration->findings[link->location];
    uint32_t next = findings->waits.items[link->wait] + 1;
    uint32_t activity = candidate_of(arbitration, link)->activity;
    if (next >= findings->candidates.count ||
        findings->candidates.items[next].activity != activity) {
        findings->waits.items[link->wait] = FM_NONE;
        return false;
    }
    findings->waits.items[link->wait] = next;
    link->cause_location = findings->candidates.items[next].cause_location;
    return findings->candidates.items[next].t == link->t;
}

/* @return the link of a location among those of one tick, or FM_NONE */
static uint32_t find_link(const struct link *links, uint32_t count, uint32_t location)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (links[middle].location < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && links[low].location == location ? low : FM_NONE;
}

/* Cuts all circles among the links of one tick: each location has one at most, so that they form
 * a graph in which every node has at most one successor. */
static void cut_circles(struct arbitration *arbitration, struct link *links, uint32_t count)
{
    uint32_t *visited = fm_allocate(count, sizeof *visited);
    bool *gone = fm_allocate(count, sizeof *gone);
    uint32_t walk = 0;
    for (uint32_t start = 0; start < count;) {
        ++walk;
        uint32_t at = start;
        while (at != FM_NONE && !gone[at] && visited[at] == 0) {
            visited[at] = walk;
            at = find_link(links, count, links[at].cause_location);
        }
        if (at == FM_NONE || gone[at] || visited[at] != walk) {
            ++start;
            continue;
        }
        uint32_t dropped = at;
        for (uint32_t i = find_link(links, count, links[at].cause_location); i != at;
             i = find_link(links, count, links[i].cause_location)) {
            uint8_t rule = candidate_of(arbitration, &links[i])->rule;
            uint8_t worst = candidate_of(arbitration, &links[dropped])->rule;
            if (rule > worst || (rule == worst && links[i].location > links[dropped].location)) {
                dropped = i;
            }
        }
        gone[dropped] = !fall_back(arbitration, &links[dropped]);
        /* The successor has changed: look at this walk's links again. */
        for (uint32_t i = 0; i < count; ++i) {
            visited[i] = visited[i] == walk ? 0 : visited[i];
        }
    }
    fm_free(visited);
    fm_free(gone);
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

void fm_findings_arbitrate(struct fm_findings *findings, const struct fm_trace *trace,
                           struct fm_engine *engine)
{
    unsigned workers = fm_engine_workers(engine);
    struct arbitration arbitration = {findings, trace, fm_allocate(workers, sizeof(link_vector))};
    fm_engine_run(engine, arbitrate_locations, &arbitration);
    link_vector all = {0};
    for (unsigned w = 0; w < workers; ++w) {
        for (size_t i = 0; i < arbitration.links[w].count; ++i) {
            fm_vector_push(&all, arbitration.links[w].items[i]);
        }
        fm_vector_free(&arbitration.links[w]);
    }
    fm_sort(all.items, all.count, sizeof *all.items, compare_links);
    for (size_t begin = 0; begin < all.count;) {
        size_t end = begin + 1;
        while (end < all.count && all.items[end].t == all.items[begin].t) {
            ++end;
        }
        /* A call that waits for the next call of its own location is a circle of one. */
        if (end - begin > 1 || all.items[begin].cause_location == all.items[begin].location) {
            cut_circles(&arbitration, &all.items[begin], (uint32_t)(end - begin));
        }
        begin = end;
    }
    for (size_t i = 0; i < all.count; ++i) {
        remove_dropped(&findings[all.items[i].location]);
    }
    fm_vector_free(&all);
    fm_free(arbitration.links);
}
