/** @file
 * By how much waiting times may be wrong, for what is printed of them (docs/clocks.md). Waits are
 * taken to be wrong in the same direction: errors add up.
 */
#ifndef FERMATA_DIAGNOSIS_UNCERTAINTY_H
#define FERMATA_DIAGNOSIS_UNCERTAINTY_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/efficiency/efficiency.h"

/** Size of the buffer of fm_format_uncertain(). */
#define FM_UNCERTAIN_SIZE 64

/** @return the error of a kind of wait state in ticks; 0: not known, or no kind. */
int64_t fm_error_of_kind(const struct fm_diagnosis *diagnosis, fm_metric_t kind);

/** @return the error of a part of all waiting, of any kinds: its share of the error of all. */
int64_t fm_error_of_waiting(const struct fm_diagnosis *diagnosis, int64_t ticks);

/** Writes a percentage with its error, if that is not rounded to 0: "24.5% (+-0.3)".
 * @param error  ticks */
char *fm_format_uncertain(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                          int64_t part, int64_t error, int64_t whole);

/** @return by how much the mean computation, as a share of the run time, may be too large because
 * of what the recorder did: the error of the parallel efficiency; 0: not known. */
double fm_error_of_efficiency(const struct fm_cube *cube, const struct fm_efficiency *run);

/** Writes the parallel efficiency of the run with its error, if that is not rounded to 0. */
char *fm_format_efficiency(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                           const struct fm_efficiency *run);

/** Waits that are shorter than their error. */
struct fm_insignificant_waits {
    uint64_t count, of; /**< number, and that of all waits */
    uint64_t ticks;
};

/** @return those of all kinds; none if errors are not known. */
struct fm_insignificant_waits fm_insignificant_waits(const struct fm_cube *cube);

#endif
