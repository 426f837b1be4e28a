/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the file of a process (counter_layout.h): the interface fermata/counters.h. Uses the C
 * library only, because other programs link it. Files are read, not mapped: one that shrinks gives
 * an error. */
#include "counters/counter_reader.h"

#include "counters/catalogue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)FERMATA_KIND_HISTOGRAM == (int)FM_COUNTER_HISTOGRAM &&
                   (int)FERMATA_KIND_TIMER == (int)FM_COUNTER_TIMER &&
                   (int)FERMATA_KIND_NANOSECONDS == (int)FM_COUNTER_NANOSECONDS &&
                   (int)FERMATA_KIND_REAL_LEVEL == (int)FM_COUNTER_REAL_LEVEL &&
                   (int)FERMATA_KIND_REAL_LEVEL + 1 == (int)FM_COUNTER_KINDS,
               "the public kinds are those of the catalogue");

/* A thread writes for some nanoseconds, but its processor may be taken from it meanwhile. */
enum { ATTEMPTS = 2000, PATIENT_ATTEMPTS = 20, PAUSE = 100 /* microseconds */ };

/* Limits of what a sound file has. */
enum { MOST_DESCRIPTIONS = 4096, MOST_FUNCTIONS = 65536, MOST_BLOCKS = 1 << 20 };

static int read_all(const fermata_counters_t *c, void *data, size_t bytes, uint64_t place)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t part = pread(c->file, (char *)data + done, bytes - done, (off_t)(place + done));
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part <= 0) {
            return -1;
        }
        done += (size_t)part;
    }
    return 0;
}

/* ---- the parts of a file ---- */

static const char *refuse_head(const struct fm_counter_file_head *head)
{
    if (memcmp(head->magic, FM_COUNTER_FILE_MAGIC, sizeof head->magic) != 0) {
        return "not a file of counters, or not complete";
    }
    if (head->byte_order != 0x01020304) {
        return "written on a machine with another byte order";
    }
    if (head->version != FM_COUNTER_FILE_VERSION) {
        return "written by another version of fermata";
    }
    bool is_sound =
        head->description_bytes == sizeof(struct fm_counter_description) &&
        head->function_bytes == sizeof(struct fm_counter_function) &&
        head->description_count <= MOST_DESCRIPTIONS && head->functions_most <= MOST_FUNCTIONS &&
        head->functions_in_block <= head->functions_most &&
        head->block_bytes % sizeof(uint64_t) == 0 &&
        head->block_bytes / sizeof(uint64_t) >= FM_BLOCK_HEAD && head->block_bytes <= 1u << 30;
    return is_sound ? NULL : "damaged";
}

int fm_counter_reader_head(fermata_counters_t *c)
{
    struct fm_counter_file_head before;
    for (int i = 0; i < PATIENT_ATTEMPTS; i++) {
        if (read_all(c, &before, sizeof before, 0) != 0 ||
            read_all(c, &c->head, sizeof c->head, 0) != 0) {
            return -1;
        }
        if (before.rate_sequence % 2 == 0 && before.rate_sequence == c->head.rate_sequence &&
            before.ticks == c->head.ticks && before.nanoseconds == c->head.nanoseconds) {
            break; /* else, in the end, any: the rate hardly changes */
        }
    }
    if (c->head.nanoseconds != 0) {
        c->ticks = c->head.ticks;
        c->nanoseconds = c->head.nanoseconds;
    }
    c->head.host[sizeof c->head.host - 1] = '\0';
    c->head.program[sizeof c->head.program - 1] = '\0';
    return refuse_head(&c->head) != NULL || c->head.block_count > MOST_BLOCKS ||
                   c->head.function_count > c->head.functions_most
               ? -1
               : 0;
}

static int add_counter(fermata_counters_t *c, const char *prefix, const char *name,
                       const char *unit, struct fm_reader_counter like)
{
    struct fm_reader_counter *larger = realloc(c->counters, (c->count + 1) * sizeof *larger);
    if (larger == NULL) {
        return -1;
    }
    c->counters = larger;
    struct fm_reader_counter *counter = &larger[c->count++];
    *counter = like;
    snprintf(counter->name, sizeof counter->name, "%s%.*s", prefix, FM_COUNTER_NAME - 1, name);
    snprintf(counter->unit, sizeof counter->unit, "%.*s", FM_COUNTER_UNIT - 1, unit);
    return 0;
}

