#include "record/core/session.h"

#include "record/core/archive_space.h"
#include "record/core/attribute.h"
#include "record/core/closing.h"
#include "record/core/experiment.h"
#include "record/core/flight.h"
#include "record/core/flight_option.h"
#include "record/core/guard.h"
#include "record/core/journal_read.h"
#include "record/core/marker.h"
#include "record/core/memory_use.h"
#include "record/core/selected.h"
#include "record/core/session_clock.h"
#include "record/core/session_stack.h"
#include "record/core/unify.h"
#include "record/stack/helper.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_MEMORY = 64 * 1024 * 1024, DEFAULT_FLUSH_INTERVAL = 2 /* seconds */ };

struct fm_session fm_session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pid_t process; /* forked children do not write */
    uint64_t memory;
    uint64_t flushes;
    uint64_t opening;                /* nanoseconds that the begin of recording took */
    uint64_t arrival;                /* when this process began to end the run */
    struct fm_callsites callsites;   /* known at the end of the run */
    struct fm_event_regions regions; /* numbers in the events that are written then */
    uint64_t noticeable;             /* ticks; a flush that takes longer is told of in the trace */
    bool told, told_of_samples, told_of_functions, told_of_selection;
    bool stopped; /* there was no room for more records */
    bool ended;   /* the archive was made, or what is left of the run was saved for good */
    bool left;    /* the call that ends the process is recorded */
    bool saving;  /* fm_session_save is at work */
    struct fm_flight_option flight;
    bool asked;    /* the flight recorder, for what it had */
    bool demanded; /* ... and could not give it then: before the next call */
} state;

/* Read by threads that record while another one begins or ends the run. */
static bool is_set(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

static bool verbose(void)
{
    const char *text = getenv("FERMATA_VERBOSE");
    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

/* The one message of its kind of a process about what went wrong; the program goes on. Not by
 * stdio, whose locks are the program's. */
static void tell_once(bool *told, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void tell_once(bool *told, const char *format, va_list arguments)
{
    char text[PATH_MAX + 512];
    if (__atomic_exchange_n(told, true, __ATOMIC_RELAXED)) {
        return;
    }
    const struct fm_exchange *exchange = __atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE);
    int length = exchange == NULL
                     ? snprintf(text, sizeof text, "fermata: ")
                     : snprintf(text, sizeof text, "fermata: rank %u: ", exchange->rank);
    length += vsnprintf(text + length, sizeof text - (size_t)length - 1, format, arguments);
    length = length < (int)sizeof text - 1 ? length : (int)sizeof text - 2;
    text[length++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)length) < 0) {
        return; /* nowhere to tell */
    }
}

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_once(&state.told, format, arguments);
    va_end(arguments);
}

/* More functions than were wanted are recorded, no fewer. */
static void tell_of_functions(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell_of_functions(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_once(&state.told_of_functions, format, arguments);
    va_end(arguments);
}

/* Nothing is lost but samples: more may follow that matters more. */
static void tell_of_samples(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell_of_samples(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_once(&state.told_of_samples, format, arguments);
    va_end(arguments);
}

/* ---- during the run ---- */

static bool write_definitions_to_journal(void)
{
    pthread_mutex_lock(&fm_session.lock);
    fm_session_clock_note();
    bool good =
        fm_journal_definitions(&fm_session.definitions) && fm_journal_sites(fm_session_sites());
    pthread_mutex_unlock(&fm_session.lock);
    return good;
}

static bool flush(struct fm_thread *thread, bool full)
{
    struct fm_guard guard;
    if (state.flight.bytes != 0) {
        if (__atomic_exchange_n(&state.demanded, false, __ATOMIC_RELAXED)) {
            fm_session_save(false);
        }
        return false;
    }
    if (getpid() != state.process ||
        __atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE) == NULL) {
        fm_thread_reuse(thread); /* a forked child, or before the run */
        return true;
    }
    if (!is_set(&fm_session.open) || is_set(&state.ended) || !fm_thread_claim(thread)) {
        return false;
    }
    fm_guard_begin(&guard);
    uint64_t begin = fm_clock_now();
    fm_session_note_sites();
    bool good =
        write_definitions_to_journal() && fm_journal_records(thread, fm_thread_unsaved(thread));
    int reason = errno;
    if (good) {
        fm_thread_reuse(thread);
        uint64_t end = fm_clock_now();
        thread->work.flushing += end - begin;
        if (full || end - begin > state.noticeable) {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_FLUSH);
            record[0] = fm_record_header(FM_RECORD_FLUSH, 0, 0);
            record[1] = begin;
            record[2] = end;
            fm_thread_publish(thread);
        }
        __atomic_fetch_add(&state.flushes, full ? 1 : 0, __ATOMIC_RELAXED);
    } else if (full) {
        set(&state.stopped);
        fm_threads_end();
        tell("recording stopped: cannot write %s/journal: %s", fm_session.directory,
             strerrordesc_np(reason));
    }
    if (!good) {
        fm_thread_release(thread);
    }
    fm_thread_unclaim(thread);
    fm_guard_end(&guard);
    return good;
}

