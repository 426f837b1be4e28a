/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/experiment_note.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "not recorded: ";

void fm_experiment_note(const char *file, const char *sentence)
{
    char line[1024];
    struct stat status;
    const int place = file != NULL ? open(file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (place < 0) {
        return;
    }
    const int length = snprintf(line, sizeof line, "%s%.900s\n", mark, sentence);
    if (fstat(place, &status) == 0 && status.st_size == 0 && length > 0 &&
        write(place, line, (size_t)length) < 0) {
        (void)!ftruncate(place, 0);
    }
    close(place);
}

const char *fm_experiment_note_read(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0 ? line + sizeof mark - 1 : NULL;
}
