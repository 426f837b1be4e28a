/* SPDX-License-Identifier: BSD-3-Clause */
#include "functions/silent_calls.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names in a sentence; the others are counted. */
#define MOST_NAMES 6

/* Why nothing is said about calls. */
enum reason {
    NOT_SILENT,
    NO_TEAMS,
    NO_TASKS,
    NO_THREAD_LOCKS,
    NO_OBJECTS,
    NO_JOINS,
    NO_LAUNCHES,
    NO_STREAM_EVENTS,
    PARTITIONED,
    PERSISTENT_COLLECTIVE,
    SENDRECV_REQUEST,
    SPAWN,
    NO_MESSAGES,
    NO_COLLECTIVES,
    NO_FILE_COLLECTIVES,
    NO_ACCESS_COLLECTIVES,
    NO_FILE_BYTES,
    NO_WINDOW_COLLECTIVES,
    NO_GROUP_SYNCS,
    NO_LOCKS,
    NO_RELEASES,
    NO_OPERATIONS,
    NO_COMPLETIONS,
    NO_LIBRARY_LOCKS,
    NO_LIBRARY_RELEASES,
    NO_LIBRARY_COMPLETIONS,
    NO_IMAGES,
    REASONS
};

/* What can be done about it, behind the sentence: of archives of other recorders. */
#define SWITCH_ON(kind) "; switch the recorder's " kind " records on"
#define WRITTEN         "; fermata's recorder writes such records"

/* ... and of fermata's own archives, whose records cannot be switched. */
static const char own_advice[] =
    "; fermata's recorder writes none for calls that fail or have no partner";
static const char own_advice_on_spawning[] =
    "; they are if `fermata record` starts the launcher of the program";

