/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/leftovers.h"
#include "record/experiment/kept_variables.h"

#include "record/buffers/buffer_layout.h"
#include "record/buffers/buffer_place.h"
#include "record/buffers/process_life.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_head(const char *path, struct fm_buffer_head *head, uint64_t *bytes)
{
    enum { SECTOR = 512 };
    struct stat status;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool good =
        file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() && read(file, head, sizeof *head) == (ssize_t)sizeof *head &&
        head->magic == FM_BUFFER_MAGIC && memchr(head->host, '\0', sizeof head->host) != NULL &&
        memchr(head->directory, '\0', sizeof head->directory) != NULL;
    if (file >= 0) {
        close(file);
    }
    *bytes = good ? (uint64_t)status.st_blocks * SECTOR : 0;
    return good;
}

static bool is_awaited(const struct fm_buffer_head *head)
{
    char path[PATH_MAX + 64];
    struct stat status;
    snprintf(path, sizeof path, "%s/journal/%u.def", head->directory, head->rank);
    bool has_journal = lstat(path, &status) == 0;
    snprintf(path, sizeof path, "%s/traces.otf2", head->directory);
    return has_journal && lstat(path, &status) != 0;
}

static void look_at(const char *folder, const char *name, fm_leftover_report_t *report,
                    void *context)
{
    struct {
        struct fm_buffer_head head;
        struct fm_leftover leftover;
    } *file = malloc(sizeof *file);
    if (file == NULL) {
        return;
    }
    const struct fm_buffer_head *head = &file->head;
    struct fm_leftover *leftover = &file->leftover;
    const int length = snprintf(leftover->path, sizeof leftover->path, "%s/%s", folder, name);
    if (length < (int)sizeof leftover->path &&
        read_head(leftover->path, &file->head, &leftover->bytes) &&
        fm_process_of_buffers(head) == FM_PROCESS_ENDED) {
        memcpy(leftover->directory, head->directory, sizeof leftover->directory);
        leftover->rank = head->rank;
        leftover->is_awaited = is_awaited(head);
        report(context, leftover);
    }
    free(file);
}

static void search(const char *path, fm_leftover_report_t *report, void *context)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, FM_BUFFER_NAME, strlen(FM_BUFFER_NAME)) == 0) {
            look_at(path, entry->d_name, report, context);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void fm_leftovers_find(fm_leftover_report_t *report, void *context)
{
    const char *chosen = fm_variable(FM_BUFFERS_VARIABLE);
    search(FM_BUFFERS_IN_MEMORY, report, context);
    if (chosen != NULL && chosen[0] == '/' && strcmp(chosen, FM_BUFFERS_IN_MEMORY) != 0) {
        search(chosen, report, context);
    }
}
