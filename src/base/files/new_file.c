/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/files/new_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void release(struct fm_new_file *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct fm_new_file){0};
}

fm_status_t fm_new_file_open(struct fm_new_file *file, const char *path, struct fm_error *error)
{
    struct fm_new_file made = {.path = strdup(path)};
    if (asprintf(&made.temporary, "%s.XXXXXX", path) < 0) {
        made.temporary = NULL;
    }
    if (made.path == NULL || made.temporary == NULL) {
        release(&made);
        return fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory", path);
    }
    int descriptor = mkstemp(made.temporary);
    if (descriptor < 0) {
        fm_status_t status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot create the file: %m", path);
        release(&made);
        return status;
    }
    made.stream = fdopen(descriptor, "wb");
    if (made.stream == NULL) {
        fm_status_t status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot write the file: %m", path);
        close(descriptor);
        unlink(made.temporary);
        release(&made);
        return status;
    }
    *file = made;
    return FM_OK;
}

fm_status_t fm_new_file_commit(struct fm_new_file *file, struct fm_error *error)
{
    errno = 0;
    bool failed =
        fflush(file->stream) != 0 || ferror(file->stream) || fsync(fileno(file->stream)) != 0;
    int cause = errno;
    if (fclose(file->stream) != 0 && !failed) {
        failed = true;
        cause = errno;
    }
    if (!failed && rename(file->temporary, file->path) != 0) {
        failed = true;
        cause = errno;
    }
    fm_status_t status = FM_OK;
    if (failed) {
        unlink(file->temporary);
        errno = cause != 0 ? cause : EIO;
        status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot write the file: %m", file->path);
    }
    release(file);
    return status;
}

void fm_new_file_discard(struct fm_new_file *file)
{
    fclose(file->stream);
    unlink(file->temporary);
    release(file);
}
