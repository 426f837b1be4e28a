/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Compact records of the per-thread buffers. A recorded call is a CALL record followed by its
 * operation records; operations at the Enter precede operations at the Leave. Records between calls
 * contain their time, except STACK, STACK_SITE and UNRECORDED. A record is a header word and a
 * fixed number of further words; numbers of functions, regions, communicators, windows and groups
 * are local to the process.
 */
#ifndef FERMATA_RECORD_CAPTURE_RECORD_H
#define FERMATA_RECORD_CAPTURE_RECORD_H

#include <stddef.h>
#include <stdint.h>

/** Place of a record: at the Leave of its call, at the Enter, or between calls. */
enum fm_record_place { FM_AT_LEAVE, FM_AT_ENTER, FM_BETWEEN_CALLS };

/** X(kind, further words, place: 0 at Leave, 1 at Enter, 2 between calls). The comment of each kind
 * gives the parts of its header and, after the semicolon, the further words. */
#define FM_RECORD_KINDS(X)                                                                         \
    X(CALL, 1, 1)               /* aux: function, ref: duration; enter */                          \
    X(CALL_LONG, 2, 1)          /* aux: function; enter, leave */                                  \
    X(MERGED, 0, 1)             /* calls that the CALL record before it stands for, ticks of its   \
                                   duration outside of them (fm_record_merge) */                   \
    X(PROGRAM_BEGIN, 1, 2)      /* ref: name; time */                                              \
    X(PROGRAM_END, 1, 2)        /* time */                                                         \
    X(FLUSH, 2, 2)              /* begin, end of writing the buffer */                             \
    X(STACK, 0, 2)              /* aux: functions kept, or'ed with CUT; ref: call site */          \
    X(STACK_SITE, 0, 2)         /* ref: call site of a function inside those */                    \
    X(SAMPLE, 3, 2)             /* ref: ticks of two mean periods; time, earliest time from        \
                                   which the stack may be unchanged, weight: nanoseconds of CPU    \
                                   time that it represents, at least 1 */                          \
    X(SAMPLE_LOST, 1, 2)        /* time; the stack is not known */                                 \
    X(PROCESSOR, 8, 2)          /* time; nanoseconds of the stretch of computation before it,      \
                                   stolen ones, run delay or FM_DELAY_UNKNOWN, nanoseconds of      \
                                   kernel time, page faults | from disk << 32, preemptions |       \
                                   voluntary context switches << 32,                               \
                                   nanoseconds that readings took */                               \
    X(ITERATION, 2, 2)          /* ref: region; time, number of its visit that begins */           \
    X(REGION_ENTER, 1, 2)       /* aux: CUT or 0, ref: region; time */                             \
    X(PARAMETER, 2, 2)          /* ref: parameter; time, number */                                 \
    X(PARAMETER_TEXT, 2, 2)     /* ref: parameter; time, string */                                 \
    X(METRIC, 2, 2)             /* aux: OTF2 type, ref: metric; time, bits of the value */         \
    X(MARKER, 1, 2)             /* ref: string; time */                                            \
    X(RECORDING_OFF, 1, 2)      /* time */                                                         \
    X(UNRECORDED, 2, 2)         /* aux: series, ref: communicator or window; peer | tag << 32,     \
                                   count; before RECORDING_ON */                                   \
    X(RECORDING_ON, 1, 2)       /* ref: number of regions still open; time */                      \
    X(REGION_LEAVE, 1, 2)       /* ref: region; time; also leaves the regions inside it */         \
    X(FUNCTION_ENTER, 1, 2)     /* aux: FM_PATH_MORE, FM_PATH_APART, ref: call site of its first   \
                                   instruction; time */                                            \
    X(FUNCTION_LEAVE, 1, 2)     /* ref: instrumented functions that stay open; time */             \
    X(VISITS, 4, 2)             /* type (fm_record_visits), aux: number of records back to that of \
                                   the visits around, 0: there is none, ref: what is visited;      \
                                   time of the first one, visits, ticks of their own, the          \
                                   shortest | longest << 32 (fm_record_visit_extremes) */          \
    X(FORK, 1, 2)               /* ref: requested threads, 0: no number; time */                   \
    X(TEAM_BEGIN, 2, 2)         /* aux: level, ref: thread that forked; time, size |               \
                                   number in the team << 32 */                                     \
    X(TEAM_END, 1, 2)           /* time; of the innermost open team */                             \
    X(TASK_CREATE, 2, 2)        /* ref: number of the creating thread in the team; time,           \
                                   generation number */                                            \
    X(TASK_SWITCH, 2, 2)        /* as TASK_CREATE */                                               \
    X(TASK_COMPLETE, 2, 2)      /* as TASK_CREATE */                                               \
    X(LOCK_TAKEN, 2, 2)         /* aux: OTF2 paradigm, ref: lock; time, acquisition number */      \
    X(LOCK_GIVEN, 2, 2)         /* as LOCK_TAKEN */                                                \
    X(BYTES_ABOVE, 0, 1)        /* of the next record, with sized header (fm_record_above) */      \
    X(SEND, 1, 1)               /* sized, ref: communicator; peer | tag << 32 */                   \
    X(ISEND, 2, 1)              /* as SEND, request */                                             \
    X(IRECV_REQUEST, 1, 1)      /* request */                                                      \
    X(RECV, 1, 0)               /* as SEND */                                                      \
    X(IRECV, 2, 0)              /* as ISEND */                                                     \
    X(PROBED, 1, 0)             /* ref: communicator; peer | tag << 32 of the message found */     \
    X(ISEND_COMPLETE, 1, 0)     /* request */                                                      \
    X(REQUEST_TEST, 1, 0)       /* request */                                                      \
    X(REQUEST_CANCELLED, 1, 0)  /* request */                                                      \
    X(COLLECTIVE_BEGIN, 0, 1)   /* */                                                              \
    X(COLLECTIVE_END, 3, 0)     /* aux: operation, ref: communicator; root, sent, received */      \
    X(COLLECTIVE_REQUEST, 1, 1) /* request */                                                      \
    X(COLLECTIVE_COMPLETE, 4, 0)  /* as COLLECTIVE_END, request */                                 \
    X(PERSISTENT_COMPLETE, 5, 0)  /* as COLLECTIVE_COMPLETE, number of the persistent collective   \
                                     in its communicator | function that made it << 32 */          \
    X(COMM_CREATE, 0, 0)          /* ref: communicator */                                          \
    X(COMM_DESTROY, 0, 0)         /* ref: communicator */                                          \
    X(WIN_COLLECTIVE_BEGIN, 0, 1) /* */                                                            \
    X(WIN_COLLECTIVE_END, 1, 0)   /* aux: operation, ref: window; synchronization level */         \
    X(WIN_CREATE, 0, 0)           /* ref: window */                                                \
    X(WIN_DESTROY, 0, 0)          /* ref: window */                                                \
    X(PARTITIONED_SEND, 5, 1)    /* ref: communicator; peer | tag << 32, request, bytes, number of \
                                    the start, from 1 on | of the operation << 32, partitions */   \
    X(PARTITIONED_RECEIVE, 5, 0) /* as PARTITIONED_SEND */                                         \
    X(PARTITIONS, 2, 1)          /* ref: first one; request, last one */                           \
    X(IO_CREATE, 0, 0)           /* aux: OTF2 access mode, ref: I/O handle */                      \
    X(IO_DESTROY, 0, 0)          /* ref: I/O handle */                                             \
    X(IO_BEGIN, 2, 1)            /* sized, ref: I/O handle; matching id, OTF2 mode | OTF2 flags    \
                                    << 32 */                                                       \
    X(IO_COMPLETE, 1, 0)         /* sized, ref: I/O handle; matching id */                         \
    X(PUT, 2, 1)                 /* sized, ref: window; target, matching id */                     \
    X(GET, 2, 1)                 /* sized, ref: window; target, matching id */                     \
    X(ATOMIC, 4, 1)              /* aux: type, ref: window; target, sent, received, matching id */ \
    X(COMPLETE_LOCAL, 1, 0)      /* ref: window; matching id */                                    \
    X(COMPLETE_REMOTE, 1, 0)     /* ref: window; matching id */                                    \
    X(COMPLETE_FULLY, 1, 0)      /* both; ref: window; matching id */                              \
    X(OPERATION_TEST, 1, 0)      /* ref: window; matching id */                                    \
    X(GROUP_SYNC, 1, 0)          /* aux: synchronization level, ref: window; group */              \
    X(COMPLETE_BLOCKING, 1, 0)   /* ref: window; matching id */                                    \
    X(WAIT_CHANGE, 0, 0)         /* ref: window */                                                 \
    X(RMA_COLLECTIVE, 4, 0) /* aux: operation, ref: window; root, sent, received, sync level */    \
    X(LOCK_REQUEST, 2, 1)   /* aux: lock type, ref: window; remote, lock id */                     \
    X(LOCK_RELEASE, 2, 0)   /* ref: window; remote, lock id */                                     \
    X(LOCK_RELEASE_FIRST, 2, 1) /* as LOCK_RELEASE, before the library releases the lock */        \
    X(LOCK_ACQUIRE, 2, 0)       /* as LOCK_REQUEST */                                              \
    X(LOCK_TRY, 2, 0)           /* as LOCK_REQUEST: the lock was not free */                       \
    X(THREAD_BEGIN, 2, 2)       /* aux: OTF2 paradigm; time, number of the thread's creation */    \
    X(THREAD_END, 2, 2)         /* as THREAD_BEGIN */                                              \
    X(THREAD_CREATE, 1, 1)      /* aux: OTF2 paradigm; number of the creation */                   \
    X(THREAD_WAIT, 1, 0)        /* as THREAD_CREATE */                                             \
    X(SYNCHRONIZATION_OBJECT, 0, 1) /* ref: object of the process that the call is about */        \
    X(ACQUIRE_LOCK, 1, 0)           /* aux: OTF2 paradigm, ref: lock of the process; number of its \
                                       acquisition */                                              \
    X(RELEASE_LOCK, 1, 1)           /* as ACQUIRE_LOCK, of a recorded acquisition */               \
    X(RELEASE_NOTED_LOCK, 3, 1)     /* as ACQUIRE_LOCK, of another one: its time, call site        \
                                       | is shared << 32 */                                        \
    X(CORRELATION, 1, 1)            /* number that a work has, too, which the call launches */     \
    X(STREAM_AWAITED, 0, 1)         /* ref: location of the process: a stream that the call waits  \
                                       for */                                                      \
    X(CONTEXT_AWAITED, 0, 1)        /* ref: number of a context, for whose streams the call        \
                                       waits */                                                    \
    X(STREAM_EVENT, 1, 1)           /* ref: location of the process: a stream that the call puts   \
                                       an event on, or waits for; number of the event's record */  \
    X(STREAM_WAITS, 2, 1)           /* ref: location of the process: a stream that the call lets   \
                                       wait for an event; number of the event's record, region in  \
                                       which a new stream does so */                               \
    X(STREAM_BEGIN, 1, 2)           /* ref: name; number of its context: the location is a stream  \
                                       of an accelerator */                                        \
    X(STREAM_WORK, 3, 2)            /* ref: region; begin, end, number of the launch; of a stream, \
                                       in any order */                                             \
    X(STREAM_ACTIVITY, 4, 2)        /* number of the launch of a kernel of the stream; bits of its \
                                       values, doubles by fm_kernel_activity_t, NAN: not known */  \
    /* What an open call waits for: only in struct fm_shown_call, in front of the REQUEST_TEST     \
       that they belong to, if there is one. */                                                    \
    X(AWAITED_MESSAGE, 1, 1)    /* ref: communicator; source | tag << 32, -1 each: any */          \
    X(AWAITED_COLLECTIVE, 1, 1) /* ref: communicator; root, -1: none */                            \
    X(AWAITED_WINDOW, 0, 1)     /* ref: window */                                                  \
    X(AWAITED_TARGET, 1, 1)     /* ref: window; target, -1: all */                                 \
    X(AWAITED_OMITTED, 1, 1)    /* number of requests for which there is no room */                \
    X(AWAITED_OWNER, 2, 1)      /* ref: number of a thread that has the lock; time of its          \
                                   acquisition, 0: not known; call site */

