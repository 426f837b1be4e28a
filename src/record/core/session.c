#include "record/core/session.h"

#include "record/core/experiment.h"
#include "record/core/unify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEFAULT_MEMORY = 64 * 1024 * 1024 };

struct fm_session fm_session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pid_t process; /* forked children do not write */
    uint64_t memory;
    uint64_t flushes;
    struct fm_clock_offset offsets[2];
    bool told;
    bool ended;
} state;

static bool verbose(void)
{
    const char *text = getenv("FERMATA_VERBOSE");
    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

/* One message for a process whose archive cannot be written; the program goes on. */
static void tell_failure(void)
{
    const char *failure = fm_archive_failure();
    if (failure != NULL && !state.told) {
        state.told = true;
        fprintf(stderr, "fermata: rank %u: recording stopped: %s\n", fm_session.exchange->rank,
                failure);
        fm_threads_end();
    }
}

/* ---- the journal: enough to write global definitions without this process ---- */

static void write_journal(void)
{
    char path[PATH_MAX + 96], final[PATH_MAX + 64];
    size_t bytes = 0;
    snprintf(final, sizeof final, "%s/journal/%u", fm_session.directory, fm_session.exchange->rank);
    snprintf(path, sizeof path, "%s.new", final);
    pthread_mutex_lock(&fm_session.lock);
    void *block = fm_definitions_pack(&fm_session.definitions, &bytes);
    pthread_mutex_unlock(&fm_session.lock);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0 && block != NULL) {
        dprintf(file, "fermata journal 1\nrank %u of %u\nclock %llu %lld\n",
                fm_session.exchange->rank, fm_session.exchange->size,
                (unsigned long long)state.offsets[0].time, (long long)state.offsets[0].offset);
        for (struct fm_thread *t = fm_threads_all(); t != NULL; t = t->next) {
            dprintf(file, "thread %u events %llu\n", t->index, (unsigned long long)t->events);
        }
        for (size_t i = 0; i < fm_session.region_count; i++) {
            if (fm_functions_used[i]) {
                dprintf(file, "function %zu %d %s\n", i, (int)fm_session.regions[i].role,
                        fm_session.regions[i].name);
            }
        }
        dprintf(file, "definitions %zu\n", bytes);
        const char *next = block;
        for (ssize_t written; bytes > 0; bytes -= (size_t)written, next += written) {
            written = write(file, next, bytes);
            if (written <= 0) {
                break;
            }
        }
    }
    if (file >= 0) {
        close(file);
        rename(path, final);
    }
    free(block);
}

static void remove_journal(void)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/journal/%u", fm_session.directory, fm_session.exchange->rank);
    unlink(path);
    fm_session.exchange->barrier();
    if (fm_session.exchange->rank == 0) {
        snprintf(path, sizeof path, "%s/journal", fm_session.directory);
        rmdir(path);
    }
}

/* ---- begin ---- */

static void flush(struct fm_thread *thread)
{
    if (!fm_session.open || getpid() != state.process) {
        fm_thread_reuse(thread); /* nowhere to write to */
        return;
    }
    fm_archive_flush(thread);
    __atomic_fetch_add(&state.flushes, 1, __ATOMIC_RELAXED);
    write_journal();
    tell_failure();
}

void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds,
                      const struct fm_region *regions, size_t region_count)
{
    char program[PATH_MAX];
    state.process = getpid();
    state.memory = fm_experiment_size(getenv("FERMATA_TOTAL_MEMORY"), DEFAULT_MEMORY);
    fm_session.regions = regions;
    fm_session.region_count = region_count;
    fm_clock_start(start_ticks, start_nanoseconds);
    fm_threads_begin(state.memory, flush);
    struct fm_thread *thread = fm_thread_attach();
    if (thread != NULL) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_BEGIN);
        record[0] = fm_record_header(FM_RECORD_PROGRAM_BEGIN, 0, fm_session_string(program));
        record[1] = fm_clock.start_ticks;
    }
    atexit(fm_session_save);
}

static struct fm_environment environment(void)
{
    return (struct fm_environment){
        .ranks = fm_session.exchange->size,
        .memory = state.memory,
        .mpi = fm_session.library,
        .resolution = fm_clock_resolution(),
        .failure = fm_archive_failure(),
    };
}

