/* SPDX-License-Identifier: BSD-3-Clause */
#include "sor_simulation.h"

#include <stdlib.h>

#define SWEEP_TIME 20000 /* of the fastest sweep */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* splitmix64 */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* A constant imbalance of up to 20 % between ranks and a variable one of up to 10 % in each
 * iteration. */
static uint64_t sweep_time(const struct sor_problem *problem, uint32_t rank, uint32_t iteration)
{
    uint64_t lasting = mix(problem->seed ^ mix(rank)) % (SWEEP_TIME / 5);
    uint64_t passing =
        mix(problem->seed ^ mix((uint64_t)iteration << 32 | rank)) % (SWEEP_TIME / 10);
    return SWEEP_TIME + lasting + passing;
}

uint32_t sor_grid_width(uint32_t ranks)
{
    uint32_t width = 1;
    for (uint32_t divisor = 1; (uint64_t)divisor * divisor <= ranks; ++divisor) {
        if (ranks % divisor == 0) {
            width = divisor;
        }
    }
    return width;
}

bool sor_sends_messages(const struct sor_problem *problem)
{
    return problem->variant == SOR_P2P || problem->variant == SOR_RARE ||
           problem->variant == SOR_ROTATE;
}

/* @return the smallest power of two that is not below `ranks` */
static uint32_t hypercube_size(uint32_t ranks)
{
    uint32_t size = 1;
    while (size < ranks) {
        size *= 2;
    }
    return size;
}

uint32_t sor_longest_rotation(uint32_t ranks)
{
    return ranks > 1 ? hypercube_size(ranks) - 1 : 1;
}

/* Exchanges with one rank at a time: both ends compute the same distance.
 * @return as sor_neighbors() */
static uint32_t partner(const struct sor_problem *problem, uint32_t rank, uint32_t iteration,
                        uint32_t neighbors[SOR_MAX_NEIGHBORS])
{
    uint32_t distance;
    if (problem->variant == SOR_ROTATE) {
        distance = iteration / problem->dwell % problem->period + 1;
    } else if (iteration % problem->period == 0) {
        distance = hypercube_size(problem->ranks) / 2;
    } else {
        distance = UINT32_C(1) << iteration % 2;
    }
    neighbors[0] = rank ^ distance;
    return distance != 0 && neighbors[0] < problem->ranks;
}

uint32_t sor_neighbors(const struct sor_problem *problem, uint32_t rank, uint32_t iteration,
                       uint32_t neighbors[SOR_MAX_NEIGHBORS])
{
    if (problem->variant == SOR_RARE || problem->variant == SOR_ROTATE) {
        return partner(problem, rank, iteration, neighbors);
    }
    uint32_t column = rank % problem->width, count = 0;
    if (column > 0) {
        neighbors[count++] = rank - 1;
    }
    if (column + 1 < problem->width) {
        neighbors[count++] = rank + 1;
    }
    if (rank >= problem->width) {
        neighbors[count++] = rank - problem->width;
    }
    if (rank + problem->width < problem->ranks) {
        neighbors[count++] = rank + problem->width;
    }
    return count;
}

bool sor_reduces(const struct sor_problem *problem, uint32_t iteration)
{
    return (iteration + 1) % problem->reduce_every == 0;
}

/* ---- exchanges: each fills `done` (and what else is stored) from `exchange` of all ranks ---- */

/* @return the time at which the rank's last message has been sent: begin of its Waitall */
static uint64_t messages_sent(const struct sor_problem *problem, const struct sor_step *steps,
                              uint32_t rank, uint32_t iteration)
{
    uint32_t neighbors[SOR_MAX_NEIGHBORS];
    return steps[rank].exchange + 2 * SOR_CALL * sor_neighbors(problem, rank, iteration, neighbors);
}

static void exchange_messages(const struct sor_problem *problem, struct sor_step *steps,
                              uint32_t iteration)
{
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        uint32_t neighbors[SOR_MAX_NEIGHBORS];
        uint32_t count = sor_neighbors(problem, rank, iteration, neighbors);
        uint64_t arrived = messages_sent(problem, steps, rank, iteration);
        for (uint32_t i = 0; i < count; ++i) {
            arrived = later(arrived,
                            messages_sent(problem, steps, neighbors[i], iteration) + SOR_LATENCY);
        }
        steps[rank].done = arrived + SOR_CALL;
    }
}

static void exchange_by_fence(const struct sor_problem *problem, struct sor_step *steps)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        uint32_t neighbors[SOR_MAX_NEIGHBORS];
        last = later(last,
                     steps[rank].exchange + SOR_CALL * sor_neighbors(problem, rank, 0, neighbors));
    }
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        steps[rank].done = last + SOR_LATENCY + SOR_CALL;
    }
}

/* @return the end of the rank's Win_complete: begin of its Win_wait */
static uint64_t accesses_completed(const struct sor_problem *problem, const struct sor_step *steps,
                                   uint32_t rank)
{
    uint32_t neighbors[SOR_MAX_NEIGHBORS];
    return steps[rank].opened + SOR_CALL * (sor_neighbors(problem, rank, 0, neighbors) + 1);
}

static void exchange_by_epochs(const struct sor_problem *problem, struct sor_step *steps)
{
    uint32_t neighbors[SOR_MAX_NEIGHBORS];
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        uint32_t count = sor_neighbors(problem, rank, 0, neighbors);
        uint64_t exposed = steps[rank].exchange + SOR_CALL;
        for (uint32_t i = 0; i < count; ++i) {
            exposed = later(exposed, steps[neighbors[i]].exchange + SOR_CALL + SOR_LATENCY);
        }
        steps[rank].opened = exposed + SOR_CALL;
    }
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        uint32_t count = sor_neighbors(problem, rank, 0, neighbors);
        uint64_t completed = accesses_completed(problem, steps, rank);
        for (uint32_t i = 0; i < count; ++i) {
            completed =
                later(completed, accesses_completed(problem, steps, neighbors[i]) + SOR_LATENCY);
        }
        steps[rank].done = completed + SOR_CALL;
    }
}

