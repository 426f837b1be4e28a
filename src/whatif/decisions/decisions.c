#include "whatif/decisions/decisions.h"

#include "base/containers/sort.h"
#include "whatif/decisions/serving_calls.h"

struct fm_decisions {
    const struct fm_detail *detail;
    struct fm_edits *edits;
    struct fm_lock_turns *locks;
    struct fm_serving_calls *calls;
    struct fm_decision_counts counts;
};

struct fm_decisions *fm_decisions_create(const struct fm_detail *detail, struct fm_edits *edits)
{
    struct fm_decisions *decisions = fm_allocate(1, sizeof *decisions);
    *decisions = (struct fm_decisions){
        .detail = detail,
        .edits = edits,
        .locks = fm_lock_turns_create(detail, edits),
        .calls = fm_serving_calls_create(detail),
    };
    decisions->counts.kept = fm_lock_turns_kept(decisions->locks, edits);
    return decisions;
}

void fm_decisions_free(struct fm_decisions *decisions)
{
    if (decisions != NULL) {
        fm_lock_turns_free(decisions->locks);
        fm_serving_calls_free(decisions->calls);
        fm_free(decisions);
    }
}

static int compare_positions(const void *a, const void *b)
{
    const struct fm_redirected_edit *left = a, *right = b;
    return left->position < right->position ? -1 : left->position > right->position;
}

static bool is_same(const fm_redirected_vector *a, const fm_redirected_vector *b)
{
    size_t i = 0;
    while (a->count == b->count && i < a->count && a->items[i].position == b->items[i].position &&
           a->items[i].binds == b->items[i].binds &&
           a->items[i].event.source.place == b->items[i].event.source.place &&
           a->items[i].event.source.kind == b->items[i].event.source.kind &&
           a->items[i].event.source.index == b->items[i].event.source.index) {
        i++;
    }
    return a->count == b->count && i == a->count;
}

bool fm_decisions_take(struct fm_decisions *decisions, const struct fm_replay *replay)
{
    const uint32_t locations = decisions->detail->trace->location_count;
    fm_redirected_vector *decided = fm_allocate(locations, sizeof *decided);
    bool differs = false;
    decisions->counts.overtaking = fm_lock_turns_take(decisions->locks, replay, decided);
    decisions->counts.served = fm_serving_calls_take(decisions->calls, replay, decided);
    for (uint32_t l = 0; l < locations; l++) {
        fm_redirected_vector *last = &decisions->edits[l].decided;
        fm_sort(decided[l].items, decided[l].count, sizeof *decided[l].items, compare_positions);
        differs |= !is_same(last, &decided[l]);
        fm_vector_free(last);
        *last = decided[l];
    }
    fm_free(decided);
    return differs;
}

struct fm_decision_counts fm_decisions_count(const struct fm_decisions *decisions)
{
    return decisions->counts;
}

static int compare_renumbered(const void *a, const void *b)
{
    const struct fm_renumbered *left = a, *right = b;
    if (left->process != right->process) {
        return left->process < right->process ? -1 : 1;
    }
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

void fm_decisions_number(const struct fm_decisions *decisions, fm_renumbered_vector *renumbered)
{
    fm_lock_turns_number(decisions->locks, renumbered);
    fm_sort(renumbered->items, renumbered->count, sizeof *renumbered->items, compare_renumbered);
}

uint32_t fm_renumbered_order(const fm_renumbered_vector *renumbered, uint32_t process, uint64_t id,
                             uint32_t order)
{
    const struct fm_renumbered wanted = {.process = process, .id = id, .order = order};
    const struct fm_renumbered *found = renumbered->count == 0
                                            ? NULL
                                            : bsearch(&wanted, renumbered->items, renumbered->count,
                                                      sizeof wanted, compare_renumbered);
    return found == NULL ? order : found->new_order;
}
