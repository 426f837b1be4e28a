/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_archive.h"

#include "record/archive/archive_space.h"
#include "record/archive/attribute.h"
#include "record/archive/marker.h"
#include "record/conversion/convert.h"
#include "record/conversion/team_events.h"
#include "record/experiment/experiment.h"
#include "record/journal/journal.h"
#include "record/selection/size_limit.h"
#include "record/session/session.h"
#include "record/session/session_clock.h"
#include "record/session/session_describe.h"
#include "record/session/session_flush.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"
#include "record/worlds/world_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fm_session_define_functions(uint32_t *numbers)
{
    for (size_t i = 0; i < fm_session.region_count; i++) {
        numbers[i] = FM_DEFINE_NONE;
        if (fm_functions_used[i]) {
            const struct fm_recorded_region *region = &fm_session.regions[i];
            numbers[i] = fm_define_function(&fm_session.definitions, region);
        }
    }
}

uint64_t fm_session_define_process(struct fm_thread *threads, struct fm_thread *last,
                                   uint64_t events)
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
            own += events + fm_path_open(&thread->path) + fm_team_events_open(thread);
        }
        words[4 + 2 * thread->index] = (uint32_t)own;
        words[5 + 2 * thread->index] = (uint32_t)(own >> 32);
        sum += own;
    }
    fm_define(&fm_session.definitions, FM_DEFINE_PROCESS, words, 4 + 2 * (size_t)count);
    free(words);
    return sum;
}

/* The time of day, in nanoseconds since 1970, at a time of this process's clock: the run begins
 * with the process that started first, which need not be this one. */
static uint64_t realtime_at(uint64_t time, uint64_t resolution)
{
    const int64_t ticks = (int64_t)(time - fm_session_clock_global(fm_clock.start_ticks));
    return fm_clock.start_realtime +
           (uint64_t)(int64_t)((long double)ticks * 1e9L / (long double)resolution);
}

/* Without the file the archive has the processes of this world only. */
static void write_world(const struct fm_archive_summary *summary, bool locations_reused)
{
    if ((fm_session.exchange->is_spawned || fm_world_is_connected(&fm_session.definitions)) &&
        !fm_world_write(fm_session.directory, &fm_session.definitions, summary, locations_reused)) {
        fm_session_tell("processes of other worlds cannot be added to %s: %s", fm_session.directory,
                        strerrordesc_np(errno));
    }
}

/* Processes that have connected with those of another launcher belong to one experiment. */
static void join_launched(void)
{
    char before[sizeof fm_session.directory];
    memcpy(before, fm_session.directory, sizeof before);
    if (fm_world_is_connected(&fm_session.definitions) &&
        fm_experiment_become_world(fm_session.directory, sizeof fm_session.directory)) {
        dprintf(STDERR_FILENO, "fermata: %s: moved to %s, because its processes are connected\n",
                before, fm_session.directory);
    }
}

