/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: a kernel that permits perf_event_open for user space only (DENY_PERF=kernel), or not
 * at all. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_perf_event_open) {
        const struct perf_event_attr *event = (const struct perf_event_attr *)arguments[0];
        const char *deny = getenv("DENY_PERF");
        if (deny != NULL && (strcmp(deny, "kernel") != 0 || !event->exclude_kernel)) {
            errno = EACCES;
            return -1;
        }
    }
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                arguments[5]);
}
