/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/constructs/team_end.h"

#include <string.h>

size_t fm_team_end_put(struct fm_thread *thread, uint64_t words[FM_TEAM_END_WORDS])
{
    struct fm_thread_member *member = &thread->member;
    if (member->instance == 0) {
        return 0;
    }
    /* It is not if the program ends in a parallel region. */
    bool is_told = __atomic_load_n(&member->ended, __ATOMIC_ACQUIRE) == member->instance;
    uint64_t time = is_told ? member->ended_at : fm_clock_now(), *place = words;
    if (member->item < thread->open.count && !thread->pause.paused &&
        (thread->open.regions[member->item] & FM_OPEN_UNRECORDED) == 0) {
        *place++ = fm_record_header(FM_RECORD_REGION_LEAVE, 0,
                                    fm_open_region(thread->open.regions[member->item])->number);
        *place++ = time;
    }
    if (!thread->pause.paused) {
        *place++ = fm_record_header(FM_RECORD_TEAM_END, 0, 0);
        *place++ = time;
    }
    thread->open.count = member->item < thread->open.count ? member->item : thread->open.count;
    member->instance = 0;
    return (size_t)(place - words);
}

void fm_team_end_record(struct fm_thread *thread)
{
    uint64_t words[FM_TEAM_END_WORDS];
    fm_merged_visits_tell(thread, NULL);
    size_t count = fm_team_end_put(thread, words);
    if (count != 0) {
        memcpy(fm_thread_reserve(thread, count), words, count * sizeof *words);
        fm_thread_publish(thread);
    }
}
