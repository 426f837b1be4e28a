/** @file
 * What is set for a recording, and by whom: the command line, else the environment, else a
 * configuration file, else the default. settings.def lists what there is. For the launching side;
 * the recorder in the program finds all of it in its environment. Not thread-safe.
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
    const char *argument;  /**< what its value is called; NULL: a switch, which is yes or no */
    const char *variable;  /**< FERMATA_... */
    const char *otherwise; /**< the default, for people */
    const char *(*refuse)(const char *text); /**< NULL: any text will do; else as fm_refuse_size */
    const char *help;                        /**< lines without indentation */
};
extern const struct fm_setting fm_settings_known[FM_SETTING_COUNT];

/** Who has set a value: the later ones outdo the earlier ones. */
enum fm_setting_source {
    FM_SET_BY_DEFAULT,
    FM_SET_BY_USER_FILE, /**< the user's configuration file for all recordings */
    FM_SET_BY_FILE,      /**< a configuration file of this recording, or of its folder */
    FM_SET_BY_ENVIRONMENT,
    FM_SET_BY_COMMAND_LINE
};

/** A value. Of a switch it is "1" or "0". */
struct fm_setting_value {
    char *text;   /**< NULL: the default */
    char *origin; /**< for people: `--memory`, `FERMATA_TOTAL_MEMORY`, `.fermata.conf:3`; NULL: the
                       default */
    enum fm_setting_source source;
};

/** All values. Begins as {0}, to be freed with fm_settings_free. */
struct fm_settings {
    struct fm_setting_value values[FM_SETTING_COUNT];
};

/** Sets a value, unless a source that outdoes `source` has set it; it must be one in any case.
 * @param origin  who sets it, for people
 * @return FM_ERR_USAGE if the value is none; the message begins with the origin */
fm_status_t fm_settings_set(struct fm_settings *settings, enum fm_setting_id id, const char *text,
                            enum fm_setting_source source, const char *origin,
                            struct fm_error *error);

/** Finds a setting by its name, which has `length` bytes. @return FM_SETTING_COUNT: there is none
 */
enum fm_setting_id fm_setting_named(const char *name, size_t length);

/** Sets what the environment and configuration files say.
 * @param file  the configuration file that the command line names; NULL: the one that
 * FERMATA_CONFIG names, else `.fermata.conf` in the working directory and the user's,
 *              `fermata/config` in $XDG_CONFIG_HOME or ~/.config, as far as they exist
 * @return FM_ERR_USAGE if a value is none or a file has a mistake, FM_ERR_SYSTEM if a file cannot
 * be read */
fm_status_t fm_settings_load(struct fm_settings *settings, const char *file,
                             struct fm_error *error);

/** Whether the values go together. @return FM_ERR_USAGE: no; the message names both */
fm_status_t fm_settings_agree(const struct fm_settings *settings, struct fm_error *error);

/** Writes what is set to the environment of this process, where the recorder finds it. */
void fm_settings_export(const struct fm_settings *settings);

/** Frees the values and makes them {0}. */
void fm_settings_free(struct fm_settings *settings);

/** What a value must be, if the text is none, as a noun for people; NULL: it is one. */
const char *fm_refuse_size(const char *text);
const char *fm_refuse_progress(const char *text);
const char *fm_refuse_callpath(const char *text);
const char *fm_refuse_sample(const char *text);
const char *fm_refuse_duration(const char *text);
const char *fm_refuse_ranks(const char *text);
const char *fm_refuse_window(const char *text);
const char *fm_refuse_phase(const char *text);
const char *fm_refuse_signal(const char *text);
const char *fm_refuse_flight_recorder(const char *text);
const char *fm_refuse_flush_interval(const char *text);
const char *fm_refuse_clock_exchange(const char *text);

#endif