/* Seconds between flushes: FERMATA_FLUSH_INTERVAL, a number or "never". */
static uint64_t flush_interval(uint64_t resolution)
{
    const char *text = getenv("FERMATA_FLUSH_INTERVAL");
    char *end;
    double seconds = DEFAULT_FLUSH_INTERVAL;
    if (text != NULL && strcmp(text, "never") == 0) {
        return UINT64_MAX;
    }
    if (text != NULL && text[0] != '\0') {
        seconds = strtod(text, &end);
        if (*end != '\0' || !(seconds >= 0)) {
            seconds = DEFAULT_FLUSH_INTERVAL;
        }
    }
    double ticks = seconds * (double)resolution;
    return ticks < 9e18 ? (uint64_t)ticks : UINT64_MAX;
}

void fm_session_overflow(void)
{
    set(&state.stopped);
    fm_threads_end();
    if (__atomic_load_n(&fm_session.exchange, __ATOMIC_ACQUIRE) != NULL) {
        tell("recording stopped: no room for more definitions of communicators, windows, groups");
    }
}

/* ---- begin ---- */

static const char *function_name(uint32_t function)
{
    return function < fm_session.region_count ? fm_session.regions[function].name : "";
}

/* The program may still reach its MPI_Finalize, in an exit handler of its own. */
static void save_at_exit(void)
{
    fm_session_save(true);
    fm_flight_alarm();
}

static void begin_memory(void)
{
    const char *flight = getenv(FM_FLIGHT_VARIABLE);
    state.memory = fm_experiment_size(getenv("FERMATA_TOTAL_MEMORY"), DEFAULT_MEMORY);
    if (flight != NULL && fm_flight_option_read(&state.flight, flight)) {
        state.memory = state.flight.bytes;
    }
}

void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds,
                      const struct fm_region *regions, size_t region_count)
{
    char program[PATH_MAX];
    state.process = getpid();
    begin_memory();
    fm_session.regions = regions;
    fm_session.region_count = region_count;
    fm_clock_start(start_ticks, start_nanoseconds);
    fm_session_clock_note();
    fm_threads_begin(state.memory, flush);
    fm_pause_begin(function_name);
    fm_selected_begin();
    if (state.flight.bytes != 0) {
        fm_threads_keep_last(function_name);
        fm_selected_on_signal(fm_session_demand);
    }
    fm_session_stack_begin();
    fm_functions_begin(tell_of_functions);
    struct fm_thread *thread = fm_thread_attach();
    if (thread != NULL) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_BEGIN);
        record[0] = fm_record_header(FM_RECORD_PROGRAM_BEGIN, 0, fm_session_string(program));
        record[1] = fm_clock.start_ticks;
    }
    atexit(save_at_exit);
}

/* Who serves one-sided operations, which only the user knows. */
static const char *progress(void)
{
    const char *text = getenv("FERMATA_PROGRESS");
    bool known = text != NULL && (strcmp(text, "target") == 0 || strcmp(text, "async") == 0);
    return known ? text : NULL;
}