bool fm_session_archive_definitions(struct fm_thread *threads, const struct fm_define_map *map,
                                    const uint32_t *regions, uint64_t events)
{
    static uint32_t global_regions[FM_FUNCTIONS_MOST]; /* too large for small stacks */
    const struct fm_exchange *exchange = fm_session.exchange;
    for (size_t i = 0; i < fm_session.region_count; i++) {
        global_regions[i] = regions[i] == FM_DEFINE_NONE
                                ? FM_DEFINE_NONE
                                : map->numbers[FM_DEFINE_REGION][regions[i]];
    }
    fm_archive_end_events();
    fm_archive_begin_definitions();
    uint32_t first_group =
        exchange->rank == 0 ? fm_archive_first_group(&fm_session.definitions) : 0;
    exchange->broadcast(&first_group, sizeof first_group, 0);
    fm_archive_write_local(threads, map, first_group, global_regions, fm_session.region_count,
                           &fm_session_state.regions, fm_session_clock_offsets());
    fm_archive_end_definitions();
    struct fm_closing closing = fm_session_closing(threads, events);
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        closing.sums.bytes += fm_experiment_protect(
            fm_session.directory, fm_archive_location(exchange->rank, thread->index));
    }
    uint64_t work = fm_overhead_work();
    fm_closing_combine(&closing, exchange, fm_session_clock_now);
    if (exchange->rank == 0 && fm_archive_failure() == NULL) {
        const uint64_t resolution = fm_clock_resolution();
        struct fm_archive_summary summary = {.resolution = resolution,
                                             .begin = closing.least.begin,
                                             .end = closing.most.end + 1,
                                             .realtime =
                                                 realtime_at(closing.least.begin, resolution)};
        fm_archive_write_global(&fm_session.definitions, &summary);
        write_world(&summary, closing.sums.reused_locations != 0);
    }
    if (!fm_archive_agree()) {
        return false;
    }
    fm_archive_close(closing.sums.reused_locations != 0);
    if (!fm_archive_agree()) {
        return false;
    }
    fm_journal_remove(threads);
    fm_size_limit_remove_pool();
    exchange->barrier();
    if (exchange->rank == 0) {
        fm_experiment_remove_journal(fm_session.directory);
        closing.sums.bytes += fm_experiment_protect_global(fm_session.directory);
        join_launched();
        closing.sums.work += fm_overhead_work() - work;
        fm_session_describe_end(&closing);
    }
    /* A process that continues may crash, and launchers then kill all processes: this must not
     * happen before rank 0 has finished. */
    exchange->barrier();
    return true;
}

void fm_session_archive_abandon(struct fm_thread *threads)
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
    bool good = fm_session_journal_definitions();
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        good = good && fm_journal_records(thread, fm_thread_unsaved(thread));
    }
    fm_lock(&fm_session.lock);
    good = good && (fm_session_state.stopped || fm_journal_saved());
    fm_unlock(&fm_session.lock);
    if (failure[0] != '\0' || !good) {
        fm_session_tell("the trace cannot be completed: %s; %s",
                        failure[0] != '\0' ? failure : strerrordesc_np(errno),
                        good ? "`fermata analyze` completes it from the journal"
                             : "what was written before is kept");
    }
    if (fm_session.exchange->rank == 0) {
        struct fm_environment facts = fm_session_environment();
        facts.failure = failure[0] != '\0' ? failure : "a process could not write its events";
        fm_experiment_describe(fm_session.directory, &facts);
        fm_experiment_log(fm_session.directory, "failure: %s", facts.failure);
    }
}

bool fm_session_archive_reserve(const struct fm_thread *threads, const struct fm_define_map *map)
{
    char path[PATH_MAX + 64];
    uint64_t bytes = 0;
    for (const struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        bytes += fm_archive_events_bytes(thread);
        bytes += fm_archive_local_bytes(map, fm_session.region_count, &fm_session_state.regions,
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
                        strerrordesc_np(errno));
    }
    bool good = fm_archive_agree();
    if (reserved) {
        unlink(path);
    }
    return good;
}

uint64_t fm_session_longest_mapping(void)
{
    enum { REGIONS_OF_LINE = 4 }; /* estimate: each source line has calls of few regions */
    const struct fm_define_table *tables = fm_session.definitions.tables;
    uint64_t most = tables[FM_DEFINE_REGION].count + FM_FUNCTIONS_MOST +
                    (uint64_t)REGIONS_OF_LINE * tables[FM_DEFINE_LINE].count;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        most = tables[kind].count > most ? tables[kind].count : most;
    }
    for (uint32_t i = 0; i < tables[FM_DEFINE_GROUP].count;
         i++) { /* with members of other worlds */
        uint32_t members =
            fm_defined(&fm_session.definitions, FM_DEFINE_GROUP, i, NULL)[FM_GROUP_MEMBERS];
        most = members > most ? members : most;
    }
    return most;
}
