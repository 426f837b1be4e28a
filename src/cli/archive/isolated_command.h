/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Work on archives that may be damaged, in a process of its own: OTF2's reader trusts its input and
 * can crash or loop on it, which must not take the command with it.
 */
#ifndef FERMATA_CLI_ARCHIVE_ISOLATED_COMMAND_H
#define FERMATA_CLI_ARCHIVE_ISOLATED_COMMAND_H

/** Runs `work(argument)` in a child process that shares standard output and error.
 * @param command      its name, and `archive` what it works on, for the message if the child
 * crashes or takes senselessly long
 * @param cpu_seconds  what is senselessly long; 0: nothing
 * @return what `work` returned; if it did not return FM_ERR_DATA, FM_ERR_SYSTEM if it was killed
 * from outside or there was no process; does not return if another signal ended it */
int fm_run_isolated(const char *command, const char *archive, unsigned cpu_seconds,
                    int (*work)(void *argument), void *argument);

/** The same for work that loads code of the user, which may be what crashes. */
int fm_run_isolated_with_objects(const char *command, const char *archive,
                                 int (*work)(void *argument), void *argument);

/** For one pass over an archive: reading takes a second for some ten megabytes; a loop never ends.
 */
#define FM_READING_CPU_SECONDS 3600

#endif
