/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The recording session of a process, from the load of the recorder to the closed archive.
 *
 * The session begins with the first call of any paradigm (paradigm.h). The run, which has an
 * experiment directory, begins when a paradigm with ranks can exchange data. Without such a
 * paradigm the process alone is a run: it begins with the program's main function (programs of
 * OpenMP that fermata has started), else with the next recorded call, or, if a launcher has started
 * the process as one of several, when the memory for records is full or the process ends.
 *
 * The run ends when all paradigms that began in it have ended in all processes. The paradigm that
 * exchanges data remains able to do so until then. The records are written to an archive by the
 * call of fm_session_leave that ends the run. In a run without a paradigm with ranks, and after the
 * end of all paradigms with ranks, they are written at the exit of the process at the latest.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_H
#define FERMATA_RECORD_SESSION_SESSION_H

#include "record/archive/archive.h"
#include "record/capture/lock.h"
#include "record/paradigm/paradigm.h"

/** The session. `lock` guards `definitions` and `ended`. */
struct fm_session {
    const struct fm_recorded_region *regions; /**< recorded functions, by number */
    size_t region_count;
    fm_lock_t lock;
    struct fm_definitions definitions;
    bool ended; /**< no new definitions: the set belongs to the thread that ends the run */
    const struct fm_exchange *exchange;
    char directory[4096];
    bool open; /**< there is an experiment to write to */
};
extern struct fm_session fm_session;

/** Begins the session: clock, buffers. Records stay in memory until the run begins.
 * @param start_ticks, start_nanoseconds  start of the process (interface.h)
 * @param environment                     of that time (interface.h) */
void fm_session_begin(uint64_t start_ticks, uint64_t start_nanoseconds, char *const *environment);

/** Adds a paradigm; see fm_recorder.attach. May be called by `attach` of another one. */
FM_API bool fm_session_attach(const struct fm_paradigm *paradigm);

/** Called when all paradigms with loaded libraries are attached; see fm_recorder.attached. */
void fm_session_attached(void);

/** Begins the run, when a paradigm with ranks has begun and can exchange data. Creates the
 * experiment directory and begins the journals. Collective. On failure rank 0 prints the reason on
 * stderr and recording ends. If another paradigm has begun the run already, this one joins it; both
 * must number the processes equally, and the exchange is used only for the comparison.
 * @param library  version of the paradigm's library, valid as long as the session
 * @return whether the paradigm takes part in the run; false: recording has ended */
FM_API bool fm_session_open(const struct fm_paradigm *paradigm, const struct fm_exchange *exchange,
                            const char *library);

/** Registers that a paradigm without ranks has begun: the run does not end before this paradigm.
 * @param library  as above; NULL: not known */
FM_API void fm_session_join(const struct fm_paradigm *paradigm, const char *library);

/** Registers that a paradigm with ranks has ended, but may begin again (fm_session_join): the run
 * ends at the exit of the process, where the paradigm still exchanges data. */
FM_API void fm_session_rest(const struct fm_paradigm *paradigm);

/** Begins a run of this process alone, if no run has begun and no paradigm has ranks. Thread-safe.
 * @return whether there is a run */
bool fm_session_open_alone(void);

/** Begins a run of this process alone, and to sample it, before the program's main function; see
 * fm_recorder.main_begins. Without effect if a paradigm has ranks, or a launcher has started the
 * process as one of several. */
void fm_session_main_begins(uint64_t address);

/** Begins to sample the process's threads, if sampling is selected (sample.h). Called by the thread
 * that began the run, between its calls. */
FM_API void fm_session_sample(void);

/** Records a paradigm's last call, which ended at `time` in clock ticks, with its operations.
 * Reserves the room with fm_thread_leave_at. */
typedef void fm_last_call_t(struct fm_thread *thread, uint64_t time);

/** Ends a paradigm, in its last call. If it is the last paradigm, the run ends: all records are
 * converted, the definitions unified, the archive is written, and all paradigms are finalized. If
 * this fails on any process, the journals are kept instead. Collective if the paradigm exchanges
 * data.
 *
 * The recorded call ends before the work of the recorder; where processes exchange data, it ends
 * when all of them have entered it.
 * @param thread  the calling thread, in the paradigm's last call, which is recorded; may be NULL
 * @param last    records that call
 * @param events  number of events that `last` writes, including Enter and Leave
 * @return true: the run has ended; false: the caller must not shut the paradigm's library down
 *         before `finalize`, because other paradigms or processes still record, and the library is
 *         needed to write the archive */
FM_API bool fm_session_leave(const struct fm_paradigm *paradigm, struct fm_thread *thread,
                             fm_last_call_t *last, uint64_t events);

/** Ends the run, if it is open: the second part of fm_session_leave, without `finalize`.
 * @param thread  NULL: the run does not end with a call */
void fm_session_close(struct fm_thread *thread, fm_last_call_t *last, uint64_t events);

/** Called at the exit of the process. Ends the run if no paradigm with ranks is open.
 * @return false: there is no open run, or a paradigm with ranks has not ended */
bool fm_session_close_at_exit(void);

/** Requests the records of the flight recorder (flight.h); without the flight recorder, has no
 * effect. Thread-safe; may be called in a signal handler. */
void fm_session_demand(void);

/** Writes all records so far to the journal, without communication. For processes that may end
 * without fm_session_close; recording continues. Thread-safe; may be called in a signal handler.
 * @param ending  the process ends regularly: the open call of this thread will not return */
FM_API void fm_session_save(bool ending);

/* Definitions. The functions return FM_DEFINE_NONE once the end of the run has begun. An archive
 * contains at most FM_ARCHIVE_ENTRIES_MOST definitions of each kind (archive_space.h): beyond that,
 * or without memory, recording ends with a message, and the functions return FM_DEFINE_NONE. */

/** Ends new definitions: from now on, the calling thread alone uses the set. */
void fm_session_end_definitions(void);

/** Ends recording: there is no room for more definitions. Thread-safe. */
void fm_session_overflow(void);

/** Number of a string definition; thread-safe. */
FM_API uint32_t fm_session_string(const char *text);

/** Number of a region definition; thread-safe (see fm_define_region). */
FM_API uint32_t fm_session_region(const char *name, uint32_t role, uint32_t paradigm,
                                  uint32_t flags, const char *file, uint32_t line);

/** Number of a definition; thread-safe (see fm_define). */
FM_API uint32_t fm_session_define(enum fm_define_kind kind, const uint32_t *words, size_t count);

/** Names a communicator or window; thread-safe. */
FM_API void fm_session_name(enum fm_define_kind kind, uint32_t number, const char *text);

/** Notes that records refer to an object from now on (fm_paradigm.report_objects), so that its
 * address survives the process. Takes no lock that it waits for, no malloc.
 * @return false: it could not be noted now; it is to be reported as new */
FM_API bool fm_session_note_object(uint32_t id, uint64_t address);

/** Number of a group definition of a paradigm; thread-safe (see fm_define_group). */
FM_API uint32_t fm_session_group(uint32_t paradigm, const int *ranks, size_t count);

#endif
