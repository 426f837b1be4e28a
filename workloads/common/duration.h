/* SPDX-License-Identifier: BSD-3-Clause */
/* Delays: sleeping and computing. Time without calls of MPI. */
#ifndef WORKLOADS_DURATION_H
#define WORKLOADS_DURATION_H

/* @return seconds since some moment in the past. */
double monotonic_seconds(void);

/* Sleeps for a time. */
void sleep_for(double seconds);

/* Computes for a time. */
void work_for(double seconds);

#endif
