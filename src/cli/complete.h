/** @file
 * Experiments of runs that did not reach their end.
 */
#ifndef FERMATA_CLI_COMPLETE_H
#define FERMATA_CLI_COMPLETE_H

/** Makes an experiment readable: if it has only the journals of a run that was cut short, its
 * archive is rebuilt from them. Prints what went wrong.
 * @param archive  an experiment directory or anything else, which is left alone
 * @return FM_OK, or the status to exit with */
int fm_complete_experiment(const char *command, const char *archive);

/** What an experiment lacks, as told by its environment.json: a sentence, NULL if it lacks nothing
 * or is no experiment of ours. To be freed. */
char *fm_missing_of_experiment(const char *archive);

/** Prints that sentence as a warning. */
void fm_warn_of_missing(const char *archive);

#endif
