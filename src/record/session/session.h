/** @file
 * The recording session of a process, from the load of the recorder to the closed archive.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_H
#define FERMATA_RECORD_SESSION_SESSION_H

#include "record/archive/archive.h"

#include <pthread.h>

/** The session. `lock` guards `definitions` and `ended`. */
struct fm_session {
    const struct fm_region *regions; /**< recorded functions, by number */
    size_t region_count;
    pthread_mutex_t lock;
    struct fm_definitions definitions;
    bool ended; /**< no more definitions: the set belongs to the thread that ends the run */
    const struct fm_exchange *exchange;
    const char *library; /**< version of the MPI library */
    char directory[4096];
    bool open; /**< there is an experiment to write to */
};
extern struct fm_session fm_session;

/** Begins the session: clock, buffers. Records are kept in memory until fm_session_open.
 * @param start_ticks, start_nanoseconds  start of the process (interface.h) */
void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds,
                      const struct fm_region *regions, size_t region_count);

/** Creates the experiment directory and begins the journals. Collective. On failure rank 0 says why
 * on stderr and recording ends. */
void fm_session_open(const struct fm_exchange *exchange, const char *library);

/** Begins to sample the process's threads, if that is wanted (sample.h): on the thread that began
 * the run, between its calls. */
void fm_session_sample(void);

/** Ends the run: measures the clocks again, converts all records, unifies the definitions, writes
 * the archive. Collective. If that fails anywhere the journals stay instead.
 * @param thread   the calling thread, in the last call to be recorded; may be NULL
 * @param last     writes the operations of that call into the room that it reserves with
 *                 fm_thread_leave_at. The call ended at `time`, clock ticks: when all processes had
 *                 entered it, before the work of the recorder
 * @param events   number of events it writes, Enter and Leave included */
void fm_session_close(struct fm_thread *thread,
                      void (*last)(struct fm_thread *thread, uint64_t time), uint64_t events);

/** The flight recorder is asked for what it has (flight.h); without it nothing happens. Like
 * fm_session_save. */
void fm_session_demand(void);

/** Writes what there is to the journal, without communication. For processes that may end without
 * fm_session_close; recording goes on. Thread-safe; may be called in a signal handler.
 * @param ending  the process ends in order: the call that is open in this thread will not return */
void fm_session_save(bool ending);

/* Definitions. Once the end of the run has begun, FM_DEFINE_NONE. Of each kind the archive can hold
 * FM_ARCHIVE_ENTRIES_MOST (archive_space.h): beyond that, or without memory, recording ends with a
 * message and numbers are FM_DEFINE_NONE, too. */

/** From now on the caller alone uses the definitions. */
void fm_session_end_definitions(void);

/** Ends recording: there is no room for more definitions. Thread-safe. */
void fm_session_overflow(void);

/** Number of a string definition; thread-safe. */
uint32_t fm_session_string(const char *text);

/** Number of a region definition; thread-safe (see fm_define_region). */
uint32_t fm_session_region(const char *name, uint32_t role, uint32_t paradigm, uint32_t flags,
                           const char *file, uint32_t line);

/** Number of a definition; thread-safe (see fm_define). */
uint32_t fm_session_define(enum fm_define_kind kind, const uint32_t *words, size_t count);

/** Names a communicator or window; thread-safe. */
void fm_session_name(enum fm_define_kind kind, uint32_t number, const char *text);

/** Number of a group definition; thread-safe (see fm_define_group). */
uint32_t fm_session_group(const int *ranks, size_t count);

#endif
