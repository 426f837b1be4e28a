/* SPDX-License-Identifier: BSD-3-Clause */
/* Validation of the values of settings. */
#include "base/quantity.h"
#include "counters/catalogue.h"
#include "counters/size_bins.h"
#include "record/brief/event_budget.h"
#include "record/gpu_option.h"
#include "record/marks/mark_kinds.h"
#include "record/sampling/sample_rate.h"
#include "record/selection/flight_option.h"
#include "record/selection/scope.h"
#include "record/selection/thinning.h"
#include "record/settings/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MIN_DURATION = 86400 /* seconds */ };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(const char *text, const char *const words[])
{
    while (*words != NULL && strcmp(text, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

const char *fm_refuse_size(const char *text)
{
    uint64_t bytes;
    return fm_size_read(text, &bytes) && bytes > 0 ? NULL : "a size such as 64M";
}

const char *fm_refuse_buffers(const char *text)
{
    static const char *const words[] = {"auto", "off", NULL};
    return text[0] == '/' || is_one_of(text, words) ? NULL : "auto, off or an absolute folder";
}

const char *fm_refuse_max_size(const char *text)
{
    _Static_assert(FM_MAX_SIZE_LEAST == 1 << 20, "said below");
    uint64_t bytes;
    return fm_max_size_read(text, &bytes) ? NULL : "a size from 1M on, or none";
}

const char *fm_refuse_progress(const char *text)
{
    static const char *const words[] = {"target", "async", NULL};
    return is_one_of(text, words) ? NULL : "target or async";
}

const char *fm_refuse_layer(const char *text)
{
    static const char *const words[] = {"program", "mpi", NULL};
    return is_one_of(text, words) ? NULL : "program or mpi";
}

const char *fm_refuse_callpath(const char *text)
{
    static const char *const words[] = {"stack", "all", "flat", NULL};
    char *end;
    if (strncmp(text, "depth=", 6) == 0 && is_digit(text[6])) {
        errno = 0;
        long depth = strtol(text + 6, &end, 10);
        return depth > 0 && errno == 0 && *end == '\0' ? NULL : "depth=N with N from 1 on";
    }
    return is_one_of(text, words) ? NULL : "stack, all, flat or depth=N";
}

const char *fm_refuse_names(const char *text)
{
    return strcmp(text, "short") == 0 || strcmp(text, "full") == 0 ? NULL : "short or full";
}

const char *fm_refuse_sample(const char *text)
{
    _Static_assert(FM_SAMPLE_RATE_LEAST == 1 && FM_SAMPLE_RATE_MOST == 10000, "said below");
    return fm_sample_rate(text) >= 0
               ? NULL
               : "a frequency from 1Hz to 10kHz, a period from 100us to 1s, or off";
}

const char *fm_refuse_sample_clock(const char *text)
{
    enum fm_sample_clock_choice choice;
    return fm_sample_clock_choice(text, &choice) ? NULL : "perf or timer";
}

const char *fm_refuse_threads(const char *text)
{
    static const char *const words[] = {"contended", "all", "off", NULL};
    return is_one_of(text, words) ? NULL : "contended, all or off";
}

const char *fm_refuse_event_budget(const char *text)
{
    double share;
    return fm_event_budget_read(text, &share) ? NULL : "a percentage such as 5%, or off";
}

const char *fm_refuse_duration(const char *text)
{
    uint64_t nanoseconds;
    bool good = fm_duration_read_with_unit(text, &nanoseconds) &&
                nanoseconds <= (uint64_t)LONGEST_MIN_DURATION * 1000000000;
    return good ? NULL : "a duration such as 1us";
}

static const char *refuse_part(enum fm_scope_kind kind, const char *text)
{
    struct fm_scope selection = fm_scope_all();
    return fm_scope_set(&selection, kind, text);
}

const char *fm_refuse_ranks(const char *text)
{
    return refuse_part(FM_SCOPE_RANKS, text);
}

const char *fm_refuse_window(const char *text)
{
    return refuse_part(FM_SCOPE_WINDOW, text);
}

const char *fm_refuse_phase(const char *text)
{
    return refuse_part(FM_SCOPE_PHASE, text);
}

const char *fm_refuse_signal(const char *text)
{
    return refuse_part(FM_SCOPE_SIGNAL, text);
}

const char *fm_refuse_flight_recorder(const char *text)
{
    struct fm_flight_option option;
    return fm_flight_option_read(&option, text) ? NULL : "a size, as in 16M or 16M,always";
}

const char *fm_refuse_size_bins(const char *text)
{
    struct fm_size_bins bins;
    _Static_assert(FM_SIZE_RULES_MOST == 32, "said below");
    return fm_size_bins_read(text, &bins) ? NULL : "up to 32 ascending sizes, as in 64,1K,64KB";
}

const char *fm_refuse_marks(const char *text)
{
#define FM_MARK_KIND(identifier, name, ...) name ", "
    uint32_t kinds;
    return fm_mark_kinds_read(text, &kinds) ? NULL
                                            : "a list of "
#include "record/marks/mark_kinds.def"
                                              "default; or off";
#undef FM_MARK_KIND
}

const char *fm_refuse_gpu(const char *text)
{
    return fm_gpu_is_legal(text) ? NULL : "yes, no or " FM_GPU_METRICS;
}

const char *fm_refuse_flush_interval(const char *text)
{
    uint64_t nanoseconds;
    bool good = strcmp(text, "never") == 0 || fm_duration_read(text, &nanoseconds);
    return good ? NULL : "a duration such as 2s or 500ms, or never";
}

const char *fm_refuse_clock_exchange(const char *text)
{
    static const char *const words[] = {"auto", "always", NULL};
    return is_one_of(text, words) ? NULL : "auto or always";
}

const char *fm_refuse_counters(const char *text)
{
    static char wanted[192];
    const char *unknown = fm_counter_list_unknown(text);
    if (unknown == NULL) {
        return NULL;
    }
    snprintf(wanted, sizeof wanted,
             "names of counters: there is none called %s; see fermata counters list", unknown);
    return wanted;
}

double fm_snapshot_period(const char *text)
{
    uint64_t nanoseconds;
    return text != NULL && fm_duration_read(text, &nanoseconds) ? (double)nanoseconds / 1e9 : 0;
}

const char *fm_refuse_snapshot(const char *text)
{
    double period = fm_snapshot_period(text);
    bool good = (period >= 0.05 && period <= 1e6) ||
                (strncmp(text, "phase:", 6) == 0 && text[6] != '\0') ||
                strcmp(text, "signal:USR1") == 0 || strcmp(text, "signal:USR2") == 0;
    return good ? NULL : "a period from 50ms on, phase:NAME, signal:USR1 or signal:USR2";
}