/* A rank that requests its next lock. */
struct request {
    uint64_t time;
    uint32_t rank;
    uint32_t direction; /* position in the rank's neighbours */
};

/* Requests, the earliest first (a binary heap). */
struct request_queue {
    struct request *requests;
    uint32_t count;
};

static bool earlier(const struct request *a, const struct request *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

static void queue_push(struct request_queue *queue, struct request request)
{
    uint32_t hole = queue->count++;
    while (hole > 0 && earlier(&request, &queue->requests[(hole - 1) / 2])) {
        queue->requests[hole] = queue->requests[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    queue->requests[hole] = request;
}

static struct request queue_pop(struct request_queue *queue)
{
    struct request first = queue->requests[0], moved = queue->requests[--queue->count];
    uint32_t hole = 0, child;
    while ((child = 2 * hole + 1) < queue->count) {
        if (child + 1 < queue->count &&
            earlier(&queue->requests[child + 1], &queue->requests[child])) {
            ++child;
        }
        if (!earlier(&queue->requests[child], &moved)) {
            break;
        }
        queue->requests[hole] = queue->requests[child];
        hole = child;
    }
    queue->requests[hole] = moved;
    return first;
}

/* Exclusive locks, granted in the order of the requests. `released` and the queue are scratch. */
static void exchange_by_locks(const struct sor_problem *problem, struct sor_step *steps,
                              uint64_t (*granted)[SOR_MAX_NEIGHBORS], uint64_t *released,
                              struct request_queue *queue)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        released[rank] = 0;
        queue_push(queue, (struct request){steps[rank].exchange, rank, 0});
    }
    while (queue->count != 0) {
        struct request request = queue_pop(queue);
        uint32_t neighbors[SOR_MAX_NEIGHBORS];
        uint32_t count = sor_neighbors(problem, request.rank, 0, neighbors);
        if (request.direction == count) {
            last = later(last, request.time);
            continue;
        }
        uint32_t target = neighbors[request.direction];
        uint64_t grant = later(request.time, released[target]) + SOR_CALL;
        granted[request.rank][request.direction] = grant;
        released[target] = grant + 2 * SOR_CALL;
        queue_push(queue, (struct request){released[target], request.rank, request.direction + 1});
    }
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        steps[rank].done = last + SOR_LATENCY + SOR_CALL;
    }
}

/* ---- the whole run ---- */

static uint64_t reduce(const struct sor_problem *problem, const struct sor_step *steps)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
        last = later(last, steps[rank].done);
    }
    return last + SOR_LATENCY + SOR_CALL;
}

static bool allocate(struct sor_simulation *simulation)
{
    const struct sor_problem *problem = &simulation->problem;
    size_t steps = (size_t)problem->iterations * problem->ranks;
    simulation->steps = malloc(steps * sizeof *simulation->steps);
    simulation->reduced = malloc(problem->iterations * sizeof *simulation->reduced);
    simulation->solved = malloc(problem->ranks * sizeof *simulation->solved);
    if (problem->variant == SOR_LOCKS) {
        simulation->granted = malloc(steps * sizeof *simulation->granted);
    }
    return simulation->steps != NULL && simulation->reduced != NULL && simulation->solved != NULL &&
           (problem->variant != SOR_LOCKS || simulation->granted != NULL);
}

bool sor_simulate(const struct sor_problem *problem, struct sor_simulation *simulation)
{
    *simulation = (struct sor_simulation){.problem = *problem};
    uint64_t *released = malloc(problem->ranks * sizeof *released);
    struct request_queue queue = {malloc(problem->ranks * sizeof *queue.requests), 0};
    bool enough = allocate(simulation) && released != NULL && queue.requests != NULL;
    for (uint32_t rank = 0; enough && rank < problem->ranks; ++rank) {
        simulation->solved[rank] = SOR_SOLVE_BEGIN;
    }
    for (uint32_t i = 0; enough && i < problem->iterations; ++i) {
        struct sor_step *steps = &simulation->steps[(size_t)i * problem->ranks];
        for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
            steps[rank].sweep = simulation->solved[rank];
            steps[rank].exchange = steps[rank].sweep + sweep_time(problem, rank, i);
        }
        switch (problem->variant) {
        case SOR_P2P:
        case SOR_RARE:
        case SOR_ROTATE:
            exchange_messages(problem, steps, i);
            break;
        case SOR_FENCE:
            exchange_by_fence(problem, steps);
            break;
        case SOR_GATS:
            exchange_by_epochs(problem, steps);
            break;
        case SOR_LOCKS:
            exchange_by_locks(problem, steps, &simulation->granted[(size_t)i * problem->ranks],
                              released, &queue);
            break;
        }
        simulation->reduced[i] = sor_reduces(problem, i) ? reduce(problem, steps) : 0;
        for (uint32_t rank = 0; rank < problem->ranks; ++rank) {
            simulation->solved[rank] = later(steps[rank].done, simulation->reduced[i]);
            simulation->end = later(simulation->end, simulation->solved[rank]);
        }
    }
    simulation->finalized = simulation->end + SOR_LATENCY + SOR_INIT_END;
    free(released);
    free(queue.requests);
    if (!enough) {
        sor_simulation_free(simulation);
    }
    return enough;
}

void sor_simulation_free(struct sor_simulation *simulation)
{
    free(simulation->steps);
    free(simulation->granted);
    free(simulation->reduced);
    free(simulation->solved);
    *simulation = (struct sor_simulation){0};
}
