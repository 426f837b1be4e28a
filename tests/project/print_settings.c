/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints docs/recording-options.md. */
#include "record/settings/settings.h"

#include <stdio.h>

static void print_line_of(const char *text)
{
    for (; *text != '\0'; text++) {
        putchar(*text == '\n' ? ' ' : *text);
    }
}

int main(void)
{
    puts("# Options of a recording\n"
         "\n"
         "Made from `src/record/settings/settings.def` by `scripts/update-docs`; `fermata record "
         "--help` "
         "says "
         "the same.\n"
         "\n"
         "Each can be set by an option of `fermata record` and `fermata run`, by a variable, or in "
         "a configuration\n"
         "file under the name of its long option; in this order they outdo each other. "
         "`--dry-run` shows what counts.\n"
         "Variables that Score-P has, too, behind its own prefix, mean the same there.\n"
         "\n"
         "A duration is a number of seconds or has a unit: `2`, `0.5`, `2s`, `500ms`, `20us` "
         "(`--min-duration` needs the unit).\n"
         "A size is a number of bytes or has a unit: `64K`, `64M`, `2G`, `1T` are powers of 1024, "
         "and so are `64KB` and `64KiB`.\n"
         "The options of the other commands read durations and sizes in the same way.\n"
         "\n"
         "| option | variable | default | |\n"
         "|---|---|---|---|");
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const struct fm_setting *setting = &fm_settings_known[id];
        fputs("| ", stdout);
        if (setting->letter != 0) {
            printf("`-%c`, ", setting->letter);
        }
        bool is_apart = setting->argument != NULL && setting->argument[0] != '[';
        printf("`--%s%s%s` | `%s` | %s | ", setting->name, is_apart ? " " : "",
               setting->argument != NULL ? setting->argument : "", setting->variable,
               setting->otherwise);
        print_line_of(setting->help);
        puts(" |");
    }
    puts("\n"
         "A configuration file has a line `name = value` for each setting; empty lines, and what "
         "follows a `#` at the\n"
         "begin of a line or behind a blank, do not count. A value with blanks at its ends or ` #` "
         "in it stands in\n"
         "double quotes; switches are `yes` or `no`. Paths are those of the working directory.\n"
         "\n"
         "```\n"
         "# .fermata.conf\n"
         "memory = 256M\n"
         "callpath = depth=12    # our solver is deep\n"
         "verbose = yes\n"
         "```\n"
         "\n"
         "`--config FILE` or, without it, `FERMATA_CONFIG` names the file; it must be there then. "
         "Else\n"
         "`.fermata.conf` in the working directory counts and, for what that leaves out, the "
         "user's own\n"
         "`~/.config/fermata/config` (`$XDG_CONFIG_HOME/fermata/config`). A mistake in a file, a "
         "variable or an option\n"
         "is told with its place, and nothing runs. An experiment directory that the command line "
         "names must not\n"
         "exist; one from a variable or a file is meant for many runs and gets a number then.");
    return 0;
}
