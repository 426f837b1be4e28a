/** @file
 * Options whose value is one of a few words. */
#ifndef FERMATA_CLI_TEXT_CHOICE_H
#define FERMATA_CLI_TEXT_CHOICE_H

#include "base/error.h"

/** Finds the value of an option among its words.
 * @param names   as many words as there are, then NULL
 * @param chosen  out: the number of the word
 * @return FM_ERR_USAGE if it is none of them */
fm_status_t fm_choice_parse(const char *option, const char *value, const char *const *names,
                            int *chosen, struct fm_error *error);

#endif
