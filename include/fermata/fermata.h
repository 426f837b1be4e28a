/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fermata.h - marks up a program for fermata, in C and C++.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE).
 *
 * ==== Introduction ====
 *
 * fermata records MPI calls of any program. With this interface a program also reports which part
 * of its own code is active, the current iteration, and which parts of the run matter. Reports then
 * name those parts instead of "the program":
 *
 *     #include <fermata/fermata.h>
 *
 *     void matvec(...)
 *     {
 *         FERMATA_SCOPE("matvec");               // until the function returns, at any place
 *         ...
 *     }
 *
 *     for (int i = 0; i < iterations; i++) {
 *         FERMATA_ITERATION("time step");        // ends the last iteration, begins the next
 *         ...
 *     }
 *     FERMATA_ITERATIONS_END("time step");
 *
 * Compile and link with the output of `pkg-config --cflags --libs fermata`: a header and a small
 * static library, libfermata-user. The program then runs with and without fermata:
 *
 *   - started without the recorder, every function returns immediately, in about two nanoseconds;
 *   - started by `fermata record` or `fermata run`, the same program is recorded;
 *   - compiled with -DFERMATA_DISABLE, all calls are removed, and no library is needed.
 *
 * ==== Rules for all functions ====
 *
 *   - They never fail, never print, never block, and do not change errno.
 *   - They may be called from any thread at any time: before MPI_Init, after MPI_Finalize (later
 *     events are not recorded), in programs that never call MPI (nothing is recorded). They must
 * not be called from signal handlers.
 *   - Inside MPI calls (reduction operators, error handlers, attribute callbacks) they do nothing.
 *   - Names are copied; NULL means "". A name is any text; avoid "/", because it separates
 *     the names of a call path in reports.
 *   - Records belong to the calling thread, unless stated otherwise.
 *
 * Every tool that reads OTF2 archives can read the records; they are named below.
 */
#ifndef FERMATA_H
#define FERMATA_H

#include "counter.h" /* FERMATA_COUNTER_INT and others */

#include <stdint.h>

/** Version of this interface. Programs that were built with an older version keep working. */
#define FERMATA_INTERFACE_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* ==== Regions ====
 *
 * A region is a part of the program: a function, a loop, a few lines. It has a name and its
 * place in the source. While a region is open in a thread, all events of the thread
 * belong to it: it is a node of the call tree, like a function (OTF2: Enter and Leave of a Region
 * with paradigm "user" and role "code", file and line).
 *
 * Regions nest, also recursively. The innermost region is ended first. If an end is missing,
 * ending an outer region also ends the inner region at that moment; regions that are still open at
 * the end of the run end there. An end without a begin in the same thread is ignored.
 */

/** Kind of a region. */
enum {
    FERMATA_CODE = 0, /**< a part of the program */
    FERMATA_PHASE = 1 /**< its visits are numbered: see "Phases and iterations" below */
};

/** A region, defined once and used at every visit. Its memory must remain valid as long as the
 * program may use it: make it static. The macros below do all that. */
typedef struct fermata_region {
    const char *name;
    const char *file;  /**< NULL: unknown */
    unsigned int line; /**< 0: unknown */
    unsigned int kind; /**< FERMATA_CODE or FERMATA_PHASE */
    void *recorder;    /**< NULL initially; then set by the recorder */
} fermata_region_t;

/** Initial value of a fermata_region_t: a region of this name at this line of the source. */
#define FERMATA_REGION_HERE(name, kind)                                                            \
    {                                                                                              \
        (name), __FILE__, __LINE__, (kind), 0                                                      \
    }

/** FERMATA_SCOPE(name): the region from here to the end of the enclosing block, however the block
 * is left (return, break, goto, exceptions of C++; not longjmp or exit). C needs GCC's or Clang's
 * attribute `cleanup`; with other compilers use FERMATA_BEGIN and FERMATA_END. */
#define FERMATA_SCOPE(name) FERMATA_SCOPE_AT_(name, FERMATA_CODE, __LINE__)

/** FERMATA_BEGIN(name), FERMATA_END(name): the region between them. The two may be in different
 * functions; the name determines which region ends. */
#define FERMATA_BEGIN(name)                                                                        \
    do {                                                                                           \
        static fermata_region_t fermata_region_ = FERMATA_REGION_HERE(name, FERMATA_CODE);         \
        fermata_region_begin(&fermata_region_);                                                    \
    } while (0)
#define FERMATA_END(name) fermata_region_end_named(name)

/* The same as functions, for names that are only known at run time, and for other languages. */

/** Enters a region. */
void fermata_region_begin(fermata_region_t *region);

/** Leaves a region, and all regions inside it that are still open. Ignored if the region is not
 * open. */
