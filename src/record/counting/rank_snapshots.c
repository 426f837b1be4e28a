/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/rank_snapshots.h"

#include "base/decimal_text.h"
#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/capture/clock.h"
#include "record/capture/guard.h"
#include "record/capture/thread.h"
#include "record/capture/threads.h"
#include "record/counting/count.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_values.h"
#include "record/experiment/kept_variables.h"
#include "record/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Largest size of a file. */
#define MOST_BYTES ((uint64_t)1 << 28)

enum { TEXT = 1 << 16, ROW = 512, PHASE = 256 };

/* Last values: of the described counters, then calls and times of functions. */
enum { DESCRIBED_MOST = 1024, VALUES = DESCRIBED_MOST + 2 * FM_FUNCTIONS_MOST };

static struct {
    bool open, busy;
    int file;
    _Atomic bool demanded;
    char phase[PHASE];
    uint32_t rank;
    uint64_t written;
    double ticks_per_second;
    double *last;       /* of VALUES counters */
    uint8_t *functions; /* of FM_FUNCTIONS_MOST: 0 not known, else 1 + bits: calls 1, time 2 */
    size_t length;
    char text[TEXT];
} snapshots = {.file = -1};

static const char *wish(const char *kind)
{
    const char *text = fm_variable(FM_SNAPSHOT_VARIABLE);
    size_t length = strlen(kind);
    return text != NULL && strncmp(text, kind, length) == 0 ? text + length : NULL;
}

bool fm_rank_snapshots_is_phase(const char *name, size_t length)
{
    const char *phase = wish("phase:");
    return phase != NULL && strlen(phase) == length && memcmp(phase, name, length) == 0 &&
           fm_counters_are_asked();
}

/* ---- begin ---- */

static void arrive(int number)
{
    int saved = errno;
    (void)number;
    snapshots.demanded = true;
    fm_threads_attend();
    errno = saved;
}

static const char *install(const char *name)
{
    struct sigaction before, action = {.sa_handler = arrive, .sa_flags = SA_RESTART};
    int number = strcmp(name, "USR1") == 0 ? SIGUSR1 : SIGUSR2;
    if (sigaction(number, NULL, &before) != 0 || before.sa_handler != SIG_DFL ||
        sigaction(number, &action, NULL) != 0) {
        return "the program or its MPI library handles the signal itself";
    }
    return NULL;
}

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void flush_text(void)
{
    const char *rest = snapshots.text;
    while (snapshots.length > 0 && snapshots.file >= 0) {
        ssize_t part = write(snapshots.file, rest, snapshots.length);
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) { /* a full file system: the snapshots end */
            close(snapshots.file);
            snapshots.file = -1;
            break;
        }
        rest += part;
        snapshots.length -= (size_t)part;
        snapshots.written += (uint64_t)part;
    }
    snapshots.length = 0;
}

static void add_text(const char *row)
{
    size_t length = strlen(row);
    if (snapshots.length + length > TEXT) {
        flush_text();
    }
    memcpy(snapshots.text + snapshots.length, row, length);
    snapshots.length += length;
}

const char *fm_rank_snapshots_begin(const char *directory, uint32_t rank)
{
    char path[PATH_MAX + 64];
    const char *phase = wish("phase:"), *signal_name = wish("signal:");
    if (phase == NULL && signal_name == NULL) {
        return NULL;
    }
    const char *problem = signal_name != NULL ? install(signal_name) : NULL;
    if (problem != NULL) {
        return problem;
    }
    snapshots.last = pages(VALUES * sizeof *snapshots.last);
    snapshots.functions = pages(FM_FUNCTIONS_MOST);
    snprintf(path, sizeof path, "%s/counters/snapshots.%u", directory, rank);
    snapshots.file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (snapshots.file < 0 || snapshots.last == NULL || snapshots.functions == NULL) {
        return strerrordesc_np(errno);
    }
    snapshots.rank = rank;
    snapshots.ticks_per_second = (double)fm_clock_resolution();
    add_text("seconds,rank,counter,value\n");
    __atomic_store_n(&snapshots.open, true, __ATOMIC_RELEASE);
    return NULL;
}

/* ---- a snapshot ---- */

