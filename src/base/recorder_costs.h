/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What recording spends time on: how environment.json calls it ("recorder", "costs"), and what
 * reports advise where a run takes notably longer because of it.
 */
#ifndef FERMATA_BASE_RECORDER_COSTS_H
#define FERMATA_BASE_RECORDER_COSTS_H

#define FM_RECORD_A_PART "Record a part of the run: --window, --phase, --ranks."

/** Events of a kind: X(symbol, name, noun, advice). */
#define FM_RECORDED_EVENTS(X)                                                                      \
    X(CALLS, "calls", "calls of libraries",                                                        \
      "--callpath flat leaves call stacks out. " FM_RECORD_A_PART)                                 \
    X(CONSTRUCTS, "constructs", "constructs of OpenMP", FM_RECORD_A_PART)                          \
    X(TASKS, "tasks", "tasks of OpenMP", FM_RECORD_A_PART)                                         \
    X(LOCKS, "locks", "locks of OpenMP", FM_RECORD_A_PART)                                         \
    X(MUTEXES, "mutexes", "locks of POSIX threads", "--threads off leaves them out.")              \
    X(FUNCTIONS, "functions", "instrumented functions",                                            \
      "--filter leaves functions out, --min-duration short visits.")                               \
    X(MARKS, "marks", "marks of the program", "Leave out marks of code that is executed often.")

/** All costs: X(symbol, name, noun, advice). */
#define FM_RECORDER_COSTS(X)                                                                       \
    FM_RECORDED_EVENTS(X)                                                                          \
    X(BUFFERS, "buffers", "writing full buffers",                                                  \
      "A larger --memory needs fewer. " FM_RECORD_A_PART)                                          \
    X(SAMPLES, "samples", "samples", "--sample off leaves them out, --sample 50Hz most of them.")  \
    X(ENDS, "begin and end", "the begin and the end of recording",                                 \
      "They weigh less in a longer run.")

typedef enum {
#define FM_RECORDER_COST(symbol, name, noun, advice) FM_COST_##symbol,
    FM_RECORDER_COSTS(FM_RECORDER_COST)
#undef FM_RECORDER_COST
        FM_RECORDER_COST_COUNT
} fm_recorder_cost_t;

#endif
