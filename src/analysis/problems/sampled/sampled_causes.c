/* SPDX-License-Identifier: BSD-3-Clause */
/* Each waiter computes the errors of its own side, for each location that it has waited for, and
 * sends them there. Sums of squares are kept as integers, so that they do not depend on the order
 * of the messages. */
#include "analysis/problems/sampled/sampled_causes.h"

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/charge.h"
#include "analysis/problems/sampled/descent.h"
#include "analysis/problems/sampled/sampled_parts.h"
#include "analysis/samples/exact_visits.h"
#include "analysis/samples/sample_errors.h"
#include "base/containers/sort.h"
#include "engine/dispatch/dispatch.h"

#include <math.h>

/* Causes of less than this part of all waiting are not judged: they are variation. */
#define SMALLEST_PART 1000

/* Of the stretches that count, this part may lie outside of a caller that holds them. */
#define OUTSIDE_PART 20

/* Squares of ticks are integers in parts of this one: sums of them are exact. */
typedef __int128 wide;
#define PARTS 0x1p20

/* What a record to a causing location, or to a waiter, contains. */
enum content {
    ERRORS,    /* of a call path on a waiter, less those of any other one */
    OTHERS,    /* errors of all call paths that are not sent, on a waiter */
    UNSAMPLED, /* ticks of a waiter without samples, below a call path */
    VISITS,    /* of a call path on a waiter, where they are recorded */
    LATENESS   /* of a location: ticks by which it was later than the mean of the others */
};

struct message {
    double own, inclusive; /* ticks^2; in `own`: UNSAMPLED, LATENESS: ticks, VISITS: their number */
    uint32_t location;
    uint32_t callpath;
    uint32_t content;
    uint32_t unused;
};

struct received {
    wide own, inclusive;
    uint32_t callpath;
};

typedef FM_VECTOR(struct received) received_vector;

/* What the waiters have told a causing location. */
struct evidence {
    received_vector paths, unsampled, visits;
    struct fm_map path_of, unsampled_of, visits_of; /* call path -> row */
    wide others;
    int64_t late; /* sum of the lateness */
    wide late_squares;
    uint64_t occasions;
};

/* An own wait state, by the location that has caused it. */
struct own_wait {
    struct fm_counted_interval interval;
    uint32_t cause;
};

struct worker_memory {
    struct fm_sample_errors errors;
    struct fm_exact_visits visits;
    FM_VECTOR(struct own_wait) waits;
    FM_VECTOR(struct fm_counted_interval) intervals;
    unsigned char apart[FM_APART];
};

struct search {
    struct fm_formation *formation;
    struct fm_sampled_causes *causes; /* by location */
    struct evidence *evidence;        /* by location */
    struct worker_memory *memory;     /* by worker */
    uint64_t *caused;                 /* by location: waiting that it has caused, ticks */
    struct fm_dispatch *messages;
};

static const struct fm_trace *trace_of(const struct search *search)
{
    return search->formation->analysis->trace;
}

static bool is_delay(fm_delay_kind_t kind)
{
    return fm_charge_of(kind) == FM_CHARGE_DELAY;
}

static bool is_judged(const struct search *search, uint32_t location)
{
    return search->caused[location] >= search->formation->waiting / SMALLEST_PART &&
           search->caused[location] != 0;
}

/* ---- errors of the waiters ---- */

static int compare_waits(const void *a, const void *b)
{
    const struct own_wait *left = a, *right = b;
    if (left->cause != right->cause) {
        return left->cause < right->cause ? -1 : 1;
    }
    return left->interval.begin < right->interval.begin
               ? -1
               : left->interval.begin > right->interval.begin;
}

static void send(struct search *search, unsigned worker, const struct message *message)
{
    fm_dispatch_send(search->messages, worker,
                     fm_trace_process(trace_of(search), message->location), message);
}

/* Sends the errors of a waiter's side to the location that it has waited for. */
static void send_errors(struct search *search, unsigned worker, const struct fm_location *location,
                        uint32_t cause)
{
    const struct fm_sample_errors *errors = &search->memory[worker].errors;
    send(search, worker,
         &(struct message){errors->largest, errors->largest, cause, FM_NONE, OTHERS, 0});
    for (size_t i = 0; i < errors->paths.count; ++i) {
        const struct fm_path_error *path = &errors->paths.items[i];
        send(search, worker,
             &(struct message){path->own - errors->largest, path->inclusive - errors->largest,
                               cause, location->profile.items[path->visit].callpath, ERRORS, 0});
    }
    for (size_t i = 0; i < errors->unsampled.count; ++i) {
        const struct fm_unsampled *unsampled = &errors->unsampled.items[i];
        if (unsampled->caller != FM_NONE) {
            send(search, worker,
                 &(struct message){unsampled->ticks, 0, cause,
                                   location->profile.items[unsampled->caller].callpath, UNSAMPLED,
                                   0});
        }
    }
}

