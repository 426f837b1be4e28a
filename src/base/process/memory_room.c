/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/memory_room.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The files of the memory controller of one version of control groups. */
struct controller {
    const char *place;     /* where its groups are mounted */
    const char *limits[2]; /* bytes, or max; NULL: none */
    const char *usage;
    const char *cache; /* line of memory.stat: contents of files that are not used any more */
};

static const struct controller controllers[] = {
    {"/sys/fs/cgroup", {"memory.max", "memory.high"}, "memory.current", "inactive_file"},
    {"/sys/fs/cgroup/memory",
     {"memory.limit_in_bytes", NULL},
     "memory.usage_in_bytes",
     "total_inactive_file"},
};

/* Reads the number behind a name at the begin of a line, or, without a name, at the begin of the
 * file. @return UINT64_MAX: there is none */
static uint64_t number_in(const char *path, const char *name)
{
    char line[256];
    uint64_t number = UINT64_MAX;
    const size_t length = strlen(name);
    FILE *file = fopen(path, "re");
    while (file != NULL && number == UINT64_MAX && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) != 0) {
            continue;
        }
        const size_t gap = strspn(line + length, " :\t");
        if ((length == 0 || gap > 0) && isdigit((unsigned char)line[length + gap])) {
            number = strtoull(line + length + gap, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

static uint64_t number_of_group(const char *group, const char *file, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", group, file);
    return number_in(path, name);
}

/* @return what a group leaves to its processes, bytes; UINT64_MAX: it has no limit */
static uint64_t room_of_group(const struct controller *controller, const char *group)
{
    uint64_t limit = UINT64_MAX;
    for (int i = 0; i < 2 && controller->limits[i] != NULL; i++) {
        const uint64_t stated = number_of_group(group, controller->limits[i], "");
        limit = stated < limit ? stated : limit;
    }
    const uint64_t used = number_of_group(group, controller->usage, "");
    const uint64_t cache = number_of_group(group, "memory.stat", controller->cache);
    if (limit >= (uint64_t)INT64_MAX / 2 || used == UINT64_MAX) {
        return UINT64_MAX;
    }
    const uint64_t needed = cache < used ? used - cache : used;
    return needed < limit ? limit - needed : 0;
}

/* A container sees its own group where all groups are mounted elsewhere: the groups of the path are
 * tried from the innermost one to the place itself. */
static uint64_t room_of_groups(const struct controller *controller, const char *root,
                               const char *path)
{
    char group[PATH_MAX + 256];
    uint64_t room = UINT64_MAX;
    snprintf(group, sizeof group, "%s%s", root, controller->place);
    const size_t place = strlen(group);
    snprintf(group + place, sizeof group - place, "%s", path);
    for (;;) {
        const uint64_t here = room_of_group(controller, group);
        room = here < room ? here : room;
        char *slash = strrchr(group + place, '/');
        if (slash == NULL) {
            return room;
        }
        *slash = '\0';
    }
}

/* @return which version's memory controller a line of /proc/self/cgroup is about, and the path of
 * the group; NULL: neither */
static const struct controller *controller_of(char *line, const char **path)
{
    char *controllers_of_line = strchr(line, ':');
    char *end = controllers_of_line != NULL ? strchr(controllers_of_line + 1, ':') : NULL;
    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    *path = end + 1;
    end[1 + strcspn(end + 1, "\n")] = '\0';
    controllers_of_line++;
    if (controllers_of_line[0] == '\0') {
        return &controllers[0];
    }
    for (char *rest, *word = strtok_r(controllers_of_line, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        if (strcmp(word, "memory") == 0) {
            return &controllers[1];
        }
    }
    return NULL;
}

static uint64_t room_of_control_groups(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t room = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *group;
        const struct controller *controller = controller_of(line, &group);
        if (controller != NULL) {
            const uint64_t here = room_of_groups(controller, root, group);
            room = here < room ? here : room;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return room;
}

/* @return what a limit of this process leaves; UINT64_MAX: it is unlimited
 * @param used  line of /proc/self/status with what counts for the limit, KiB */
static uint64_t room_of_limit(int resource, const char *used)
{
    struct rlimit limit;
    const uint64_t taken = number_in("/proc/self/status", used);
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        taken == UINT64_MAX) {
        return UINT64_MAX;
    }
    return limit.rlim_cur > taken * 1024 ? limit.rlim_cur - taken * 1024 : 0;
}

struct fm_memory_room fm_memory_room(const char *root)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    const uint64_t available = number_in(path, "MemAvailable");
    struct fm_memory_room room = {
        .bytes = available == UINT64_MAX ? UINT64_MAX : available * 1024,
        .bound = FM_MEMORY_OF_MACHINE,
        .mappable = room_of_limit(RLIMIT_AS, "VmSize"),
    };
    const uint64_t of_groups = room_of_control_groups(root);
    if (of_groups < room.bytes) {
        room.bytes = of_groups;
        room.bound = FM_MEMORY_OF_CONTROL_GROUP;
    }
    const uint64_t of_data = room_of_limit(RLIMIT_DATA, "VmData");
    if (of_data < room.bytes) {
        room.bytes = of_data;
        room.bound = FM_MEMORY_OF_DATA_LIMIT;
    }
    return room;
}

uint64_t fm_memory_kills(void)
{
    return number_in("/proc/vmstat", "oom_kill");
}
