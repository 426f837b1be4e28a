/* SPDX-License-Identifier: BSD-3-Clause */
/* The share of each wait state that stems from each problem, from the earliest wait state to the
 * latest: what of it the call paths of the problem delayed, and the shares of the wait states that
 * it goes back to. The location that caused a wait state computes the shares and sends them to the
 * location that waits, which needs them for what it causes later. It is the way of the waiting that
 * is propagated (causes/propagation.c) in the other direction.
 *
 * A location keeps the sums of its shares over its wait states, so that those of an interval are a
 * difference. A few problems are handled in one pass, so that memory is bounded. */
#include "analysis/problems/symptoms.h"

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/cost_table.h"
#include "analysis/causes/time_windows.h"
#include "analysis/results/statistics.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "engine/mailbox/mailbox.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Problems of a pass. */
#define WIDTH 8

/* Sums of shares of a process in memory at once, where there is a choice. */
#define LARGEST_TABLE ((size_t)1 << 25)

/* So many wait states are in work at once. */
#define WAITS_AT_HAND 4096

/* From the causing location to the one that waits. */
struct share_message {
    uint32_t location; /* that waits */
    uint32_t number;   /* of its wait state */
    double shares[WIDTH];
};

/* One location's progress from its earliest wait state to its latest. */
struct walk {
    uint32_t known; /* own wait states 0 .. known - 1 have their shares */
    uint32_t next;  /* the next wait state that it has caused */
    double *sums;   /* [own wait state + 1][problem]: ticks that stem from the problem, of all wait
                       states before; of those beyond `known` its own only; NaN: not received */
    uint8_t *numbers; /* [node]: problem; NULL: none */
    bool is_through;  /* nothing is left in the worker's window */
};

/* A part of the waiting that stems from a problem. */
struct symptom_cell {
    int64_t cost;
    uint32_t problem, metric, callpath, location;
};

/* A worker is in a window of time, and no location of it goes beyond. */
struct place {
    uint64_t end; /* included */
    uint32_t window;
    uint32_t not_through; /* locations */
    uint32_t first_location, last_location;
    FM_VECTOR(uint32_t) ready; /* locations that can go on */
    FM_VECTOR(struct symptom_cell) cells;
    unsigned char apart[FM_APART];
};

struct search {
    const struct fm_formation *formation;
    const struct fm_shown_problems *shown;
    const struct fm_blamed_waits *blamed; /* by location; NULL: no wait state is charged by blame */
    uint32_t first, width;                /* problems of the pass */
    struct walk *walks;                   /* by location */
    struct fm_time_windows windows;
    struct place *places; /* by worker */
};

static const struct fm_wait_list *waits_of(const struct search *search, uint32_t location)
{
    return &search->formation->busy_times[location].waits;
}

static const struct fm_caused_waits *caused_by(const struct search *search, uint32_t location)
{
    return &search->formation->caused[location];
}

static double *sums_of(const struct search *search, const struct walk *walk, uint32_t number)
{
    return walk->sums + (size_t)number * search->width;
}

/* ---- the shares of a wait state ---- */

/* Adds `share` to a problem if it is one of this pass. */
static void add_share(const struct search *search, double *shares, uint8_t problem, double share)
{
    uint32_t column = problem - search->first;
    if (problem != FM_NOT_SHOWN && column < search->width) {
        shares[column] += share;
    }
}

/* What call paths delayed. */
static void add_delays(const struct search *search, const struct walk *walk,
                       const struct fm_caused_waits *caused, const struct fm_caused_wait *wait,
                       double *shares)
{
    for (uint32_t p = wait->first; walk->numbers != NULL && p < wait->end; ++p) {
        uint32_t visit = caused->visits.items[p];
        if (visit != FM_NONE) {
            add_share(search, shares, walk->numbers[visit], caused->parts.items[p]);
        }
    }
}

/* What own wait states passed on. */
static void add_passed_on(const struct search *search, const struct walk *walk,
                          const struct fm_wait_list *waits, const struct fm_caused_waits *caused,
                          const struct fm_caused_wait *wait, double *shares)
{
    uint32_t first = wait->inner;
    if (first >= wait->inner_end) {
        return;
    }
    double part = 0; /* of the first one, if not all of it lies in the interval */
    if (wait->traits & FM_CAUSED_CUT) {
        part = caused->parts.items[wait->first] / (double)fm_wait_ticks(&waits->items[first]);
    }
    const double *begin = sums_of(search, walk, first);
    const double *behind_first = begin + search->width;
    const double *end = sums_of(search, walk, wait->inner_end);
    for (uint32_t k = 0; k < search->width; ++k) {
        double ticks = wait->traits & FM_CAUSED_CUT
                           ? (behind_first[k] - begin[k]) * part + (end[k] - behind_first[k])
                           : end[k] - begin[k];
        if (ticks > 0) {
            shares[k] += ticks / wait->whole;
        }
    }
}

