/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Values of counters over time: the metrics that an archive has samples of, such as those of
 * fermata/counter.h or of the processor. A location keeps about FM_COUNTER_SAMPLES values of all
 * its counters together; beyond that, neighbouring values are joined into one sample with their
 * mean over time and their extremes.
 */
#ifndef FERMATA_TRACE_TABLES_COUNTERS_H
#define FERMATA_TRACE_TABLES_COUNTERS_H

#include "base/containers/vector.h"
#include "base/kernel_activity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_COUNTER_SAMPLES 4096U

/** Instead of a counter's number: the samples of call stacks (base/stack_samples.h). They are
 * counted by call path, and are no counter of the trace. */
#define FM_COUNTER_OF_SAMPLES (UINT32_MAX - 1)

/** Instead of a counter's number, plus fm_processor_time_t: values of base/processor_time.h. They
 * are added up by call path and are no counters of the trace. */
#define FM_COUNTER_OF_PROCESSOR_TIME (UINT32_MAX - 16)

struct fm_counter {
    char *name;
    char *unit;          /**< "": none */
    bool is_total;       /**< a running sum, whose growth is of interest */
    bool is_since_begin; /**< a total that is 0 at the begin of the measurement */
    bool is_relative;    /**< values in the archive are increments, which are summed to a total */
    bool is_apart;       /**< values are recorded apart from the code that they belong to (OTF2:
                              asynchronous), for example when a buffer is full */
    double scale;        /**< of the values in the archive: base ^ exponent */
    fm_kernel_activity_t activity; /**< of kernels; FM_KERNEL_ACTIVITY_COUNT: none */
};

/** The value of a counter from a time until that of the next sample. */
struct fm_sample {
    uint64_t time;
    double value; /**< of a total: at that time; of a level: its mean over time, each value lasting
                       until the next one */
    double least, greatest; /**< of a level */
};

typedef FM_VECTOR(struct fm_sample) fm_samples;

/** The values of a counter at a location. */
struct fm_counter_series {
    uint32_t counter;
    fm_samples samples; /**< ascending by time */
    double sum;         /**< of relative values so far */
    uint64_t stride;    /**< number of values in a sample */
    uint64_t in_last;   /**< number of values in the last sample; the latest value: */
    uint64_t last_time;
    double last_value;
};

typedef FM_VECTOR(struct fm_counter_series) fm_counter_table;

/** By how much a total has grown in a call path of a location. */
struct fm_counter_growth {
    uint32_t visit; /**< node of the location's profile, which a value found it in; of counters that
                         are recorded apart, its first one */
    uint32_t counter;
    double amount; /**< more than 0 */
};

/** Adds a value, as the archive has it.
 * @param series  of the location
 * @param hint    in, out: where the search for the value's series begins
 * @param number  of the counter */
void fm_counters_add(fm_counter_table *series, size_t *hint, const struct fm_counter *counter,
                     uint32_t number, uint64_t time, double value);

/** Ends the series of a location and sorts them by counter.
 * @param end  of the location, and of the last values */
void fm_counters_finish(fm_counter_table *series, const struct fm_counter *counters, uint64_t end);

void fm_counters_free(fm_counter_table *series);

/** Joins neighbouring samples until at most `most` (>= 2) are left.
 * @param end  end of the last sample */
void fm_samples_thin(fm_samples *samples, bool is_total, uint64_t end, size_t most);

#endif