void fm_session_open(const struct fm_exchange *exchange, const char *library)
{
    char path[PATH_MAX + 64];
    uint64_t good = 1;
    fm_session.exchange = exchange;
    fm_session.library = library;
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
    if (!good) {
        if (exchange->rank == 0) {
            fprintf(stderr, "fermata: nothing is recorded: %s\n", fm_session.directory);
        }
        fm_threads_end();
        return;
    }
    good = fm_archive_open(fm_session.directory, exchange);
    exchange->reduce(&good, 1, FM_REDUCE_MIN);
    fm_session.open = good;
    if (!good) {
        tell_failure();
        fm_threads_end();
        return;
    }
    const char *always = getenv("FERMATA_CLOCK_EXCHANGE");
    state.offsets[0] = fm_clock_measure(exchange, always != NULL && strcmp(always, "always") == 0);
    write_journal();
    if (exchange->rank == 0) {
        struct fm_environment facts = environment();
        fm_experiment_describe(fm_session.directory, &facts);
        fm_experiment_log(fm_session.directory, "recording %u processes, %s, clock %s",
                          exchange->size, library, fm_clock_name());
        fm_experiment_result(fm_session.directory, 0, 0, false);
        if (verbose()) {
            fprintf(stderr, "fermata: recording %u processes to %s, %llu MiB each\n",
                    exchange->size, fm_session.directory, (unsigned long long)(state.memory >> 20));
        }
    }
}

/* ---- end ---- */

/* A definition of each function that has events. */
static void define_regions(uint32_t *numbers)
{
    for (size_t i = 0; i < fm_session.region_count; i++) {
        numbers[i] = FM_DEFINE_NONE;
        if (fm_functions_used[i]) {
            uint32_t words[3] = {
                fm_define_string(&fm_session.definitions, fm_session.regions[i].name),
                fm_session.regions[i].role, OTF2_PARADIGM_MPI};
            numbers[i] = fm_define(&fm_session.definitions, FM_DEFINE_REGION, words, 3);
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
        uint64_t own = thread->events + (thread == last ? events : 0);
        words[4 + 2 * thread->index] = (uint32_t)own;
        words[5 + 2 * thread->index] = (uint32_t)(own >> 32);
        sum += own;
    }
    fm_define(&fm_session.definitions, FM_DEFINE_PROCESS, words, 4 + 2 * (size_t)count);
    free(words);
    return sum;
}

/* Local time in rank 0's clock, by interpolation between the two measurements. */
static uint64_t global_time(uint64_t time)
{
    const struct fm_clock_offset *a = &state.offsets[0], *b = &state.offsets[1];
    if (b->time == a->time) {
        return time + (uint64_t)a->offset;
    }
    long double slope = (long double)(b->offset - a->offset) / (long double)(b->time - a->time);
    long double since = (long double)(int64_t)(time - a->time);
    return time + (uint64_t)(a->offset + (int64_t)(slope * since));
}

static void report(uint64_t bytes, uint64_t events, uint64_t locations, uint64_t flushes,
                   uint64_t deviation)
{
    struct fm_environment facts = environment();
    facts.complete = true;
    facts.events = events;
    facts.locations = locations;
    facts.flushes = flushes;
    facts.clock_deviation = (double)deviation;
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "%llu events of %llu locations, %llu bytes, %llu %s",
                      (unsigned long long)events, (unsigned long long)locations,
                      (unsigned long long)bytes, (unsigned long long)flushes,
                      "flushes of full buffers");
    if (fm_archive_failure() != NULL) {
        fm_experiment_log(fm_session.directory, "failure: %s", fm_archive_failure());
    }
    fm_experiment_result(fm_session.directory, events, bytes, true);
}

