/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/counter_file.h"

#include "counters/catalogue.h"
#include "counters/counter_layout.h"
#include "record/buffers/process_life.h"
#include "record/capture/guard.h"
#include "record/capture/lock.h"
#include "record/capture/memory_use.h"
#include "record/capture/thread.h"
#include "record/counting/closing/kept_tables.h"
#include "record/counting/count.h"
#include "record/counting/counter_descriptions.h"
#include "record/counting/papi/papi_events.h"
#include "record/counting/perf_events.h"
#include "record/counting/rank_snapshots.h"
#include "record/counting/size_counter.h"
#include "record/counting/user_counters.h"
#include "record/experiment/kept_variables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions of paradigms that begin later have words in each block, too. */
enum { FUNCTIONS_LATER = 2048, PAGE = 4096, READERS_MOST = 8 };

static struct {
    fm_lock_t lock; /* of the file's growth */
    const char *list;
    const char *directory; /* of the experiment */
    int file;
    bool open;
    struct fm_counter_file_head *head; /* mapped */
    uint64_t *process;                 /* the block of the process */
    uint32_t added_words;              /* of FM_ADDED_WORDS */
    fm_counter_reader_t *readers[READERS_MOST];
    _Atomic unsigned reader_count;
} counters = {.lock = FM_LOCK_FREE, .file = -1};

bool fm_counters_only(void)
{
    static _Atomic int known; /* 1: no, 2: yes */
    if (known == 0) {
        const char *text = fm_variable(FM_COUNTERS_ONLY_VARIABLE);
        bool only = text != NULL && (strcmp(text, "1") == 0 || strcasecmp(text, "yes") == 0 ||
                                     strcasecmp(text, "true") == 0 || strcasecmp(text, "on") == 0);
        known = only ? 2 : 1;
    }
    return known == 2;
}

const char *fm_counters_asked(void)
{
    const char *list = fm_variable(FM_COUNTERS_VARIABLE);
    if (!fm_counter_list_is_none(list)) {
        return list;
    }
    return fm_counters_only() ? "all" : NULL;
}

