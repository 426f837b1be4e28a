/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/closing/session_counters.h"

#include "record/closing/unify.h"
#include "record/counting/closing/kept_tables.h"
#include "record/counting/count.h"
#include "record/counting/counter_file.h"
#include "record/counting/profile/profile_file.h"
#include "record/counting/traffic/peer_traffic_file.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_clock.h"
#include "record/session/session_describe.h"
#include "record/session/session_flush.h"
#include "record/session/session_stack.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the journal ---- */

static void name_folder(char *path, size_t size, const char *inside)
{
    snprintf(path, size, "%s/counters%s", fm_session.directory, inside);
}

void fm_session_counters_create(void)
{
    char path[PATH_MAX + 64];
    name_folder(path, sizeof path, "");
    mkdir(path, 0700);
    name_folder(path, sizeof path, "/journal");
    mkdir(path, 0700);
}

void fm_session_counters_begin(const struct fm_journal_process *process)
{
    char path[PATH_MAX + 64];
    name_folder(path, sizeof path, "");
    if (fm_journal_begin(path, process, fm_session.regions, fm_session.region_count)) {
        fm_journal_write_at_once();
        fm_session_journal_definitions();
    }
}

/* ---- the end ---- */

/* Unifies the communicators of all processes, and not their call sites, which no file needs. */
static bool unify(const struct fm_exchange *exchange, struct fm_definitions *set,
                  struct fm_define_map *map)
{
    struct fm_definitions part = {0};
    for (int i = 0; i < FM_TRAFFIC_KINDS; i++) {
        part.tables[fm_traffic_kinds[i]] = set->tables[fm_traffic_kinds[i]];
    }
    bool good = fm_unify(exchange, &part, map);
    for (int i = 0; i < FM_TRAFFIC_KINDS; i++) {
        set->tables[fm_traffic_kinds[i]] = part.tables[fm_traffic_kinds[i]];
    }
    return good && exchange->failure == NULL;
}

/* The tables of all threads, ascending by their numbers. */
struct tables {
    struct fm_thread_calls *calls;
    const struct fm_peer_traffic **traffic;
    size_t call_count, traffic_count;
};

static int compare_threads(const void *a, const void *b)
{
    const struct fm_thread_calls *left = a, *right = b;
    return left->thread < right->thread ? -1 : left->thread > right->thread;
}

static bool list_tables(struct tables *tables)
{
    size_t count = 0;
    for (const struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        count++;
    }
    *tables = (struct tables){calloc(count + 1, sizeof *tables->calls),
                              calloc(count + 1, sizeof *tables->traffic), 0, 0};
    if (tables->calls == NULL || tables->traffic == NULL) {
        errno = ENOMEM;
        return false;
    }
    for (const struct fm_thread *each = fm_threads_all(); each != NULL && count > 0;
         each = each->next, count--) {
        if (each->counting != NULL && each->counting->profile != NULL) {
            tables->calls[tables->call_count++] =
                (struct fm_thread_calls){each->index, each->counting->profile};
        }
        if (each->counting != NULL && each->counting->traffic != NULL) {
            tables->traffic[tables->traffic_count++] = each->counting->traffic;
        }
    }
    qsort(tables->calls, tables->call_count, sizeof *tables->calls, compare_threads);
    return true;
}

static void write_calls(const struct tables *tables, bool is_listed)
{
    bool resolved = fm_session_resolve(fm_session.exchange, &fm_session.definitions,
                                       &fm_session_state.callsites);
    const struct fm_profile_names names = {.set = &fm_session.definitions,
                                           .callsites = &fm_session_state.callsites,
                                           .functions = fm_session.regions,
                                           .function_count = fm_session.region_count,
                                           .ticks_per_second = (double)fm_clock_resolution()};
    if (!resolved || !is_listed ||
        !fm_profile_write(fm_session.directory, fm_session.exchange->rank, &names, tables->calls,
                          tables->call_count)) {
        fm_session_tell_each("its calls are not known by call site: %s",
                             resolved ? strerrordesc_np(errno)
                                      : "no memory for the names of functions");
    }
}

static void write_traffic(const struct tables *tables, bool is_listed)
{
    struct fm_define_map map;
    bool good = unify(fm_session.exchange, &fm_session.definitions, &map);
    const struct fm_traffic_names names = {.set = &fm_session.definitions,
                                           .map = &map,
                                           .functions = fm_session.regions,
                                           .function_count = fm_session.region_count};
    errno = good && is_listed ? 0 : ENOMEM;
    good = good && is_listed &&
           fm_peer_traffic_write(fm_session.directory, fm_session.exchange->rank, &names,
                                 tables->traffic, tables->traffic_count);
    const char *failure = fm_session.exchange->failure;
    if (!good) {
        fm_session_tell_each("its traffic is not known by communicator and peer: %s",
                             failure != NULL ? failure : strerrordesc_np(errno));
    }
    fm_define_map_free(&map);
}

/* The files are complete: nothing needs the tables and the journal any more. */
static void remove_kept(void)
{
    char path[PATH_MAX + 64];
    /* Not before all processes have written theirs: on a full file system the room that becomes
     * free would decide whose files are whole. */
    fm_session.exchange->barrier();
    fm_kept_tables_remove(fm_session.directory, fm_session.exchange->rank);
    fm_journal_remove(NULL);
    fm_session.exchange->barrier();
    if (fm_session.exchange->rank == 0) {
        name_folder(path, sizeof path, "/journal");
        rmdir(path);
    }
}

void fm_session_close_counters(struct fm_thread *thread, fm_last_call_t *last)
{
    struct fm_thread *threads = fm_threads_end();
    struct tables tables;
    fm_session.exchange->barrier();
    if (thread != NULL) {
        last(thread, fm_clock_now());
        fm_count_rest(thread);
    }
    fm_count_others(thread);
    fm_counter_file_close();
    bool is_listed = list_tables(&tables);
    write_calls(&tables, is_listed);
    write_traffic(&tables, is_listed);
    free(tables.calls);
    free(tables.traffic);
    remove_kept();
    fm_session_clock_close(fm_session.exchange);
    struct fm_closing closing = fm_session_closing(threads, 0);
    /* Behind it the files of all processes are complete. */
    fm_closing_combine(&closing, fm_session.exchange, fm_session_clock_now);
    if (fm_session.exchange->rank == 0) {
        fm_session_describe_counters(&closing);
    }
}
