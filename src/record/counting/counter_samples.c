/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/counter_samples.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/clock.h"
#include "record/capture/thread.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_values.h"
#include "record/session/session.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/otf2.h>
#include <string.h>

enum { MOST = 256 };

/* A counter with samples. */
static struct sampled {
    uint32_t slot, metric; /* first word in blocks; number of its definition */
    uint32_t kind;         /* enum fm_counter_kind */
    uint64_t last;         /* value of the sample before */
} sampled[MOST];

static size_t count, seen;          /* counters with samples; descriptions that are looked at */
static double nanoseconds_per_tick; /* 0: no counter of clock ticks has samples */

void fm_counter_samples_begin(void)
{
    size_t descriptions;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&descriptions);
    for (size_t i = seen; i < descriptions && count < MOST; i++, seen++) {
        enum fm_counter_kind kind = (enum fm_counter_kind)each[i].kind;
        /* Those of the program are in the trace already, each value. */
        bool is_user = strncmp(each[i].name, FM_COUNTER_USER, strlen(FM_COUNTER_USER)) == 0;
        if (each[i].bins != 1 || each[i].is_selected == 0 || is_user) {
            continue;
        }
        OTF2_Type type = fm_counter_is_real(kind) ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
        const char *unit = fm_counter_is_time(kind) ? "ns" : each[i].unit;
        const uint32_t words[] = {fm_session_string(each[i].name), fm_session_string(unit), type,
                                  fm_counter_is_level(kind) ? OTF2_METRIC_ABSOLUTE_POINT
                                                            : OTF2_METRIC_ACCUMULATED_START};
        uint32_t metric = words[0] == FM_DEFINE_NONE || words[1] == FM_DEFINE_NONE
                              ? FM_DEFINE_NONE
                              : fm_session_define(FM_DEFINE_METRIC, words, 4);
        if (kind == FM_COUNTER_TIMER && nanoseconds_per_tick == 0) {
            nanoseconds_per_tick = 1e9 / (double)fm_clock_resolution();
        }
        if (metric != FM_DEFINE_NONE) {
            sampled[count++] =
                (struct sampled){.slot = each[i].slot, .metric = metric, .kind = kind};
        }
    }
}

void fm_counter_samples_record(struct fm_thread *thread, uint64_t time)
{
    bool is_paused = (thread->pause.seen & 1) != 0;
    if (thread->index != 0 || is_paused || fm_counters_only()) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t value = fm_counter_total(sampled[i].slot, sampled[i].kind);
        if (value != sampled[i].last) {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_METRIC);
            record[0] = fm_record_header(FM_RECORD_METRIC,
                                         fm_counter_is_real((enum fm_counter_kind)sampled[i].kind)
                                             ? OTF2_TYPE_DOUBLE
                                             : OTF2_TYPE_INT64,
                                         sampled[i].metric);
            record[1] = time;
            record[2] = sampled[i].kind == FM_COUNTER_TIMER
                            ? (uint64_t)((double)value * nanoseconds_per_tick)
                            : value;
            sampled[i].last = value;
        }
    }
    fm_thread_publish(thread);
}
