/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/files/new_directory.h"

#include "base/files/file_tree.h"
#include "base/process/isolate.h"

#include <errno.h>
#include <sys/stat.h>

struct work {
    const struct fm_directory_writer *writer;
    const char *directory;
};

static int write_directory(void *argument)
{
    const struct work *work = argument;
    return work->writer->write(work->writer->argument, work->directory);
}

fm_status_t fm_new_directory(const char *directory, const struct fm_directory_writer *writer,
                             struct fm_error *error)
{
    struct work work = {writer, directory};
    struct fm_isolated end;
    if (mkdir(directory, 0777) != 0) {
        fm_status_t status = errno == EEXIST ? FM_ERR_USAGE : FM_ERR_SYSTEM;
        return fm_fail(error, status, "%s: cannot create the directory: %m", directory);
    }
    fm_status_t status = FM_OK;
    if (fm_isolate(write_directory, &work, 0, true, &end) != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot start a process: %m", directory);
    } else if (!end.returned) {
        status = fm_fail(error, FM_ERR_SYSTEM,
                         "%s: cannot write the archive: a write failed (disk full, quota or file "
                         "size limit?)",
                         directory);
    } else if (end.result != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot write the archive: %s", directory,
                         writer->describe(end.result));
    }
    if (status != FM_OK) {
        fm_remove_tree(directory);
    }
    return status;
}
