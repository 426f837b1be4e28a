/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/perf_events.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/counting/counter_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MOST = 64 };

static const struct event {
    const char *name;
    uint32_t type;
    uint64_t configuration;
    uint32_t kind;
    const char *unit;
    bool user; /* may be counted in user space only */
    const char *meaning;
} events[] = {
#define FM_PERF_COUNTER(name, type, configuration, kind, unit, user, meaning)                      \
    {FM_COUNTER_PERF name, PERF_TYPE_##type, configuration, FM_COUNTER_##kind, unit, user, meaning},
#include "counters/definitions/perf.def"
#undef FM_PERF_COUNTER
};

enum { EVENTS = sizeof events / sizeof events[0] };

/* The events that are counted. */
static struct {
    size_t count;
    struct {
        uint32_t slot;
        size_t threads;
        int files[THREADS_MOST];
    } items[EVENTS];
} counted;

static int open_event(const struct event *event, bool in_kernel, bool threads_only, pid_t thread)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->configuration,
        .inherit = 1,
        .pinned = event->type != PERF_TYPE_SOFTWARE,
        .exclude_kernel = !in_kernel,
        .exclude_hv = !in_kernel,
    };
#ifdef PERF_ATTR_SIZE_VER7
    attributes.inherit_thread = threads_only;
#else
    if (threads_only) {
        errno = EINVAL;
        return -1;
    }
#endif
    return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* How an event can be opened here. */
struct way {
    bool in_kernel, threads_only;
};

/* Opens an event for this thread, with as little left out as the kernel permits.
 * @return -1: not possible, errno is the first reason */
static int try_ways(const struct event *event, struct way *way)
{
    int reason = 0;
    for (int i = 0; i < 4; i++) {
        *way = (struct way){.in_kernel = i < 2, .threads_only = i % 2 == 0};
        if (!way->in_kernel && !event->user) {
            break;
        }
        int file = open_event(event, way->in_kernel, way->threads_only, 0);
        if (file >= 0) {
            return file;
        }
        reason = reason == 0 ? errno : reason;
    }
    errno = reason;
    return -1;
}

static bool read_value(int file, uint64_t *value)
{
    return read(file, value, sizeof *value) == (ssize_t)sizeof *value;
}

/* Opens an event for the other threads of the process. */
static size_t open_others(const struct event *event, struct way way, int *files, size_t count)
{
    DIR *threads = opendir("/proc/self/task");
    pid_t own = (pid_t)syscall(SYS_gettid);
    for (struct dirent *each;
         threads != NULL && count < THREADS_MOST && (each = readdir(threads)) != NULL;) {
        pid_t thread = (pid_t)strtol(each->d_name, NULL, 10);
        if (thread > 0 && thread != own) {
            int file = open_event(event, way.in_kernel, way.threads_only, thread);
            files[count] = file;
            count += file >= 0;
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return count;
}

/* Says why an event cannot be counted. */
static void explain(char *text, size_t size, int reason)
{
    char level[16] = "";
    int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, level, sizeof level - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    level[length > 0 ? length : 0] = '\0';
    level[strcspn(level, "\n")] = '\0';
    if (reason == 0) {
        snprintf(text, size, "the processor has no counter free for it");
    } else if (reason == EACCES || reason == EPERM) {
        snprintf(text, size, "not permitted (perf_event_open: %s; perf_event_paranoid is %s)",
                 strerrordesc_np(reason), level[0] != '\0' ? level : "not readable");
    } else if (reason == ENOENT || reason == EOPNOTSUPP || reason == ENODEV) {
        snprintf(text, size, "this machine does not offer the event (perf_event_open: %s)",
                 strerrordesc_np(reason));
    } else {
        snprintf(text, size, "perf_event_open: %s", strerrordesc_np(reason));
    }
}

static void add(const struct event *event)
{
    struct way way;
    char text[FM_COUNTER_MEANING];
    uint64_t value;
    int file = try_ways(event, &way), reason = file < 0 ? errno : 0;
    if (file >= 0 && !read_value(file, &value)) {
        close(file); /* pinned, and there is no counter for it */
        file = -1;
    }
    if (file < 0) {
        explain(text, sizeof text, reason);
    } else {
        snprintf(text, sizeof text, "%s%s%s", event->meaning,
                 way.in_kernel ? "" : ", in user space only",
                 way.threads_only ? "" : ", forked children included");
    }
    uint32_t slot = fm_counter_file_add(
        &(struct fm_added_counter){.name = event->name,
                                   .unit = event->unit,
                                   .kind = event->kind,
                                   .tier = file < 0 ? FM_TIER_UNAVAILABLE : FM_TIER_KERNEL,
                                   .bins = 1,
                                   .meaning = text});
    if (slot != 0) {
        counted.items[counted.count].slot = slot;
        counted.items[counted.count].files[0] = file;
        counted.items[counted.count].threads =
            open_others(event, way, counted.items[counted.count].files, 1);
        counted.count++;
    } else if (file >= 0) {
        close(file);
    }
}

static void read_events(uint64_t *values)
{
    for (size_t i = 0; i < counted.count; i++) {
        uint64_t sum = 0, value;
        bool good = true;
        for (size_t k = 0; good && k < counted.items[i].threads; k++) {
            good = read_value(counted.items[i].files[k], &value);
            sum += good ? value : 0;
        }
        if (good) {
            values[counted.items[i].slot] = sum;
        }
    }
}

void fm_perf_events_begin(const char *list)
{
    for (size_t i = 0; i < EVENTS; i++) {
        if (fm_counter_list_names(list, FM_COUNTER_PERF, events[i].name)) {
            add(&events[i]);
        }
    }
    if (counted.count != 0) {
        fm_counter_file_read_by(read_events);
    }
}
