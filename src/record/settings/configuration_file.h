/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Configuration files: one line `name = value` for each setting, with the names of the long
 * options. Empty lines are ignored, and text from a `#` at the begin of a line or after a blank. A
 * value that begins with a quotation mark extends to the next one, including blanks and `#`.
 */
#ifndef FERMATA_RECORD_SETTINGS_CONFIGURATION_FILE_H
#define FERMATA_RECORD_SETTINGS_CONFIGURATION_FILE_H

#include "record/settings/settings.h"

#include <stddef.h>

/** Maximum size of a file in bytes. */
enum { FM_CONFIGURATION_LARGEST = 1 << 16 };

/** Reads a file. Error messages contain file and line. Not thread-safe.
 * @return FM_OK; FM_ERR_USAGE: the content is invalid; FM_ERR_SYSTEM: the file cannot be read */
fm_status_t fm_configuration_read(const char *path, struct fm_settings *settings,
                                  enum fm_setting_source source, struct fm_error *error);

/** Like fm_configuration_read, for a text in memory (any bytes).
 * @param name  of the file, for messages */
fm_status_t fm_configuration_parse(const char *text, size_t length, const char *name,
                                   struct fm_settings *settings, enum fm_setting_source source,
                                   struct fm_error *error);

#endif