/* What is recorded of the run, if that is not all of it; else NULL. */
static const char *part_of_run(void)
{
    static char text[1024];
    struct fm_scope selection = *fm_selected();
    if (state.flight.bytes == 0) {
        return fm_scope_describe(&selection, text, sizeof text) ? text : NULL;
    }
    selection.signal = 0; /* asks for the records */
    fm_flight_option_describe(&state.flight, text, sizeof text);
    size_t length = strlen(text);
    if (fm_scope_describe(&selection, text + length + 2, sizeof text - length - 2)) {
        memcpy(text + length, ", ", 2);
    }
    return text;
}

static struct fm_environment environment(void)
{
    return (struct fm_environment){
        .ranks = fm_session.exchange->size,
        .memory = state.memory,
        .mpi = fm_session.library,
        .progress = progress(),
        .recorded = part_of_run(),
        .resolution = fm_clock_resolution(),
        .failure = fm_archive_failure(),
        .sample_rate = fm_samples_count().rate,
    };
}

static void begin_journal(void)
{
    struct fm_journal_process process = {
        .rank = fm_session.exchange->rank,
        .size = fm_session.exchange->size,
        .process = (uint32_t)getpid(),
        .ticks_used = fm_clock.counter,
        .start_ticks = fm_clock.start_ticks,
        .start_nanoseconds = fm_clock.start_nanoseconds,
        .start_realtime = fm_clock.start_realtime,
        .offset = fm_session_clock_offsets()[0],
        .callpath_depth = fm_session_callpath_depth(),
    };
    gethostname(process.host, sizeof process.host - 1);
    /* Without a journal (no room, say) recording goes on in memory for as long as that lasts. */
    if (fm_journal_begin(fm_session.directory, &process, fm_session.regions,
                         fm_session.region_count)) {
        write_definitions_to_journal();
    }
}

/* On rank 0, when the experiment exists. */
static void describe_begin(void)
{
    struct fm_environment facts = environment();
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "recording %u processes, %s, clock %s", facts.ranks,
                      facts.mpi, fm_clock_name());
    fm_experiment_result(fm_session.directory, &(struct fm_experiment_totals){0}, false);
    if (verbose()) {
        fprintf(stderr, "fermata: recording %u processes to %s, %llu MiB each\n", facts.ranks,
                fm_session.directory, (unsigned long long)(state.memory >> 20));
    }
}

static void open_session(const struct fm_exchange *exchange)
{
    char path[PATH_MAX + 64];
    uint64_t good = 1;
    if (exchange->rank == 0) {
        good =
            fm_experiment_create(exchange->size, fm_session.directory, sizeof fm_session.directory);
        if (good) {
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
            tell("nothing is recorded: %s",
                 exchange->failure != NULL ? exchange->failure : fm_session.directory);
        }
        fm_threads_end();
        return;
    }
    begin_journal();
    uint64_t resolution = fm_clock_resolution();
    state.noticeable = resolution / 1000;
    set(&fm_session.open);
    fm_threads_interval(state.flight.bytes == 0 ? flush_interval(resolution) : UINT64_MAX);
    if (state.flight.bytes != 0) {
        fm_flight_watch(exchange, fm_session.directory);
    }
    if (exchange->rank == 0) {
        describe_begin();
    }
}

/* What is wrong with it is the same on all processes. */
static void tell_selection(void)
{
    const char *problem = fm_selected_problem();
    if (problem != NULL && fm_session.exchange->rank == 0 && !state.told_of_selection) {
        state.told_of_selection = true;
        dprintf(STDERR_FILENO, "fermata: %s\n", problem);
    }
}

static void tell_flight(void)
{
    const char *text = getenv(FM_FLIGHT_VARIABLE);
    if (text != NULL && text[0] != '\0' && state.flight.bytes == 0 &&
        fm_session.exchange->rank == 0) {
        dprintf(STDERR_FILENO, "fermata: %s is not understood: the whole run is recorded\n",
                FM_FLIGHT_VARIABLE);
    }
}

