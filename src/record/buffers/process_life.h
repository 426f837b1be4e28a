/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Identity and life of processes on this host. Safe in signal handlers; errno is not preserved.
 */
#ifndef FERMATA_RECORD_BUFFERS_PROCESS_LIFE_H
#define FERMATA_RECORD_BUFFERS_PROCESS_LIFE_H

#include "record/buffers/buffer_layout.h"

#include <stdint.h>

/** Start of a process in ticks of the system since its boot: with the process ID, which is reused,
 * it identifies the process. @return 0: it does not exist, or has ended and was not waited for */
uint64_t fm_process_started(int32_t process);

/** Inode of the namespace that the IDs of this process and its children belong to; 0: not known. */
uint64_t fm_process_space(void);

enum fm_process_state {
    FM_PROCESS_ELSEWHERE, /**< it belongs to another host or namespace: its state is not known */
    FM_PROCESS_LIVES,
    FM_PROCESS_ENDED
};

/** @return the state of the process that has made a buffer file. @param head  of the file, which
 * may be damaged */
enum fm_process_state fm_process_of_buffers(const struct fm_buffer_head *head);

#endif
