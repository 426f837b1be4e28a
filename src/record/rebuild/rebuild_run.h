/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * State of a rebuild (rebuild.h) that its files share. Private to src/record/rebuild.
 */
#ifndef FERMATA_RECORD_REBUILD_REBUILD_RUN_H
#define FERMATA_RECORD_REBUILD_REBUILD_RUN_H

#include "record/archive/archive.h"
#include "record/journal/journal_read.h"
#include "record/rebuild/rebuild.h"

#include <jansson.h>
#include <limits.h>

/** A process of the run. */
struct fm_rebuild_process {
    bool known;                        /**< the process has a usable journal */
    struct fm_journal_process journal; /**< of a known process */
    struct fm_define_map map;          /**< from its numbers to those of the merged set */
    uint32_t *regions;                 /**< global number of each function */
    struct fm_define_map sites;        /**< from its call sites to those of all processes */
    struct fm_callsites callsites;
    struct fm_event_regions events;
    size_t region_count;
    struct fm_thread *threads; /**< by index; at least one */
    uint32_t thread_count;
    uint64_t last_time;
    bool saved;                     /**< it ended by itself */
    bool ended;                     /**< and not only because the launcher has ended: libraries end
                                         processes then, by threads of their own */
    bool whole;                     /**< all that it recorded is there */
    uint64_t end;                   /**< time at which it ended regularly; 0: unknown */
    uint64_t flight_begin;          /**< fm_rebuild_flight_begin, with the flight recorder */
    struct fm_journal_moment alive; /**< at which it is known to have lived; zero: not known */
};

/** A run whose archive is rebuilt. */
struct fm_rebuild_run {
    const char *directory;
    char folder[PATH_MAX]; /**< where the archive is written */
    bool is_of_worlds;     /**< the experiment has other worlds, or is one of them */
    struct fm_rebuild_process *processes;
    uint32_t size;
    struct fm_definitions set;
    struct fm_definitions sites,
        resolved; /**< call sites of all processes, unresolved and resolved */
    struct fm_journal_moment last_moment; /**< the reading farthest from the start of its process */
    struct fm_journal_process clock;      /**< that process */
    uint64_t job_end;                     /**< CLOCK_MONOTONIC_RAW of this host; 0: not known */
    uint64_t max_size;                    /**< of the experiment; UINT64_MAX: no limit */
    struct fm_thinning thinning;          /**< the iterations that all processes have kept */
    uint32_t limited;                     /**< processes that reached the limit */
    struct fm_rebuilt *result;
    char helper[PATH_MAX + 64]; /**< path of fermata-symbols; "": not available */
};

/** @return a time of a process by the clock of rank 0. */
static inline uint64_t fm_rebuild_global_time(const struct fm_rebuild_process *process,
                                              uint64_t time)
{
    return time + (uint64_t)process->journal.offset.offset;
}

/* ---- the run (rebuild.c) ---- */

/** Frees what the run has. */
void fm_rebuild_free(struct fm_rebuild_run *r);

/** Waits until no other process rebuilds the same experiment.
 * @return a descriptor that holds the lock until it is closed; -1: this file system has no locks */
int fm_rebuild_lock(const char *directory);

/* ---- what the journals state about the run (run_journals.c) ---- */

/** @return the number of processes of a run, as stated by any of them; 0: none has a usable
 * journal so far. Not thread-safe */
uint32_t fm_rebuild_process_count(const char *directory);

/** Sets the number of processes, as stated by any of them.
 * @return FM_ERR_DATA: no process left a usable journal; FM_ERR_SYSTEM */
fm_status_t fm_rebuild_find_size(struct fm_rebuild_run *r, struct fm_error *error);

/** Makes the threads of all processes. */
fm_status_t fm_rebuild_count_threads(struct fm_rebuild_run *r, struct fm_error *error);

/** @return upper bound for the entries of a mapping table: a definition takes at least two words in
 * the journal, or in the buffer file. */
uint64_t fm_rebuild_longest_mapping(const struct fm_rebuild_run *r);

/* ---- the records of a thread (thread_records.c) ---- */

struct fm_process_journal;

/** Writes the records of a thread of a known process, in its journal and in its buffer file.
 * @param functions  number of defined functions
 * @return whether nothing is missing between them */
bool fm_rebuild_write_records(struct fm_rebuild_run *r, struct fm_rebuild_process *process,
                              struct fm_process_journal *journal, struct fm_thread *thread);

/** Whether two paths lead to the same folder. */
bool fm_rebuild_is_same_folder(const char *one, const char *other);

/** Time of the end of the job by the clock of a process on this host; 0: not known.
 * @param resolution  of that clock */
uint64_t fm_rebuild_job_end(const struct fm_rebuild_run *r,
                            const struct fm_rebuild_process *process, uint64_t resolution);

/** Whether a thread of a known process was in a call of a communication library when the process
 * ended, other than one that ends it. */
bool fm_rebuild_ends_in_library(const struct fm_rebuild_run *r, struct fm_process_journal *journal,
                                const struct fm_thread *thread);

/** Writes the call that a thread of a known process was in when the process ended.
 * @return false: it was in none */
bool fm_rebuild_write_open(const struct fm_rebuild_run *r, const struct fm_rebuild_process *process,
                           struct fm_process_journal *journal, struct fm_thread *thread);

/** Time from which on the buffer file has the records of all threads of a process with the flight
 * recorder (flight_records.c); 0: nothing is lost. */
uint64_t fm_rebuild_flight_begin(const struct fm_rebuild_run *r,
                                 const struct fm_rebuild_process *process,
                                 struct fm_process_journal *journal);

/** Writes the records of a thread of such a process that only the buffer file has.
 * @return as fm_rebuild_write_records */
bool fm_rebuild_write_flight(const struct fm_rebuild_run *r,
                             const struct fm_rebuild_process *process,
                             struct fm_process_journal *journal, struct fm_thread *thread);

/** Declares a stream of an accelerator: such a thread begins with a record that says so. */
void fm_rebuild_declare_if_stream(const struct fm_rebuild_run *r,
                                  struct fm_process_journal *journal, struct fm_thread *thread);

/* ---- from the records of a process to events (process_events.c) ---- */

/** Collects the call sites of all processes, and the iterations that all of them have kept. */
fm_status_t fm_rebuild_collect_sites(struct fm_rebuild_run *r, struct fm_error *error);

/** Finds the names and lines of the collected call sites. */
fm_status_t fm_rebuild_resolve_sites(struct fm_rebuild_run *r, struct fm_error *error);

/** Defines the objects of a process (object_names.c).
 * @param helper  path of fermata-symbols; "": not available
 * @return false without memory */
bool fm_rebuild_define_objects(struct fm_process_journal *journal, const char *helper);

/** Writes the events of a process, if it has a usable journal, and merges its definitions.
 * @return FM_ERR_USAGE: the process still runs; FM_ERR_DATA: its definitions are inconsistent */
fm_status_t fm_rebuild_convert_process(struct fm_rebuild_run *r, uint32_t rank,
                                       struct fm_error *error);

/* ---- the archive (rebuilt_archive.c) ---- */

/** Checks that the file system has space for `bytes`, so that closing a file does not fail; else
 * the archive fails (fm_archive_fail). */
void fm_rebuild_need_room(const struct fm_rebuild_run *r, uint64_t bytes);

/** Writes the archive to the run's folder, and notes in `environment` (NULL: there is none) what
 * was found out. After a failure the archive is to be abandoned (fm_archive_abandon). */
fm_status_t fm_rebuild_write_archive(struct fm_rebuild_run *r, json_t *environment,
                                     struct fm_error *error);

#endif
