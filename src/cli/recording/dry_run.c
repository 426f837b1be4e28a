/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/recording/dry_run.h"

#include "cli/text/safe_text.h"
#include "record/marks/mark_kinds.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The launcher's own variables are set anew for each recording. */
static bool concerns_recording(const char *entry)
{
    for (int i = 0; i < FM_MARK_KINDS; i++) {
        const char *variable = fm_mark_kinds[i].variable;
        const size_t length = variable != NULL ? strlen(variable) : 0;
        if (length != 0 && strncmp(entry, variable, length) == 0 && entry[length] == '=') {
            return true;
        }
    }
    return strncmp(entry, "LD_PRELOAD=", 11) == 0 ||
           (strncmp(entry, "FERMATA_", 8) == 0 && strncmp(entry, "FERMATA_RESULT_FILE=", 20) != 0);
}

/* As one word of a POSIX shell. */
static void print_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    size_t size = strlen(text) + 1;
    char *safe = malloc(size);
    if (safe == NULL) {
        return;
    }
    fm_safe_copy(safe, size, text);
    if (safe[0] != '\0' && safe[strspn(safe, plain)] == '\0') {
        fputs(safe, stdout);
    } else {
        putchar('\'');
        for (const char *c = safe; *c != '\0'; c++) {
            if (*c == '\'') {
                fputs("'\\''", stdout);
            } else {
                putchar(*c);
            }
        }
        putchar('\'');
    }
    free(safe);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool print_environment(void)
{
    size_t count = 0, all = 0;
    while (environ[all] != NULL) {
        all++;
    }
    const char **entries = malloc((all + 1) * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < all; i++) {
        if (concerns_recording(environ[i])) {
            entries[count++] = environ[i];
        }
    }
    qsort(entries, count, sizeof *entries, by_text);
    puts("environment:");
    for (size_t i = 0; i < count; i++) {
        fputs("  ", stdout);
        print_word(entries[i]);
        putchar('\n');
    }
    free(entries);
    return true;
}

static void print_settings(const struct fm_settings *settings)
{
    puts("settings:");
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const struct fm_setting *setting = &fm_settings_known[id];
        const struct fm_setting_value *value = &settings->values[id];
        const char *text = value->text == NULL         ? setting->otherwise
                           : setting->argument != NULL ? value->text
                           : value->text[0] == '1'     ? "yes"
                                                       : "no";
        printf("  %s = ", setting->name);
        if (value->text == NULL) {
            printf("%s (default)\n", text);
        } else {
            print_word(text);
            printf(" (%s)\n", fm_safe_text(value->origin));
        }
    }
}

fm_status_t fm_dry_run(const struct fm_settings *settings, char *const command[],
                       struct fm_error *error)
{
    char path[PATH_MAX + 256];
    fm_status_t status = fm_record_prepare(settings, error);
    if (status != FM_OK) {
        return status;
    }
    print_settings(settings);
    if (!print_environment()) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    fm_experiment_place("<app>-<ranks>x<threads>", "<time>", path, sizeof path);
    printf("experiment: %s%s\n", fm_safe_text(path),
           access(path, F_OK) == 0 ? " (exists: the name will get a number)" : "");
    fputs("command:", stdout);
    for (size_t i = 0; command[i] != NULL; i++) {
        putchar(' ');
        print_word(command[i]);
    }
    putchar('\n');
    return FM_OK;
}
