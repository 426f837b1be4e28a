/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The settings of a recording (settings.def), with their sources in descending order of precedence:
 * command line, environment, configuration files, default. Used by the launching side; the recorder
 * in the program reads all settings from its environment. Not thread-safe.
 */
#ifndef FERMATA_RECORD_SETTINGS_SETTINGS_H
#define FERMATA_RECORD_SETTINGS_SETTINGS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** The settings, in the order of settings.def. */
enum fm_setting_id {
#define FM_SETTING(identifier, ...) FM_SETTING_##identifier,
#include "record/settings/settings.def"
#undef FM_SETTING
    FM_SETTING_COUNT
};

/** A row of settings.def. */
struct fm_setting {
    const char *name;      /**< long option, and key in configuration files */
    char letter;           /**< short option; 0: none */
    const char *argument;  /**< name of its value in help texts; NULL: a switch (yes or no); in
                                brackets: the option may stand without one, which means yes */
    const char *variable;  /**< FERMATA_... */
    const char *otherwise; /**< the default in help texts */
    const char *(*refuse)(const char *text); /**< like fm_refuse_size; NULL: any text is valid */
    const char *help;                        /**< lines without indentation */
};
extern const struct fm_setting fm_settings_known[FM_SETTING_COUNT];

/** Sources of values, in ascending order of precedence. */
enum fm_setting_source {
    FM_SET_BY_DEFAULT,
    FM_SET_BY_USER_FILE, /**< the user's configuration file for all recordings */
    FM_SET_BY_FILE,      /**< a configuration file of this recording, or of its folder */
    FM_SET_BY_ENVIRONMENT,
    FM_SET_BY_COMMAND_LINE
};

/** A value. The text of a switch is "1" or "0". */
struct fm_setting_value {
    char *text;   /**< NULL: the default */
    char *origin; /**< for messages: `--memory`, `FERMATA_TOTAL_MEMORY`, `.fermata.conf:3`; NULL:
                       the default */
    enum fm_setting_source source;
};

/** All values. Initialized with {0}; freed with fm_settings_free. */
struct fm_settings {
    struct fm_setting_value values[FM_SETTING_COUNT];
};

/** Sets a value, unless a source of higher precedence than `source` has set it. The text is
 * validated in any case.
 * @param origin  place where the value is set, for messages
 * @return FM_OK; FM_ERR_USAGE: the text is invalid; the message begins with the origin and names
 * the setting once */
fm_status_t fm_settings_set(struct fm_settings *settings, enum fm_setting_id id, const char *text,
                            enum fm_setting_source source, const char *origin,
                            struct fm_error *error);

/** Finds a setting by its name of `length` bytes. @return FM_SETTING_COUNT: there is none */
enum fm_setting_id fm_setting_named(const char *name, size_t length);

/** Sets the values of the environment and of configuration files.
 * @param file  configuration file named on the command line. NULL: the file named by
 *              FERMATA_CONFIG, else `.fermata.conf` in the working directory and the user's file
 *              `fermata/config` in $XDG_CONFIG_HOME or ~/.config, as far as they exist
 * @return FM_OK; FM_ERR_USAGE: a value or a file is invalid; FM_ERR_SYSTEM: a file cannot be read
 */
fm_status_t fm_settings_load(struct fm_settings *settings, const char *file,
                             struct fm_error *error);

/** Checks that the values are compatible. @return FM_OK; FM_ERR_USAGE: they are not; the message
 * names both */
fm_status_t fm_settings_agree(const struct fm_settings *settings, struct fm_error *error);

/** Writes the values that are set to the environment of this process, which the recorder reads. */
void fm_settings_export(const struct fm_settings *settings);

/** Frees the values and makes them {0}. */
void fm_settings_free(struct fm_settings *settings);

/** Period of the setting `snapshot`.
 * @param text  a valid value; NULL: the default
 * @return seconds; 0: snapshots are not taken periodically */
double fm_snapshot_period(const char *text);

/** Validate the text of a value. They return NULL for a valid text, else a constant noun phrase for
 * messages that states what the value must be. */
const char *fm_refuse_size(const char *text);
const char *fm_refuse_buffers(const char *text);
const char *fm_refuse_max_size(const char *text);
const char *fm_refuse_progress(const char *text);
const char *fm_refuse_layer(const char *text);
const char *fm_refuse_callpath(const char *text);
const char *fm_refuse_names(const char *text);
const char *fm_refuse_sample(const char *text);
const char *fm_refuse_sample_clock(const char *text);
const char *fm_refuse_threads(const char *text);
const char *fm_refuse_event_budget(const char *text);
const char *fm_refuse_duration(const char *text);
const char *fm_refuse_ranks(const char *text);
const char *fm_refuse_window(const char *text);
const char *fm_refuse_phase(const char *text);
const char *fm_refuse_signal(const char *text);
const char *fm_refuse_flight_recorder(const char *text);
const char *fm_refuse_snapshot(const char *text);
const char *fm_refuse_counters(const char *text);
const char *fm_refuse_size_bins(const char *text);
const char *fm_refuse_marks(const char *text);
const char *fm_refuse_gpu(const char *text);
const char *fm_refuse_flush_interval(const char *text);
const char *fm_refuse_clock_exchange(const char *text);

#endif