/* Sends how often a waiter has entered functions to the location that it has waited for. */
static void send_visits(struct search *search, unsigned worker, const struct fm_location *location,
                        uint32_t cause)
{
    const struct fm_exact_visits *visits = &search->memory[worker].visits;
    for (size_t i = 0; i < visits->items.count; ++i) {
        send(search, worker,
             &(struct message){(double)visits->items.items[i].count, 0, cause,
                               location->profile.items[visits->items.items[i].visit].callpath,
                               VISITS, 0});
    }
}

static void examine_waiter(struct search *search, unsigned worker, uint32_t l)
{
    struct worker_memory *memory = &search->memory[worker];
    const struct fm_wait_list *waits = &search->formation->busy_times[l].waits;
    memory->waits.count = 0;
    for (uint32_t w = 0; w < waits->count; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        if (is_delay(fm_delay_kind((fm_metric_t)wait->metric)) &&
            is_judged(search, wait->cause_location)) {
            fm_vector_push(&memory->waits,
                           (struct own_wait){{waits->begin[w], wait->enter}, wait->cause_location});
        }
    }
    fm_sort(memory->waits.items, memory->waits.count, sizeof *memory->waits.items, compare_waits);
    for (size_t first = 0, end; first < memory->waits.count; first = end) {
        const uint32_t cause = memory->waits.items[first].cause;
        memory->intervals.count = 0;
        for (end = first; end < memory->waits.count && memory->waits.items[end].cause == cause;
             ++end) {
            fm_vector_push(&memory->intervals, memory->waits.items[end].interval);
        }
        const struct fm_location *location = &trace_of(search)->locations[l];
        fm_sample_errors_find(&memory->errors, location, memory->intervals.items,
                              memory->intervals.count);
        send_errors(search, worker, location, cause);
        fm_exact_visits_count(&memory->visits, trace_of(search), location, memory->intervals.items,
                              memory->intervals.count);
        send_visits(search, worker, location, cause);
    }
}

/* ---- lateness ---- */

static void tell_late(struct search *search, unsigned worker, uint32_t location, double ticks)
{
    send(search, worker, &(struct message){nearbyint(ticks), 0, location, FM_NONE, LATENESS, 0});
}

/* Tells all that took part in the wait states of one instant how much later than the mean of the
 * others they were: those that waited, and the one that they waited for. */
static void compare_arrivals(struct search *search, unsigned worker, uint32_t l,
                             const struct fm_caused_wait *waits, size_t count)
{
    double sum = 0;
    uint32_t waiters = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool counts = is_delay((fm_delay_kind_t)waits[i].delay_kind);
        sum += counts ? (double)waits[i].wait : 0;
        waiters += counts;
    }
    if (waiters == 0) {
        return;
    }
    tell_late(search, worker, l, sum / waiters);
    for (size_t i = 0; i < count; ++i) {
        if (is_delay((fm_delay_kind_t)waits[i].delay_kind)) {
            const double own = (double)waits[i].wait;
            tell_late(search, worker, waits[i].waiter, (sum - own) / waiters - own);
        }
    }
}

static void examine_arrivals(struct search *search, unsigned worker, uint32_t l)
{
    const struct fm_caused_waits *caused = &search->formation->caused[l];
    for (size_t first = 0, end; first < caused->waits.count; first = end) {
        for (end = first + 1; end < caused->waits.count &&
                              caused->waits.items[end].t == caused->waits.items[first].t;) {
            ++end;
        }
        compare_arrivals(search, worker, l, caused->waits.items + first, end - first);
    }
}

static void examine(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = trace_of(search);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        examine_waiter(search, worker, l);
        examine_arrivals(search, worker, l);
    }
}

static struct received *row_at(struct fm_map *rows, received_vector *paths, uint32_t callpath)
{
    const uint32_t next = (uint32_t)paths->count;
    const uint32_t row = *fm_map_at(rows, callpath, next);
    if (row == next) {
        fm_vector_push(paths, (struct received){.callpath = callpath});
    }
    return &paths->items[row];
}

