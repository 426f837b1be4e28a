/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Errors of all layers. A library function that can fail returns an fm_status_t and, if it is not
 * FM_OK, has described the failure in the caller's struct fm_error. Libraries never print and never
 * exit; the command line prints the message once and exits with the status.
 */
#ifndef FERMATA_BASE_ERROR_H
#define FERMATA_BASE_ERROR_H

/** Statuses; the values are the exit codes of the command line. */
typedef enum {
    FM_OK = 0,
    FM_ERR_FAILED = 1, /**< a check or expectation did not hold */
    FM_ERR_USAGE = 2,  /**< the caller's request makes no sense */
    FM_ERR_DATA = 3,   /**< damaged, foreign or inconsistent input */
    FM_ERR_SYSTEM = 4  /**< the system refused: memory, files, processes */
} fm_status_t;

/** Description of a failure: place (file, line, record) and reason, without a trailing newline. */
struct fm_error {
    char message[1024];
};

/** Describes a failure.
 * @param error   where to write the message; may be NULL
 * @param status  what is returned
 * @param format  printf format of the message; "%m" prints errno
 * @return status, so that `return fm_fail(...)` reads well. Thread-safe for distinct `error`. */
fm_status_t fm_fail(struct fm_error *error, fm_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

#endif
