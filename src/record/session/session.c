/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session.h"

#include "base/quantity.h"
#include "record/buffers/buffer_file.h"
#include "record/capture/guard.h"
#include "record/closing/overhead.h"
#include "record/computation/blocking.h"
#include "record/counting/closing/session_counters.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_samples.h"
#include "record/counting/papi/sde_counters.h"
#include "record/counting/rank_snapshots.h"
#include "record/experiment/experiment.h"
#include "record/experiment/job.h"
#include "record/experiment/kept_variables.h"
#include "record/experiment/process_state.h"
#include "record/flight/flight.h"
#include "record/journal/journal.h"
#include "record/paradigm/alone.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/session/session_clock.h"
#include "record/session/session_describe.h"
#include "record/session/session_flush.h"
#include "record/session/session_paradigms.h"
#include "record/session/session_stack.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"
#include "record/session/session_unseen.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_MEMORY = 64 * 1024 * 1024 };

struct fm_session fm_session = {.lock = FM_LOCK_FREE};
struct fm_session_state fm_session_state;

static const char *function_name(uint32_t function)
{
    return function < fm_session.region_count ? fm_session.regions[function].name : "";
}

static bool is_exiting, memory_is_chosen;

/* If the run cannot end here, its records are saved only: an exit handler of the program may still
 * end it. */
static void exit_begins(void)
{
    is_exiting = true;
    if (!fm_session_close_at_exit()) {
        fm_session_save(true);
        fm_flight_alarm();
    }
}

static void begin_memory(void)
{
    const char *flight = fm_variable(FM_FLIGHT_VARIABLE);
    const char *text = fm_variable("FERMATA_TOTAL_MEMORY");
    uint64_t memory;
    memory_is_chosen = text != NULL && fm_size_read(text, &memory) && memory > 0;
    fm_session_state.memory = memory_is_chosen ? memory : DEFAULT_MEMORY;
    fm_max_size_read(fm_variable(FM_MAX_SIZE_VARIABLE), &fm_session_state.max_size);
    if (flight != NULL && fm_flight_option_read(&fm_session_state.flight, flight)) {
        fm_session_state.memory = fm_session_state.flight.bytes;
        fm_session_state.max_size = UINT64_MAX; /* the size of the flight recorder is the limit */
        memory_is_chosen = true;
    }
}

void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds, char *const *environment)
{
    char program[PATH_MAX];
    fm_variables_keep(&fm_variables_of_process, environment);
    fm_session_state.process = getpid();
    begin_memory();
    fm_clock_start(start_ticks, start_nanoseconds);
    fm_session_clock_note();
    fm_threads_begin(fm_session_state.memory, fm_session_flush);
    fm_pause_begin(function_name);
    fm_selected_begin();
    if (fm_session_state.flight.bytes != 0) {
        fm_threads_keep_last(function_name);
        fm_selected_on_signal(fm_session_demand);
    }
    fm_session_stack_begin();
    fm_functions_begin(fm_session_tell_of_functions);
    struct fm_thread *thread = fm_thread_attach();
    if (thread != NULL) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_BEGIN);
        record[0] = fm_record_header(FM_RECORD_PROGRAM_BEGIN, 0, fm_session_string(program));
        record[1] = fm_clock.start_ticks;
    }
    atexit(exit_begins);
}

/* Makes the buffer file, whose room limits the memory for records. */
static void begin_buffers(struct fm_journal_process *process)
{
    const struct fm_buffer_request request = {.directory = fm_session.directory,
                                              .rank = fm_session.exchange->rank,
                                              .size = fm_session.exchange->size,
                                              .flight = fm_session_state.flight.bytes != 0};
    static struct fm_buffer_place place; /* large */
    const bool is_made = fm_buffers_begin(&request, &place);
    if (is_made) {
        uint64_t room = place.share - 2 * (uint64_t)FM_BLOCK_BYTES;
        uint64_t most = memory_is_chosen ? fm_session_state.memory : FM_BUFFERS_DEFAULT;
        fm_session_state.memory = most < room ? most : room;
        fm_threads_limit(fm_session_state.memory);
        process->buffer_token = fm_buffers_token();
        if (!place.in_experiment) {
            snprintf(process->buffers, sizeof process->buffers, "%s", fm_buffers_path());
        }
    }
    if (request.rank == 0) {
        fm_session_describe_buffers(is_made, &place);
    }
}

/* The records of all threads so far, and later ones, survive the process from now on: those of
 * other threads when they make their next call, what they have is in the journal before. */
static void use_buffers(void)
{
    struct fm_thread *self = fm_thread_self;
    if (!fm_buffers_are_open()) {
        return;
    }
    if (self != NULL && fm_thread_claim(self)) {
        fm_thread_move_to_file(self);
        fm_thread_unclaim(self);
    }
    for (struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        if (each != self && fm_session_state.flight.bytes == 0 && fm_thread_claim(each)) {
            fm_thread_settle(each, true);
            fm_journal_records(each, fm_thread_settled(each));
            fm_thread_unclaim(each);
        }
    }
    fm_threads_attend();
}