static void take_message(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct search *search = context;
    const struct message *message = record;
    struct evidence *evidence = &search->evidence[message->location];
    struct received *row;
    switch ((enum content)message->content) {
    case ERRORS:
        row = row_at(&evidence->path_of, &evidence->paths, message->callpath);
        row->own += (wide)(message->own * PARTS);
        row->inclusive += (wide)(message->inclusive * PARTS);
        break;
    case OTHERS:
        evidence->others += (wide)(message->own * PARTS);
        break;
    case UNSAMPLED:
        row = row_at(&evidence->unsampled_of, &evidence->unsampled, message->callpath);
        row->own += (wide)message->own;
        break;
    case VISITS:
        row = row_at(&evidence->visits_of, &evidence->visits, message->callpath);
        row->own += (wide)message->own;
        break;
    case LATENESS:
        evidence->late += (int64_t)message->own;
        evidence->late_squares += (wide)message->own * (wide)message->own;
        evidence->occasions++;
    }
}

/* ---- at the causing locations ---- */

static int compare_begins(const void *a, const void *b)
{
    const struct fm_counted_interval *left = a, *right = b;
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* Finds the errors of the causing location's own side, and how often it has entered functions. */
static void examine_own(struct search *search, struct worker_memory *memory, uint32_t l)
{
    const struct fm_caused_waits *caused = &search->formation->caused[l];
    memory->intervals.count = 0;
    for (size_t i = 0; i < caused->differences->waits.count; ++i) {
        if (is_delay((fm_delay_kind_t)caused->waits.items[i].delay_kind)) {
            fm_vector_push(&memory->intervals,
                           (struct fm_counted_interval){caused->differences->waits.items[i].begin,
                                                        caused->waits.items[i].t});
        }
    }
    fm_sort(memory->intervals.items, memory->intervals.count, sizeof *memory->intervals.items,
            compare_begins);
    fm_sample_errors_find(&memory->errors, &trace_of(search)->locations[l], memory->intervals.items,
                          memory->intervals.count);
    fm_exact_visits_count(&memory->visits, trace_of(search), &trace_of(search)->locations[l],
                          memory->intervals.items, memory->intervals.count);
}

/* Adds what is not sampled to all that is below its caller. */
static void add_unsampled(struct fm_cause_tree *tree, uint32_t callpath, double ticks)
{
    const uint32_t caller = fm_map_get(&tree->row_of, callpath);
    for (uint32_t r = 0; caller != FM_MAP_ABSENT && r < tree->rows.count; ++r) {
        const bool is_below = r != caller && fm_cause_is_within(tree, r, caller);
        tree->rows.items[r].unsampled += is_below ? ticks : 0;
    }
}

/* Enters the errors of both sides into the rows of a location. */
static void enter_errors(const struct search *search, const struct fm_sample_errors *own,
                         const struct evidence *evidence, uint32_t l, struct fm_cause_tree *tree)
{
    const struct fm_location *location = &trace_of(search)->locations[l];
    const double others = (double)evidence->others / PARTS;
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        struct fm_cause_row *row = &tree->rows.items[r];
        const uint32_t received = fm_map_get(&evidence->path_of, row->callpath);
        const bool is_known = received != FM_MAP_ABSENT;
        row->own_variance = others +
                            (is_known ? (double)evidence->paths.items[received].own / PARTS : 0) +
                            own->largest;
        row->all_variance =
            others + (is_known ? (double)evidence->paths.items[received].inclusive / PARTS : 0) +
            own->largest;
    }
    for (size_t i = 0; i < own->paths.count; ++i) {
        const struct fm_path_error *path = &own->paths.items[i];
        const uint32_t r = fm_map_get(&tree->row_of, location->profile.items[path->visit].callpath);
        if (r != FM_MAP_ABSENT) {
            tree->rows.items[r].own_variance += path->own - own->largest;
            tree->rows.items[r].all_variance += path->inclusive - own->largest;
        }
    }
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        struct fm_cause_row *row = &tree->rows.items[r];
        row->own_variance = row->own_variance > 0 ? row->own_variance : 0;
        row->all_variance = row->all_variance > 0 ? row->all_variance : 0;
    }
    for (size_t i = 0; i < evidence->unsampled.count; ++i) {
        add_unsampled(tree, evidence->unsampled.items[i].callpath,
                      (double)evidence->unsampled.items[i].own);
    }
    for (size_t i = 0; i < own->unsampled.count; ++i) {
        if (own->unsampled.items[i].caller != FM_NONE) {
            add_unsampled(tree, location->profile.items[own->unsampled.items[i].caller].callpath,
                          own->unsampled.items[i].ticks);
        }
    }
}

