/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A made-up library of three functions: the least that a paradigm consists of.
 */
#ifndef NULLLIB_H
#define NULLLIB_H

/** Begins and ends its use; in between null_work() may be called, by any thread. */
void null_init(void);
void null_finalize(void);

/** Waits. @return that number of microseconds */
int null_work(int microseconds);

#endif
