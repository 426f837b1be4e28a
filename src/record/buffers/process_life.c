/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/process_life.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t fm_process_started(int32_t process)
{
    enum { FIELD_OF_NAME = 2, FIELD_OF_START = 22 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    int file = open(path, O_RDONLY | O_CLOEXEC); /* no stdio streams: their locks may be taken */
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    const char *rest = strrchr(text, ')'); /* the name may contain anything */
    if (rest == NULL || rest[1] != ' ' || rest[2] == 'Z' || rest[2] == 'X') {
        return 0;
    }
    for (int field = FIELD_OF_NAME; rest != NULL && field < FIELD_OF_START; field++) {
        rest = strchr(rest + 1, ' ');
    }
    return rest != NULL ? strtoull(rest + 1, NULL, 10) : 0;
}

uint64_t fm_process_space(void)
{
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
}

enum fm_process_state fm_process_of_buffers(const struct fm_buffer_head *head)
{
    char host[sizeof head->host] = "";
    gethostname(host, sizeof host - 1);
    if (strncmp(host, head->host, sizeof host) != 0 || head->space != fm_process_space()) {
        return FM_PROCESS_ELSEWHERE;
    }
    return fm_process_started((int32_t)head->process) == head->started ? FM_PROCESS_LIVES
                                                                       : FM_PROCESS_ENDED;
}
