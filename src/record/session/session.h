/** @file
 * The recording session of a process, from the load of the recorder to the closed archive.
 *
 * The session begins with the first call of any paradigm (paradigm.h). The run, for which there is
 * an experiment, begins when a paradigm that has ranks can exchange data. Without such a paradigm
 * the process is a run of its own: it begins with the next recorded call, or, if the process is one
 * of several that a launcher started, when memory for records is spent or the process ends.
 *
 * The run ends when all paradigms that began in it have ended in all processes. The paradigm that
 * exchanges data stays able to do so until then. What is recorded is written to an archive by the
 * call of fm_session_leave that ends the run, or, in a run without a paradigm that has ranks and in
 * one whose ranks have left, at the process's exit at the latest.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_H
#define FERMATA_RECORD_SESSION_SESSION_H

#include "record/archive/archive.h"
#include "record/paradigm/paradigm.h"

#include <pthread.h>

/** The session. `lock` guards `definitions` and `ended`. */
struct fm_session {
    const struct fm_recorded_region *regions; /**< recorded functions, by number */
    size_t region_count;
    pthread_mutex_t lock;
    struct fm_definitions definitions;
    bool ended; /**< no more definitions: the set belongs to the thread that ends the run */
    const struct fm_exchange *exchange;
    char directory[4096];
    bool open; /**< there is an experiment to write to */
};
extern struct fm_session fm_session;

/** Begins the session: clock, buffers. Records are kept in memory until the run begins.
 * @param start_ticks, start_nanoseconds  start of the process (interface.h) */
void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds);

/** Adds a paradigm, as fm_recorder.attach. */
bool fm_session_attach(const struct fm_paradigm *paradigm);

/** All paradigms whose libraries are loaded so far are attached, as fm_recorder.attached. */
void fm_session_attached(void);

/** A paradigm that has ranks began and can exchange data: the run begins. Creates the experiment
 * directory and begins the journals. Collective. On failure rank 0 says why on stderr and recording
 * ends.
 * @param library  version of the paradigm's library, valid as long as the session
 * @return whether the paradigm takes part in the run; false: recording has ended */
FM_API bool fm_session_open(const struct fm_paradigm *paradigm, const struct fm_exchange *exchange,
                            const char *library);

/** A paradigm without ranks began: the run does not end before it does.
 * @param library  as above; NULL: not known */
FM_API void fm_session_join(const struct fm_paradigm *paradigm, const char *library);

/** A run of this process alone, if none has begun and no paradigm has ranks: begins it.
 * Thread-safe.
 * @return whether there is a run */
bool fm_session_open_alone(void);

/** Begins to sample the process's threads, if that is wanted (sample.h): on the thread that began
 * the run, between its calls. */
FM_API void fm_session_sample(void);

/** Records a paradigm's last call, which ended at `time`, clock ticks, with its operations, into
 * the room that it reserves with fm_thread_leave_at. */
typedef void fm_last_call_t(struct fm_thread *thread, uint64_t time);

/** A paradigm ends with the call that the thread is in. If it is the last one the run ends: all
 * records are converted, the definitions unified, the archive is written, and all paradigms are
 * finalized. If that fails anywhere the journals stay instead. Collective if the paradigm exchanges
 * data.
 *
 * The call that is recorded ends before the work of the recorder; where processes exchange data it
 * ends when all of them have entered it.
 * @param thread  the calling thread, in the paradigm's last call; may be NULL. Its call is recorded
 * @param last    of that call
 * @param events  number of events that it writes, Enter and Leave included
 * @return true: the run is over; false: the paradigm's library has to stay as it is until
 *         `finalize` is called, for others still record and need it to write the archive */
FM_API bool fm_session_leave(const struct fm_paradigm *paradigm, struct fm_thread *thread,
                             fm_last_call_t *last, uint64_t events);

/** What fm_session_leave does at the end of the run.
 * @param thread  NULL: the run does not end with a call */
void fm_session_close(struct fm_thread *thread, fm_last_call_t *last, uint64_t events);

/** The process exits: a run that can end without the other processes' calls ends.
 * @return false: there is none, or it cannot */
bool fm_session_close_at_exit(void);

/** The flight recorder is asked for what it has (flight.h); without it nothing happens. Like
 * fm_session_save. */
void fm_session_demand(void);

/** Writes what there is to the journal, without communication. For processes that may end without
 * fm_session_close; recording goes on. Thread-safe; may be called in a signal handler.
 * @param ending  the process ends in order: the call that is open in this thread will not return */
FM_API void fm_session_save(bool ending);

/* Definitions. Once the end of the run has begun, FM_DEFINE_NONE. Of each kind the archive can hold
 * FM_ARCHIVE_ENTRIES_MOST (archive_space.h): beyond that, or without memory, recording ends with a
 * message and numbers are FM_DEFINE_NONE, too. */

/** From now on the caller alone uses the definitions. */
void fm_session_end_definitions(void);

/** Ends recording: there is no room for more definitions. Thread-safe. */
void fm_session_overflow(void);

/** Number of a string definition; thread-safe. */
FM_API uint32_t fm_session_string(const char *text);

/** Number of a region definition; thread-safe (see fm_define_region). */
uint32_t fm_session_region(const char *name, uint32_t role, uint32_t paradigm, uint32_t flags,
                           const char *file, uint32_t line);

/** Number of a definition; thread-safe (see fm_define). */
FM_API uint32_t fm_session_define(enum fm_define_kind kind, const uint32_t *words, size_t count);

/** Names a communicator or window; thread-safe. */
FM_API void fm_session_name(enum fm_define_kind kind, uint32_t number, const char *text);

/** Number of a group definition; thread-safe (see fm_define_group). */
FM_API uint32_t fm_session_group(const int *ranks, size_t count);

#endif