void fm_session_open(const struct fm_exchange *exchange, const char *library)
{
    struct fm_guard guard;
    uint64_t begin = fm_clock_nanoseconds();
    fm_guard_begin(&guard);
    fm_overhead_begin();
    exchange = fm_overhead_watch(exchange);
    fm_session.library = library;
    __atomic_store_n(&fm_session.exchange, exchange, __ATOMIC_RELEASE);
    fm_session_stack_main();
    open_session(exchange);
    fm_selected_run_begins(exchange->rank);
    tell_selection();
    tell_flight();
    fm_overhead_end();
    fm_guard_end(&guard);
    state.opening = fm_clock_nanoseconds() - begin;
}

void fm_session_sample(void)
{
    if (is_set(&fm_session.open)) {
        fm_samples_begin(tell_of_samples);
    }
}

/* ---- end ---- */

/* A definition of each function that has events. */
static void define_regions(uint32_t *numbers)
{
    for (size_t i = 0; i < fm_session.region_count; i++) {
        numbers[i] = FM_DEFINE_NONE;
        if (fm_functions_used[i]) {
            const struct fm_region *region = &fm_session.regions[i];
            numbers[i] = fm_define_region(&fm_session.definitions, region->name, region->role,
                                          OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, "MPI", 0);
        }
    }
}

/* The definition of this process. @return its number of events, those still to come included */
static uint64_t define_process(struct fm_thread *threads, struct fm_thread *last, uint64_t events)
{
    char host[256] = "";
    uint32_t count = 0;
    uint64_t sum = 0;
    gethostname(host, sizeof host - 1);
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        count++;
    }
    uint32_t *words = calloc(4 + 2 * (size_t)count, sizeof *words);
    if (words == NULL) {
        return 0;
    }
    uint32_t node = fm_define_string(&fm_session.definitions, host);
    words[0] = fm_session.exchange->rank;
    words[1] = fm_define(&fm_session.definitions, FM_DEFINE_NODE, &node, 1);
    words[2] = (uint32_t)getpid();
    words[3] = count;
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        uint64_t own = thread->events;
        if (thread == last) {
            own += events + fm_path_open(&thread->path);
        }
        words[4 + 2 * thread->index] = (uint32_t)own;
        words[5 + 2 * thread->index] = (uint32_t)(own >> 32);
        sum += own;
    }
    fm_define(&fm_session.definitions, FM_DEFINE_PROCESS, words, 4 + 2 * (size_t)count);
    free(words);
    return sum;
}

static uint64_t marker_time(const void *nothing, uint64_t time)
{
    (void)nothing;
    return fm_session_clock_global(time);
}

/* The description of the run, when its archive is complete: by rank 0. */
static void report(const struct fm_closing *closing, const struct fm_overhead_rates *rates)
{
    struct fm_environment facts = environment();
    char texts[512];
    fm_closing_describe(closing, rates, fm_clock_now(), &facts, texts, sizeof texts);
    const struct fm_experiment_totals totals = fm_experiment_totals(&facts);
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "%llu events of %llu locations, %llu bytes, %llu %s",
                      (unsigned long long)facts.events, (unsigned long long)facts.locations,
                      (unsigned long long)facts.bytes, (unsigned long long)facts.flushes,
                      "flushes of full buffers");
    if (facts.clock_doubt != NULL) {
        fm_experiment_log(fm_session.directory, "the clock: %s", facts.clock_doubt);
        tell("times of different processes may be wrong: %s", facts.clock_doubt);
    }
    fm_experiment_result(fm_session.directory, &totals, true);
}

