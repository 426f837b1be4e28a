/** @file
 * The efficiencies of the POP methodology that need no simulation.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_H

#include "diagnosis/diagnosis.h"

#include <stdbool.h>

/** Each is from 0 to 1; parallel = load_balance * communication. NAN: nothing was computed. */
struct fm_efficiency {
    double parallel;      /**< mean computation / duration */
    double load_balance;  /**< mean / longest computation */
    double communication; /**< longest computation / duration */
};

/** @return the efficiencies of an iteration, or of several. */
struct fm_efficiency fm_efficiency_of_iteration(const struct fm_cube_iteration *iteration);

/** Computes the efficiencies of the whole run, and of each call path with all that it calls. The
 * run lasts from the first event to the last, a call path as long as on the location where it takes
 * longest; the mean is over all locations.
 * @param callpaths  out: for each call path; may be NULL
 * @return those of the run */
struct fm_efficiency fm_efficiency_of_cube(const struct fm_cube *cube,
                                           struct fm_efficiency *callpaths);

/** Computes the efficiencies of what a diagnosis is about: the run, or the subtree that its cube is
 * restricted to, which lasts as long as on its slowest location.
 * @param efficiency  out: set only if there are efficiencies
 * @return whether there are: something was computed, on two locations at least */
bool fm_diagnosis_efficiency(const struct fm_diagnosis *diagnosis,
                             struct fm_efficiency *efficiency);

/** @return "good" (from 0.9), "acceptable" (from 0.8) or "poor". */
const char *fm_efficiency_verdict(double efficiency);

/** @return whether the verdict is not "poor"; false for NAN. */
bool fm_efficiency_is_acceptable(double efficiency);

#endif
