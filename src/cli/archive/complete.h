/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Experiments of runs that did not reach their end, or that are not to be believed in all.
 */
#ifndef FERMATA_CLI_ARCHIVE_COMPLETE_H
#define FERMATA_CLI_ARCHIVE_COMPLETE_H

/** What a doubt about the clocks means. */
#define FM_CLOCK_DOUBT "times of different processes may be wrong: "

/** Makes an experiment readable: if it has only the journals of a run that was cut short, its
 * archive is rebuilt from them. Prints what went wrong.
 * @param archive  an experiment directory or anything else, which is left alone
 * @return FM_OK, or the status to exit with */
int fm_complete_experiment(const char *command, const char *archive);

/** What an experiment lacks, by its environment.json: a sentence, NULL if it lacks nothing
 * or is no experiment of ours. To be freed. */
char *fm_missing_of_experiment(const char *archive);

/** Why the times of an experiment's processes may not fit together, by its
 * environment.json: a sentence; NULL: they do, or the file does not say. To be freed. */
char *fm_clock_doubt_of_experiment(const char *archive);

/** Calls that the recorder could not record, by the experiment's environment.json: sentences; NULL:
 * none. To be freed. */
char *fm_unseen_of_experiment(const char *archive);

/** States that the sampling rate asked for was not obtained, by the experiment's environment.json:
 * a sentence without a full stop; NULL: it was, or nothing is stated. To be freed. */
char *fm_rate_shortfall_of_experiment(const char *archive);

/** Prints these sentences as warnings. */
void fm_warn_of_experiment(const char *archive);

#endif