/* What this process has to tell, but for the size of the archive. */
static struct fm_closing closing_of_process(struct fm_thread *threads, uint64_t events,
                                            const struct fm_overhead_rates *rates)
{
    const struct fm_sample_counts samples = fm_samples_count();
    uint64_t resolution = fm_clock_resolution();
    struct fm_closing closing = {
        .sums = {.events = events,
                 .flushes = state.flushes,
                 .stopped = state.stopped,
                 .reused_locations = fm_threads_reused(),
                 .samples = samples.taken,
                 .samples_lost = samples.lost,
                 .functions_dropped = fm_functions_dropped(),
                 .work = fm_overhead_work() + fm_helper_time()},
        .least = {.begin = fm_session_clock_global(fm_clock.start_ticks), .opening = state.opening},
        .most = {.arrival = fm_session_clock_global(state.arrival),
                 .deviation = (uint64_t)fm_session_clock_offsets()[1].deviation,
                 .memory = fm_memory_use_most() + fm_definitions_bytes(&fm_session.definitions) +
                           fm_definitions_bytes(fm_session_sites())},
        .clock = fm_session_clock_quality()};
    closing.most.end = closing.least.begin;
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        uint64_t time = fm_session_clock_global(thread->last_time);
        uint64_t recording = fm_overhead_of_thread(thread, rates, resolution);
        closing.most.end = time > closing.most.end ? time : closing.most.end;
        closing.most.recording =
            recording > closing.most.recording ? recording : closing.most.recording;
        closing.sums.work += recording;
        closing.sums.locations++;
    }
    return closing;
}

/* Everything after the last event. @return whether the archive is complete */
static bool write_definitions(struct fm_thread *threads, const struct fm_define_map *map,
                              const uint32_t *regions, uint64_t events)
{
    const struct fm_exchange *exchange = fm_session.exchange;
    uint32_t global_regions[FM_FUNCTIONS_MOST];
    for (size_t i = 0; i < fm_session.region_count; i++) {
        global_regions[i] = regions[i] == FM_DEFINE_NONE
                                ? FM_DEFINE_NONE
                                : map->numbers[FM_DEFINE_REGION][regions[i]];
    }
    fm_archive_end_events();
    fm_archive_begin_definitions();
    fm_archive_write_local(threads, map, global_regions, fm_session.region_count, &state.regions,
                           fm_session_clock_offsets());
    fm_archive_end_definitions();
    const struct fm_overhead_rates rates = fm_overhead_measure(fm_thread_self);
    struct fm_closing closing = closing_of_process(threads, events, &rates);
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        closing.sums.bytes += fm_experiment_protect(
            fm_session.directory, fm_archive_location(exchange->rank, thread->index));
    }
    uint64_t work = fm_overhead_work();
    fm_closing_combine(&closing, exchange, fm_session_clock_now);
    if (exchange->rank == 0 && fm_archive_failure() == NULL) {
        struct fm_archive_summary summary = {.resolution = fm_clock_resolution(),
                                             .begin = closing.least.begin,
                                             .end = closing.most.end + 1,
                                             .realtime = fm_clock.start_realtime};
        fm_archive_write_global(&fm_session.definitions, &summary);
    }
    if (!fm_archive_agree()) {
        return false;
    }
    fm_archive_close(closing.sums.reused_locations != 0);
    if (!fm_archive_agree()) {
        return false;
    }
    fm_journal_remove(threads);
    exchange->barrier();
    if (exchange->rank == 0) {
        fm_experiment_remove_journal(fm_session.directory);
        closing.sums.bytes += fm_experiment_protect_global(fm_session.directory);
        closing.sums.work += fm_overhead_work() - work;
        report(&closing, &rates);
    }
    return true;
}

/* What the thread has flushed becomes events. */
static void convert_journal(struct fm_thread *thread)
{
    struct fm_journal_reader reader;
    struct fm_journal_moment moment;
    char path[PATH_MAX + 64];
    size_t words;
    uint64_t sum = 0;
    if (thread->journaled == 0) {
        return;
    }
    fm_journal_path(path, sizeof path, fm_session.directory, thread->rank, thread->index);
    if (!fm_journal_open(&reader, path)) {
        fm_archive_fail("cannot read %.200s: %s", path, strerror(errno));
        return;
    }
    bool good = true;
    while (good && fm_journal_next(&reader)) {
        const uint64_t *records = fm_journal_block_records(&reader, &words, &moment);
        good = records != NULL && fm_archive_write(thread, records, words, fm_session.region_count);
        sum += good ? words : 0;
    }
    fm_journal_close(&reader);
    if (sum != thread->journaled) {
        fm_archive_fail("%.200s is damaged", path);
    }
}

