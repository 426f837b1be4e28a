/* Delays: sleeping and computing. */
#ifndef WORKLOADS_DURATION_H
#define WORKLOADS_DURATION_H

/* Sleeps for a time. */
void sleep_for(double seconds);

/* Computes for a time. */
void work_for(double seconds);

#endif
