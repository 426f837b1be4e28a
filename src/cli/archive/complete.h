/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Experiments of runs that did not reach their end, or that are not to be believed in all.
 */
#ifndef FERMATA_CLI_ARCHIVE_COMPLETE_H
#define FERMATA_CLI_ARCHIVE_COMPLETE_H

/** What a doubt about the clocks means. */
#define FM_CLOCK_DOUBT "times of different processes may be wrong: "

/** Makes an experiment readable: if it has only the journals of a run that was cut short, its
 * archive is rebuilt from them and from the buffers of the processes. Prints what went wrong, and
 * that buffers are left.
 * @param archive  an experiment directory or anything else, which is left alone
 * @return FM_OK, or the status to exit with */
int fm_complete_experiment(const char *command, const char *archive);

/** Makes the files of calls and traffic of a recording of counters readable, if its program was
 * ended and nothing has made them yet. Prints what went wrong; of a program that still runs
 * nothing.
 * @param experiment  an experiment directory or anything else, which is left alone */
void fm_complete_counters(const char *command, const char *experiment);

/** What is doubtful about a run, by its experiment's environment.json. Each is NULL if there is no
 * such doubt, or the file does not say. */
struct fm_doubts {
    char *damaged;   /**< the file itself cannot be read: a sentence without a full stop */
    char *missing;   /**< what the run lacks: a sentence */
    char *clock;     /**< why the times of its processes may not fit together: a sentence */
    char *unseen;    /**< calls that the recorder could not record: sentences */
    char *shortfall; /**< that the sampling rate asked for was not obtained: a sentence without a
                        full stop */
};

/** Reads them. To be freed by fm_doubts_free(). */
struct fm_doubts fm_doubts_of_experiment(const char *archive);
void fm_doubts_free(struct fm_doubts *doubts);

/** Prints these sentences as warnings. */
void fm_warn_of_experiment(const char *archive);

#endif