enum fm_record_kind {
#define FM_KIND(kind, words, place) FM_RECORD_##kind,
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
        FM_RECORD_KIND_COUNT
};

/** Parts of a STACK record: the call stack changes before the next event. The record and the
 * following STACK_SITE records contain the call sites inside the functions that are kept; NO_SITE:
 * there is none. With CUT, there are further functions that are not recorded. */
enum { FM_STACK_CUT = 0x8000 };
#define FM_STACK_NO_SITE UINT32_MAX

/** Bit of the last word of a RELEASE_NOTED_LOCK record: the lock was acquired shared. */
enum { FM_NOTED_LOCK_SHARED_BIT = 32 };

/** In a REGION_ENTER record: the region began earlier, in records that are lost. */
enum { FM_REGION_CUT = 1 };

/** Words of each record, header included, as constants FM_WORDS_kind. */
enum {
#define FM_KIND(kind, words, place) FM_WORDS_##kind = 1 + (words),
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
};

/** Header word: kind 8 bits, unused 8, aux 16, ref 32. */
static inline uint64_t fm_record_header(enum fm_record_kind kind, uint32_t aux, uint32_t ref)
{
    return (uint64_t)kind | (uint64_t)(aux & 0xffffu) << 16 | (uint64_t)ref << 32;
}

