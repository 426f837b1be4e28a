/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fm_status_t fm_find_library(const char *name, char *path, size_t size, struct fm_error *error)
{
    static const char *const folders[] = {"../lib", "../lib/fermata"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot find fermata's own path: %m");
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char candidate[PATH_MAX + 128];
        int wanted = snprintf(candidate, sizeof candidate, "%s/%s/%s", self, folders[i], name);
        char *absolute = (size_t)wanted < sizeof candidate ? realpath(candidate, NULL) : NULL;
        if (absolute != NULL && strlen(absolute) < size) {
            strcpy(path, absolute);
            free(absolute);
            return FM_OK;
        }
        free(absolute);
    }
    return fm_fail(error, FM_ERR_SYSTEM, "%s is not beside %s (in ../lib)", name, self);
}