/* What the journal of this process begins with. */
static void describe_process(struct fm_journal_process *process)
{
    *process = (struct fm_journal_process){
        .rank = fm_session.exchange->rank,
        .size = fm_session.exchange->size,
        .process = (uint32_t)getpid(),
        .ticks_used = fm_clock.counter,
        .start_ticks = fm_clock.start_ticks,
        .start_nanoseconds = fm_clock.start_nanoseconds,
        .start_realtime = fm_clock.start_realtime,
        .offset = fm_session_clock_offsets()[0],
        .ticks_per_second = fm_clock_resolution(),
        .callpath_depth = fm_session_callpath_depth(),
        .callpath_whole = fm_session_callpath_whole(),
        .thread_level = fm_session.exchange->thread_level,
    };
    gethostname(process->host, sizeof process->host - 1);
}

static void begin_journal(void)
{
    static struct fm_journal_process process; /* large */
    describe_process(&process);
    if (fm_counters_only()) {
        fm_session_counters_begin(&process);
        return;
    }
    begin_buffers(&process);
    /* Without a journal (such as on a full file system) recording continues until the memory is
     * full. */
    if (fm_journal_begin(fm_session.directory, &process, fm_session.regions,
                         fm_session.region_count)) {
        fm_session_journal_definitions();
        use_buffers();
    } else {
        fm_buffers_remove(); /* nobody could read it */
    }
}

static void begin_counters(uint32_t rank, uint32_t size)
{
    if (fm_counters_are_asked() &&
        !fm_counter_file_open(fm_session.directory, rank, size, fm_session.regions,
                              fm_session.region_count)) {
        fm_session_tell("calls are not counted: cannot write %s/counters: %s", fm_session.directory,
                        strerrordesc_np(errno));
        if (fm_counters_only()) {
            fm_threads_end(); /* nothing else would be kept */
        }
        return;
    }
    const char *problem =
        fm_counters_are_asked() ? fm_rank_snapshots_begin(fm_session.directory, rank) : NULL;
    if (problem != NULL) {
        fm_session_tell("rank %u takes no snapshots: %s", rank, problem);
    }
    problem = fm_sde_counters_offer();
    if (problem != NULL && rank == 0) {
        fm_session_tell("counters are not offered to PAPI: %s", problem);
    }
}

/* What the records go to. */
static void begin_files(const struct fm_exchange *exchange)
{
    begin_journal();
    begin_counters(exchange->rank, exchange->size);
    fm_counter_samples_begin();
}

/* From now on, events that exceed their budget are merged. */
static void begin_budget(uint64_t resolution)
{
    const struct fm_event_budget budget =
        fm_event_budget_get(resolution, fm_meter_bias().own, fm_threads_counter());
    fm_merged_visits_begin(resolution);
    fm_meters_begin(&budget);
}

/* The processes of a node have a pool, beside their journals. */
static void begin_size_limit(uint32_t processes)
{
    char host[256] = "", path[sizeof fm_session.directory + sizeof host + 64];
    gethostname(host, sizeof host - 1);
    snprintf(path, sizeof path, "%s/journal/%s.pool", fm_session.directory, host);
    fm_size_limit_begin(fm_max_size_share(fm_session_state.max_size, processes), path);
}

static void open_session(const struct fm_exchange *exchange)
{
    char path[PATH_MAX + 64];
    uint64_t good = 1;
    if (exchange->rank == 0) {
        good =
            (exchange->is_spawned &&
             fm_experiment_create_world(fm_session.directory, sizeof fm_session.directory)) ||
            fm_experiment_create(exchange->size, fm_session.directory, sizeof fm_session.directory);
        if (good && fm_counters_only()) {
            fm_session_counters_create();
        } else if (good) {
            snprintf(path, sizeof path, "%s/journal", fm_session.directory);
            mkdir(path, 0700);
        }
    }
    exchange->reduce(&good, 1, FM_REDUCE_MIN);
    exchange->broadcast(fm_session.directory, sizeof fm_session.directory, 0);
    if (good) {
        fm_session_clock_open(exchange);
    }
    if (!good || exchange->failure != NULL) {
        if (exchange->failure != NULL || exchange->rank == 0) {
            fm_session_tell("nothing is recorded: %s",
                            exchange->failure != NULL ? exchange->failure : fm_session.directory);
        }
        fm_threads_end();
        return;
    }
    begin_files(exchange);
    fm_size_limit_report_to(fm_session_note_thinning);
    begin_size_limit(exchange->size);
    uint64_t resolution = fm_clock_resolution();
    fm_session_state.noticeable = resolution / 1000;
    fm_processor_begin(resolution);
    fm_merged_begin(resolution);
    begin_budget(resolution);
    fm_session_set(&fm_session.open);
    fm_threads_interval(fm_session_state.flight.bytes == 0 ? fm_session_flush_interval(resolution)
                                                           : UINT64_MAX);
    if (fm_session_state.flight.bytes != 0) {
        fm_flight_watch(exchange, fm_session.directory);
    }
    if (exchange->rank == 0) {
        fm_session_describe_begin();
    }
}