/** Words of a record, by its kind (record.c). */
extern const unsigned char fm_record_words[FM_RECORD_KIND_COUNT];

static inline enum fm_record_kind fm_record_kind(uint64_t header)
{
    return (enum fm_record_kind)(header & 0xffu);
}

/** Durations of CALL records have 32 bits (a second or more); longer calls need a CALL_LONG. */
enum { FM_CALL_DURATION_BITS = 32 };

static inline uint64_t fm_record_call(uint32_t function, uint64_t duration)
{
    return fm_record_header(FM_RECORD_CALL, function, (uint32_t)duration);
}

/** What ticks add to the header of a CALL record. */
static inline uint64_t fm_record_more_duration(uint64_t ticks)
{
    return ticks << 32;
}

static inline uint64_t fm_record_duration(uint64_t header)
{
    return header >> 32;
}

/** What calls (24 bits) and ticks outside of calls (32 bits) add to a MERGED record. */
static inline uint64_t fm_record_merge(uint32_t calls, uint64_t gaps)
{
    return (uint64_t)(calls & 0xffffffu) << 8 | gaps << 32;
}

static inline uint64_t fm_record_merged(uint32_t calls, uint64_t gaps)
{
    return (uint64_t)FM_RECORD_MERGED | fm_record_merge(calls, gaps);
}

