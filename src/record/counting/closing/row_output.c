/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/closing/row_output.h"

#include "counters/row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

bool fm_row_output_begin(struct fm_row_output *output, const char *experiment, const char *name,
                         uint32_t rank, const char *head)
{
    snprintf(output->path, sizeof output->path, "%s/counters/%s.%" PRIu32, experiment, name, rank);
    snprintf(output->unfinished, sizeof output->unfinished, "%s.part", output->path);
    int descriptor = open(output->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return false;
    }
    output->file = fdopen(descriptor, "w");
    if (output->file == NULL) {
        int reason = errno;
        close(descriptor);
        unlink(output->unfinished);
        errno = reason;
        return false;
    }
    fprintf(output->file, "%s\n", head);
    return true;
}

bool fm_row_output_end(struct fm_row_output *output)
{
    fputs(FM_ROW_FILE_END "\n", output->file);
    bool was_good = !ferror(output->file);
    bool is_good = fclose(output->file) == 0 && was_good;
    is_good = is_good && rename(output->unfinished, output->path) == 0;
    if (!is_good) {
        int reason = errno;
        unlink(output->unfinished);
        errno = reason;
    }
    return is_good;
}
