/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fermata/pattern.h - patterns of one's own, in shared objects.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE). Nothing is linked:
 *
 *     cc -O2 -shared -fPIC -o mine.so mine.c
 *     fermata analyze DIR --pattern mine.so:limit=1K
 *
 * The object defines `fermata_pattern`, which declares a metric and subscribes to the events of the
 * program or to instances of other patterns: built-in wait states, scripts, or shared objects. What
 * its functions report becomes the metric's severity: a value for a call path and a location.
 * docs/own-patterns.md has the rules, which are those of scripts in Lua.
 *
 * A pattern is executed once for each location (a thread of a process). The locations are
 * distributed among threads, which call the functions at the same time, each for a location of its
 * own, with the memory of this location. Functions therefore keep what they remember in
 * `at->memory`, and not in variables of the object: `fermata analyze --check` finds results that
 * depend on the order of the locations or on the number of threads.
 *
 * Unlike a script, an object is not restricted: it is code of this process.
 *
 * Compatibility: an object works with each later fermata. Structures only grow at their ends, and
 * an object states the version that it was compiled with; a fermata that is older than the object
 * refuses it.
 */
#ifndef FERMATA_PATTERN_H
#define FERMATA_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of the structures and functions in this header. */
#define FERMATA_PATTERN_VERSION 1

/** What an event is. */
enum {
    FERMATA_EVENT_CALL = 1,    /**< "call": a call of communication */
    FERMATA_EVENT_SEND = 2,    /**< "send": a matched message, in the call that begins to send it */
    FERMATA_EVENT_RECEIVE = 3, /**< "receive": ... in the call that completes its receive */
    FERMATA_EVENT_OPERATION = 4,  /**< "operation": a one-sided one, in the call that begins it */
    FERMATA_EVENT_COLLECTIVE = 5, /**< "collective": the location's part in a complete one */
    FERMATA_EVENT_LOCK = 6,       /**< "lock": a hold of a lock by the location */
    FERMATA_EVENT_THREAD = 7,     /**< "thread": fork, task_create, ... */
    FERMATA_EVENT_PHASE = 8,      /**< "phase": an instance of a region that is a phase */
    FERMATA_EVENT_SAMPLE = 9,     /**< "sample": a value of a counter */
    FERMATA_EVENT_WAIT = 10,      /**< id of a wait state: an instance of it */
    FERMATA_EVENT_INSTANCE = 11   /**< id of another pattern given: what that reports */
};

/** An event. Times are ticks since the begin of the run, ranks those in MPI_COMM_WORLD; texts are
 * valid while the function is called. Fields that the kind of event has not are 0. */
typedef struct fermata_event {
    int kind;
    int rank, thread;       /**< its location */
    int is_timed;           /**< `enter` and `leave` are known */
    int64_t enter, leave;   /**< of the call or phase */
    int64_t number;         /**< of the call at its location, from 0 on; -1: no call */
    const char *region;     /**< name of the function; NULL: none */
    const char *call_class; /**< of a call: barrier, all_to_all, one_to_all, all_to_one, scan, init,
                                 finalize, other; NULL: no call */

    int64_t time;     /**< of samples and events of threads */
    int64_t bytes;    /**< of messages and one-sided operations */
    int64_t tag;      /**< of messages */
    int64_t posted;   /**< of messages: when the receive was posted */
    int peer;         /**< rank of the other process, of messages and operations; -1: not known */
    int communicator; /**< of messages and collective operations */
    int members;      /**< of collective operations */
    int last_rank;    /**< ... that entered last */
    int64_t first_enter, last_enter, first_leave; /**< ... of their members */

    const char *action; /**< put, get, atomic; fork, join, ... (docs/own-patterns.md) */
    int64_t id;         /**< of events of threads */

    const char *lock;                      /**< name */
    int64_t requested, acquired, released; /**< of holds */
    int exclusive;                         /**< 0: shared */

    const char *metric; /**< of a wait state: its id */
    int64_t waited;     /**< ticks, of wait states, and of holds those in the queue */
    int64_t own;        /**< ticks of a wait state that are of the subscribed metric itself, not of
                             one of its parts */
    int64_t value;      /**< of an instance: what the other pattern reported */

    const char *counter, *unit; /**< of samples */
    double sample;              /**< value */

    uint64_t reserved[5]; /**< of fermata */
} fermata_event_t;

/** Events that an event leads to. */
enum {
    FERMATA_THE_CALL = 1,  /**< the call itself, of what happens in a call */
    FERMATA_PREVIOUS = 2,  /**< the call before it at the location */
    FERMATA_PARTNER = 3,   /**< of a message: the call at the other end */
    FERMATA_CAUSE = 4,     /**< of a wait state: the call that ended it */
    FERMATA_BEFORE = 5,    /**< of a hold: the one of the same lock before it */
    FERMATA_BLOCKED_BY = 6 /**< of a hold: the one for whose end it waited */
};

struct fermata_functions;