/* Enters how often both sides have entered functions. */
static void enter_visits(const struct search *search, const struct fm_exact_visits *own,
                         const struct evidence *evidence, uint32_t l, struct fm_cause_tree *tree)
{
    const struct fm_location *location = &trace_of(search)->locations[l];
    for (size_t i = 0; i < own->items.count; ++i) {
        const struct fm_visit_count *visits = &own->items.items[i];
        const uint32_t r =
            fm_map_get(&tree->row_of, location->profile.items[visits->visit].callpath);
        if (r != FM_MAP_ABSENT) {
            tree->rows.items[r].visits = (double)visits->count;
        }
    }
    for (size_t i = 0; i < evidence->visits.count; ++i) {
        const uint32_t r = fm_map_get(&tree->row_of, evidence->visits.items[i].callpath);
        if (r != FM_MAP_ABSENT) {
            tree->rows.items[r].waiters_visits = (double)evidence->visits.items[i].own;
        }
    }
}

/* @return whether a location is later than the mean of the others by more than chance, over all
 * occasions that are known */
static bool is_late(const struct evidence *evidence)
{
    if (evidence->occasions < 2) {
        return true;
    }
    const double count = (double)evidence->occasions;
    const double mean = (double)evidence->late / count;
    const double variance =
        ((double)evidence->late_squares - count * mean * mean) / (count - 1) / count;
    return mean > FM_SIGNIFICANT * sqrt(variance > 0 ? variance : 0);
}

/* @return the row of the caller that alone is significant and holds the stretches that count, but
 * for a small part as before a loop, exact times aside; FM_NONE: there is none */
static uint32_t only_caller(const struct fm_cause_tree *tree, const struct fm_sample_errors *own,
                            const struct fm_location *location)
{
    uint32_t only = FM_NONE;
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        const struct fm_cause_row *row = &tree->rows.items[r];
        if (row->is_significant && !row->is_exact) {
            return FM_NONE;
        }
        if (row->stands_for_callees) {
            if (only != FM_NONE) {
                return FM_NONE;
            }
            only = r;
        }
    }
    double all = 0, outside = 0;
    for (size_t i = 0; only != FM_NONE && i < own->blocks.count; ++i) {
        const uint32_t caller = location->estimates.blocks.items[own->blocks.items[i]].caller;
        const bool is_inside = fm_visit_contains(location, tree->rows.items[only].visit, caller);
        all += own->block_ticks.items[i];
        outside += is_inside ? 0 : own->block_ticks.items[i];
    }
    return outside * OUTSIDE_PART > all ? FM_NONE : only;
}

/* Lists the functions below a caller that may be what takes longer: those with the largest
 * differences above their errors. */
static void find_candidates(const struct fm_cause_tree *tree, uint32_t caller,
                            struct fm_sampled_cause *cause)
{
    double least[FM_CUBE_CANDIDATES];
    for (uint32_t r = caller + 1; r < tree->rows.count; ++r) {
        const struct fm_cause_row *row = &tree->rows.items[r];
        if (!fm_cause_is_within(tree, r, caller) || row->is_exact ||
            row->own <= fm_cause_error(row, true)) {
            continue;
        }
        uint32_t place = cause->candidate_count < FM_CUBE_CANDIDATES ? cause->candidate_count++
                                                                     : FM_CUBE_CANDIDATES;
        for (; place > 0 && least[place - 1] < row->own; --place) {
            if (place < FM_CUBE_CANDIDATES) {
                least[place] = least[place - 1];
                cause->candidates[place] = cause->candidates[place - 1];
            }
        }
        if (place < FM_CUBE_CANDIDATES) {
            least[place] = row->own;
            cause->candidates[place] = row->callpath;
        }
    }
}

/* Notes the functions that the descent has led to. */
static void note_causes(struct fm_sampled_causes *causes, const struct fm_cause_tree *tree,
                        const struct fm_descent *descent)
{
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        const struct fm_cause_row *row = &tree->rows.items[r];
        if (row->is_call || descent[r].cause != r || row->visit == FM_NONE || !(row->excess > 0)) {
            continue;
        }
        const bool is_own = row->is_significant && row->own >= row->excess / 2;
        const double error = fm_cause_error(row, is_own);
        struct fm_sampled_cause cause = {
            .error = error / (is_own         ? row->own
                              : row->all > 0 ? row->all
                                             : row->excess),
            .share = descent[r].share,
            .visit = row->visit,
            .replaced = descent[r].replaced == FM_NONE
                            ? FM_NONE
                            : tree->rows.items[descent[r].replaced].callpath,
        };
        if (row->stands_for_callees) {
            find_candidates(tree, r, &cause);
        }
        fm_map_at(&causes->of_visit, row->visit, (uint32_t)causes->items.count);
        fm_vector_push(&causes->items, cause);
    }
}

