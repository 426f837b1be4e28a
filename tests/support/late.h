/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A planted delay: a function that computes, which a report shall name as the cause of waiting.
 */
#ifndef LATE_H
#define LATE_H

#include <time.h>

/** The including file may define it as a call that is recorded: the function is then in a call path
 * however few samples there are. */
#ifndef LATE_CALL
#define LATE_CALL()
#endif

/** Computes for DELAY milliseconds, a constant of the including file. A function that it called
 * would be named instead of it. */
__attribute__((noinline)) static void be_late(void)
{
    struct timespec now, end;
    LATE_CALL();
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (end.tv_nsec + DELAY * 1000000L) / 1000000000L;
    end.tv_nsec = (end.tv_nsec + DELAY * 1000000L) % 1000000000L;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
    LATE_CALL();
}

#endif