static void begin_run(const struct fm_exchange *exchange)
{
    struct fm_guard guard;
    uint64_t begin = fm_clock_nanoseconds();
    fm_process_note();
    fm_guard_begin(&guard);
    fm_overhead_begin();
    exchange = fm_overhead_watch(exchange);
    __atomic_store_n(&fm_session.exchange, exchange, __ATOMIC_RELEASE);
    fm_session_stack_main();
    open_session(exchange);
    fm_selected_run_begins(exchange->rank);
    fm_session_tell_selection();
    fm_session_tell_max_size();
    fm_session_tell_flight();
    fm_overhead_end();
    fm_guard_end(&guard);
    fm_session_state.opening = fm_clock_nanoseconds() - begin;
}

/* @return whether the caller is the first to begin the run */
static bool claim_run(void)
{
    static bool claimed;
    return !__atomic_exchange_n(&claimed, true, __ATOMIC_ACQ_REL);
}

/* @return whether the run that has begun is of the processes of this paradigm, with their numbers;
 * false: with a message */
static bool has_run_of(const struct fm_paradigm *paradigm, const struct fm_exchange *exchange)
{
    const struct fm_exchange *run = __atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE);
    const char *name = paradigm->description->name;
    if (run != NULL && run->size == exchange->size && run->rank == exchange->rank) {
        return true;
    }
    if (run == NULL || run->size == 1) {
        fm_session_tell("recording ends: %s began with %u processes when the run of this process "
                        "alone had begun; start the program with the launcher of its %s library",
                        name, exchange->size, name);
    } else {
        fm_session_tell("recording ends: this process has the number %u of %u in %s, but %u of %u "
                        "in the paradigm that began before; start the program with one launcher "
                        "that serves both libraries",
                        exchange->rank, exchange->size, name, run->rank, run->size);
    }
    return false;
}

/* Notes what this paradigm calls a process. One that only communicates for another one, which
 * begins it and numbers the processes itself, does not count. */
static void note_noun(const struct fm_paradigm *paradigm)
{
    const struct fm_process_noun *noun = fm_process_noun_in(paradigm->description->process);
    const struct fm_process_noun *before = fm_session_state.noun;
    if (fm_thread_self != NULL && fm_thread_self->depth == FM_DEPTH_LENDING) {
        return;
    }
    if (before != NULL && before != noun) {
        noun = fm_process_noun(FM_NOUN_RANK);
    }
    __atomic_store_n(&fm_session_state.noun, noun, __ATOMIC_RELEASE);
}

bool fm_session_open(const struct fm_paradigm *paradigm, const struct fm_exchange *exchange,
                     const char *library)
{
    note_noun(paradigm);
    bool first = claim_run();
    if (!first) {
        if (!has_run_of(paradigm, exchange)) {
            fm_threads_end();
            return false;
        }
        fm_session_join(paradigm, library);
        return true;
    }
    fm_session_paradigm_begins(paradigm, library);
    fm_session_state.exchanging = paradigm;
    begin_run(exchange);
    return true;
}

void fm_session_rest(const struct fm_paradigm *paradigm)
{
    fm_session_paradigm_ends(paradigm);
    if (is_exiting) { /* in an exit handler of the program */
        fm_session_close_at_exit();
    }
}

void fm_session_join(const struct fm_paradigm *paradigm, const char *library)
{
    struct fm_guard guard;
    fm_session_paradigm_begins(paradigm, library);
    if (library != NULL && fm_session_is_set(&fm_session.open) &&
        !fm_session_is_set(&fm_session_state.ended) && fm_session.exchange->rank == 0 &&
        getpid() == fm_session_state.process) {
        fm_guard_begin(&guard);
        fm_session_describe_library();
        fm_guard_end(&guard);
    }
}

bool fm_session_open_alone(void)
{
    if (fm_session_has_ranks() || getpid() != fm_session_state.process) {
        return false;
    }
    if (claim_run()) {
        begin_run(&fm_exchange_alone);
        fm_pause_run_begins();
        fm_session_sample();
    }
    return fm_session_is_set(&fm_session.open);
}

void fm_session_main_begins(uint64_t address)
{
    if (fm_session_has_ranks() || fm_job_is_rank()) {
        return;
    }
    struct fm_thread *thread = fm_thread_self != NULL ? fm_thread_self : fm_thread_attach();
    if (thread != NULL) {
        fm_session_stack_begins_at(thread, address);
        fm_session_open_alone();
    }
}

/* Makes every thread call fm_session_flush before its next call, which begins the run. */
void fm_session_attached(void)
{
    static bool with_blocking;
    if (!with_blocking) {
        with_blocking = true;
        fm_session_attach(&fm_blocking_functions);
    }
    if (!fm_session_has_ranks() && !fm_job_is_rank()) {
        fm_threads_attend();
    }
}

void fm_session_sample(void)
{
    if (fm_session_is_set(&fm_session.open) && !fm_counters_only()) {
        fm_samples_begin(fm_session_tell_of_samples);
        fm_session_tell_sample_rate();
    }
}
