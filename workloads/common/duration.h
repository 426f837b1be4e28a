/* Taking time. */
#ifndef WORKLOADS_DURATION_H
#define WORKLOADS_DURATION_H

/* Lets the processor go for a time. */
void sleep_for(double seconds);

/* Computes until a time has passed. */
void work_for(double seconds);

#endif