/* The archive cannot be completed: its files go, what is in memory goes to the journal. */
static void keep_journal(struct fm_thread *threads)
{
    char failure[512] = "";
    if (fm_archive_failure() != NULL) {
        snprintf(failure, sizeof failure, "%s", fm_archive_failure());
    }
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        thread->writer = NULL;
        fm_experiment_remove_location(fm_session.directory,
                                      fm_archive_location(thread->rank, thread->index));
    }
    fm_archive_abandon();
    fm_session.exchange->barrier();
    if (fm_session.exchange->rank == 0) {
        fm_experiment_remove_archive(fm_session.directory);
    }
    bool good = write_definitions_to_journal();
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        good = good && fm_journal_records(thread, fm_thread_unsaved(thread));
    }
    good = good && (state.stopped || fm_journal_saved());
    if (failure[0] != '\0' || !good) {
        tell("the trace cannot be completed: %s; %s",
             failure[0] != '\0' ? failure : strerror(errno),
             good ? "`fermata analyze` completes it from the journal"
                  : "what was written before is kept");
    }
    if (fm_session.exchange->rank == 0) {
        struct fm_environment facts = environment();
        facts.failure = failure[0] != '\0' ? failure : "a process could not write its events";
        fm_experiment_describe(fm_session.directory, &facts);
        fm_experiment_log(fm_session.directory, "failure: %s", facts.failure);
    }
}

/* Makes sure, with all processes, that closing the archive's files will not fail for want of room.
 * @return whether there is enough for all */
static bool reserve_room(const struct fm_thread *threads, const struct fm_define_map *map)
{
    char path[PATH_MAX + 64];
    uint64_t bytes = 0;
    for (const struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        bytes += fm_archive_events_bytes(thread);
        bytes += fm_archive_local_bytes(map, fm_session.region_count, &state.regions,
                                        fm_archive_chunk());
    }
    if (fm_session.exchange->rank == 0) {
        bytes += fm_archive_global_bytes(&fm_session.definitions, fm_archive_chunk());
    }
    snprintf(path, sizeof path, "%s/journal/%u.room", fm_session.directory,
             fm_session.exchange->rank);
    bool reserved = fm_archive_reserve(path, bytes);
    if (!reserved) {
        fm_archive_fail("no room for the trace in %.150s: %s", fm_session.directory,
                        strerror(errno));
    }
    bool good = fm_archive_agree();
    if (reserved) {
        unlink(path);
    }
    return good;
}

/* Writing the archive needs a few descriptors; a program may have used up all it is allowed. */
static void raise_descriptor_limit(struct rlimit *before)
{
    if (getrlimit(RLIMIT_NOFILE, before) == 0 && before->rlim_cur < before->rlim_max) {
        struct rlimit more = *before;
        more.rlim_cur =
            before->rlim_max - before->rlim_cur > 64 ? before->rlim_cur + 64 : before->rlim_max;
        setrlimit(RLIMIT_NOFILE, &more);
    }
}

/* With the regions by lines, each of which calls few. */
static uint64_t longest_mapping(void)
{
    enum { REGIONS_OF_LINE = 4 };
    const struct fm_define_table *tables = fm_session.definitions.tables;
    uint64_t most = tables[FM_DEFINE_REGION].count + FM_FUNCTIONS_MOST +
                    (uint64_t)REGIONS_OF_LINE * tables[FM_DEFINE_LINE].count;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        most = tables[kind].count > most ? tables[kind].count : most;
    }
    return most;
}

/* Waits for `attempt` to succeed, but not for long: its holder may be what a signal handler, which
 * this is called in, has interrupted. */
static bool wait_briefly(bool (*attempt)(void *context), void *context)
{
    enum { ATTEMPTS = 500 };
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < ATTEMPTS; i++) {
        if (attempt(context)) {
            return true;
        }
        nanosleep(&pause, NULL);
    }
    errno = EBUSY;
    return false;
}