/* The second half of the end: everything after the last event. */
static void write_definitions(struct fm_thread *threads, const struct fm_define_map *map,
                              const uint32_t *regions, uint64_t events)
{
    const struct fm_exchange *exchange = fm_session.exchange;
    uint32_t global_regions[FM_FUNCTIONS_MOST];
    uint64_t locations = 0, bytes = 0;
    uint64_t begin = global_time(fm_clock.start_ticks), end = begin;
    for (size_t i = 0; i < fm_session.region_count; i++) {
        global_regions[i] = regions[i] == FM_DEFINE_NONE
                                ? FM_DEFINE_NONE
                                : map->numbers[FM_DEFINE_REGION][regions[i]];
    }
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        uint64_t time = global_time(thread->last_time);
        end = time > end ? time : end;
        locations++;
    }
    fm_archive_write_local(exchange->rank, threads, map, global_regions, fm_session.region_count,
                           state.offsets);
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        bytes += fm_experiment_protect(fm_session.directory,
                                       fm_archive_location(exchange->rank, thread->index));
    }
    uint64_t sums[4] = {bytes, events, locations, state.flushes};
    uint64_t largest[2] = {end, (uint64_t)state.offsets[1].deviation};
    exchange->reduce(sums, 4, FM_REDUCE_SUM);
    exchange->reduce(&begin, 1, FM_REDUCE_MIN);
    exchange->reduce(largest, 2, FM_REDUCE_MAX);
    if (exchange->rank == 0) {
        struct fm_archive_summary summary = {.resolution = fm_clock_resolution(),
                                             .begin = begin,
                                             .end = largest[0] + 1,
                                             .realtime = fm_clock.start_realtime};
        fm_archive_write_global(&fm_session.definitions, &summary);
    }
    fm_archive_close();
    remove_journal();
    if (exchange->rank == 0) {
        sums[0] += fm_experiment_protect_global(fm_session.directory);
        report(sums[0], sums[1], sums[2], sums[3], largest[1]);
    }
}

void fm_session_close(struct fm_thread *thread, void (*last)(struct fm_thread *thread),
                      uint64_t events)
{
    static uint32_t regions[FM_FUNCTIONS_MOST];
    struct fm_define_map map;
    if (!fm_session.open || state.ended) {
        return;
    }
    state.ended = true;
    struct fm_thread *threads = fm_threads_end();
    const char *always = getenv("FERMATA_CLOCK_EXCHANGE");
    state.offsets[1] =
        fm_clock_measure(fm_session.exchange, always != NULL && strcmp(always, "always") == 0);
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        fm_archive_write(each);
        fm_archive_settle(each);
    }
    if (thread != NULL) {
        fm_functions_used[thread->function] = true;
    }
    define_regions(regions);
    uint64_t own_events = define_process(threads, thread, events);
    if (!fm_unify(fm_session.exchange, &fm_session.definitions, &map)) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
    if (thread != NULL) {
        last(thread);
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_END);
        record[0] = fm_record_header(FM_RECORD_PROGRAM_END, 0, 0);
        record[1] = fm_clock_now();
        fm_archive_write(thread);
    }
    fm_archive_close_events(threads);
    write_definitions(threads, &map, regions, own_events);
    tell_failure();
    fm_define_map_free(&map);
}

void fm_session_save(void)
{
    if (!fm_session.open || state.ended || getpid() != state.process) {
        return;
    }
    state.ended = true;
    struct fm_thread *self = fm_thread_self;
    bool inside = self != NULL && self->depth == 1;
    struct fm_thread *threads = fm_threads_end();
    if (inside) {
        fm_thread_leave(self, 0); /* the call that ends the program */
    }
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        fm_archive_write(each);
        fm_archive_settle(each);
    }
    fm_archive_close_events(threads);
    write_journal();
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        fm_experiment_protect(fm_session.directory,
                              fm_archive_location(fm_session.exchange->rank, each->index));
    }
}

/* ---- definitions ---- */

uint32_t fm_session_string(const char *text)
{
    pthread_mutex_lock(&fm_session.lock);
    uint32_t number = fm_define_string(&fm_session.definitions, text);
    pthread_mutex_unlock(&fm_session.lock);
    return number;
}

uint32_t fm_session_define(enum fm_define_kind kind, const uint32_t *words, size_t count)
{
    pthread_mutex_lock(&fm_session.lock);
    uint32_t number = fm_define(&fm_session.definitions, kind, words, count);
    pthread_mutex_unlock(&fm_session.lock);
    return number;
}

uint32_t fm_session_group(const int *ranks, size_t count)
{
    pthread_mutex_lock(&fm_session.lock);
    uint32_t number = fm_define_group(&fm_session.definitions, ranks, count);
    pthread_mutex_unlock(&fm_session.lock);
    return number;
}

void fm_session_name(enum fm_define_kind kind, uint32_t number, const char *text)
{
    size_t count;
    pthread_mutex_lock(&fm_session.lock);
    uint32_t name = fm_define_string(&fm_session.definitions, text);
    uint32_t *words = fm_defined(&fm_session.definitions, kind, number, &count);
    words[count - 1] = name; /* the last word of a communicator's or window's definition */
    pthread_mutex_unlock(&fm_session.lock);
}
