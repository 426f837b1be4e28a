/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The efficiencies of the POP methodology.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_EFFICIENCY_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_EFFICIENCY_H

#include "diagnosis/diagnosis.h"

#include <stdbool.h>

/** Each value is between 0 and 1; parallel = load_balance * communication, and * offload if that is
 * known. NAN: no computation. Occupied is the time of computation and, where accelerators are used,
 * of the threads' calls that serve them and wait for them: neither is communication. */
struct fm_efficiency {
    double parallel;      /**< mean computation / duration */
    double load_balance;  /**< mean / longest occupied time */
    double communication; /**< longest occupied time / duration; of a run that was predicted on an
                               ideal network: serialization * transfer */
    double serialization; /**< longest occupied time / duration on the ideal network; NAN: not
                               predicted */
    double transfer;      /**< duration on the ideal network / duration; NAN: not predicted */
    double offload;  /**< mean computation / mean occupied time; NAN: no call of accelerators */
    double time;     /**< ticks that the values are about, of all locations together */
    double duration; /**< ticks by which computations are divided */
};

/** @return the efficiencies of an iteration, or of a row of several iterations: of computation
 * only, so that `communication` and `offload` are NAN where the program uses accelerators. */
struct fm_efficiency fm_efficiency_of_iteration(const struct fm_cube *cube,
                                                const struct fm_cube_iteration *iteration);

/** Computes the efficiencies of the whole run, and of each call path including its children. The
 * duration of the run or of a call path is its longest time on any location, without start-up
 * (startup.h). The mean is over all threads; streams of accelerators do not count.
 * Serialization and transfer efficiency are known of the whole run only. All are NAN of a run that
 * ended inside of calls.
 * @param callpaths  out: for each call path; may be NULL
 * @return the efficiencies of the run */
struct fm_efficiency fm_efficiency_of_cube(const struct fm_cube *cube,
                                           struct fm_efficiency *callpaths);

/** Computes the efficiencies of the run, or of the subtree that the cube is restricted to. The
 * duration of a subtree is its longest time on any location.
 * @param efficiency  out: set only if the result is true
 * @return whether the efficiencies are defined: there is computation, and there are two locations
 * at least */
bool fm_diagnosis_efficiency(const struct fm_diagnosis *diagnosis,
                             struct fm_efficiency *efficiency);

/** @return "good" (from 0.9), "acceptable" (from 0.8) or "poor". */
const char *fm_efficiency_verdict(double efficiency);

/** @return whether the verdict is not "poor"; false for NAN. */
bool fm_efficiency_is_acceptable(double efficiency);

#endif
