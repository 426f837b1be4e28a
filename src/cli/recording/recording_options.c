#include "cli/recording/recording_options.h"
#include "cli/text/usage.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Values of options that are no setting's letter; settings without one have theirs behind them. */
enum { OPTION_HELP = 'h', OPTION_CONFIG = 256, OPTION_DRY_RUN, OPTION_SETTING };

enum { OWN_OPTIONS = 3 };

static void fill_options(struct option long_options[FM_SETTING_COUNT + OWN_OPTIONS + 1],
                         char letters[2 * FM_SETTING_COUNT + 4])
{
    const struct option own[OWN_OPTIONS + 1] = {{"config", required_argument, NULL, OPTION_CONFIG},
                                                {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
                                                {"help", no_argument, NULL, OPTION_HELP},
                                                {NULL, 0, NULL, 0}};
    *letters++ = '+'; /* the options behind the command are the command's */
    *letters++ = ':'; /* a missing value is told from an unknown option */
    *letters++ = OPTION_HELP;
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const struct fm_setting *setting = &fm_settings_known[id];
        bool is_switch = setting->argument == NULL;
        long_options[id] =
            (struct option){setting->name, is_switch ? optional_argument : required_argument, NULL,
                            OPTION_SETTING + id};
        if (setting->letter != 0) {
            *letters++ = setting->letter;
            if (!is_switch) {
                *letters++ = ':';
            }
        }
    }
    *letters = '\0';
    memcpy(&long_options[FM_SETTING_COUNT], own, sizeof own);
}

static fm_status_t set(struct fm_settings *settings, int option, struct fm_error *error)
{
    int id = option - OPTION_SETTING;
    for (int i = 0; option < OPTION_SETTING && i < FM_SETTING_COUNT; i++) {
        if (fm_settings_known[i].letter == option) {
            id = i;
        }
    }
    char origin[64];
    snprintf(origin, sizeof origin, "--%s", fm_settings_known[id].name);
    return fm_settings_set(settings, (enum fm_setting_id)id, optarg != NULL ? optarg : "yes",
                           FM_SET_BY_COMMAND_LINE, origin, error);
}

fm_status_t fm_recording_options_read(int argc, char **argv, struct fm_recording_options *options,
                                      struct fm_error *error)
{
    struct option long_options[FM_SETTING_COUNT + OWN_OPTIONS + 1];
    char letters[2 * FM_SETTING_COUNT + 4];
    const char *file = NULL;
    fm_status_t status = FM_OK;
    int option;
    memset(options, 0, sizeof *options);
    fill_options(long_options, letters);
    optind = 1;
    opterr = 0;
    while (status == FM_OK && !options->help &&
           (option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_CONFIG:
            file = optarg;
            break;
        case OPTION_DRY_RUN:
            options->dry_run = true;
            break;
        case OPTION_HELP:
            options->help = true;
            break;
        case '?':
        case ':':
            status = fm_fail(error, FM_ERR_USAGE, "%s; see fermata %s --help",
                             fm_option_defect(argv, option), argv[0]);
            break;
        default:
            status = set(&options->settings, option, error);
        }
    }
    options->command = argv + optind;
    if (status != FM_OK || options->help) {
        return status;
    }
    if (optind >= argc) {
        return fm_fail(error, FM_ERR_USAGE, "no command given; see fermata %s --help", argv[0]);
    }
    status = fm_settings_load(&options->settings, file, error);
    return status == FM_OK ? fm_settings_agree(&options->settings, error) : status;
}

static void print_lines(const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        printf("    %.*s\n", (int)length, text);
        text += length + (text[length] != '\0');
    }
}

void fm_recording_options_help(void)
{
    puts("\nOptions, their variables and defaults:");
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const struct fm_setting *setting = &fm_settings_known[id];
        char name[64];
        int length = snprintf(name, sizeof name, "  ");
        if (setting->letter != 0) {
            length +=
                snprintf(name + length, sizeof name - (size_t)length, "-%c, ", setting->letter);
        }
        snprintf(name + length, sizeof name - (size_t)length, "--%s%s%s", setting->name,
                 setting->argument != NULL ? " " : "[=no]",
                 setting->argument != NULL ? setting->argument : "");
        printf("%-28s %s (%s)\n", name, setting->variable, setting->otherwise);
        print_lines(setting->help);
    }
    puts("  --config FILE              FERMATA_CONFIG\n"
         "    a file of lines `name = value`, names as those of the options above; without\n"
         "    it .fermata.conf in the working directory and, for what that does not set,\n"
         "    ~/.config/fermata/config, as far as they exist\n"
         "  --dry-run\n"
         "    print the settings, the environment, the directory and the command, and do\n"
         "    nothing else\n"
         "  -h, --help\n"
         "    this text\n"
         "\n"
         "An option outdoes its variable, and that a configuration file.");
}
