/** @file
 * What commands say about arguments they cannot take: one line that names the argument and tells
 * where it is explained.
 */
#ifndef FERMATA_CLI_TEXT_USAGE_H
#define FERMATA_CLI_TEXT_USAGE_H

/** Prints "fermata COMMAND: REASON; see fermata COMMAND --help" to stderr.
 * @return FM_ERR_USAGE */
int fm_refuse_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** @return what is wrong with an option, for which getopt_long() has returned '?' or ':', with
 * opterr 0 and a ':' before the letters: "there is no option --bogus". The text is valid until the
 * next call. Not thread-safe, as getopt is not. */
const char *fm_option_defect(char *const *argv, int returned);

/** Refuses such an option, argv[0] being the command.
 * @return FM_ERR_USAGE */
int fm_refuse_option(char *const *argv, int returned);

#endif
