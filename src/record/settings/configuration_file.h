/** @file
 * Configuration files: a line for each setting, `name = value`, with the names of the long options.
 * Empty lines, and what follows a `#` at the begin of a line or behind a blank, do not count. A
 * value that begins with a quotation mark goes to the next one, blanks and `#` included.
 */
#ifndef FERMATA_RECORD_SETTINGS_CONFIGURATION_FILE_H
#define FERMATA_RECORD_SETTINGS_CONFIGURATION_FILE_H

#include "record/settings/settings.h"

#include <stddef.h>

/** Size of a file at most, in bytes. */
enum { FM_CONFIGURATION_LARGEST = 1 << 16 };

/** Reads a file. Errors name file and line. Not thread-safe.
 * @return FM_ERR_USAGE: a mistake in it; FM_ERR_SYSTEM: it cannot be read */
fm_status_t fm_configuration_read(const char *path, struct fm_settings *settings,
                                  enum fm_setting_source source, struct fm_error *error);

/** As fm_configuration_read, of a text in memory (any bytes).
 * @param name  of the file, for people */
fm_status_t fm_configuration_parse(const char *text, size_t length, const char *name,
                                   struct fm_settings *settings, enum fm_setting_source source,
                                   struct fm_error *error);

#endif