static bool try_thread(void *thread)
{
    return fm_thread_claim(thread);
}

/* Everything that the flight recorder has becomes part of the trace, or nothing of it.
 * @return false: it cannot be written */
static bool end_flight(struct fm_thread *thread, struct fm_thread *threads)
{
    bool good = true;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        fm_thread_settle(each, wait_briefly(try_thread, each));
    }
    uint64_t begin = state.flight.always ? fm_flight_begin_of_kept(threads) : UINT64_MAX;
    good = write_definitions_to_journal();
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        uint64_t resume = begin != UINT64_MAX ? begin : each == thread ? each->enter : UINT64_MAX;
        good = good && each->settled != NULL && fm_flight_write(each, begin, resume);
        if (each->settled != NULL) {
            fm_thread_unclaim(each);
        }
    }
    return good;
}

/* Nobody has asked for it: nothing is kept. */
static void discard(struct fm_thread *threads)
{
    fm_journal_remove(threads);
    fm_session.exchange->barrier();
    if (fm_session.exchange->rank == 0) {
        fm_experiment_remove(fm_session.directory);
    }
}

/* @return whether the run is to be written, as any of its processes was asked to */
static bool is_wanted(void)
{
    uint64_t asked = state.flight.bytes == 0 || state.flight.always || is_set(&state.asked);
    fm_session.exchange->reduce(&asked, 1, FM_REDUCE_MAX);
    return asked != 0 || fm_session.exchange->failure != NULL;
}

static void close_session(struct fm_thread *thread, void (*last)(struct fm_thread *thread),
                          uint64_t events)
{
    static uint32_t regions[FM_FUNCTIONS_MOST];
    struct fm_define_map map;
    tell_selection();
    fm_pause_run_ends(thread);
    struct fm_thread *threads = fm_threads_end();
    if (state.flight.bytes != 0) {
        fm_flight_unwatch();
        if (!is_wanted()) {
            discard(threads);
            return;
        }
    }
    bool flown = state.flight.bytes == 0 || end_flight(thread, threads);
    int reason = errno;
    fm_session_clock_close(fm_session.exchange);
    bool resolved =
        fm_session_resolve(fm_session.exchange, &fm_session.definitions, &state.callsites);
    bool good = fm_archive_open(fm_session.directory, fm_session.exchange, longest_mapping());
    if (!resolved) {
        fm_archive_fail("no memory for the names of functions");
    }
    if (!flown) {
        fm_archive_fail("cannot write %.200s/journal: %s", fm_session.directory,
                        strerrordesc_np(reason));
    }
    fm_convert_begin(&fm_session.definitions, &state.callsites, &state.regions);
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        each->rank = fm_session.exchange->rank;
        if (good) {
            convert_journal(each);
            if (!fm_archive_write_memory(each, fm_session.region_count)) {
                fm_archive_fail("records in memory are damaged");
            }
            fm_archive_settle(each, each != thread);
        }
    }
    if (thread != NULL) {
        fm_functions_used[thread->function] = true;
    }
    define_regions(regions);
    bool defined = !fm_attributes_used || fm_attributes_define(&fm_session.definitions);
    if (!fm_markers_define(&fm_session.definitions, fm_session.exchange->rank, marker_time, NULL) ||
        !defined) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
    uint64_t own_events = define_process(threads, thread, events);
    if (!fm_archive_agree()) {
        keep_journal(threads);
        return;
    }
    if (!fm_unify(fm_session.exchange, &fm_session.definitions, &map)) {
        const char *failure = fm_session.exchange->failure;
        fm_archive_fail("%s", failure != NULL ? failure : "no memory for the definitions");
    }
    if (thread != NULL) {
        last(thread);
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_END);
        record[0] = fm_record_header(FM_RECORD_PROGRAM_END, 0, 0);
        record[1] = fm_clock_now();
        fm_archive_write_memory(thread, fm_session.region_count);
        fm_archive_settle(thread, true);
    }
    bool room = reserve_room(threads, &map);
    for (struct fm_thread *each = threads; room && each != NULL; each = each->next) {
        fm_archive_close_events(each);
    }
    if (!room || !fm_archive_agree() || !write_definitions(threads, &map, regions, own_events)) {
        keep_journal(threads);
    }
    fm_define_map_free(&map);
}

