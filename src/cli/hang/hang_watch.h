/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Who waits for whom, as text below the rows of `fermata top` while no call of the program ends.
 */
#ifndef FERMATA_CLI_HANG_HANG_WATCH_H
#define FERMATA_CLI_HANG_HANG_WATCH_H

#include <stdbool.h>
#include <stddef.h>

/** State of the text; initialize `place` only. */
struct fm_hang_watch {
    const char *place; /**< experiment */
    char *text;        /**< who waits for whom; NULL: not known, or calls end */
    double without;    /**< seconds without the end of a call */
    double looked;    /**< the same at the last analysis; 0: none was made since a call has ended */
    bool is_recorded; /**< the processes run on this host and record their calls */
};

/** Updates the text: removes it once calls end; analyses the experiment once no call has ended for
 * ten periods, and again whenever that time has doubled, as calls that were too short to count may
 * count then. Analyses what the processes have recorded so far in a process of its own
 * (live_hang.h), which takes time in proportion to it. Ends this process if SIGINT or SIGTERM came
 * meanwhile. Not thread-safe.
 * @param without  seconds without the end of a call; negative: no process runs */
void fm_hang_watch_update(struct fm_hang_watch *watch, double without, double period);

/** Ends this process by SIGINT or SIGTERM if one was caught during an analysis. */
void fm_hang_watch_follow_interrupt(void);

/** Clears the terminal, if stdout is one. */
void fm_hang_watch_clear(void);

/** @return the rows for ranks that fit on the terminal between `heading` lines and the text; many
 *          if stdout is no terminal */
size_t fm_hang_watch_rows(const struct fm_hang_watch *watch, size_t heading);

/** Prints the text to stdout.
 * @param above  lines above it, of which a terminal has the fewer for the text */
void fm_hang_watch_print(const struct fm_hang_watch *watch, size_t above);

/** Frees the text. */
void fm_hang_watch_end(struct fm_hang_watch *watch);

#endif