static const struct {
    unsigned records;     /* whose absence is the reason; 0: another reason */
    bool in_each;         /* each function needs its own; otherwise one of the archive is enough */
    const char *sentence; /* behind the names */
    const char *advice;   /* NULL: none */
} reasons[REASONS] = {
    [NO_TEAMS] = {.sentence = "the archive has no record of teams of threads: Wait at OpenMP "
                              "barrier was not looked for",
                  .advice = SWITCH_ON("thread")},
    [NO_TASKS] = {.sentence =
                      "the archive has no record of tasks: Wait for child tasks was not looked for",
                  .advice = SWITCH_ON("task")},
    [NO_THREAD_LOCKS] =
        {.sentence =
             "the archive has no record of a thread's lock: Lock Contention was not looked for",
         .advice = SWITCH_ON("lock")},
    [NO_OBJECTS] = {.sentence = "the archive does not state what these calls synchronize by: "
                                "waiting in them was not looked for"},
    [NO_JOINS] = {.sentence = "the archive has no record of the end of threads: Wait for end of "
                              "thread was not looked for"},
    [NO_LAUNCHES] =
        {.sentence =
             "the archive does not state which launches have made which work of streams: Wait for "
             "stream ends with the last work in the call, on any stream, and Late Launch with the "
             "first launch in the idle time; Wait before copy and Wait for other stream were not "
             "looked for"},
    [NO_STREAM_EVENTS] = {.sentence =
                              "the archive does not state which streams these calls let wait for "
                              "which events: Wait for other stream was not looked for",
                          .advice = WRITTEN},
    [PARTITIONED] = {.sentence = "the archive has no record of the messages of this partitioned "
                                 "communication: waiting for them was not looked for",
                     .advice = WRITTEN},
    [PERSISTENT_COLLECTIVE] = {.sentence =
                                   "the archive has no collective record of the starts of these "
                                   "persistent collectives: waiting for them was not looked for",
                               .advice = WRITTEN},
    [SENDRECV_REQUEST] = {.sentence = "the archive has no record of the messages of these calls: "
                                      "waiting for them was not looked for",
                          .advice = WRITTEN},
    [SPAWN] = {.sentence = "processes that were spawned or connected are not part of this archive: "
                           "waiting for them is not found",
               .advice = "; fermata's recorder makes one archive of all"},
    [NO_MESSAGES] = {.records = FM_RECORDED_MESSAGE,
                     .sentence = "the archive has no record of a message: Late Sender and Late "
                                 "Receiver were not looked for",
                     .advice = SWITCH_ON("point-to-point")},
    [NO_COLLECTIVES] = {.records = FM_RECORDED_COLLECTIVE,
                        .in_each = true,
                        .sentence = "the archive has no collective record of these calls: waiting "
                                    "in them was not looked for",
                        .advice = SWITCH_ON("collective")},
    [NO_FILE_COLLECTIVES] = {.sentence = "the archive has no collective record of these calls: "
                                         "Wait at file call was not looked for",
                             .advice = WRITTEN},
    [NO_ACCESS_COLLECTIVES] = {.sentence = "the archive has no collective record of these calls: "
                                           "Wait at collective I/O was not looked for",
                               .advice = WRITTEN},
    [NO_FILE_BYTES] = {.sentence = "the archive has no record of the bytes that these calls read "
                                   "or write: the metrics of bytes of files do not contain them"},
    [NO_WINDOW_COLLECTIVES] = {.records = FM_RECORDED_WINDOW_COLLECTIVE,
                               .in_each = true,
                               .sentence =
                                   "the archive has no collective record of these calls: Wait at "
                                   "Create, Fence and Free was not looked for in them",
                               .advice = SWITCH_ON("one-sided")},
    [NO_GROUP_SYNCS] = {.records = FM_RECORDED_GROUP_SYNC,
                        .in_each = true,
                        .sentence = "the archive has no synchronization record of these calls: "
                                    "Late Post and Early Wait were not looked for in them",
                        .advice = SWITCH_ON("one-sided")},
    [NO_LOCKS] = {.sentence = "the archive has no record of a lock's request or acquisition: Lock "
                              "Contention and Wait for Progress were not looked for (unless all "
                              "locks were NOCHECK, there may be some)",
                  .advice = SWITCH_ON("one-sided")},
    [NO_RELEASES] = {.sentence =
                         "the archive has no record of a lock's release: Lock Contention was not "
                         "looked for (unless all locks were NOCHECK, there may be some)",
                     .advice = SWITCH_ON("one-sided")},
    [NO_OPERATIONS] = {.records = FM_RECORDED_OPERATION,
                       .sentence = "the archive has no record of a one-sided operation: waiting in "
                                   "them was not looked for",
                       .advice = SWITCH_ON("one-sided")},
    [NO_COMPLETIONS] = {.sentence =
                            "the archive has no record of a completion or a flush's target: Wait "
                            "for Progress and Lock Contention were not looked for in these calls"},
    [NO_LIBRARY_LOCKS] = {.sentence = "the archive has no record of a lock's acquisition: Lock "
                                      "Contention was not looked for",
                          .advice = SWITCH_ON("lock")},
    [NO_LIBRARY_RELEASES] =
        {.sentence =
             "the archive has no record of a lock's release: Lock Contention was not looked for",
         .advice = SWITCH_ON("lock")},
    [NO_LIBRARY_COMPLETIONS] =
        {.sentence = "the archive has no record of an operation's completion: Wait for Progress "
                     "was not looked for in these calls and in operations"},
    [NO_IMAGES] = {.records = FM_RECORDED_GROUP_SYNC,
                   .in_each = true,
                   .sentence = "the archive has no record of the images that these calls name: "
                               "waiting in them was not looked for"},
};

static const char *const message_functions[] = {"Send",      "Bsend",
                                                "Ssend",     "Rsend",
                                                "Isend",     "Ibsend",
                                                "Issend",    "Irsend",
                                                "Recv",      "Irecv",
                                                "Mrecv",     "Imrecv",
                                                "Sendrecv",  "Sendrecv_replace",
                                                "Isendrecv", "Isendrecv_replace",
                                                NULL};