void fermata_region_end(const fermata_region_t *region);

/** Leaves the innermost open region of this name. */
void fermata_region_end_named(const char *name);

/* ==== Phases and iterations ====
 *
 * A phase is a region whose visits are numbered: reports and tables of phases show each visit
 * (the k-th visit of every process together) separately. Use it for loops whose iterations have the
 * same source but different times: time steps, solver iterations, adaptation steps.
 * (OTF2: the Region has the flag "phase".) All processes should visit a phase equally often.
 */

/** As FERMATA_SCOPE, FERMATA_BEGIN and FERMATA_END, for a phase. In the body of a loop,
 * FERMATA_PHASE_SCOPE marks its iterations. */
#define FERMATA_PHASE_SCOPE(name) FERMATA_SCOPE_AT_(name, FERMATA_PHASE, __LINE__)
#define FERMATA_PHASE_BEGIN(name)                                                                  \
    do {                                                                                           \
        static fermata_region_t fermata_region_ = FERMATA_REGION_HERE(name, FERMATA_PHASE);        \
        fermata_region_begin(&fermata_region_);                                                    \
    } while (0)
#define FERMATA_PHASE_END(name) fermata_region_end_named(name)

/** FERMATA_ITERATION(name): at the top of a loop's body: ends the previous iteration, if there is
 * one, and begins the next, so that `continue` and `break` need no special treatment.
 * FERMATA_ITERATIONS_END(name) after the loop ends the last one; after a loop without iterations it
 * does nothing. */
#define FERMATA_ITERATION(name)                                                                    \
    do {                                                                                           \
        static fermata_region_t fermata_region_ = FERMATA_REGION_HERE(name, FERMATA_PHASE);        \
        fermata_region_next(&fermata_region_);                                                     \
    } while (0)
#define FERMATA_ITERATIONS_END(name) fermata_region_end_named(name)

/** Leaves the innermost open visit of the region, if there is one, and enters it again. */
void fermata_region_next(fermata_region_t *region);

/* ==== Pausing ====
 *
 * Long runs are best recorded in part: a few iterations are as informative as a million. While
 * recording is paused, calls and regions of all threads of the process are left out of the trace,
 * which does not grow; calls cost about as much as before. The trace contains the begin and the end
 * of each pause, and the number of messages and collective operations left out, so that the
 * analysis still matches messages and operations correctly. The time of a pause belongs to no call
 * path (OTF2: MeasurementOnOff events).
 *
 * Each process pauses on its own. Waits that involve a paused process cannot
 * be explained, so all processes should pause at the same point of the program, if possible where
 * no request is open. Phases should lie entirely inside or outside of pauses.
 *
 *     fermata_pause();
 *     MPI_Init(&argc, &argv);
 *     for (int i = 0; i < iterations; i++) {
 *         if (i == 1000)
 *             fermata_resume();
 *         if (i == 1010)
 *             fermata_pause();
 *         FERMATA_ITERATION("time step");
 *         ...
 */

/** Pauses recording in this process, or resumes it. A call that another thread is executing is
 * still recorded. MPI_Init and MPI_Finalize are always recorded: a pause that is requested before
 * MPI_Init begins after it; at MPI_Finalize a pause ends. Repeated calls have no effect. */
void fermata_pause(void);
void fermata_resume(void);

/** Whether records are kept now: 0 without the recorder, during a pause, and after MPI_Finalize.
 * Avoids computing values that would not be recorded. */
int fermata_is_recording(void);

/** Makes the flight recorder (`fermata record --flight-recorder SIZE`), which keeps only the last
 * records of this process, write its current records. Call it where the program detects an error or
 * a step that took too long. It may be called several times, in any thread. Without the recorder,
 * or if the recorder records the whole run, nothing happens. Each process writes its own records
 * only: all processes should call it.
 */
void fermata_flight_dump(void);

/* ==== Parameters ====
 *
 * A parameter is a value that distinguishes visits of a region: the size of a block, the level of a
 * grid, the name of an input. It belongs to the innermost open region, from this moment until the
 * region ends or the parameter gets another value in it. Reports show each value as a node
 * NAME=VALUE below the region, and what happens meanwhile below that node; `fermata report --by
 * parameter:NAME` adds up all nodes of a value. Values of several parameters nest in the order in
 * which they are set. Outside of regions, a value has no effect. (OTF2: ParameterInt,
 * ParameterUnsignedInt and ParameterString events.)
 *
 * Use it for few different values: reports show at most 256 values of a parameter separately, and
 * all others together.
 *
 *     void smooth(const struct grid *grid)
 *     {
 *         FERMATA_SCOPE("smooth");
 *         FERMATA_PARAMETER_INT("level", grid->level);
 *         ...
 */

