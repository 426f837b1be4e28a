/* A simulation of the queue, from one acquisition to the next. Owners keep the time between passing
 * the lock on and requesting it again, and from getting the lock to passing it on. */
#include "whatif/decisions/turn_queue.h"

#include "base/containers/heap.h"
#include "base/containers/map.h"
#include "trace/tables/trace.h"

/* Times of an acquisition in the simulation. */
struct simulated {
    uint64_t requested, passed;
    uint32_t next; /* of the same owner; FM_NONE */
    bool has_turn;
};

struct queue {
    struct fm_turn *turns;
    struct simulated *simulated;
    uint32_t count;
    uint32_t head;          /* the first one in the measured order that had no turn yet */
    uint64_t now;           /* of the last decision */
    struct fm_heap coming;  /* by time of request: the next acquisition of each owner */
    struct fm_heap waiting; /* by measured order: those that have requested the lock */
    uint32_t exclusive;     /* the last exclusive acquisition; FM_NONE */
    uint32_t any; /* it, or of the shared ones behind it the one that passes the lock on last */
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t shifted(uint64_t time, uint64_t to, uint64_t from)
{
    const int64_t moved = (int64_t)time + (int64_t)(to - from);
    return moved < 0 ? 0 : (uint64_t)moved;
}

static void open_queue(struct queue *queue, struct fm_turn *turns, uint32_t count)
{
    struct fm_map last_of_owner = {0};
    *queue = (struct queue){.turns = turns, .count = count, .exclusive = FM_NONE, .any = FM_NONE};
    queue->simulated = fm_allocate(count, sizeof *queue->simulated);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *last = fm_map_at(&last_of_owner, turns[i].owner, i);
        queue->simulated[i].next = FM_NONE;
        if (*last != i) {
            queue->simulated[*last].next = i;
            *last = i;
        } else {
            queue->simulated[i].requested = turns[i].requested;
            fm_heap_push(&queue->coming, turns[i].requested, i);
        }
    }
    fm_map_free(&last_of_owner);
}

static void close_queue(struct queue *queue)
{
    fm_heap_free(&queue->coming);
    fm_heap_free(&queue->waiting);
    fm_free(queue->simulated);
}

/* @return which acquisition another one would follow; FM_NONE: none */
static uint32_t blocking(const struct queue *queue, uint32_t number)
{
    return queue->turns[number].is_exclusive ? queue->any : queue->exclusive;
}

/* @return when an acquisition would get the lock, if it has requested it */
static uint64_t bound_of(const struct queue *queue, uint32_t number)
{
    const struct fm_turn *turn = &queue->turns[number];
    const uint32_t before = blocking(queue, number);
    const bool is_measured = before == turn->measured;
    if (before == FM_NONE || (is_measured && !turn->is_bound) ||
        (!is_measured && (!turn->can_wait || queue->turns[before].owner == turn->owner))) {
        return 0;
    }
    const uint64_t latitude = queue->turns[before].latitude;
    const uint64_t lag = is_measured ? turn->lag : 0;
    return shifted(queue->simulated[before].passed, 0, lag < latitude ? lag : latitude);
}

static void drop_past(const struct queue *queue, struct fm_heap *heap)
{
    while (heap->of.count != 0 && queue->simulated[heap->of.items[0].value].has_turn) {
        fm_heap_pop(heap);
    }
}

/* @return the first one in the measured order that has requested the lock until `now`, or for which
 * it is kept; FM_NONE: none has */
static uint32_t first_of(struct queue *queue, uint64_t now)
{
    drop_past(queue, &queue->coming);
    while (queue->coming.of.count != 0 && queue->coming.of.items[0].key <= now) {
        const uint32_t arrived = fm_heap_pop(&queue->coming).value;
        fm_heap_push(&queue->waiting, arrived, arrived);
        drop_past(queue, &queue->coming);
    }
    drop_past(queue, &queue->waiting);
    const uint64_t requested = queue->simulated[queue->head].requested;
    const uint64_t slack = queue->turns[queue->head].slack;
    if (requested <= now || requested - now <= slack) {
        return queue->head;
    }
    return queue->waiting.of.count != 0 ? queue->waiting.of.items[0].value : FM_NONE;
}