static double value_of(uint32_t slot, uint32_t bins, uint32_t kind)
{
    uint64_t sum = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        uint64_t part = fm_counter_total(slot + bin, kind);
        sum = bins == 1 ? part : sum + part;
    }
    return fm_counter_in_unit(sum, kind, snapshots.ticks_per_second);
}

static void add_value(double seconds, const char *prefix, const char *name, uint32_t kind,
                      double value, double *last)
{
    char row[ROW], text[FM_COUNTER_PLAIN];
    if (value != *last) {
        *last = value;
        snprintf(row, sizeof row, "%s,%u,%s%s,%.64s\n", fm_decimal(seconds, 9).text, snapshots.rank,
                 prefix, name, fm_counter_plain(text, (enum fm_counter_kind)kind, value));
        add_text(row);
    }
}

static uint8_t selection_of(size_t function, const char *name)
{
    char text[FM_COUNTER_NAME + 8];
    uint8_t *known = &snapshots.functions[function];
    if (*known == 0) {
        const char *list = fm_counters_asked();
        *known = 1;
        snprintf(text, sizeof text, FM_COUNTER_CALLS "%.63s", name);
        *known |= fm_counter_selected(list, text) ? 2 : 0;
        snprintf(text, sizeof text, FM_COUNTER_TIME "%.63s", name);
        *known |= fm_counter_selected(list, text) ? 4 : 0;
    }
    return *known;
}

static void add_functions(double seconds)
{
    size_t count = fm_counter_file_functions_counted();
    for (size_t i = 0; i < count; i++) {
        const char *name = fm_session.regions[i].name;
        uint32_t slot = FM_SLOTS + FM_FUNCTION_WORDS * (uint32_t)i;
        double *last = &snapshots.last[DESCRIBED_MOST + 2 * i];
        if ((selection_of(i, name) & 2) != 0) {
            add_value(seconds, FM_COUNTER_CALLS, name, FM_COUNTER_COUNT,
                      value_of(slot, 1, FM_COUNTER_COUNT), &last[0]);
        }
        if ((selection_of(i, name) & 4) != 0) {
            add_value(seconds, FM_COUNTER_TIME, name, FM_COUNTER_TIMER,
                      value_of(slot + 1, 1, FM_COUNTER_TIMER), &last[1]);
        }
    }
}

static void take(void)
{
    char row[ROW];
    size_t count;
    const struct fm_counter_description *each = fm_counter_file_descriptions(&count);
    double seconds = (double)(fm_clock_now() - fm_clock.start_ticks) / snapshots.ticks_per_second;
    if (count == 0 || snapshots.file < 0 || snapshots.written >= MOST_BYTES) {
        return; /* a forked child, or the end of the file */
    }
    snprintf(row, sizeof row, "%s,,,\n", fm_decimal(seconds, 9).text);
    add_text(row);
    for (size_t i = 0; i < count && i < DESCRIBED_MOST; i++) {
        if (each[i].is_selected != 0 && each[i].bins != 0) {
            add_value(seconds, "", each[i].name, each[i].kind,
                      value_of(each[i].slot, each[i].bins, each[i].kind), &snapshots.last[i]);
        }
    }
    add_functions(seconds);
    flush_text();
}

static void take_alone(struct fm_thread *thread)
{
    struct fm_guard guard;
    if (!__atomic_load_n(&snapshots.open, __ATOMIC_ACQUIRE) ||
        __atomic_test_and_set(&snapshots.busy, __ATOMIC_ACQUIRE)) {
        return; /* another thread takes one */
    }
    fm_guard_begin(&guard);
    if (thread != NULL) {
        fm_count_rest(thread);
    }
    fm_counter_file_tick();
    take();
    fm_guard_end(&guard);
    __atomic_clear(&snapshots.busy, __ATOMIC_RELEASE);
}

void fm_rank_snapshots_take(struct fm_thread *thread)
{
    take_alone(thread);
}

void fm_rank_snapshots_look(void)
{
    if (atomic_exchange(&snapshots.demanded, false)) {
        take_alone(NULL); /* its records are counted */
    }
}

void fm_rank_snapshots_end(void)
{
    take_alone(NULL);
    __atomic_store_n(&snapshots.open, false, __ATOMIC_RELEASE);
}