static bool is_blamed(fm_delay_kind_t kind)
{
    return fm_charge_of(kind) != FM_CHARGE_DELAY;
}

static void find_shares(const struct search *search, uint32_t location,
                        const struct fm_caused_wait *wait, double *shares)
{
    const struct walk *walk = &search->walks[location];
    const struct fm_caused_waits *caused = caused_by(search, location);
    memset(shares, 0, WIDTH * sizeof *shares);
    if (wait->traits & FM_CAUSED_UNATTRIBUTED) {
        add_share(search, shares, search->shown->unattributed, 1);
    } else {
        add_delays(search, walk, caused, wait, shares);
        add_passed_on(search, walk, waits_of(search, location), caused, wait, shares);
    }
}

/* ---- from location to location ---- */

static bool can_go_on(const struct search *search, const struct place *place, uint32_t location)
{
    const struct walk *walk = &search->walks[location];
    const struct fm_caused_waits *caused = caused_by(search, location);
    return walk->next < caused->waits.count && caused->waits.items[walk->next].t <= place->end &&
           caused->waits.items[walk->next].inner_end <= walk->known;
}

/* Adds up the sums as far as all shares are known. */
static void add_up(const struct search *search, struct walk *walk, const struct fm_wait_list *waits)
{
    for (; walk->known < waits->count; ++walk->known) {
        const double *before = sums_of(search, walk, walk->known);
        double *next = sums_of(search, walk, walk->known + 1);
        if (isnan(next[0])) {
            break;
        }
        for (uint32_t k = 0; k < search->width; ++k) {
            next[k] += before[k];
        }
    }
}

/* Gives a location of this worker the shares of one of its wait states. */
static void take_shares(struct search *search, unsigned worker, const struct share_message *message)
{
    struct walk *walk = &search->walks[message->location];
    const struct fm_wait_list *waits = waits_of(search, message->location);
    double *own = sums_of(search, walk, message->number + 1);
    double ticks = (double)fm_wait_ticks(&waits->items[message->number]);
    for (uint32_t k = 0; k < search->width; ++k) {
        own[k] = message->shares[k] * ticks;
    }
    if (message->number != walk->known) {
        return;
    }
    add_up(search, walk, waits);
    if (can_go_on(search, &search->places[worker], message->location)) {
        fm_vector_push(&search->places[worker].ready, message->location);
    }
}

static bool is_at(const struct place *place, uint32_t location)
{
    return place->first_location <= location && location < place->last_location;
}

static void send_shares(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                        const struct share_message *message)
{
    if (is_at(&search->places[worker], message->location)) {
        take_shares(search, worker, message);
    } else {
        const struct fm_trace *trace = search->formation->analysis->trace;
        fm_mailbox_send(mailboxes, worker, fm_trace_process(trace, message->location), message,
                        offsetof(struct share_message, shares) +
                            search->width * sizeof message->shares[0]);
    }
}

/* Advances a location until it needs shares that are not received yet, or the window ends. */
static void advance(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker,
                    uint32_t location)
{
    struct walk *walk = &search->walks[location];
    struct place *place = &search->places[worker];
    const struct fm_caused_waits *caused = caused_by(search, location);
    while (can_go_on(search, place, location)) {
        const struct fm_caused_wait *wait = &caused->waits.items[walk->next++];
        struct share_message message = {.location = wait->waiter, .number = wait->number};
        if (is_blamed((fm_delay_kind_t)wait->delay_kind)) {
            continue; /* the waiting location knows the shares */
        }
        find_shares(search, location, wait, message.shares);
        send_shares(search, mailboxes, worker, &message);
    }
    bool is_through =
        walk->next == caused->waits.count || caused->waits.items[walk->next].t > place->end;
    if (!walk->is_through && is_through) {
        walk->is_through = true;
        --place->not_through;
    }
}

static void advance_ready(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct place *place = &search->places[worker];
    while (place->ready.count > 0) {
        advance(search, mailboxes, worker, place->ready.items[--place->ready.count]);
    }
}

/* Begins the next window as long as nothing is left to do in the current one. What is missing there
 * comes from earlier times, so that some worker can always go on. */
static void move_window(struct search *search, struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct place *place = &search->places[worker];
    while (place->not_through == 0 && place->window < search->windows.count) {
        place->end = search->windows.ends[place->window++];
        place->not_through = place->last_location - place->first_location;
        for (uint32_t l = place->first_location; l < place->last_location; ++l) {
            search->walks[l].is_through = false;
        }
        for (uint32_t l = place->first_location; l < place->last_location; ++l) {
            advance(search, mailboxes, worker, l);
        }
        advance_ready(search, mailboxes, worker);
    }
}

/* ---- the stages of a pass ---- */

