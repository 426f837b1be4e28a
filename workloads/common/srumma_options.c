/* SPDX-License-Identifier: BSD-3-Clause */
#include "srumma_options.h"

#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool srumma_read_option(struct srumma_options *options, const char *name, const char *value)
{
    if (strcmp(name, "--blocks") == 0) {
        return read_count(value, 1, 256, &options->blocks);
    }
    if (strcmp(name, "--length") == 0) {
        return read_count(value, 1, 1024, &options->length);
    }
    if (strcmp(name, "--repeats") == 0) {
        return read_count(value, 1, 1000, &options->repeats);
    }
    return strcmp(name, "--late") == 0 &&
           sscanf(value, "%d:%d", &options->late_milliseconds, &options->late_process) == 2 &&
           options->late_milliseconds >= 0;
}

__attribute__((noinline)) void come_late(const struct srumma_options *options, int process)
{
    if (process != options->late_process) {
        return;
    }
    struct timespec left = {.tv_sec = options->late_milliseconds / 1000,
                            .tv_nsec = options->late_milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
}

void srumma_print(const char *program, const struct srumma_options *options, double sum,
                  bool is_right)
{
    printf("%s: %d x %d blocks of %d x %d elements, their sum is %.0f, %s\n", program,
           options->blocks, options->blocks, options->length, options->length, sum,
           is_right ? "right" : "wrong");
    fflush(stdout);
}
