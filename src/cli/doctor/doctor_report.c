/* SPDX-License-Identifier: BSD-3-Clause */
/* The findings of `fermata doctor` as text, and their number. */
#include "cli/doctor/doctor.h"

#include "cli/text/safe_text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

static struct {
    int warnings, bad;
} found;

void fm_doctor_report(enum fm_health health, const char *remedy, const char *format, ...)
{
    static const char *const words[] = {"ok     ", "note   ", "problem"};
    char text[PATH_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s  %s\n", words[health], fm_safe_text(text));
    if (remedy != NULL) {
        snprintf(text, sizeof text, "%s", remedy);
        printf("           -> %s\n", fm_safe_text(text));
    }
    found.warnings += health == FM_HEALTH_WARNING;
    found.bad += health == FM_HEALTH_BAD;
}

bool fm_doctor_conclude(void)
{
    printf("%d problem%s, %d note%s\n", found.bad, found.bad == 1 ? "" : "s", found.warnings,
           found.warnings == 1 ? "" : "s");
    return found.bad == 0;
}
