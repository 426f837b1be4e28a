/** @file
 * How an archive states for how long threads had no processor: as values of the counters below, in
 * nanoseconds, at the end of a stretch of computation between two recorded calls. Values at equal
 * times belong to one stretch, which ends there and is as long as FM_MEASURED_TIME states. A
 * stretch without these values was not measured.
 */
#ifndef FERMATA_BASE_PROCESSOR_TIME_H
#define FERMATA_BASE_PROCESSOR_TIME_H

/** X(symbol, name of the counter): FM_MEASURED_TIME and FM_STOLEN_TIME for each measured stretch,
 * the other two in addition if the kernel's statistics were read. */
#define FM_PROCESSOR_TIMES(X)                                                                      \
    X(MEASURED_TIME, "measured computation") /* length of the stretch */                           \
    X(STOLEN_TIME, "time without processor") /* length minus CPU time, minus blocking calls */     \
    X(DELAY_MEASURED_TIME, "computation with known run delay") /* length of the stretch */         \
    X(RUN_DELAY, "run delay") /* runnable without a processor, schedstat */

typedef enum {
#define FM_PROCESSOR_TIME(symbol, name) FM_##symbol,
    FM_PROCESSOR_TIMES(FM_PROCESSOR_TIME)
#undef FM_PROCESSOR_TIME
        FM_PROCESSOR_TIME_COUNT
} fm_processor_time_t;

#endif
