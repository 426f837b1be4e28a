/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/record_kind.h"

#include <stddef.h>

const char *fm_rma_kind(const struct fm_rma *record)
{
    switch (record->type) {
    case FM_RMA_PUT:
        return "put";
    case FM_RMA_GET:
        return "get";
    case FM_RMA_ATOMIC:
        return "atomic";
    default:
        return NULL;
    }
}

const char *fm_thread_record_kind(const struct fm_thread_record *record)
{
    static const char *const kinds[] = {
        [FM_THREAD_FORK] = "fork",
        [FM_THREAD_JOIN] = "join",
        [FM_THREAD_TEAM_BEGIN] = "team_begin",
        [FM_THREAD_TEAM_END] = "team_end",
        [FM_THREAD_CREATE] = "create",
        [FM_THREAD_BEGIN] = "begin",
        [FM_THREAD_WAIT] = "wait",
        [FM_THREAD_END] = "end",
        [FM_THREAD_LOCK_ACQUIRE] = "lock_acquire",
        [FM_THREAD_LOCK_RELEASE] = "lock_release",
        [FM_THREAD_TASK_CREATE] = "task_create",
        [FM_THREAD_TASK_SWITCH] = "task_switch",
        [FM_THREAD_TASK_COMPLETE] = "task_complete",
    };
    return kinds[record->type];
}