/* The counters may have moved: names are in them. */
static void point_to_names(fermata_counters_t *c)
{
    for (size_t i = 0; i < fermata_counters_number(c); i++) {
        c->counters[i].info.name = c->counters[i].name;
        c->counters[i].info.unit = c->counters[i].unit;
        c->counters[i].info.meaning = c->counters[i].meaning;
    }
}

static int add_unavailable(fermata_counters_t *c, const struct fm_counter_description *d)
{
    struct fm_reader_lack *larger =
        realloc(c->unavailable, (c->unavailable_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return -1;
    }
    c->unavailable = larger;
    struct fm_reader_lack *last = &larger[c->unavailable_count++];
    snprintf(last->name, sizeof last->name, "%.*s", FM_COUNTER_NAME - 1, d->name);
    snprintf(last->reason, sizeof last->reason, "%.*s", FM_COUNTER_MEANING - 1, d->meaning);
    return 0;
}

static int add_described(fermata_counters_t *c, const struct fm_counter_description *d)
{
    if (d->bins == 0) {
        return add_unavailable(c, d);
    }
    if (d->kind >= FM_COUNTER_KINDS ||
        (uint64_t)d->slot + d->bins > c->words_in_block - FM_BLOCK_HEAD ||
        d->sentinel >= c->words_in_block - FM_BLOCK_HEAD ||
        (d->rules != 0 && (uint64_t)d->rules + d->bins - 1 > c->words_in_block - FM_BLOCK_HEAD)) {
        return -1;
    }
    struct fm_reader_counter like = {
        .info = {.kind = (int)d->kind,
                 .bins = d->bins,
                 .selected = d->is_selected != 0,
                 .boundary = d->boundary,
                 .communicator_boundary = d->communicator_boundary,
                 .obtained = fm_counter_tier_name((enum fm_counter_tier)d->tier)},
        .slot = d->slot,
        .sentinel = d->kind == FM_COUNTER_HIGH_WATERMARK ? d->sentinel : 0,
        .rules = d->kind == FM_COUNTER_BINS ? d->rules : 0};
    snprintf(like.meaning, sizeof like.meaning, "%.*s", FM_COUNTER_MEANING - 1, d->meaning);
    return add_counter(c, "", d->name, d->unit, like);
}

/* Reads the descriptions that were added since the last time. */
static int read_descriptions(fermata_counters_t *c)
{
    while (c->described < c->head.description_count) {
        struct fm_counter_description d;
        if (read_all(c, &d, sizeof d, c->head.descriptions_at + c->described * sizeof d) != 0 ||
            add_described(c, &d) != 0) {
            return -1;
        }
        c->described++;
    }
    return 0;
}

/* Adds the sum, if there is one, whose last summand is a counter of this slot. */
static int add_sum(fermata_counters_t *c, const char *summand, uint64_t slot)
{
    const struct fm_counter_entry *sum = fm_counter_sum_ending(summand);
    int first = sum != NULL ? fermata_counters_find(c, sum->summands[0]) : -1;
    if (first < 0) {
        return 0;
    }
    struct fm_reader_counter like = {
        .info = {.obtained = fm_counter_tier_name(sum->tier), .kind = (int)sum->kind, .bins = 1},
        .slot = c->counters[first].slot,
        .added = slot};
    return add_counter(c, "", sum->name, sum->unit, like);
}

static int add_function(fermata_counters_t *c, const struct fm_counter_function *function)
{
    size_t number = c->functions;
    const char *obtained = fm_counter_tier_name(FM_TIER_EXACT);
    char name[sizeof FM_COUNTER_CALLS + FM_COUNTER_NAME];
    uint64_t slot = (uint64_t)FM_SLOTS + (uint64_t)FM_FUNCTION_WORDS * number;
    if (slot + FM_FUNCTION_WORDS > c->words_in_block - FM_BLOCK_HEAD) {
        return 0;
    }
    struct fm_reader_counter calls = {.info = {.obtained = obtained,
                                               .kind = FERMATA_KIND_COUNT,
                                               .bins = 1,
                                               .selected = (function->is_selected & 1) != 0},
                                      .slot = slot};
    struct fm_reader_counter time = {.info = {.obtained = obtained,
                                              .kind = FERMATA_KIND_TIMER,
                                              .bins = 1,
                                              .selected = (function->is_selected & 2) != 0},
                                     .slot = slot + 1};
    c->functions++;
    snprintf(name, sizeof name, FM_COUNTER_CALLS "%.*s", FM_COUNTER_NAME - 1, function->name);
    int failed = add_counter(c, FM_COUNTER_CALLS, function->name, "calls", calls);
    failed = failed != 0 ? failed : add_counter(c, FM_COUNTER_TIME, function->name, "s", time);
    return failed != 0 ? failed : add_sum(c, name, slot);
}

static int read_functions(fermata_counters_t *c)
{
    uint64_t count = c->head.function_count < c->head.functions_in_block
                         ? c->head.function_count
                         : c->head.functions_in_block;
    while (c->functions < count) {
        struct fm_counter_function function;
        size_t before = c->functions;
        if (read_all(c, &function, sizeof function,
                     c->head.functions_at + c->functions * sizeof function) != 0 ||
            add_function(c, &function) != 0) {
            return -1;
        }
        if (c->functions == before) {
            break;
        }
    }
    point_to_names(c);
    return 0;
}

/* Reads a block between two changes by its thread. @return as fermata_counters_read */
static int read_block(const fermata_counters_t *c, size_t block, uint64_t *words)
{
    uint64_t place = c->head.blocks_at + block * c->head.block_bytes, before, after;
    for (int i = 0; i < ATTEMPTS; i++) {
        if (read_all(c, &before, sizeof before, place) != 0 ||
            read_all(c, words, c->head.block_bytes, place) != 0 ||
            read_all(c, &after, sizeof after, place) != 0) {
            return -1;
        }
        if (before == after && before % 2 == 0) {
            return 0;
        }
        if (before == after && fermata_counters_state(c) != FERMATA_PROCESS_RUNNING) {
            return 1;
        }
        if (i >= PATIENT_ATTEMPTS) {
            usleep(PAUSE);
        }
    }
    return 1;
}

static int read_blocks(fermata_counters_t *c)
{
    int result = 0;
    size_t blocks = c->head.block_count;
    uint64_t *words = malloc(blocks * c->head.block_bytes + 1);
    if (words == NULL) {
        return -1;
    }
    for (size_t i = 0; i < blocks && result >= 0; i++) {
        int one = read_block(c, i, words + i * c->words_in_block);
        result = one != 0 ? one : result;
    }
    if (result < 0) {
        free(words);
        return -1;
    }
    free(c->words);
    c->words = words;
    c->blocks = blocks;
    return result;
}

int fermata_counters_read(fermata_counters_t *c)
{
    if (fm_counter_reader_head(c) != 0 || read_descriptions(c) != 0 || read_functions(c) != 0) {
        return -1;
    }
    return read_blocks(c);
}

/* ---- opening and closing ---- */

static fermata_counters_t *fail(fermata_counters_t *c, char *why, size_t size, const char *path,
                                const char *reason)
{
    if (size > 0) {
        snprintf(why, size, "%s: %s", path, reason);
    }
    fermata_counters_close(c);
    return NULL;
}

fermata_counters_t *fermata_counters_open(const char *path, char *why, size_t size)
{
    fermata_counters_t *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return fail(NULL, why, size, path, "no memory");
    }
    c->file = open(path, O_RDONLY | O_CLOEXEC);
    if (c->file < 0) {
        return fail(c, why, size, path, strerrordesc_np(errno));
    }
    if (read_all(c, &c->head, sizeof c->head, 0) != 0) {
        return fail(c, why, size, path, "not a file of counters, or not complete");
    }
    const char *reason = refuse_head(&c->head);
    if (reason != NULL) {
        return fail(c, why, size, path, reason);
    }
    c->words_in_block = c->head.block_bytes / sizeof(uint64_t);
    if (fermata_counters_read(c) < 0) {
        return fail(c, why, size, path, "damaged");
    }
    return c;
}