bool fm_counters_are_asked(void)
{
    return fm_counters_asked() != NULL;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* @return false, with errno: not all is written */
static bool write_all(const void *data, size_t bytes, uint64_t place)
{
    ssize_t written = pwrite(counters.file, data, bytes, (off_t)place);
    if (written >= 0 && (size_t)written < bytes) {
        errno = ENOSPC; /* what is written by halves states no reason */
    }
    return written == (ssize_t)bytes;
}

/* ---- functions ---- */

static uint32_t model_of(const struct fm_recorded_region *region)
{
    static const char *const names[] = {
#define FM_COUNTER_MODEL(symbol, prefix, paradigm) paradigm,
#include "counters/definitions/counter_models.def"
#undef FM_COUNTER_MODEL
    };
    uint32_t model = 0;
    while (model < FM_COUNTER_MODELS && strcmp(region->paradigm->name, names[model]) != 0) {
        model++;
    }
    return model;
}

static bool is_selected(const char *prefix, const char *name)
{
    char text[FM_COUNTER_NAME + 8];
    snprintf(text, sizeof text, "%s%s", prefix, name);
    return fm_counter_selected(counters.list, text);
}

static bool write_function(const struct fm_recorded_region *region, size_t number)
{
    struct fm_counter_function function = {.unused = 0};
    snprintf(function.name, sizeof function.name, "%s", region->name);
    function.is_selected = (is_selected(FM_COUNTER_CALLS, region->name) ? 1u : 0u) |
                           (is_selected(FM_COUNTER_TIME, region->name) ? 2u : 0u);
    return write_all(&function, sizeof function,
                     counters.head->functions_at + number * sizeof function);
}

void fm_counter_file_functions(const struct fm_recorded_region *regions, size_t first, size_t count)
{
    if (fm_counters_asked() == NULL) {
        return;
    }
    for (size_t i = first; i < first + count; i++) {
        fm_count_model((uint32_t)i, model_of(&regions[i]));
    }
    if (!__atomic_load_n(&counters.open, __ATOMIC_ACQUIRE)) {
        return;
    }
    struct fm_guard guard;
    fm_guard_begin(&guard);
    bool good = true;
    for (size_t i = first; good && i < first + count; i++) {
        good = write_function(&regions[i], i);
    }
    if (good) {
        __atomic_store_n(&counters.head->function_count, first + count, __ATOMIC_RELEASE);
    }
    fm_guard_end(&guard);
}

size_t fm_counter_file_functions_counted(void)
{
    size_t count = __atomic_load_n(&counters.head->function_count, __ATOMIC_ACQUIRE);
    return count < counters.head->functions_in_block ? count : counters.head->functions_in_block;
}

/* ---- blocks ---- */

/* A further block. With the lock. @return NULL: there is no room */
static uint64_t *add_block(uint64_t thread)
{
    struct fm_counter_file_head *head = counters.head;
    uint64_t place = head->blocks_at + head->block_count * head->block_bytes;
    int reason = posix_fallocate(counters.file, (off_t)place, (off_t)head->block_bytes);
    if (reason != 0) {
        errno = reason;
        return NULL;
    }
    uint64_t *block = mmap(NULL, head->block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                           counters.file, (off_t)place);
    if (block == MAP_FAILED) {
        return NULL;
    }
    block[FM_BLOCK_THREAD] = thread;
    __atomic_store_n(&head->block_count, head->block_count + 1, __ATOMIC_RELEASE);
    return block;
}

/* Gives the thread a block of its own. With the lock. */
static bool add_thread(struct fm_thread *thread)
{
    struct fm_counting *counting = fm_memory_use_map(sizeof *counting, 0);
    uint64_t *block = counting != NULL ? add_block(thread->index) : NULL;
    if (block == NULL) {
        return false; /* a page that stays mapped does no harm without room on disk */
    }
    counting->block = block;
    counting->resets = &counters.head->resets;
    counting->functions = (uint32_t)counters.head->functions_in_block;
    counting->discards = fm_counters_only();
    if (counting->discards) {
        struct fm_kept_tables *kept =
            fm_kept_tables_new(counters.directory, counters.head->rank, thread->index);
        counting->profile = kept != NULL ? &kept->profile : fm_profile_new();
        counting->traffic = kept != NULL ? &kept->traffic : fm_peer_traffic_new();
    }
    __atomic_store_n(&thread->counting, counting, __ATOMIC_RELEASE);
    return true;
}

void fm_counter_file_attach(struct fm_thread *thread)
{
    if (!__atomic_load_n(&counters.open, __ATOMIC_ACQUIRE)) {
        return;
    }
    struct fm_guard guard;
    fm_guard_begin(&guard);
    fm_guard_hold_signals();
    fm_lock(&counters.lock);
    if (thread->counting == NULL) {
        add_thread(thread);
    }
    fm_unlock(&counters.lock);
    fm_guard_end(&guard);
}

/* ---- the file ---- */

static void child_begins(void)
{
    counters.open = false;
    for (struct fm_thread *each = fm_threads_all(); each != NULL; each = each->next) {
        each->counting = NULL;
    }
}

static struct fm_counter_file_head head_of(uint32_t rank, uint32_t size, size_t functions)
{
    struct fm_counter_file_head head = {
        .magic = FM_COUNTER_FILE_MAGIC,
        .version = FM_COUNTER_FILE_VERSION,
        .byte_order = 0x01020304,
        .description_bytes = sizeof(struct fm_counter_description),
        .function_bytes = sizeof(struct fm_counter_function),
        .descriptions_at = FM_COUNTER_HEAD_BYTES,
        .description_count = FM_DESCRIPTIONS,
        .functions_most = FM_FUNCTIONS_MOST,
        .start_ticks = fm_clock.start_ticks,
        .start_realtime = fm_clock.start_realtime,
        .process = (uint64_t)getpid(),
        .process_start = fm_process_started((int32_t)getpid()),
        .rank = rank,
        .size = size,
    };
    size_t most = functions + FUNCTIONS_LATER;
    head.functions_in_block = most < FM_FUNCTIONS_MOST ? most : FM_FUNCTIONS_MOST;
    head.functions_at =
        head.descriptions_at + (FM_DESCRIPTIONS + FM_ADDED_MOST) * (uint64_t)head.description_bytes;
    head.blocks_at =
        round_up(head.functions_at + (uint64_t)FM_FUNCTIONS_MOST * head.function_bytes);
    head.block_bytes =
        round_up((FM_BLOCK_HEAD + FM_SLOTS + (uint64_t)FM_FUNCTION_WORDS * head.functions_in_block +
                  FM_ADDED_WORDS) *
                 sizeof(uint64_t));
    gethostname(head.host, sizeof head.host - 1);
    ssize_t length = readlink("/proc/self/exe", head.program, sizeof head.program - 1);
    head.program[length > 0 ? length : 0] = '\0';
    return head;
}

static struct fm_counter_description descriptions[FM_DESCRIPTIONS + FM_ADDED_MOST];

const struct fm_counter_description *fm_counter_file_descriptions(size_t *count)
{
    *count = __atomic_load_n(&counters.open, __ATOMIC_ACQUIRE)
                 ? __atomic_load_n(&counters.head->description_count, __ATOMIC_ACQUIRE)
                 : 0;
    return descriptions;
}

uint64_t *fm_counter_file_process(void)
{
    return counters.process;
}

static bool write_file(const struct fm_counter_file_head *head)
{
    fm_count_begin();
    fm_counter_describe_all(descriptions, counters.list);
    int reason = posix_fallocate(counters.file, 0, FM_COUNTER_HEAD_BYTES);
    if (reason != 0) {
        errno = reason;
        return false;
    }
    counters.head =
        mmap(NULL, FM_COUNTER_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, counters.file, 0);
    if (counters.head == MAP_FAILED) {
        counters.head = NULL;
        return false;
    }
    return write_all(descriptions, FM_DESCRIPTIONS * sizeof *descriptions, head->descriptions_at);
}

/* Writes the description of an added counter. With the lock.
 * @return false: there is no room */
static bool add_description(const struct fm_added_counter *counter, uint32_t slot)
{
    uint64_t number = counters.head->description_count;
    if (number >= FM_DESCRIPTIONS + FM_ADDED_MOST) {
        return false;
    }
    struct fm_counter_description *last = &descriptions[number];
    *last = fm_counter_describe(counter, slot);
    if (!write_all(last, sizeof *last, counters.head->descriptions_at + number * sizeof *last)) {
        return false;
    }
    __atomic_store_n(&counters.head->description_count, number + 1, __ATOMIC_RELEASE);
    return true;
}

uint32_t fm_counter_file_add(const struct fm_added_counter *counter)
{
    struct fm_guard guard;
    uint32_t slot = 0;
    if (!__atomic_load_n(&counters.open, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    fm_guard_begin(&guard);
    fm_guard_hold_signals();
    fm_lock(&counters.lock);
    uint32_t rules = counter->rules != NULL ? counter->bins - 1 : 0;
    bool fits = counters.added_words + counter->bins + rules <= FM_ADDED_WORDS;
    if (fits && counter->tier != FM_TIER_UNAVAILABLE) {
        slot = FM_SLOTS + FM_FUNCTION_WORDS * (uint32_t)counters.head->functions_in_block +
               counters.added_words;
        for (uint32_t i = 0; i < rules; i++) {
            counters.process[FM_BLOCK_HEAD + slot + counter->bins + i] = counter->rules[i];
        }
    }
    if (fits && add_description(counter, slot)) {
        counters.added_words += slot != 0 ? counter->bins + rules : 0;
    } else {
        slot = 0;
    }
    fm_unlock(&counters.lock);
    fm_guard_end(&guard);
    return slot;
}

void fm_counter_file_read_by(fm_counter_reader_t *reader)
{
    unsigned count = counters.reader_count;
    if (count < READERS_MOST) {
        counters.readers[count] = reader;
        counters.reader_count = count + 1;
    }
}

static bool create(const char *path, uint32_t rank, uint32_t size, size_t functions)
{
    counters.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct fm_counter_file_head head = head_of(rank, size, functions);
    if (counters.file < 0 || !write_file(&head)) {
        return false;
    }
    *counters.head = head;
    return true;
}

/* Writes what readers need, and gives the threads that exist their blocks. */
static bool fill(const struct fm_recorded_region *regions, size_t region_count)
{
    for (size_t i = 0; i < region_count; i++) {
        fm_count_model((uint32_t)i, model_of(&regions[i]));
        if (!write_function(&regions[i], i)) {
            return false;
        }
    }
    counters.head->function_count = region_count;
    counters.process = add_block(UINT64_MAX);
    bool good = counters.process != NULL;
    __atomic_store_n(&counters.open, good, __ATOMIC_RELEASE); /* later threads get theirs */
    fm_lock(&counters.lock);
    for (struct fm_thread *each = fm_threads_all(); good && each != NULL; each = each->next) {
        good = each->counting != NULL || add_thread(each);
    }
    fm_unlock(&counters.lock);
    return good;
}

bool fm_counter_file_open(const char *directory, uint32_t rank, uint32_t size,
                          const struct fm_recorded_region *regions, size_t region_count)
{
    char path[PATH_MAX + 64];
    counters.list = fm_counters_asked();
    counters.directory = directory;
    snprintf(path, sizeof path, "%s/counters", directory);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    snprintf(path, sizeof path, "%s/counters/rank.%u", directory, rank);
    if (!create(path, rank, size, region_count) || !fill(regions, region_count)) {
        int reason = errno;
        __atomic_store_n(&counters.open, false, __ATOMIC_RELEASE);
        unlink(path); /* readers would take it for that of a killed process */
        errno = reason;
        return false;
    }
    pthread_atfork(NULL, NULL, child_begins);
    fm_size_counter_begin();
    fm_user_counters_begin();
    fm_perf_events_begin(counters.list);
    fm_papi_events_begin(counters.list);
    fm_counter_file_tick();
    return true;
}

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static void write_usage(void)
{
    struct rusage usage;
    uint64_t *values = counters.process + FM_BLOCK_HEAD;
    uint64_t *sequence = &counters.process[FM_BLOCK_SEQUENCE];
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return;
    }
    __atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELAXED);
    fm_counter_fence();
    values[FM_SLOT_FAULTS_MINOR] = (uint64_t)usage.ru_minflt;
    values[FM_SLOT_FAULTS_MAJOR] = (uint64_t)usage.ru_majflt;
    values[FM_SLOT_SWITCHES_VOLUNTARY] = (uint64_t)usage.ru_nvcsw;
    values[FM_SLOT_SWITCHES_INVOLUNTARY] = (uint64_t)usage.ru_nivcsw;
    values[FM_SLOT_TIME_USER] = nanoseconds(usage.ru_utime);
    values[FM_SLOT_TIME_SYSTEM] = nanoseconds(usage.ru_stime);
    values[FM_SLOT_MEMORY_MOST] = (uint64_t)usage.ru_maxrss * 1024;
    for (unsigned i = 0; i < counters.reader_count; i++) {
        counters.readers[i](values);
    }
    __atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELEASE);
}

/* Readers take the values of a file that has ended as the last ones. */
static bool is_running(void)
{
    return __atomic_load_n(&counters.open, __ATOMIC_ACQUIRE) &&
           counters.head->state != FM_COUNTING_ENDED;
}

void fm_counter_file_tick(void)
{
    if (!is_running()) {
        return;
    }
    static bool busy;
    if (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {
        return; /* another thread does it */
    }
    struct fm_counter_file_head *head = counters.head;
    struct fm_clock_moment now = fm_clock_moment();
    __atomic_store_n(&head->rate_sequence, head->rate_sequence + 1, __ATOMIC_RELAXED);
    fm_counter_fence();
    __atomic_store_n(&head->ticks, now.ticks - fm_clock.start_ticks, __ATOMIC_RELAXED);
    __atomic_store_n(&head->nanoseconds, now.nanoseconds - fm_clock.start_nanoseconds,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&head->rate_sequence, head->rate_sequence + 1, __ATOMIC_RELEASE);
    write_usage();
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

void fm_counter_file_close(void)
{
    if (is_running()) {
        fm_counter_file_tick();
        fm_rank_snapshots_end();
        __atomic_store_n(&counters.head->state, FM_COUNTING_ENDED, __ATOMIC_RELEASE);
    }
}