static void judge_location(struct search *search, unsigned worker, uint32_t l)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    struct worker_memory *memory = &search->memory[worker];
    struct fm_caused_waits *caused = &search->formation->caused[l];
    const struct fm_location *location = &analysis->trace->locations[l];
    struct fm_cause_tree tree = fm_cause_tree_create(analysis, caused->differences);
    uint32_t chance = FM_NONE;
    if (is_judged(search, l)) {
        examine_own(search, memory, l);
        enter_errors(search, &memory->errors, &search->evidence[l], l, &tree);
        enter_visits(search, &memory->visits, &search->evidence[l], l, &tree);
        fm_cause_tree_judge(&tree);
        chance = only_caller(&tree, &memory->errors, location);
        chance = chance != FM_NONE && is_late(&search->evidence[l]) ? FM_NONE : chance;
    } else {
        fm_cause_tree_ignore(&tree);
    }
    struct fm_descent *descent = fm_descend(&tree);
    fm_sampled_parts_write(caused, analysis->trace, location, &tree, descent, chance);
    note_causes(&search->causes[l], &tree, descent);
    fm_free(descent);
    fm_cause_tree_free(&tree);
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = trace_of(search);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        if (search->formation->caused[l].differences != NULL) {
            judge_location(search, worker, l);
        }
        struct evidence *evidence = &search->evidence[l];
        fm_vector_free(&evidence->paths);
        fm_vector_free(&evidence->unsampled);
        fm_vector_free(&evidence->visits);
        fm_map_free(&evidence->path_of);
        fm_map_free(&evidence->unsampled_of);
        fm_map_free(&evidence->visits_of);
    }
}

/* ---- the stages ---- */

static void add_caused(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = trace_of(search);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_caused_waits *caused = &search->formation->caused[l];
        for (size_t i = 0; i < caused->waits.count; ++i) {
            search->caused[l] += caused->waits.items[i].wait;
        }
    }
}

struct fm_sampled_causes *fm_sampled_causes_find(struct fm_formation *formation)
{
    struct fm_engine *engine = formation->analysis->engine;
    const uint32_t locations = formation->analysis->trace->location_count;
    if (formation->recorded == NULL) {
        return NULL;
    }
    struct search search = {
        .formation = formation,
        .causes = fm_allocate(locations, sizeof *search.causes),
        .evidence = fm_allocate(locations, sizeof *search.evidence),
        .memory = fm_allocate_apart(fm_engine_workers(engine), sizeof *search.memory),
        .caused = fm_allocate(locations, sizeof *search.caused),
    };
    fm_engine_run(engine, add_caused, &search);
    fm_team_sum(formation->analysis->team, search.caused, locations);
    search.messages = fm_dispatch_create(engine, sizeof(struct message), take_message, &search);
    fm_dispatch_run(search.messages, examine, &search);
    fm_dispatch_free(search.messages);
    fm_engine_run(engine, judge, &search);
    for (unsigned w = 0; w < fm_engine_workers(engine); ++w) {
        fm_sample_errors_free(&search.memory[w].errors);
        fm_exact_visits_free(&search.memory[w].visits);
        fm_vector_free(&search.memory[w].waits);
        fm_vector_free(&search.memory[w].intervals);
    }
    fm_free(search.memory);
    fm_free(search.evidence);
    fm_free(search.caused);
    return search.causes;
}

void fm_sampled_causes_free(struct fm_sampled_causes *causes, uint32_t location_count)
{
    for (uint32_t l = 0; causes != NULL && l < location_count; ++l) {
        fm_vector_free(&causes[l].items);
        fm_map_free(&causes[l].of_visit);
    }
    fm_free(causes);
}

const struct fm_sampled_cause *fm_sampled_cause_at(const struct fm_sampled_causes *causes,
                                                   uint32_t location, uint32_t visit)
{
    const uint32_t row =
        causes == NULL ? FM_MAP_ABSENT : fm_map_get(&causes[location].of_visit, visit);
    return row == FM_MAP_ABSENT ? NULL : &causes[location].items.items[row];
}