void fm_session_close(struct fm_thread *thread, void (*last)(struct fm_thread *thread),
                      uint64_t events)
{
    struct fm_guard guard;
    struct rlimit descriptors = {0, 0};
    if (!is_set(&fm_session.open) || is_set(&state.ended)) {
        return;
    }
    set(&state.ended);
    state.arrival = fm_clock_now();
    fm_samples_end();
    fm_session_end_definitions();
    fm_guard_begin(&guard);
    fm_overhead_begin();
    raise_descriptor_limit(&descriptors);
    close_session(thread, last, events);
    setrlimit(RLIMIT_NOFILE, &descriptors);
    fm_overhead_end();
    fm_guard_end(&guard);
}

static bool try_definitions(void *unused)
{
    (void)unused;
    return pthread_mutex_trylock(&fm_session.lock) == 0;
}

static bool try_saving(void *unused)
{
    (void)unused;
    return !__atomic_exchange_n(&state.saving, true, __ATOMIC_ACQUIRE);
}

static bool save_definitions(void)
{
    if (!wait_briefly(try_definitions, NULL)) {
        return false;
    }
    bool good =
        fm_journal_definitions(&fm_session.definitions) && fm_journal_sites(fm_session_sites());
    pthread_mutex_unlock(&fm_session.lock);
    return good;
}

/* The call that ends the process will not return: it is over now. Not if the recorder itself was
 * interrupted while it wrote. */
static void leave_last_call(void)
{
    struct fm_thread *self = fm_thread_self;
    if (self != NULL && self->depth == 1 && self->cursor == self->done &&
        self->limit - self->cursor >= FM_WORDS_CALL_LONG &&
        !__atomic_exchange_n(&state.left, true, __ATOMIC_RELAXED)) {
        fm_thread_leave(self, 0);
        fm_thread_publish(self);
    }
}

/* What all threads have recorded goes to the journal, behind the definitions that it refers to.
 * @return false: not all of it, errno tells why */
static bool save_all(void)
{
    struct fm_thread *threads = fm_threads_all();
    bool good = true;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        bool claimed = wait_briefly(try_thread, each);
        fm_thread_settle(each, claimed);
        good = good && claimed;
    }
    bool defined = save_definitions(), flight = state.flight.bytes != 0;
    uint64_t begin = flight ? fm_flight_begin_of_kept(threads) : 0;
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        if (each->settled != NULL) {
            good = defined &&
                   (flight ? fm_flight_write(each, begin, begin)
                           : fm_journal_records(each, fm_thread_settled(each))) &&
                   good;
            fm_thread_unclaim(each);
        }
    }
    return good && defined;
}

void fm_session_save(bool ending)
{
    struct fm_guard guard;
    if (!is_set(&fm_session.open) || is_set(&state.ended) || getpid() != state.process) {
        return;
    }
    fm_guard_begin(&guard);
    fm_guard_hold_signals(); /* a handler that saves, too, would wait for what it has interrupted */
    if (ending) {
        leave_last_call();
    }
    set(&state.asked);
    bool good = wait_briefly(try_saving, NULL);
    if (good) {
        good = save_all() && (!ending || is_set(&state.stopped) || fm_journal_saved());
        __atomic_store_n(&state.saving, false, __ATOMIC_RELEASE);
    }
    if (!good && errno == EBUSY && !ending && state.flight.bytes != 0) {
        set(&state.demanded); /* it came in the midst of the recorder's own work */
        fm_threads_attend();
    } else if (!good) {
        tell("what was measured last cannot be written to %s/journal: %s", fm_session.directory,
             strerrordesc_np(errno));
    }
    fm_guard_end(&guard);
}

void fm_session_demand(void)
{
    if (state.flight.bytes != 0) {
        fm_session_save(false);
    }
}