/* @return when the next request comes behind `now`, or the lock begins to be kept for the head;
 * UINT64_MAX: neither */
static uint64_t next_change(const struct queue *queue, uint64_t now)
{
    uint64_t next = queue->coming.of.count != 0 ? queue->coming.of.items[0].key : UINT64_MAX;
    const uint64_t requested = queue->simulated[queue->head].requested;
    const uint64_t slack = queue->turns[queue->head].slack;
    if (requested > now && requested - now > slack && requested - slack < next) {
        next = requested - slack;
    }
    return next;
}

/* @return who gets the lock next
 * @param until  out: when that is decided */
static uint32_t choose(struct queue *queue, uint64_t *until)
{
    uint64_t now = queue->now;
    for (;;) {
        const uint32_t first = first_of(queue, now);
        const uint64_t granted =
            first == FM_NONE ? UINT64_MAX
                             : later(queue->simulated[first].requested, bound_of(queue, first));
        if (granted <= now) {
            *until = now;
            return first;
        }
        const uint64_t next = next_change(queue, now); /* others may come that were before it */
        now = granted < next ? granted : next;
    }
}

static void grant(struct queue *queue, uint32_t number, uint64_t now)
{
    struct fm_turn *turn = &queue->turns[number];
    struct simulated *simulated = &queue->simulated[number];
    const uint64_t begin = shifted(turn->entered, simulated->requested, turn->requested);
    turn->follows = blocking(queue, number);
    simulated->passed = shifted(turn->passed, later(begin, bound_of(queue, number)),
                                later(turn->entered, turn->bound));
    simulated->has_turn = true;
    queue->now = later(now, later(simulated->requested, bound_of(queue, number)));
    if (turn->is_exclusive) {
        queue->exclusive = queue->any = number;
    } else if (queue->any == queue->exclusive ||
               simulated->passed > queue->simulated[queue->any].passed) {
        queue->any = number;
    }
    if (simulated->next != FM_NONE) {
        struct simulated *next = &queue->simulated[simulated->next];
        next->requested =
            shifted(queue->turns[simulated->next].requested, simulated->passed, turn->passed);
        fm_heap_push(&queue->coming, next->requested, simulated->next);
    }
    while (queue->head < queue->count && queue->simulated[queue->head].has_turn) {
        queue->head++;
    }
}

/* Finds what each acquisition follows in the measured order. */
static void learn_order(struct fm_turn *turns, uint32_t count)
{
    struct queue queue;
    open_queue(&queue, turns, count);
    for (uint32_t i = 0; i < count; i++) {
        turns[i].measured = blocking(&queue, i);
        grant(&queue, i, queue.now);
    }
    close_queue(&queue);
}

void fm_turns_learn(struct fm_turn *turns, uint32_t count)
{
    struct queue queue;
    learn_order(turns, count);
    open_queue(&queue, turns, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t until = queue.now;
        if (turns[i].slack != FM_NOT_OVERTAKEN) {
            turns[i].slack = 0;
            if (choose(&queue, &until) != i) {
                turns[i].slack = queue.simulated[i].requested - until;
            }
        }
        grant(&queue, i, until);
    }
    close_queue(&queue);
}

uint32_t fm_turns_take(struct fm_turn *turns, uint32_t count)
{
    struct queue queue;
    uint32_t overtaking = 0;
    open_queue(&queue, turns, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t until = 0;
        const uint32_t next = choose(&queue, &until);
        overtaking += next != queue.head;
        turns[next].place = i;
        grant(&queue, next, until);
    }
    close_queue(&queue);
    return overtaking;
}
