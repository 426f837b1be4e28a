/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/blame/blame.h"

#include "analysis/causes/blame/blame_run.h"

/* The tables of a window, of which a wait state needs some hundred bytes, fit in a cache. */
#define WAITS_OF_A_WINDOW 20000

/* ---- windows ---- */

static void take_tie(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_blame_run *run = context;
    const struct fm_blame_tie *tie = record;
    fm_vector_push(&run->tables[tie->window].ties, *tie);
}

static void take_change(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_blame_run *run = context;
    const struct fm_blame_change *change = record;
    fm_vector_push(&run->tables[change->window].changes, *change);
}

static void take_blame(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct fm_blame_run *run = context;
    const struct fm_blame_change *change = record;
    fm_vector_push(&run->blamed[change->location], *change);
}

static void take_piece(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    const struct fm_blame_wait_piece *piece = record;
    fm_blame_piece_of_wait(context, worker, *piece);
}

/* What a worker notes about its locations. */
struct survey {
    const struct fm_formation *formation;
    uint32_t *first; /* [worker]: its first process */
    uint64_t (*counts)[FM_DELAY_NONE];
};

static void survey(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct survey *survey = context;
    const struct fm_trace *trace = survey->formation->analysis->trace;
    uint64_t counts[FM_DELAY_NONE] = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        const struct fm_caused_waits *caused = &survey->formation->caused[l];
        for (size_t i = 0; i < caused->waits.count; i++) {
            counts[caused->waits.items[i].delay_kind]++;
        }
    }
    survey->first[worker] = first;
    for (unsigned k = 0; k < FM_DELAY_NONE; k++) {
        survey->counts[worker][k] = counts[k];
    }
}

/* Each worker of each process of the team gets windows in turn, all with about the same number of
 * wait states. */
static void choose_windows(struct fm_blame_run *run, const uint32_t *first, unsigned workers,
                           uint64_t waits)
{
    const struct fm_analysis *analysis = run->formation->analysis;
    size_t bytes;
    uint32_t *homes = fm_team_share(analysis->team, first, workers * sizeof *first, &bytes);
    const uint32_t count = (uint32_t)(bytes / sizeof *homes);
    const uint64_t each = waits / count + 1;
    run->windows = fm_time_windows_choose(run->formation->times, analysis->trace->location_count,
                                          each < WAITS_OF_A_WINDOW ? each : WAITS_OF_A_WINDOW);
    run->home_count = count;
    run->homes = fm_allocate(run->windows.count, sizeof *run->homes);
    for (uint32_t w = 0; w < run->windows.count; w++) {
        run->homes[w] = homes[w % count];
    }
    run->tables = fm_allocate(run->windows.count, sizeof *run->tables);
    fm_free(homes);
}

/* Finds out which kinds of wait states there are, and chooses the windows. @return whether there is
 * any wait state */
static bool prepare(struct fm_blame_run *run)
{
    const struct fm_analysis *analysis = run->formation->analysis;
    unsigned workers = fm_engine_workers(analysis->engine);
    struct survey noted = {
        .formation = run->formation,
        .first = fm_allocate(workers, sizeof *noted.first),
        .counts = fm_allocate(workers, sizeof *noted.counts),
    };
    fm_engine_run(analysis->engine, survey, &noted);
    uint64_t counts[FM_DELAY_NONE] = {0}, waits = 0;
    for (unsigned w = 0; w < workers; w++) {
        for (unsigned k = 0; k < FM_DELAY_NONE; k++) {
            counts[k] += noted.counts[w][k];
        }
    }
    fm_team_sum(analysis->team, counts, FM_DELAY_NONE);
    for (unsigned k = 0; k < FM_DELAY_NONE; k++) {
        if (counts[k] != 0) {
            run->kinds.index[k] = (uint8_t)run->kinds.count;
            run->kinds.kinds[run->kinds.count++] = (uint8_t)k;
        }
        waits += counts[k];
    }
    if (waits != 0) {
        choose_windows(run, noted.first, workers, waits);
    }
    fm_free(noted.first);
    fm_free(noted.counts);
    return waits != 0;
}

/* ---- stages ---- */

static void blame_locations(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_blame_run *run = context;
    const struct fm_trace *trace = run->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        fm_blame_location(run, worker, l);
    }
}

/* A window whose chains are followed. */
struct following {
    struct fm_blame_run *run;
    unsigned worker;
};

static void send_blame(void *context, const struct fm_blame_change *change)
{
    const struct following *following = context;
    const struct fm_trace *trace = following->run->formation->analysis->trace;
    fm_dispatch_send(following->run->blames, following->worker,
                     fm_trace_process(trace, change->location), change);
}