void fermata_counters_close(fermata_counters_t *c)
{
    if (c != NULL) {
        if (c->file >= 0) {
            close(c->file);
        }
        free(c->counters);
        free(c->unavailable);
        free(c->words);
        free(c);
    }
}

/* ---- counters ---- */

size_t fermata_counters_number(const fermata_counters_t *c)
{
    return c->count;
}

const fermata_counter_info_t *fermata_counters_info(const fermata_counters_t *c, size_t counter)
{
    return &c->counters[counter].info;
}

int fermata_counters_find(const fermata_counters_t *c, const char *name)
{
    const char *source = fm_counter_source(name);
    source = source != NULL ? source : fm_counter_plain_name(name);
    for (size_t i = 0; i < fermata_counters_number(c); i++) {
        if (strcmp(c->counters[i].name, source) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int64_t word(const fermata_counters_t *c, size_t block, uint64_t slot)
{
    return (int64_t)c->words[block * c->words_in_block + FM_BLOCK_HEAD + slot];
}

/* The word of a block that has a counter: of a watermark that its thread has still to reset, the
 * level's. */
static uint64_t slot_in(const fermata_counters_t *c, size_t block,
                        const struct fm_reader_counter *which)
{
    bool is_due = block != 0 && which->sentinel != 0 &&
                  c->words[block * c->words_in_block + FM_BLOCK_RESETS] < c->head.resets;
    return is_due ? which->sentinel : which->slot;
}

/* What a block has of a bin. */
static int64_t word_of(const fermata_counters_t *c, size_t block,
                       const struct fm_reader_counter *which, unsigned bin)
{
    uint64_t value = (uint64_t)word(c, block, slot_in(c, block, which) + bin);
    return (int64_t)(which->added != 0 ? value + (uint64_t)word(c, block, which->added + bin)
                                       : value);
}

static double real_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The sum over the blocks of a counter whose words have the bits of a double. */
static double sum_of_reals(const fermata_counters_t *c, uint64_t slot)
{
    double sum = 0;
    for (size_t i = 0; i < c->blocks; i++) {
        sum += real_of((uint64_t)word(c, i, slot));
    }
    return sum;
}

static int64_t rounded(double value)
{
    return value >= 0x1p63   ? INT64_MAX
           : value < -0x1p63 ? INT64_MIN
           : value != value  ? 0
           : value < 0       ? (int64_t)(value - 0.5)
                             : (int64_t)(value + 0.5);
}

int64_t fermata_counters_bin(const fermata_counters_t *c, size_t counter, unsigned bin)
{
    const struct fm_reader_counter *which = &c->counters[counter];
    int64_t value = 0;
    if (fm_counter_is_real((enum fm_counter_kind)which->info.kind)) {
        return rounded(sum_of_reals(c, which->slot + bin));
    }
    for (size_t i = 0; i < c->blocks; i++) {
        int64_t part = word_of(c, i, which, bin);
        if (which->info.kind == FERMATA_KIND_HIGH_WATERMARK) {
            value = part > value ? part : value;
        } else {
            value = (int64_t)((uint64_t)value + (uint64_t)part);
        }
    }
    return value;
}

uint64_t fermata_counters_bin_limit(const fermata_counters_t *c, size_t counter, unsigned bin)
{
    const struct fm_reader_counter *which = &c->counters[counter];
    bool has_rule = which->rules != 0 && bin + 1 < which->info.bins && c->blocks > 0;
    return has_rule ? (uint64_t)word(c, 0, which->rules + bin) : UINT64_MAX;
}

int64_t fermata_counters_value(const fermata_counters_t *c, size_t counter)
{
    int64_t value = 0;
    for (unsigned bin = 0; bin < c->counters[counter].info.bins; bin++) {
        value = (int64_t)((uint64_t)value + (uint64_t)fermata_counters_bin(c, counter, bin));
    }
    return value;
}

int64_t fermata_counters_thread_value(const fermata_counters_t *c, size_t thread, size_t counter)
{
    const struct fm_reader_counter *which = &c->counters[counter];
    int64_t value = 0;
    if (fm_counter_is_real((enum fm_counter_kind)which->info.kind)) {
        return rounded(real_of((uint64_t)word(c, thread + 1, which->slot)));
    }
    for (unsigned bin = 0; bin < which->info.bins; bin++) {
        value = (int64_t)((uint64_t)value + (uint64_t)word_of(c, thread + 1, which, bin));
    }
    return value;
}

double fermata_counters_seconds(const fermata_counters_t *c, size_t counter)
{
    double rate = c->counters[counter].info.kind == FERMATA_KIND_NANOSECONDS
                      ? 1e9
                      : fermata_counters_tick_rate(c);
    return (double)fermata_counters_value(c, counter) / rate;
}

double fermata_counters_real(const fermata_counters_t *c, size_t counter)
{
    const struct fm_reader_counter *which = &c->counters[counter];
    enum fm_counter_kind kind = (enum fm_counter_kind)which->info.kind;
    return fm_counter_is_real(kind)   ? sum_of_reals(c, which->slot)
           : fm_counter_is_time(kind) ? fermata_counters_seconds(c, counter)
                                      : (double)fermata_counters_value(c, counter);
}

const char *fermata_counters_unavailable(const fermata_counters_t *c, size_t i, const char **reason)
{
    if (i >= c->unavailable_count) {
        return NULL;
    }
    *reason = c->unavailable[i].reason;
    return c->unavailable[i].name;
}
