/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/marks/mistakes.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t counts[FM_MISTAKE_KINDS];

void fm_mistake(enum fm_mistake_kind kind)
{
    __atomic_fetch_add(&counts[kind], 1, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void report(void)
{
    static const char *const texts[FM_MISTAKE_KINDS] = {
        [FM_MISTAKE_CROSSING] = "ended before marks inside them, and are recorded until these end",
        [FM_MISTAKE_THREAD] = "were ended by another thread, and are recorded too long",
        [FM_MISTAKE_END] = "ended without a begin",
        [FM_MISTAKE_DEEP] = "began inside too many open ones, and are not recorded",
        [FM_MISTAKE_NAMES] = "have further names and are recorded as `other marks`",
    };
    const uint32_t open = fm_marks_open();
    char text[640];
    int length = 0;
    for (int i = 0; i < FM_MISTAKE_KINDS; i++) {
        if (counts[i] != 0) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%llu %s",
                               length != 0 ? "; " : "", (unsigned long long)counts[i], texts[i]);
        }
    }
    if (open != 0) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%u never ended",
                           length != 0 ? "; " : "", open);
    }
    if (length != 0 && fm_marks_process_is_first()) {
        dprintf(STDERR_FILENO, "fermata: warning: marks of the program, in the first process: %s\n",
                text);
    }
}
