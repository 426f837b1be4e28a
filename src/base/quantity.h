/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Durations and sizes as users write them: the values of options, environment variables and
 * configuration files. Independent of the locale. Thread-safe.
 *
 *   duration: a decimal number, `2`, `0.5`, `.5`, and a unit, s, ms, us or ns; without a unit the
 *             number is seconds
 *   size:     a whole number, and a unit in letters of any case, K, M, G or T, which are powers of
 *             1024; KB and KiB are K, and so for the other units; without a unit, or with B, the
 *             number is bytes
 *
 * Neither has a sign, an exponent or blanks.
 */
#ifndef FERMATA_BASE_QUANTITY_H
#define FERMATA_BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/** Reads the duration at the begin of a text.
 * @param nanoseconds  out: the duration, rounded; unchanged if there is none
 * @return the text behind the duration; NULL: there is none, or it exceeds 292 years */
const char *fm_duration_part(const char *text, uint64_t *nanoseconds);

/** Reads a text that is a duration.
 * @return false: it is none; `*nanoseconds` is unchanged */
bool fm_duration_read(const char *text, uint64_t *nanoseconds);

/** The same; the duration must have a unit. */
bool fm_duration_read_with_unit(const char *text, uint64_t *nanoseconds);

/** Reads the size at the begin of a text.
 * @param bytes  out: the size, INT64_MAX at most; unchanged if there is none
 * @return the text behind the size; NULL: there is none, or it is too large */
const char *fm_size_part(const char *text, uint64_t *bytes);

/** Reads a text that is a size.
 * @return false: it is none; `*bytes` is unchanged */
bool fm_size_read(const char *text, uint64_t *bytes);

#endif