/* The shares of the own wait states that are charged by blame are known. */
static void add_blamed(const struct search *search, const struct walk *walk,
                       const struct fm_blamed_waits *blamed)
{
    for (size_t w = 0; w < blamed->waits.count; ++w) {
        const struct fm_blamed_wait *wait = &blamed->waits.items[w];
        double *sums = sums_of(search, walk, wait->number + 1);
        sums[0] = 0;
        for (uint32_t p = wait->first; p < wait->end; ++p) {
            const struct fm_blamed_part *part = &blamed->parts.items[p];
            if (part->problem != FM_NONE) {
                add_share(search, sums, (uint8_t)part->problem, (double)(part->to - part->from));
            }
        }
    }
}

static void open_walk(struct search *search, uint32_t location)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    const struct fm_wait_list *waits = waits_of(search, location);
    struct walk *walk = &search->walks[location];
    walk->known = walk->next = 0;
    walk->sums = fm_allocate(((size_t)waits->count + 1) * search->width, sizeof *walk->sums);
    for (uint32_t w = 0; w < waits->count; ++w) {
        sums_of(search, walk, w + 1)[0] = NAN;
    }
    if (search->blamed != NULL) {
        add_blamed(search, walk, &search->blamed[location]);
    }
    add_up(search, walk, waits);
    if (walk->numbers == NULL && caused_by(search, location)->waits.count > 0) {
        uint8_t *numbers =
            fm_allocate(analysis->trace->locations[location].profile.count + 1, sizeof *numbers);
        if (fm_shown_problems_of(search->shown, analysis, location, numbers)) {
            walk->numbers = numbers;
        } else {
            fm_free(numbers);
        }
    }
}

static void start(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    struct place *place = &search->places[worker];
    place->window = place->not_through = 0;
    place->first_location = fm_trace_first_location(trace, first);
    place->last_location = fm_trace_first_location(trace, last);
    for (uint32_t l = place->first_location; l < place->last_location; ++l) {
        open_walk(search, l);
    }
    move_window(search, mailboxes, worker);
}

static void handle(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                   const void *content, size_t size)
{
    (void)process;
    struct search *search = context;
    struct share_message message = {0};
    memcpy(&message, content, size);
    take_shares(search, worker, &message);
    advance_ready(search, mailboxes, worker);
    move_window(search, mailboxes, worker);
}

/* The cells of one location. */
struct location_cells {
    struct fm_map rows; /* (problem, kind, node) -> cell */
    uint32_t *recent;   /* [node][problem]: the cell of the last wait state there; FM_NONE: none */
};

/* @return the cell of a problem for a kind of wait state at a node of location `l` */
static struct symptom_cell *cell_at(const struct search *search, struct place *place,
                                    struct location_cells *cells, uint32_t l, uint32_t problem,
                                    uint32_t kind, uint32_t visit)
{
    uint32_t *recent = &cells->recent[(size_t)visit * search->width + problem];
    if (*recent != FM_NONE && place->cells.items[*recent].metric == kind) {
        return &place->cells.items[*recent];
    }
    const struct fm_location *location = &search->formation->analysis->trace->locations[l];
    uint32_t next = (uint32_t)place->cells.count;
    uint64_t key = ((uint64_t)problem * FM_METRIC_USER + kind) << 32 | visit;
    *recent = *fm_map_at(&cells->rows, key, next);
    if (*recent == next) {
        fm_vector_push(&place->cells, (struct symptom_cell){
                                          .problem = search->first + problem,
                                          .metric = kind,
                                          .callpath = location->profile.items[visit].callpath,
                                          .location = l,
                                      });
    }
    return &place->cells.items[*recent];
}

/* Lists the symptoms of a location. */
static void list_symptoms(const struct search *search, struct place *place, uint32_t l)
{
    const struct fm_location *location = &search->formation->analysis->trace->locations[l];
    const struct fm_wait_list *waits = waits_of(search, l);
    const struct walk *walk = &search->walks[l];
    double scale = search->formation->cost_scale;
    size_t places = location->profile.count * search->width;
    struct location_cells cells = {.recent = fm_allocate(places, sizeof *cells.recent)};
    memset(cells.recent, 0xff, places * sizeof *cells.recent);
    for (uint32_t w = 0; w < waits->count; ++w) {
        const double *before = sums_of(search, walk, w), *behind = before + search->width;
        uint32_t visit = location->visit.items[waits->items[w].activity];
        uint32_t kind = (uint32_t)fm_wait_kind((fm_metric_t)waits->items[w].metric);
        for (uint32_t k = 0; k < search->width; ++k) {
            int64_t cost = fm_cost_rounded(behind[k] - before[k], scale);
            if (cost > 0) {
                cell_at(search, place, &cells, l, k, kind, visit)->cost += cost;
            }
        }
    }
    fm_map_free(&cells.rows);
    fm_free(cells.recent);
}

