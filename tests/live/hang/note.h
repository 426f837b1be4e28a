/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FERMATA_TESTS_LIVE_HANG_NOTE_H
#define FERMATA_TESTS_LIVE_HANG_NOTE_H

#include <stdio.h>
#include <unistd.h>

/* Writes the ID of the process to FOLDER/<number>: its program begins. */
static void note_begin(const char *folder, int number)
{
    char path[4096], name[4096];
    snprintf(path, sizeof path, "%s/%d.new", folder, number);
    snprintf(name, sizeof name, "%s/%d", folder, number);
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        fprintf(out, "%d", (int)getpid());
        fclose(out);
        rename(path, name);
    }
}

/* Never ends. */
__attribute__((noinline, unused)) static void compute(void)
{
    for (volatile unsigned long i = 0;; i++) {
    }
}

#endif
