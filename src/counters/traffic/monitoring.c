/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/traffic/monitoring.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    char letter;
    const char *name;
} kinds[FM_MONITORED_KINDS] = {
    [FM_MONITORED_USER] = {'E', "user"},
    [FM_MONITORED_LIBRARY] = {'I', "library"},
    [FM_MONITORED_PUT] = {'S', "put"},
    [FM_MONITORED_GET] = {'R', "get"},
    [FM_MONITORED_COLLECTIVE] = {'C', "collective"},
};

const char *fm_monitored_name(enum fm_monitored kind)
{
    return kinds[kind].name;
}

/* Reads the histogram behind a row. @return false: it is damaged */
static bool read_sizes(const char *text, struct fm_monitoring *monitoring)
{
    for (int i = 0; *text != '\0' && *text != '\n'; i++) {
        char *end;
        unsigned long long number = strtoull(text, &end, 10);
        if (i == FM_MONITORED_BINS || end == text || strchr(",\n", *end) == NULL) {
            return false;
        }
        monitoring->sizes[i] += number;
        text = *end == ',' ? end + 1 : end;
    }
    return true;
}

/* Reads a row; comments and rows of communicators are left out. @return false: it is damaged */
static bool read_row(const char *line, struct fm_monitoring *monitoring)
{
    unsigned long long from, to, bytes, messages;
    int kind = 0, end = 0;
    while (kind < FM_MONITORED_KINDS && (line[0] != kinds[kind].letter || line[1] != '\t')) {
        kind++;
    }
    if (kind == FM_MONITORED_KINDS) {
        return true;
    }
    if (sscanf(line + 1, " %llu %llu %llu bytes %llu msgs sent%n", &from, &to, &bytes, &messages,
               &end) != 4 ||
        end == 0 || from >= 1 << 24 || to >= 1 << 24) {
        return false;
    }
    fm_vector_push(&monitoring->links, (struct fm_rank_link){.kind = (uint32_t)kind,
                                                             .from = (uint32_t)from,
                                                             .to = (uint32_t)to,
                                                             .bytes = bytes,
                                                             .messages = messages});
    uint32_t last = (uint32_t)(from > to ? from : to);
    monitoring->ranks = last >= monitoring->ranks ? last + 1 : monitoring->ranks;
    const char *rest = line + 1 + end;
    return read_sizes(rest + strspn(rest, "\t "), monitoring);
}

static fm_status_t read_file(const char *path, struct fm_monitoring *monitoring,
                             struct fm_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    fm_status_t status = FM_OK;
    if (file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
    }
    while (status == FM_OK && getline(&line, &room, file) > 0) {
        number++;
        if (!read_row(line, monitoring)) {
            status = fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of Open MPI's monitoring", path,
                             number);
        }
    }
    free(line);
    fclose(file);
    return status;
}

/* Whether a file is called BASE.N.prof. */
static bool is_of_rank(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.') {
        return false;
    }
    size_t digits = strspn(name + length + 1, "0123456789");
    return digits > 0 && strcmp(name + length + 1 + digits, ".prof") == 0;
}

fm_status_t fm_monitoring_read(const char *prefix, struct fm_monitoring *monitoring,
                               struct fm_error *error)
{
    const char *slash = strrchr(prefix, '/');
    const char *base = slash != NULL ? slash + 1 : prefix;
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
    size_t files = 0;
    fm_status_t status = FM_OK;
    *monitoring = (struct fm_monitoring){0};
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(base - prefix) : 1,
             slash != NULL ? prefix : ".");
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: %m", folder);
    }
    for (const struct dirent *entry; status == FM_OK && (entry = readdir(directory)) != NULL;) {
        if (is_of_rank(entry->d_name, base)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            status = read_file(path, monitoring, error);
            files++;
        }
    }
    closedir(directory);
    if (status == FM_OK && files == 0) {
        status = fm_fail(error, FM_ERR_DATA, "there is no file %s.N.prof, and no folder %s", prefix,
                         prefix);
    }
    monitoring->links.count = fm_rank_links_merge(monitoring->links.items, monitoring->links.count);
    return status;
}

void fm_monitoring_free(struct fm_monitoring *monitoring)
{
    fm_vector_free(&monitoring->links);
}