static inline uint32_t fm_record_merged_calls(uint64_t header)
{
    return (uint32_t)(header >> 8) & 0xffffffu;
}

static inline uint64_t fm_record_merged_gaps(uint64_t header)
{
    return header >> 32;
}

/** Header of a VISITS record; type: enum fm_visited (brief/merged_visits.h). */
static inline uint64_t fm_record_visits(uint32_t type, uint32_t back, uint32_t ref)
{
    return fm_record_header(FM_RECORD_VISITS, back, ref) | (uint64_t)(type & 0xffu) << 8;
}

static inline uint32_t fm_record_visits_type(uint64_t header)
{
    return (uint32_t)(header >> 8) & 0xffu;
}

/** The last word of a VISITS record with a further visit. Times that 32 bits do not hold are their
 * largest number; of no visits, the word is UINT32_MAX. */
static inline uint64_t fm_record_visit_extremes(uint64_t word, uint32_t ticks)
{
    const uint32_t shortest = (uint32_t)word, longest = (uint32_t)(word >> 32);
    return (ticks < shortest ? ticks : shortest) | (uint64_t)(ticks > longest ? ticks : longest)
                                                       << 32;
}

/** Numbers of bytes in sized headers have 24 bits; the upper bits, if not 0, are in a BYTES_ABOVE
 * record before the record. */
enum { FM_SIZED_BITS = 24 };

/** Words that a number of bytes needs before its record. */
static inline size_t fm_words_above(uint64_t bytes)
{
    return bytes >> FM_SIZED_BITS != 0 ? 1 : 0;
}

/** Sized header word: kind 8 bits, lower bits of a number of bytes 24, ref 32. */
static inline uint64_t fm_record_sized(enum fm_record_kind kind, uint64_t bytes, uint32_t ref)
{
    return (uint64_t)kind | (bytes & 0xffffffu) << 8 | (uint64_t)ref << 32;
}

/** BYTES_ABOVE record: the upper 40 bits of a number of bytes. */
static inline uint64_t fm_record_above(uint64_t bytes)
{
    return (uint64_t)FM_RECORD_BYTES_ABOVE | bytes >> FM_SIZED_BITS << 8;
}

/** Bytes of a sized header; `above` is the BYTES_ABOVE record before it, or 0. */
static inline uint64_t fm_record_bytes(uint64_t header, uint64_t above)
{
    return above >> 8 << FM_SIZED_BITS | (header >> 8 & 0xffffffu);
}

static inline uint32_t fm_record_aux(uint64_t header)
{
    return (uint32_t)(header >> 16) & 0xffffu;
}

static inline uint32_t fm_record_ref(uint64_t header)
{
    return (uint32_t)(header >> 32);
}

#endif
