/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fermata/counter.h - counters of a program for fermata; included by fermata.h, and usable alone.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE).
 *
 * A counter is a number that the program has and the recorder cannot see: cells processed, the
 * length of a queue, a residual. Each call records its value at that moment in the calling thread
 * (OTF2: a MetricMember of type "user", a MetricClass of this one member, Metric events).
 *
 *     FERMATA_COUNTER_DOUBLE("residual", "", FERMATA_LEVEL, residual);
 *     FERMATA_COUNTER_INT("cells", "cells", FERMATA_TOTAL, cells_so_far);
 *
 * The rules at the beginning of fermata.h apply.
 */
#ifndef FERMATA_COUNTER_H
#define FERMATA_COUNTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Meaning of a counter's values. */
enum {
    FERMATA_LEVEL = 0, /**< the current value; it may rise and fall */
    FERMATA_TOTAL = 1  /**< the total since the start of the program */
};

/** A counter, defined once. Its memory must remain valid as long as the program may use it. */
typedef struct fermata_counter {
    const char *name;
    const char *unit;  /**< e.g. "bytes"; "" or NULL: none */
    unsigned int kind; /**< FERMATA_LEVEL or FERMATA_TOTAL */
    void *recorder;    /**< NULL initially; then set by the recorder */
} fermata_counter_t;

/** Initial value of a fermata_counter_t. */
#define FERMATA_COUNTER_HERE(name, unit, kind)                                                     \
    {                                                                                              \
        (name), (unit), (kind), 0                                                                  \
    }

/** Records the counter's value. The function that is called first decides whether a counter has
 * integer or floating-point values; the other function converts. */
void fermata_counter_int(fermata_counter_t *counter, int64_t value);
void fermata_counter_double(fermata_counter_t *counter, double value);

/** The same as a one-line macro. */
#define FERMATA_COUNTER_INT(name, unit, kind, value)                                               \
    do {                                                                                           \
        static fermata_counter_t fermata_counter_ = FERMATA_COUNTER_HERE(name, unit, kind);        \
        fermata_counter_int(&fermata_counter_, (value));                                           \
    } while (0)
#define FERMATA_COUNTER_DOUBLE(name, unit, kind, value)                                            \
    do {                                                                                           \
        static fermata_counter_t fermata_counter_ = FERMATA_COUNTER_HERE(name, unit, kind);        \
        fermata_counter_double(&fermata_counter_, (value));                                        \
    } while (0)

#ifdef FERMATA_DISABLE
#define fermata_counter_int(counter, value)    ((void)(counter), (void)(value))
#define fermata_counter_double(counter, value) ((void)(counter), (void)(value))
#endif

#ifdef __cplusplus
}
#endif

#endif
