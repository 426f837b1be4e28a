/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * By how much times may be wrong, for what is printed of them (docs/clocks.md). Waits are taken to
 * be wrong in the same direction: errors add up. An error is shown if it is 0.1 % or more when
 * rounded: of the whole that the number is a part of.
 */
#ifndef FERMATA_DIAGNOSIS_UNCERTAINTY_H
#define FERMATA_DIAGNOSIS_UNCERTAINTY_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/efficiency/efficiency.h"

/** Size of the buffers of what is written with its error. */
#define FM_UNCERTAIN_SIZE 64

/** @return the error of a kind of wait state in ticks; 0: not known, or no kind. */
int64_t fm_error_of_kind(const struct fm_diagnosis *diagnosis, fm_metric_t kind);

/** @return the error of a part of all waiting, of any kinds: its share of the error of all. So it
 * is with what is less waiting, such as a gain. */
int64_t fm_error_of_waiting(const struct fm_cube *cube, int64_t ticks);

/** @return the error of a part of what a problem costs, or of what its end would gain, in ticks: as
 * of waiting, and of what samples tell of its functions, in proportion to its cost. */
int64_t fm_error_of_cause(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                          int64_t ticks);

/** @return the error of a link of a matrix of waiting: its own one; of blame its share of the error
 * of all waiting. */
int64_t fm_error_of_link(const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                         const struct fm_cube_link *link);

/** What the sign of errors stands for, as a part of a sentence. */
#define FM_ERROR_MEANING "bound of the error by clocks and by what recording costs"

/** What it stands for in a run with samples. */
#define FM_SAMPLED_ERROR_MEANING FM_ERROR_MEANING ", with two standard errors of what samples tell"

/** @return the sign before an error: plus-minus, or "+-" where UTF-8 is not shown. */
const char *fm_error_sign(const struct fm_diagnosis *diagnosis);

/** Writes a percentage with its error, if that is not rounded to 0: "24.5% (+-0.3)".
 * @param error  ticks */
char *fm_format_uncertain(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                          int64_t part, int64_t error, int64_t whole);

/** Writes a time with its error, if that is not rounded to 0 % of the whole: "1.200 s (+-3.000
 * ms)". */
char *fm_format_uncertain_time(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                               int64_t ticks, int64_t error, int64_t whole);

/** Writes an error as a percentage, behind `before`: " (+-0.3%"; nothing if it is rounded to 0. */
char *fm_format_error(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                      const char *before, int64_t error, int64_t whole);

/** @return by how much each efficiency of the run may be wrong; 0: not known. With e the recorder's
 * share of all time, a its largest time on one location, d what clocks of different nodes may
 * differ, D the duration, I = transfer * D that on the ideal network:
 *
 *     parallel       e                      the mean computation may be too long by e D
 *     communication  a / D                  the longest computation may be too long by a
 *     load balance   max(e, load balance * a / D) / communication
 *     transfer       (a + d) / D            no transfer is left in I, which clocks could make
 *                                           wrong; only the begins of the locations differ by d
 *     serialization  (a + serialization * d) / I
 */
struct fm_efficiency fm_errors_of_efficiency(const struct fm_cube *cube,
                                             const struct fm_efficiency *run);

/** Writes an efficiency with its error, if that is not rounded to 0: "57.1% (+-0.4)". */
char *fm_format_efficiency(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                           double efficiency, double error);

/** Waits that are shorter than their error. */
struct fm_insignificant_waits {
    uint64_t count, of; /**< number, and that of all waits */
    uint64_t ticks;
};

/** @return those of all kinds; none if errors are not known. */
struct fm_insignificant_waits fm_insignificant_waits(const struct fm_cube *cube);

#endif
