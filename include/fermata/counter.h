/*
 * fermata/counter.h - counters of a program for fermata; part of fermata.h, and to be had alone.
 *
 * Part of fermata, under the BSD-3-Clause license (see LICENSE).
 *
 * A counter is a number that the program knows and the recorder cannot see: cells processed, the
 * length of a queue, a residual. Each call records its value at that moment in the calling thread
 * (OTF2: a MetricMember of type "user", a MetricClass of this one member, Metric events).
 *
 *     FERMATA_COUNTER_DOUBLE("residual", "", FERMATA_LEVEL, residual);
 *     FERMATA_COUNTER_INT("cells", "cells", FERMATA_TOTAL, cells_so_far);
 *
 * The rules at the beginning of fermata.h hold.
 */
#ifndef FERMATA_COUNTER_H
#define FERMATA_COUNTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the values of a counter are. */
enum {
    FERMATA_LEVEL = 0, /**< the value at this moment; it may rise and fall */
    FERMATA_TOTAL = 1  /**< the sum of everything since the start of the program */
};

/** A counter, written down once. Its memory must stay as long as the program may use it. */
typedef struct fermata_counter {
    const char *name;
    const char *unit;  /**< e.g. "bytes"; "" or NULL: none */
    unsigned int kind; /**< FERMATA_LEVEL or FERMATA_TOTAL */
    void *recorder;    /**< NULL at first; the recorder's from then on */
} fermata_counter_t;

/** Initial value of a fermata_counter_t. */
#define FERMATA_COUNTER_HERE(name, unit, kind)                                                     \
    {                                                                                              \
        (name), (unit), (kind), 0                                                                  \
    }

/** Records the counter's value. Whether a counter holds integers or floating-point numbers is
 * decided by the function that is called first; the other one converts. */
void fermata_counter_int(fermata_counter_t *counter, int64_t value);
void fermata_counter_double(fermata_counter_t *counter, double value);

/** The same in one line. */
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
