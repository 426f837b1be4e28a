/** @file
 * What the session tells the user on stderr. The program goes on: each kind of trouble is told of
 * once in a process. Thread-safe; not by stdio, whose locks are the program's.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_TELL_H
#define FERMATA_RECORD_SESSION_SESSION_TELL_H

/** Something went wrong with recording. */
void fm_session_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** More functions than were wanted are recorded, no fewer. */
void fm_session_tell_of_functions(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Nothing is lost but samples: more may follow that matters more. */
void fm_session_tell_of_samples(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** What is wrong with the selection of what is recorded (selected.h), if anything is: by rank 0,
 * for it is the same on all processes. By one thread at a time, like the one below. */
void fm_session_tell_selection(void);

/** What is wrong with the flight recorder's option, if anything is: by rank 0. */
void fm_session_tell_flight(void);

#endif