static void send_piece(void *context, const struct fm_chain_end *end)
{
    const struct following *following = context;
    const struct fm_blame_run *run = following->run;
    struct fm_blame_wait_piece piece = {
        .from = end->from,
        .to = end->to,
        .at = end->at,
        .is_sample = end->source->type == FM_TIE_SAMPLE,
        .until = end->source->until,
        .waiter = end->source->location,
        .number = (uint32_t)end->source->weight,
        .location = end->location,
        .kind = (fm_delay_kind_t)end->source->kind,
        .lacks_progress = end->lacks_progress,
    };
    if (run->each->without_visits) {
        fm_blame_piece_of_wait(run, following->worker, piece);
    } else {
        fm_dispatch_send(run->pieces, following->worker,
                         fm_trace_process(run->formation->analysis->trace, piece.location), &piece);
    }
}

static void follow_chains(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_blame_run *run = context;
    struct following following = {run, worker};
    for (uint32_t w = run->first_window; w < run->end_window; w++) {
        struct fm_blame_window *window = &run->tables[w];
        if (run->homes[w] < first || run->homes[w] >= last || window->ties.count == 0) {
            continue;
        }
        if (run->request != NULL) {
            fm_chains_follow(window, &run->kinds, run->formation->analysis->trace->location_count,
                             send_blame, &following);
        }
        if (run->each != NULL) {
            fm_chains_follow_each(window, send_piece, &following);
        }
        fm_vector_free(&window->ties);
        fm_vector_free(&window->changes);
    }
}

static void blame_by_chains(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_blame_run *run = context;
    const struct fm_trace *trace = run->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        fm_blame_by_chains(run, worker, l);
        run->blamed[l].count = 0;
    }
}

/* Follows the chains of a window for each worker at a time. At the end of a window nobody is blamed
 * by its chains any more. */
static void follow_windows(struct fm_blame_run *run)
{
    struct fm_engine *engine = run->formation->analysis->engine;
    for (uint32_t w = 0; w < run->windows.count; w = run->end_window) {
        const uint32_t left = run->windows.count - w;
        run->first_window = w;
        run->end_window = w + (left < run->home_count ? left : run->home_count);
        fm_dispatch_run(run->blames, follow_chains, run);
        fm_dispatch_deliver(run->pieces);
        fm_engine_run(engine, blame_by_chains, run);
    }
}

/* @return at how many instants a wait state with too many holders is examined: all of them together
 * at some millions */
static unsigned choose_samples(const struct fm_analysis *analysis)
{
    enum { ALL = 1 << 22, LEAST = 16 };
    const uint64_t waits = analysis->omissions.sampled_waits;
    const uint64_t samples = ALL / (waits + 1);
    return samples < LEAST                 ? LEAST
           : samples > FM_HOLDERS_EXAMINED ? FM_HOLDERS_EXAMINED
                                           : (unsigned)samples;
}

void fm_blame_find_both(const struct fm_formation *formation,
                        const struct fm_blame_request *request, const struct fm_blame_each *each)
{
    struct fm_engine *engine = formation->analysis->engine;
    struct fm_blame_run run = {.formation = formation,
                               .request = request,
                               .each = each,
                               .samples = choose_samples(formation->analysis)};
    if (!prepare(&run)) {
        return;
    }
    unsigned workers = fm_engine_workers(engine);
    run.blamed = fm_allocate(formation->analysis->trace->location_count, sizeof *run.blamed);
    run.scratch = fm_allocate_apart(workers, sizeof *run.scratch);
    run.ties = fm_dispatch_create(engine, sizeof(struct fm_blame_tie), take_tie, &run);
    run.changes = fm_dispatch_create(engine, sizeof(struct fm_blame_change), take_change, &run);
    run.blames = fm_dispatch_create(engine, sizeof(struct fm_blame_change), take_blame, &run);
    run.pieces = fm_dispatch_create(engine, sizeof(struct fm_blame_wait_piece), take_piece, &run);
    fm_dispatch_run(run.ties, blame_locations, &run);
    fm_dispatch_deliver(run.changes);
    follow_windows(&run);
    fm_dispatch_free(run.ties);
    fm_dispatch_free(run.changes);
    fm_dispatch_free(run.blames);
    fm_dispatch_free(run.pieces);
    for (unsigned w = 0; w < workers; w++) {
        fm_blame_scratch_free(&run.scratch[w]);
    }
    for (uint32_t l = 0; l < formation->analysis->trace->location_count; l++) {
        fm_vector_free(&run.blamed[l]);
    }
    fm_free(run.scratch);
    fm_free(run.blamed);
    fm_free(run.tables);
    fm_free(run.homes);
    fm_time_windows_free(&run.windows);
}

void fm_blame_find(const struct fm_formation *formation, const struct fm_blame_request *request)
{
    fm_blame_find_both(formation, request, NULL);
}

void fm_blame_waits(const struct fm_formation *formation, const struct fm_blame_each *each)
{
    fm_blame_find_both(formation, NULL, each);
}

uint32_t fm_blame_unattributed_visit(const struct fm_location *location)
{
    for (size_t v = 0; v < location->profile.count; v++) {
        if (location->profile.items[v].parent == FM_NONE) {
            return (uint32_t)v;
        }
    }
    return FM_NONE;
}