/** A parameter, defined once. Its memory must remain valid as long as the program may use it. */
typedef struct fermata_parameter {
    const char *name;
    void *recorder; /**< NULL initially; then set by the recorder */
} fermata_parameter_t;

/** Initial value of a fermata_parameter_t. */
#define FERMATA_PARAMETER_HERE(name)                                                               \
    {                                                                                              \
        (name), 0                                                                                  \
    }

/** Records the parameter's value. A parameter has either numbers or texts; values of another type
 * than the first one are ignored. */
void fermata_parameter_int(fermata_parameter_t *parameter, int64_t value);
void fermata_parameter_uint(fermata_parameter_t *parameter, uint64_t value);
void fermata_parameter_string(fermata_parameter_t *parameter, const char *value);

/** The same as a one-line macro: signed and unsigned integers of up to 64 bits, and texts. */
#define FERMATA_PARAMETER_INT(name, value)                                                         \
    do {                                                                                           \
        static fermata_parameter_t fermata_parameter_ = FERMATA_PARAMETER_HERE(name);              \
        fermata_parameter_int(&fermata_parameter_, (value));                                       \
    } while (0)
#define FERMATA_PARAMETER_UINT(name, value)                                                        \
    do {                                                                                           \
        static fermata_parameter_t fermata_parameter_ = FERMATA_PARAMETER_HERE(name);              \
        fermata_parameter_uint(&fermata_parameter_, (value));                                      \
    } while (0)
#define FERMATA_PARAMETER_STRING(name, value)                                                      \
    do {                                                                                           \
        static fermata_parameter_t fermata_parameter_ = FERMATA_PARAMETER_HERE(name);              \
        fermata_parameter_string(&fermata_parameter_, (value));                                    \
    } while (0)

/* ==== Markers ==== */

/** Records that something happened at this moment: "checkpoint written", "mesh refined". (OTF2: a
 * Marker of the group "fermata" at this location, in the archive's file of markers.) */
void fermata_marker(const char *text);

/* ==== Without fermata ==== */

#ifdef FERMATA_DISABLE
#define fermata_region_begin(region)               ((void)(region))
#define fermata_region_end(region)                 ((void)(region))
#define fermata_region_end_named(name)             ((void)(name))
#define fermata_region_next(region)                ((void)(region))
#define fermata_parameter_int(parameter, value)    ((void)(parameter), (void)(value))
#define fermata_parameter_uint(parameter, value)   ((void)(parameter), (void)(value))
#define fermata_parameter_string(parameter, value) ((void)(parameter), (void)(value))
#define fermata_pause()                            ((void)0)
#define fermata_resume()                           ((void)0)
#define fermata_is_recording()                     0
#define fermata_flight_dump()                      ((void)0)
#define fermata_marker(text)                       ((void)(text))
#endif

/* ==== Definitions for the macros above ==== */

#define FERMATA_JOIN_(a, b)  FERMATA_PASTE_(a, b)
#define FERMATA_PASTE_(a, b) a##b

#ifdef __cplusplus
} /* extern "C" */

namespace fermata
{

/** The region is open for the lifetime of the object. */
class scope
{
  public:
    explicit scope(fermata_region_t &region) : region_(region)
    {
        fermata_region_begin(&region_);
    }
    ~scope()
    {
        fermata_region_end(&region_);
    }

  private:
    scope(const scope &);
    scope &operator=(const scope &);
    fermata_region_t &region_;
};

} // namespace fermata

#define FERMATA_SCOPE_AT_(name, kind, line)                                                        \
    static fermata_region_t FERMATA_JOIN_(fermata_region_, line) =                                 \
        FERMATA_REGION_HERE(name, kind);                                                           \
    const ::fermata::scope FERMATA_JOIN_(fermata_scope_, line)(FERMATA_JOIN_(fermata_region_, line))

#else

static inline fermata_region_t *fermata_scope_begin_(fermata_region_t *region)
{
    fermata_region_begin(region);
    return region;
}

static inline void fermata_scope_end_(fermata_region_t **region)
{
    fermata_region_end(*region);
}

#define FERMATA_SCOPE_AT_(name, kind, line)                                                        \
    static fermata_region_t FERMATA_JOIN_(fermata_region_, line) =                                 \
        FERMATA_REGION_HERE(name, kind);                                                           \
    fermata_region_t *FERMATA_JOIN_(fermata_scope_, line)                                          \
        __attribute__((cleanup(fermata_scope_end_), unused)) =                                     \
            fermata_scope_begin_(&FERMATA_JOIN_(fermata_region_, line))

#endif

#endif
