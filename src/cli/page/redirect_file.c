/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/page/redirect_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".html"

/** Creates the file in a directory. @return its descriptor, or -1 and errno */
static int create_in(const char *directory, char **path)
{
    if (directory == NULL || directory[0] != '/') {
        errno = ENOENT;
        return -1;
    }
    if (asprintf(path, "%s/fermata-view-XXXXXX" SUFFIX, directory) < 0) {
        *path = NULL;
        errno = ENOMEM;
        return -1;
    }
    int fd = mkostemps(*path, (int)strlen(SUFFIX), O_CLOEXEC); /* 0600, O_EXCL */
    if (fd < 0) {
        int reason = errno;
        free(*path);
        errno = reason;
    }
    return fd;
}

static bool write_redirect(int fd, const char *url)
{
    FILE *stream = fdopen(fd, "w");
    if (stream == NULL) {
        close(fd);
        return false;
    }
    fprintf(
        stream,
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
        "<meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>fermata</title>"
        "<a href=\"%s\">the report</a>\n",
        url, url);
    bool failed = ferror(stream) != 0;
    return fclose(stream) == 0 && !failed;
}

fm_status_t fm_redirect_file_create(const char *url, char **path, struct fm_error *error)
{
    const char *const directories[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    int fd = -1;
    for (size_t i = 0; i < sizeof directories / sizeof directories[0] && fd < 0; i++)
        fd = create_in(directories[i], path);
    if (fd < 0)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create a file for the browser: %m");
    if (write_redirect(fd, url))
        return FM_OK;
    fm_status_t status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", *path);
    fm_redirect_file_remove(*path);
    free(*path);
    return status;
}

void fm_redirect_file_remove(const char *path)
{
    if (path != NULL)
        unlink(path);
}