static const char *const operations[] = {"Put",
                                         "Get",
                                         "Accumulate",
                                         "Get_accumulate",
                                         "Fetch_and_op",
                                         "Compare_and_swap",
                                         "Rput",
                                         "Rget",
                                         "Raccumulate",
                                         "Rget_accumulate",
                                         NULL};

/* Whether a name without its prefix is one of a list, also as the form for large counts. */
static bool is_one_of(const char *const *list, const char *name)
{
    const size_t length = strlen(name);
    const bool large = length > 2 && strcasecmp(name + length - 2, "_c") == 0;
    for (; *list != NULL; list++) {
        const size_t wanted = strlen(*list);
        if (strncasecmp(name, *list, wanted) == 0 &&
            (length == wanted || (large && length == wanted + 2))) {
            return true;
        }
    }
    return false;
}

/* They connect processes of different MPI_COMM_WORLDs. */
static const char *const connecting_functions[] = {
    "Comm_spawn", "Comm_spawn_multiple", "Comm_connect", "Comm_accept", "Comm_join", NULL};

/* @return whether a function without its prefix starts persistent operations, of whatever kind */
static bool is_start(const char *name)
{
    static const char *const starts[] = {"Start", "Startall", NULL};
    return is_one_of(starts, name);
}

static const char *without_prefix(const char *name)
{
    return fm_function_without_prefix(FM_PARADIGM_MPI, name);
}

static bool begins(const char *name, const char *begin)
{
    return strncasecmp(name, begin, strlen(begin)) == 0;
}

/* Outside of MPI, collectives on communicators and on windows are the same. */
enum { COLLECTIVES = FM_RECORDED_COLLECTIVE | FM_RECORDED_WINDOW_COLLECTIVE };

static bool is_library(fm_paradigm_t paradigm)
{
    return paradigm == FM_PARADIGM_SHMEM || paradigm == FM_PARADIGM_ARMCI ||
           paradigm == FM_PARADIGM_CAF;
}

