/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/buffer_beat.h"

#include "record/buffers/buffer_layout.h"
#include "record/buffers/process_life.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

void fm_buffer_beat(const char *path, uint64_t token, const struct fm_clock_moment *moment)
{
    struct fm_buffer_head head;
    const size_t bytes = offsetof(struct fm_buffer_head, directory);
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (pread(file, &head, bytes, 0) == (ssize_t)bytes && head.magic == FM_BUFFER_MAGIC &&
        head.token == token && head.ticks_used == (uint32_t)fm_clock.counter &&
        fm_process_of_buffers(&head) == FM_PROCESS_LIVES) {
        const uint32_t next = 1 - (head.latest & 1);
        const uint64_t alive[] = {moment->ticks, moment->nanoseconds};
        const off_t place = (off_t)(offsetof(struct fm_buffer_head, alive) + next * sizeof alive);
        if (pwrite(file, alive, sizeof alive, place) == (ssize_t)sizeof alive &&
            pwrite(file, &next, sizeof next, offsetof(struct fm_buffer_head, latest)) < 0) {
            close(file); /* the moment before stays the latest */
            return;
        }
    }
    close(file);
}
