/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <unistd.h>

/* The limits of memory, and which number of /proc/self/statm counts for them, pages. */
static const struct {
    int resource, number;
} limits[] = {{RLIMIT_AS, 0}, {RLIMIT_DATA, 5}};
enum { LIMITS = sizeof limits / sizeof limits[0] };

/* Libraries need some memory to communicate in ways that the program has not used yet. */
#define NEEDED_MEMORY ((rlim_t)64 << 20)

static struct {
    bool is_known;
    uid_t user;
    gid_t group;
    rlim_t limits[LIMITS];
} at_begin;

static rlim_t limit_now(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

void fm_process_note(void)
{
    at_begin.user = geteuid();
    at_begin.group = getegid();
    for (int i = 0; i < LIMITS; i++) {
        at_begin.limits[i] = limit_now(limits[i].resource);
    }
    at_begin.is_known = true;
}

/* @return bytes that count for a limit; 0: not known */
static rlim_t used_memory(int number)
{
    char text[256] = "";
    const char *place = text;
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    if (file >= 0) {
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < number && place != NULL; i++) {
        place = strchr(place, ' ');
        place = place != NULL ? place + 1 : NULL;
    }
    return place != NULL ? strtoul(place, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

const char *fm_process_change(void)
{
    if (!at_begin.is_known) {
        return NULL;
    }
    if (geteuid() != at_begin.user || getegid() != at_begin.group) {
        return "the program has changed its user or group";
    }
    for (int i = 0; i < LIMITS; i++) {
        const rlim_t limit = limit_now(limits[i].resource);
        if (limit < at_begin.limits[i] && limit < used_memory(limits[i].number) + NEEDED_MEMORY) {
            return "the program has limited its memory to what it has";
        }
    }
    return NULL;
}

struct fm_file_rights fm_file_rights_begin(void)
{
    struct fm_file_rights before = {.user = (uid_t)-1, .group = (gid_t)-1};
    const int saved = errno;
    if (at_begin.is_known) {
        before.user = (uid_t)setfsuid(at_begin.user);
        before.group = (gid_t)setfsgid(at_begin.group);
    }
    errno = saved;
    return before;
}

void fm_file_rights_restore(const struct fm_file_rights *before)
{
    const int saved = errno;
    if (before->group != (gid_t)-1 && before->group != at_begin.group) {
        setfsgid(before->group);
    }
    if (before->user != (uid_t)-1 && before->user != at_begin.user) {
        setfsuid(before->user);
    }
    errno = saved;
}
