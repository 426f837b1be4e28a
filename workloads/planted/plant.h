/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with one planted performance problem each, for comparing a report's answer with it. */
#ifndef WORKLOADS_PLANT_H
#define WORKLOADS_PLANT_H

/* What is changed about the problem. */
enum fix {
    FIX_NONE,
    FIX_REMOVED, /* the late ranks compute as long as the others */
    FIX_BALANCED /* the same computation in total, spread evenly over the ranks; of the critical
                    section: over locks of different ranks */
};

struct run {
    int rank, size;
    int iterations;
    double base, excess; /* seconds: computation of each rank; additional on late ranks */
    enum fix fix;
    int message_bytes;
    int receive_first; /* order of the requests of a Waitall */
};

struct plant {
    const char *name;
    const char *summary;
    int least_ranks;
    void (*run)(const struct run *run);
};

extern const struct plant plants[];

/* @return seconds that a rank computes if `late` of the ranks are late and `is_late` says whether
 * this one is. */
double computation(const struct run *run, int is_late, int late);

/* Computes without any call, in a loop that no optimization removes. */
void burn(double seconds);

void hidden_computation(const struct run *run);
void two_causes(const struct run *run);
void ring(const struct run *run);
void critical_section(const struct run *run);
void small_messages(const struct run *run);
void slow_iterations(const struct run *run);
void circular_calls(const struct run *run);

#endif
