#include "cli/text/usage.h"

#include "base/error.h"
#include "cli/text/safe_text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int fm_refuse_usage(const char *command, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "fermata %s: %s; see fermata %s --help\n", command, fm_safe_text(reason),
            command);
    return FM_ERR_USAGE;
}

const char *fm_option_defect(char *const *argv, int returned)
{
    static char text[256];
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *name = argv[optind - 1];
    bool is_long = strncmp(name, "--", 2) == 0;
    if (!is_long && optopt > 0 && optopt < 256) {
        name = letter;
    }
    if (returned == ':') {
        snprintf(text, sizeof text, "%.100s needs a value", name);
    } else if (is_long && optopt != 0) { /* a known one */
        snprintf(text, sizeof text, "%.*s takes no value", (int)strcspn(name, "="), name);
    } else {
        snprintf(text, sizeof text, "there is no option %.100s", name);
    }
    return text;
}

int fm_refuse_option(char *const *argv, int returned)
{
    return fm_refuse_usage(argv[0], "%s", fm_option_defect(argv, returned));
}
