/** @file
 * Marks for the path that every recorded call takes.
 */
#ifndef FERMATA_RECORD_CAPTURE_HOT_H
#define FERMATA_RECORD_CAPTURE_HOT_H

#define FM_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define FM_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/** A function that is off that path: never inlined, kept away from it. */
#define FM_COLD __attribute__((cold, noinline))

/** A function whose arguments are worth knowing to the compiler where it is called. */
#define FM_INLINE static inline __attribute__((always_inline))

/** Data of this library alone: its address is known without a look-up. */
#define FM_HIDDEN __attribute__((visibility("hidden")))

/** What libraries of wrappers use of the recorder; all else is hidden from them. */
#define FM_API __attribute__((visibility("default")))

#endif