static void end_pass(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        list_symptoms(search, &search->places[worker], l);
        fm_free(search->walks[l].sums);
    }
}

/* ---- the report ---- */

static int compare_cells(const void *left, const void *right)
{
    const struct symptom_cell *a = left, *b = right;
    if (a->problem != b->problem) {
        return a->problem < b->problem ? -1 : 1;
    }
    if (a->metric != b->metric) {
        return a->metric < b->metric ? -1 : 1;
    }
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

int fm_compare_symptoms(const void *left, const void *right)
{
    const struct fm_cube_symptom *a = left, *b = right;
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    if (a->metric != b->metric) {
        return a->metric < b->metric ? -1 : 1;
    }
    return a->callpath < b->callpath ? -1 : a->callpath > b->callpath;
}

/* Adds a symptom of cells that differ in their locations only. */
static void add_symptom(struct fm_cube_problem *problem, const struct symptom_cell *cells,
                        uint32_t count)
{
    size_t size = problem->symptom_count * sizeof *problem->symptoms;
    struct fm_cube_symptom symptom = {
        .metric = cells[0].metric,
        .callpath = cells[0].callpath,
        .location_count = count,
        .locations = fm_allocate(count, sizeof *symptom.locations),
    };
    for (uint32_t i = 0; i < count; ++i) {
        symptom.locations[i] = cells[i].location;
        symptom.cost += cells[i].cost;
    }
    problem->symptoms = fm_resize(problem->symptoms, size, size + sizeof symptom);
    problem->symptoms[problem->symptom_count++] = symptom;
}

static void add_symptoms(struct fm_cube_problem *problems, struct symptom_cell *cells, size_t count)
{
    fm_sort(cells, count, sizeof *cells, compare_cells);
    for (size_t begin = 0, end; begin < count; begin = end) {
        const struct symptom_cell *first = &cells[begin];
        for (end = begin + 1; end < count && cells[end].problem == first->problem &&
                              cells[end].metric == first->metric &&
                              cells[end].callpath == first->callpath;) {
            ++end;
        }
        struct fm_cube_problem *problem = &problems[first->problem];
        add_symptom(problem, first, (uint32_t)(end - begin));
        if (end == count || cells[end].problem != first->problem) {
            fm_sort(problem->symptoms, problem->symptom_count, sizeof *problem->symptoms,
                    fm_compare_symptoms);
        }
    }
}

/* Brings the symptoms of all workers and processes to process 0. */
static void collect(struct search *search, struct fm_cube_problem *problems)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    FM_VECTOR(struct symptom_cell) own = {0}, all = {0};
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); ++w) {
        struct place *place = &search->places[w];
        for (size_t i = 0; i < place->cells.count; ++i) {
            fm_vector_push(&own, place->cells.items[i]);
        }
        fm_vector_free(&place->cells);
    }
    fm_team_collect_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    add_symptoms(problems, all.items, all.count);
    fm_vector_free(&all);
}

/* @return how many problems a pass handles: as many as memory allows, the same everywhere */
static uint32_t choose_width(const struct fm_formation *formation)
{
    uint64_t waits = 0;
    for (unsigned bin = 0; bin < FM_WAIT_TIME_BINS; ++bin) {
        waits += formation->times->counts[bin];
    }
    uint64_t width = LARGEST_TABLE * fm_team_size(formation->analysis->team) / (waits + 1);
    return width < 1 ? 1 : width < WIDTH ? (uint32_t)width : WIDTH;
}

void fm_symptoms_find(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                      const struct fm_blamed_waits *blamed, struct fm_cube_problem *problems)
{
    struct fm_engine *engine = formation->analysis->engine;
    uint32_t locations = formation->analysis->trace->location_count;
    unsigned workers = fm_engine_workers(engine);
    uint32_t width = choose_width(formation);
    struct search search = {
        .formation = formation,
        .shown = shown,
        .blamed = blamed,
        .walks = fm_allocate(locations, sizeof *search.walks),
        .windows = fm_time_windows_choose(formation->times, locations, WAITS_AT_HAND),
        .places = fm_allocate_apart(workers, sizeof *search.places),
    };
    for (search.first = 0; search.first < shown->count; search.first += search.width) {
        uint32_t left = shown->count - search.first;
        search.width = left < width ? left : width;
        fm_mailboxes_run(engine, start, handle, &search);
        fm_engine_run(engine, end_pass, &search);
    }
    collect(&search, problems);
    for (uint32_t l = 0; l < locations; ++l) {
        fm_free(search.walks[l].numbers);
    }
    for (unsigned w = 0; w < workers; ++w) {
        fm_vector_free(&search.places[w].ready);
    }
    fm_free(search.places);
    fm_time_windows_free(&search.windows);
    fm_free(search.walks);
}
