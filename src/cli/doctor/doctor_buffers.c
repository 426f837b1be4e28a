/* SPDX-License-Identifier: BSD-3-Clause */
/* Where buffers of recorded processes lie, and what processes that were killed have left there. */
#include "cli/doctor/doctor.h"
#include "record/buffers/buffer_place.h"
#include "record/buffers/leftovers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void look_at_place(void)
{
    static struct fm_buffer_place place; /* large */
    char folder[PATH_MAX];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *choice = getenv(FM_BUFFERS_VARIABLE);
    if (getcwd(folder, sizeof folder) != NULL &&
        fm_buffer_place_choose(choice, folder, processors > 0 ? (uint32_t)processors : 1, &place)) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "buffers: in %s; a process that is killed loses nothing of them",
                         place.in_experiment ? "the experiment" : place.folder);
    } else {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "choose another place with --buffers, or record with a smaller "
                         "--flush-interval",
                         "buffers: in memory of the processes: one that is killed loses its last "
                         "records, because %s",
                         place.reason);
    }
}

/* Files of one experiment. */
struct group {
    char directory[4096];
    bool is_awaited;
    unsigned files;
    uint64_t bytes;
    char paths[2048];
};

struct groups {
    struct group *items;
    size_t count;
};

static struct group *group_of(struct groups *groups, const struct fm_leftover *leftover)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->items[i].directory, leftover->directory) == 0) {
            return &groups->items[i];
        }
    }
    struct group *larger = realloc(groups->items, (groups->count + 1) * sizeof *larger);
    if (larger == NULL) {
        return NULL;
    }
    groups->items = larger;
    struct group *group = &larger[groups->count++];
    *group = (struct group){.is_awaited = leftover->is_awaited};
    memcpy(group->directory, leftover->directory, sizeof group->directory);
    return group;
}

static void add(void *context, const struct fm_leftover *leftover)
{
    struct group *group = group_of(context, leftover);
    if (group == NULL) {
        return;
    }
    size_t length = strlen(group->paths), more = strlen(leftover->path);
    if (length + more + 2 < sizeof group->paths) {
        group->paths[length] = ' ';
        memcpy(group->paths + length + 1, leftover->path, more + 1);
    }
    group->files++;
    group->bytes += leftover->bytes;
}

static void report(const struct group *group)
{
    char *remedy = NULL;
    int length =
        group->is_awaited
            ? asprintf(&remedy, "`fermata info %s` completes the trace with them", group->directory)
            : asprintf(&remedy, "nothing needs them: rm%s", group->paths);
    fm_doctor_report(FM_HEALTH_WARNING, length >= 0 ? remedy : NULL,
                     "buffers: %u file%s (%.1f MB) of killed processes of %s", group->files,
                     group->files == 1 ? "" : "s", (double)group->bytes / 1e6, group->directory);
    if (length >= 0) {
        free(remedy);
    }
}

static void look_for_leftovers(void)
{
    struct groups groups = {NULL, 0};
    fm_leftovers_find(add, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        report(&groups.items[i]);
    }
    free(groups.items);
}

void fm_doctor_buffers(void)
{
    look_at_place();
    look_for_leftovers();
}