/** A pattern at a location. */
typedef struct fermata_location {
    const struct fermata_functions *functions; /**< see the functions below */
    void *memory;                              /**< `memory_size` bytes of this location, zeroed */
    double ticks_per_second;
    int rank, thread;
} fermata_location_t;

/** A severity, for `combine`. */
typedef struct fermata_severity {
    int64_t value; /**< may be changed; not negative */
    int rank, thread;
    uint32_t callpath; /**< number of the call path, equal for equal ones */
    const char *path;  /**< names from the root on, separated by / */
} fermata_severity_t;

typedef void fermata_take_t(fermata_location_t *at, const fermata_event_t *event);

/** A subscription: name of a kind of events, or id of a wait state or another pattern. */
typedef struct fermata_subscription {
    const char *to;
    fermata_take_t *take;
} fermata_subscription_t;

/** A parameter that users may set. */
typedef struct fermata_parameter {
    const char *name;
    const char *otherwise; /**< its default: if it is a number, all values must be numbers */
} fermata_parameter_t;

/** What a pattern declares. Texts that are optional may be NULL. */
typedef struct fermata_pattern {
    int version;             /**< FERMATA_PATTERN_VERSION */
    const char *id;          /**< of the metric: lower-case letters, digits, _ */
    const char *name;        /**< title */
    const char *unit;        /**< "time" (ticks), "occurrences" or "bytes" */
    const char *parent;      /**< id of a metric of the same unit; optional: a tree of its own */
    const char *description; /**< one or two sentences */
    const char *formula;     /**< how an instance is computed; optional */
    const char *advice;      /**< how to reduce it; optional */
    const char *confidence;  /**< "low", "medium" or "high" */
    const fermata_parameter_t *parameters;       /**< ends with {NULL, NULL}; optional */
    const fermata_subscription_t *subscriptions; /**< ends with {NULL, NULL} */
    size_t memory_size;                          /**< bytes for each location */
    void (*begin)(fermata_location_t *at);   /**< before the first event of a location; optional */
    void (*finish)(fermata_location_t *at);  /**< behind the last one; optional */
    void (*release)(fermata_location_t *at); /**< frees what `memory` points to; optional */
    /** Called once with all severities of the metric, which it may change: compares locations;
     * optional. */
    void (*combine)(fermata_severity_t *severities, size_t count);
} fermata_pattern_t;

#if defined(__GNUC__)
#define FERMATA_PATTERN_API __attribute__((visibility("default")))
#else
#define FERMATA_PATTERN_API
#endif

/** Defined by the shared object. */
extern FERMATA_PATTERN_API const fermata_pattern_t fermata_pattern;

/** The functions that patterns call, by the functions below. */
struct fermata_functions {
    void (*report)(fermata_location_t *at, const fermata_event_t *event, int64_t value);
    int (*related)(fermata_location_t *at, const fermata_event_t *event, int which,
                   fermata_event_t *found);
    int (*within)(fermata_location_t *at, const fermata_event_t *event, const char *name);
    size_t (*path)(fermata_location_t *at, const fermata_event_t *event, char *path, size_t size);
    double (*number)(fermata_location_t *at, const char *parameter);
    const char *(*text)(fermata_location_t *at, const char *parameter);
    void (*fail)(fermata_location_t *at, const char *reason);
};

/** Adds to the severity of the metric at the call path and location of the event, which may be a
 * related one of another location. A negative value, or an event without call path, stops the
 * pattern with a message. Of `take` and `finish` only. */
static inline void fermata_report(fermata_location_t *at, const fermata_event_t *event,
                                  int64_t value)
{
    at->functions->report(at, event, value);
}

/** Finds an event that an event leads to.
 * @return 0: there is none, `found` is unchanged */
static inline int fermata_related(fermata_location_t *at, const fermata_event_t *event, int which,
                                  fermata_event_t *found)
{
    return at->functions->related(at, event, which, found);
}

/** @return whether the call path of the event contains the function */
static inline int fermata_within(fermata_location_t *at, const fermata_event_t *event,
                                 const char *name)
{
    return at->functions->within(at, event, name);
}

/** Writes the names of the event's call path, from the root on, separated by "/".
 * @return the length, which may exceed what `size` has room for, as that of snprintf() */
static inline size_t fermata_path(fermata_location_t *at, const fermata_event_t *event, char *path,
                                  size_t size)
{
    return at->functions->path(at, event, path, size);
}

/** Value of a parameter whose default is a number; numbers may end in K, M or G (times 1024). */
static inline double fermata_number(fermata_location_t *at, const char *parameter)
{
    return at->functions->number(at, parameter);
}

/** Value of a parameter as a text; "": the pattern declares no such parameter. */
static inline const char *fermata_text(fermata_location_t *at, const char *parameter)
{
    return at->functions->text(at, parameter);
}

/** Leaves the metric out of the report, with a warning that states the reason. */
static inline void fermata_fail(fermata_location_t *at, const char *reason)
{
    at->functions->fail(at, reason);
}

#ifdef __cplusplus
}
#endif

#endif