static bool is_library_operation(fm_paradigm_t paradigm, const char *name)
{
    static const char *const metrics[] = {"shmem_rma_communication", "armci_communication",
                                          "caf_rma_communication"};
    const char *own = fm_function_kind(paradigm, name).own_metric;
    for (size_t i = 0; own != NULL && i < sizeof metrics / sizeof metrics[0]; i++) {
        if (strcmp(own, metrics[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What operations of libraries need: completions in them show that the archive has such records,
 * even if no call completes those of others. */
enum { OPERATIONS = FM_RECORDED_OPERATION | FM_RECORDED_COMPLETION };

/* What an unlock of a window needs: with MPI_MODE_NOCHECK it has no release, only completions. */
enum { RELEASES = FM_RECORDED_RELEASE | FM_RECORDED_COMPLETION };

/* The same for SHMEM, ARMCI and coarrays. */
static unsigned needed_by_library(fm_paradigm_t paradigm, const char *name, fm_call_t call)
{
    switch (call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
    case FM_CALL_ONE_TO_ALL:
    case FM_CALL_ALLOCATE:
    case FM_CALL_DEALLOCATE:
        return COLLECTIVES;
    case FM_CALL_LOCK:
        return FM_RECORDED_LOCK;
    case FM_CALL_UNLOCK:
        return FM_RECORDED_RELEASE;
    case FM_CALL_COMPLETION:
        return FM_RECORDED_COMPLETION;
    case FM_CALL_SYNC_IMAGES:
        return FM_RECORDED_GROUP_SYNC;
    case FM_CALL_WAIT_UNTIL:
    case FM_CALL_EVENT_WAIT:
        return FM_RECORDED_OPERATION;
    case FM_CALL_EVENT_POST:
        return OPERATIONS;
    default:
        return is_library_operation(paradigm, name) ? OPERATIONS : 0;
    }
}

/* @return whether a call acquires a lock and may wait for it */
static bool awaits_lock(const char *name)
{
    const char *end = strrchr(name, '_');
    return begins(name, "omp_") ? begins(name, "omp_set_")
                                : end != NULL && strstr(end, "lock") != NULL &&
                                      !begins(end, "_unlock") && !begins(end, "_try");
}

static unsigned needed_by_threads(const char *name, fm_call_t call)
{
    switch (call) {
    case FM_CALL_TEAM_BARRIER:
        return FM_RECORDED_COLLECTIVE;
    case FM_CALL_CRITICAL:
    case FM_CALL_ORDERED:
    case FM_CALL_SHARED_LOCK:
        return FM_RECORDED_LOCK;
    case FM_CALL_TASK_WAIT:
        return FM_RECORDED_COMPLETION;
    case FM_CALL_CONDITION_WAIT:
    case FM_CALL_THREAD_BARRIER:
    case FM_CALL_SEMAPHORE_WAIT:
        return FM_RECORDED_GROUP_SYNC;
    case FM_CALL_OTHER:
        return strstr(name, "join") != NULL ? FM_RECORDED_COLLECTIVE
               : awaits_lock(name)          ? FM_RECORDED_LOCK
                                            : 0;
    default:
        return 0;
    }
}

/* @return whether a function without its prefix initializes a persistent collective: its starts
 * have the records */
static bool is_persistent_collective(const char *name)
{
    static const char *const collectives[] = {"Allgather", "Allgatherv",     "Allreduce",
                                              "Alltoall",  "Alltoallv",      "Alltoallw",
                                              "Barrier",   "Bcast",          "Exscan",
                                              "Gather",    "Gatherv",        "Neighbor_",
                                              "Reduce",    "Reduce_scatter", "Reduce_scatter_block",
                                              "Scan",      "Scatter",        "Scatterv",
                                              NULL};
    const char *end = strstr(name, "_init");
    if (end == NULL || (strcmp(end, "_init") != 0 && strcmp(end, "_init_c") != 0)) {
        return false;
    }
    for (size_t i = 0; collectives[i] != NULL; i++) {
        const size_t length = strlen(collectives[i]);
        if (strncmp(name, collectives[i], length) == 0 &&
            (name + length == end || collectives[i][length - 1] == '_')) {
            return true;
        }
    }
    return false;
}

/* @return whether a function of MPI reads or writes a file */
static bool accesses_file(const char *name)
{
    const struct fm_function_kind kind = fm_function_kind(FM_PARADIGM_MPI, name);
    return kind.reads_file || kind.writes_file;
}

unsigned fm_records_needed(fm_paradigm_t paradigm, const char *name, fm_call_t call)
{
    if (is_library(paradigm)) {
        return needed_by_library(paradigm, name, call);
    }
    if (paradigm == FM_PARADIGM_OPENMP || paradigm == FM_PARADIGM_PTHREAD) {
        return needed_by_threads(name, call);
    }
    if (fm_paradigm_is_of_accelerators(paradigm)) {
        return call == FM_CALL_USER || call == FM_CALL_STREAM_IDLE ? 0 : FM_RECORDED_GROUP_SYNC;
    }
    if (paradigm != FM_PARADIGM_MPI || is_persistent_collective(without_prefix(name))) {
        return 0;
    }
    switch (call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
    case FM_CALL_ONE_TO_ALL:
    case FM_CALL_ALL_TO_ONE:
    case FM_CALL_SCAN:
    case FM_CALL_NEIGHBORHOOD:
    case FM_CALL_COMMUNICATOR:
    case FM_CALL_FILE:
        return FM_RECORDED_COLLECTIVE;
    case FM_CALL_DETACHED_COMMUNICATOR:
        return is_one_of(connecting_functions, without_prefix(name)) ? FM_RECORDED_COLLECTIVE : 0;
    case FM_CALL_FILE_ACCESS:
        return FM_RECORDED_COLLECTIVE | (accesses_file(name) ? FM_RECORDED_ACCESS : 0);
    case FM_CALL_WINDOW_CREATE:
    case FM_CALL_WINDOW_FREE:
    case FM_CALL_FENCE:
        return FM_RECORDED_WINDOW_COLLECTIVE;
    case FM_CALL_START:
    case FM_CALL_COMPLETE:
    case FM_CALL_POST:
    case FM_CALL_WAIT:
        return FM_RECORDED_GROUP_SYNC;
    case FM_CALL_LOCK:
        return FM_RECORDED_LOCK;
    case FM_CALL_UNLOCK:
        return RELEASES;
    case FM_CALL_FLUSH:
    case FM_CALL_FLUSH_ALL:
    case FM_CALL_FLUSH_LOCAL:
    case FM_CALL_FLUSH_LOCAL_ALL:
        return FM_RECORDED_COMPLETION;
    default:
        break;
    }
    if (accesses_file(name)) {
        return FM_RECORDED_ACCESS;
    }
    name = without_prefix(name);
    return is_start(name)                       ? FM_RECORDED_MESSAGE | FM_RECORDED_COLLECTIVE
           : is_one_of(message_functions, name) ? FM_RECORDED_MESSAGE
           : is_one_of(operations, name)        ? FM_RECORDED_OPERATION
                                                : 0;
}

/* @param starts  kinds of records that the starts of persistent operations have */
static enum reason reason_of_mpi(const struct fm_called_function *function, unsigned starts)
{
    const char *name = without_prefix(function->name);
    if (begins(name, "Psend_init") || begins(name, "Precv_init") || begins(name, "Pready") ||
        begins(name, "Parrived")) {
        return (starts & FM_RECORDED_MESSAGE) != 0 ? NOT_SILENT : PARTITIONED;
    }
    if (begins(name, "Isendrecv")) {
        return (function->records & FM_RECORDED_MESSAGE) != 0 ? NOT_SILENT : SENDRECV_REQUEST;
    }
    if (is_one_of(connecting_functions, name)) {
        return (function->records & FM_RECORDED_COLLECTIVE) != 0 ? NOT_SILENT : SPAWN;
    }
    return is_persistent_collective(name) && (starts & FM_RECORDED_COLLECTIVE) == 0
               ? PERSISTENT_COLLECTIVE
               : NOT_SILENT;
}

/* @param recorded  kinds of records that the archive has of this programming model */
static enum reason reason_of_library(const struct fm_called_function *function, unsigned recorded)
{
    switch (fm_records_needed(function->paradigm, function->name, function->call)) {
    case COLLECTIVES:
        return (function->records & COLLECTIVES) != 0 ? NOT_SILENT : NO_COLLECTIVES;
    case FM_RECORDED_LOCK:
        return (recorded & FM_RECORDED_LOCK) != 0 ? NOT_SILENT : NO_LIBRARY_LOCKS;
    case FM_RECORDED_RELEASE:
        return (recorded & FM_RECORDED_RELEASE) != 0 ? NOT_SILENT : NO_LIBRARY_RELEASES;
    case FM_RECORDED_COMPLETION: /* without operations there is nothing to complete */
        return (recorded & FM_RECORDED_OPERATION) == 0 || (recorded & FM_RECORDED_COMPLETION) != 0
                   ? NOT_SILENT
                   : NO_LIBRARY_COMPLETIONS;
    case FM_RECORDED_GROUP_SYNC:
        return (function->records & FM_RECORDED_GROUP_SYNC) != 0 ? NOT_SILENT : NO_IMAGES;
    case OPERATIONS:
    case FM_RECORDED_OPERATION:
        return (recorded & FM_RECORDED_OPERATION) != 0 ? NOT_SILENT : NO_OPERATIONS;
    default:
        return NOT_SILENT;
    }
}

/* Locks, unlocks and flushes of windows. An archive with completions of operations but with neither
 * requests nor releases of locks lacks nothing: all its locks were NOCHECK.
 * @param recorded  kinds of records that the archive has of MPI */
static enum reason reason_of_passive_target(fm_call_t call, unsigned recorded)
{
    const bool has_locks = (recorded & FM_RECORDED_LOCK) != 0;
    const bool has_releases = (recorded & FM_RECORDED_RELEASE) != 0;
    const bool has_completions = (recorded & FM_RECORDED_COMPLETION) != 0;
    const bool is_unchecked = !has_locks && !has_releases && has_completions;
    switch (call) {
    case FM_CALL_LOCK:
        return has_locks || is_unchecked ? NOT_SILENT : NO_LOCKS;
    case FM_CALL_UNLOCK:
        return has_releases || is_unchecked ? NOT_SILENT : NO_RELEASES;
    default: /* without operations there is nothing to complete */
        return has_completions || (recorded & FM_RECORDED_OPERATION) == 0 ? NOT_SILENT
                                                                          : NO_COMPLETIONS;
    }
}

/* @param recorded  kinds of records that the archive has of this model of threads */
static enum reason reason_of_threads(const struct fm_called_function *function, unsigned recorded)
{
    switch (fm_records_needed(function->paradigm, function->name, function->call)) {
    case FM_RECORDED_LOCK:
        return (recorded & FM_RECORDED_LOCK) != 0 ? NOT_SILENT : NO_THREAD_LOCKS;
    case FM_RECORDED_GROUP_SYNC:
        return (function->records & FM_RECORDED_GROUP_SYNC) != 0 ? NOT_SILENT : NO_OBJECTS;
    case FM_RECORDED_COMPLETION:
        return (function->records & FM_RECORDED_COMPLETION) != 0 ? NOT_SILENT : NO_TASKS;
    case FM_RECORDED_COLLECTIVE:
        return (function->records & FM_RECORDED_COLLECTIVE) != 0 ? NOT_SILENT
               : function->call == FM_CALL_TEAM_BARRIER          ? NO_TEAMS
                                                                 : NO_JOINS;
    default:
        return NOT_SILENT;
    }
}

/* @param recorded  as above */
static enum reason reason_of_accelerators(const struct fm_called_function *function,
                                          unsigned recorded)
{
    switch (function->call) {
    case FM_CALL_STREAM_WAIT:
    case FM_CALL_STREAM_COPY:
        return (recorded & FM_RECORDED_GROUP_SYNC) == 0 ? NO_LAUNCHES : NOT_SILENT;
    case FM_CALL_STREAM_EVENT_WAIT:
        return (recorded & FM_RECORDED_GROUP_SYNC) == 0            ? NO_LAUNCHES
               : (function->records & FM_RECORDED_GROUP_SYNC) == 0 ? NO_STREAM_EVENTS
                                                                   : NOT_SILENT;
    default:
        return NOT_SILENT;
    }
}

/* @param recorded  kinds of records that the archive has of this programming model
 * @param starts    ... that the starts of MPI's persistent operations have */
static enum reason reason_of(const struct fm_called_function *function, unsigned recorded,
                             unsigned starts)
{
    switch (function->paradigm) {
    case FM_PARADIGM_SHMEM:
    case FM_PARADIGM_ARMCI:
    case FM_PARADIGM_CAF:
        return reason_of_library(function, recorded);
    case FM_PARADIGM_OPENMP:
    case FM_PARADIGM_PTHREAD:
        return reason_of_threads(function, recorded);
    case FM_PARADIGM_CUDA:
    case FM_PARADIGM_HIP:
    case FM_PARADIGM_OPENCL:
    case FM_PARADIGM_OPENACC:
        return reason_of_accelerators(function, recorded);
    case FM_PARADIGM_MPI:
        break;
    default:
        return NOT_SILENT;
    }
    if (accesses_file(function->name)) {
        return function->call == FM_CALL_FILE_ACCESS &&
                       (function->records & FM_RECORDED_COLLECTIVE) == 0
                   ? NO_ACCESS_COLLECTIVES
               : (function->records & FM_RECORDED_ACCESS) == 0 ? NO_FILE_BYTES
                                                               : NOT_SILENT;
    }
    const enum reason without_rule = reason_of_mpi(function, starts);
    if (without_rule != NOT_SILENT || is_start(without_prefix(function->name))) {
        return without_rule;
    }
    if (function->call >= FM_CALL_LOCK && function->call <= FM_CALL_FLUSH_LOCAL_ALL) {
        return reason_of_passive_target(function->call, recorded);
    }
    const unsigned needed = fm_records_needed(function->paradigm, function->name, function->call);
    for (enum reason reason = NOT_SILENT; needed != 0 && reason < REASONS; reason++) {
        if (reasons[reason].records == needed) {
            const unsigned has = reasons[reason].in_each ? function->records : recorded;
            return (has & needed) != 0                     ? NOT_SILENT
                   : function->call == FM_CALL_FILE        ? NO_FILE_COLLECTIVES
                   : function->call == FM_CALL_FILE_ACCESS ? NO_ACCESS_COLLECTIVES
                                                           : reason;
        }
    }
    return NOT_SILENT;
}

struct names {
    char text[512];
    size_t length;
    unsigned listed, more;
};

static void add_name(struct names *names, const char *name)
{
    const size_t left = sizeof names->text - names->length;
    if (names->listed >= MOST_NAMES || strlen(name) + 3 > left) {
        names->more++;
        return;
    }
    names->length += (size_t)snprintf(names->text + names->length, left, "%s%s",
                                      names->listed == 0 ? "" : ", ", name);
    names->listed++;
}

static bool is_repeated(const struct fm_called_function *functions, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (functions[i].calls != 0 && functions[i].paradigm == functions[index].paradigm &&
            strcmp(functions[i].name, functions[index].name) == 0) {
            return true;
        }
    }
    return false;
}

void fm_silent_calls_note_threads(struct fm_called_function *functions, size_t count, bool teams,
                                  bool tasks)
{
    for (size_t i = 0; i < count; i++) {
        if (teams && functions[i].call == FM_CALL_TEAM_BARRIER) {
            functions[i].records |= FM_RECORDED_COLLECTIVE;
        } else if (tasks && functions[i].call == FM_CALL_TASK_WAIT) {
            functions[i].records |= FM_RECORDED_COMPLETION;
        }
    }
}

/* @return the end of the sentence about a gap */
static const char *advice_of(enum reason reason, bool is_own)
{
    const char *advice = reasons[reason].advice;
    return advice == NULL    ? ""
           : !is_own         ? advice
           : reason == SPAWN ? own_advice_on_spawning
                             : own_advice;
}

void fm_silent_calls_report(const struct fm_called_function *functions, size_t count, bool is_own,
                            fm_silence_handler_t *handler, void *context)
{
    unsigned recorded[UINT8_MAX + 1] = {0}; /* by paradigm */
    unsigned starts = 0;
    bool has_started = false;
    for (size_t i = 0; i < count; i++) {
        recorded[functions[i].paradigm] |= functions[i].records;
        if (functions[i].paradigm == FM_PARADIGM_MPI && functions[i].calls != 0 &&
            is_start(without_prefix(functions[i].name))) {
            starts |= functions[i].records;
            has_started = true;
        }
    }
    starts = has_started ? starts : UINT_MAX; /* operations that never start lack no record */
    for (enum reason reason = NOT_SILENT + 1; reason < REASONS; reason++) {
        struct names names = {.length = 0};
        uint64_t calls = 0;
        for (size_t i = 0; i < count; i++) {
            if (functions[i].calls != 0 &&
                reason_of(&functions[i], recorded[functions[i].paradigm], starts) == reason) {
                calls += functions[i].calls;
                if (!is_repeated(functions, i)) {
                    add_name(&names, functions[i].name);
                }
            }
        }
        if (calls == 0) {
            continue;
        }
        char sentence[1024], more[48] = "";
        if (names.more != 0) {
            snprintf(more, sizeof more, " and %u more", names.more);
        }
        snprintf(sentence, sizeof sentence, "%s%s (%" PRIu64 " %s): %s%s", names.text, more, calls,
                 calls == 1 ? "call" : "calls", reasons[reason].sentence,
                 advice_of(reason, is_own));
        handler(context, sentence);
    }
}
