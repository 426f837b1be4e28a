/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Attributes for the code that every recorded call executes (the hot path), and for visibility.
 */
#ifndef FERMATA_RECORD_CAPTURE_HOT_H
#define FERMATA_RECORD_CAPTURE_HOT_H

#define FM_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define FM_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/** A function off the hot path: not inlined, placed apart from it. */
#define FM_COLD __attribute__((cold, noinline))

/** A function that reads data of other threads without synchronization: its result may be out of
 * date. ThreadSanitizer does not report it. */
#define FM_UNSYNCHRONIZED __attribute__((no_sanitize("thread")))

/** A function to be specialized for constant arguments: always inlined. */
#define FM_INLINE static inline __attribute__((always_inline))

/** Data private to this library: accessed without the global offset table. */
#define FM_HIDDEN __attribute__((visibility("hidden")))

/** Functions and data of the recorder that the wrapper libraries use; all others are hidden. */
#define FM_API __attribute__((visibility("default")))

#endif
