/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/counting/traffic/peer_traffic_file.h"

#include "counters/traffic/job_traffic_rows.h"
#include "record/counting/closing/row_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is written. */
struct output {
    FILE *file;
    const struct fm_traffic_names *names;
    const struct fm_definitions *set;
    uint32_t rank;
    uint32_t count;         /* communicators of this process */
    const uint32_t *global; /* their numbers among those of all processes */
    uint16_t *makers;       /* the functions that have made them, plus 1 */
    bool *is_used;
};

const enum fm_define_kind fm_traffic_kinds[FM_TRAFFIC_KINDS] = {FM_DEFINE_STRING, FM_DEFINE_GROUP,
                                                                FM_DEFINE_COMM};

/* ---- members of groups ---- */

/* The layout of the ranges { first, stride, count } of a group. */
struct ranges {
    size_t step, skip; /* words of a range; those in front of it, which are its link */
};

static struct ranges ranges_of(const uint32_t *group)
{
    bool is_foreign = (group[FM_GROUP_PARADIGM] & FM_GROUP_FOREIGN) != 0;
    return is_foreign ? (struct ranges){.step = FM_FOREIGN_WORDS, .skip = FM_FOREIGN_FIRST}
                      : (struct ranges){.step = 3};
}

/* Whether the members of a range are in this world. */
static bool ranges_are_here(const uint32_t *range, struct ranges ranges)
{
    return ranges.skip == 0 || (range[FM_FOREIGN_LINK] == 0 && range[FM_FOREIGN_LINK + 1] == 0);
}

/* A member of a group: its rank in this world. UINT32_MAX: it is in another one, or none. */
static uint32_t member_of(const struct output *output, uint32_t group, uint32_t index)
{
    size_t count;
    const uint32_t *words = fm_defined(output->set, FM_DEFINE_GROUP, group, &count);
    const struct ranges ranges = ranges_of(words);
    for (size_t i = FM_GROUP_RANGES; i + ranges.step <= count; i += ranges.step) {
        const uint32_t *range = &words[i + ranges.skip];
        if (index < range[2]) {
            return ranges_are_here(&words[i], ranges) ? range[0] + index * range[1] : UINT32_MAX;
        }
        index -= range[2];
    }
    return UINT32_MAX;
}

static uint32_t members_of(const struct output *output, uint32_t group)
{
    return fm_defined(output->set, FM_DEFINE_GROUP, group, NULL)[FM_GROUP_MEMBERS];
}

/* The number of this process in a group; UINT32_MAX: it is not a member. */
static uint32_t place_in(const struct output *output, uint32_t group)
{
    size_t count;
    uint32_t place = 0;
    const uint32_t *words = fm_defined(output->set, FM_DEFINE_GROUP, group, &count);
    const struct ranges ranges = ranges_of(words);
    for (size_t i = FM_GROUP_RANGES; i + ranges.step <= count; i += ranges.step) {
        const uint32_t *range = &words[i + ranges.skip];
        for (uint32_t k = 0; ranges_are_here(&words[i], ranges) && k < range[2]; k++) {
            if (range[0] + k * range[1] == output->rank) {
                return place + k;
            }
        }
        place += range[2];
    }
    return UINT32_MAX;
}

/* The two sides of a communicator, seen from this process. */
struct sides {
    uint32_t local, remote; /* groups; FM_DEFINE_NONE: this process alone, or no remote one */
    uint32_t place;         /* of this process in the local group */
};

static struct sides sides_of(const struct output *output, uint32_t communicator)
{
    const uint32_t *words = fm_defined(output->set, FM_DEFINE_COMM, communicator, NULL);
    struct sides sides = {.local = words[FM_COMM_GROUP], .remote = words[FM_COMM_SECOND_GROUP]};
    if (sides.local == FM_DEFINE_NONE) {
        return sides;
    }
    sides.place = place_in(output, sides.local);
    if (sides.place == UINT32_MAX && sides.remote != FM_DEFINE_NONE) {
        sides = (struct sides){.local = sides.remote, .remote = sides.local};
        sides.place = place_in(output, sides.local);
    }
    return sides;
}

/* ---- rows ---- */

static void write_number(FILE *file, uint32_t number)
{
    if (number == UINT32_MAX) {
        fputs("\t-", file);
    } else {
        fprintf(file, "\t%" PRIu32, number);
    }
}

/* Writes a text without the characters that separate columns and rows. */
static void write_text(FILE *file, const char *text)
{
    putc('\t', file);
    for (; *text != '\0'; text++) {
        putc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
}

/* The function that has made a communicator. One that is made without blocking is made when the
 * request is complete, in another call. */
static const char *maker_of(const struct output *output, uint32_t communicator)
{
    uint32_t maker = communicator < FM_PEER_MAKERS ? output->makers[communicator] : 0;
    if (maker == 0 || maker - 1 >= output->names->function_count) {
        return "";
    }
    const char *name = output->names->functions[maker - 1].name;
    bool completes = strncmp(name, "MPI_Wait", 8) == 0 || strncmp(name, "MPI_Test", 8) == 0 ||
                     strncmp(name, "MPI_Request", 11) == 0;
    return completes ? "MPI_Comm_idup" : name;
}

static void write_communicator(const struct output *output, uint32_t communicator)
{
    const uint32_t *words = fm_defined(output->set, FM_DEFINE_COMM, communicator, NULL);
    const struct sides sides = sides_of(output, communicator);
    uint32_t parent = words[FM_COMM_PARENT], local = sides.local, name = words[FM_COMM_NAME];
    FILE *file = output->file;
    fputs("communicator", file);
    write_number(file, output->global[communicator]);
    write_number(file, local != FM_DEFINE_NONE ? members_of(output, local) : 1);
    write_number(file, sides.remote != FM_DEFINE_NONE ? members_of(output, sides.remote) : 0);
    write_number(file, sides.place);
    write_number(file, local != FM_DEFINE_NONE ? member_of(output, local, 0) : output->rank);
    write_number(file, parent < output->count ? output->global[parent] : UINT32_MAX);
    write_text(file, maker_of(output, communicator));
    write_text(file, name != FM_DEFINE_NONE ? fm_defined_string(output->set, name) : "");
    putc('\n', file);
}

/* The communicator of an entry; UINT32_MAX: it is not defined. */
static uint32_t communicator_of(const struct output *output, uint64_t key)
{
    uint32_t object = fm_peer_traffic_object_of(key), communicator = object;
    enum fm_peer_traffic_kind kind = fm_peer_traffic_kind_of(key);
    if (kind == FM_PEER_ONE_SIDED || kind == FM_PEER_WINDOW_COLLECTIVES) {
        if (object >= output->set->tables[FM_DEFINE_WIN].count) {
            return UINT32_MAX;
        }
        communicator = fm_defined(output->set, FM_DEFINE_WIN, object, NULL)[FM_WIN_COMM];
    }
    return communicator < output->count ? communicator : UINT32_MAX;
}

static uint32_t peer_of(const struct output *output, uint32_t communicator, uint32_t peer)
{
    if (communicator == UINT32_MAX) {
        return UINT32_MAX;
    }
    const uint32_t *words = fm_defined(output->set, FM_DEFINE_COMM, communicator, NULL);
    if (words[FM_COMM_GROUP] == FM_DEFINE_NONE) {
        return output->rank;
    }
    uint32_t group = words[FM_COMM_GROUP];
    if (words[FM_COMM_SECOND_GROUP] != FM_DEFINE_NONE) {
        group = sides_of(output, communicator).remote;
    }
    return member_of(output, group, peer);
}

/* Writes an entry, or what is lost of a kind (number 0 to FM_PEER_KINDS - 1). */
static void write_entry(const struct output *output, const struct fm_peer_traffic *traffic,
                        uint32_t number)
{
    static const uint64_t none[FM_PEER_NUMBERS];
    static const enum fm_job_traffic_row_kind rows[FM_PEER_KINDS] = {
        [FM_PEER_MESSAGES] = FM_JOB_TRAFFIC_ROW_MESSAGES,
        [FM_PEER_ONE_SIDED] = FM_JOB_TRAFFIC_ROW_ONE_SIDED,
        [FM_PEER_COLLECTIVES] = FM_JOB_TRAFFIC_ROW_COLLECTIVES,
        [FM_PEER_WINDOW_COLLECTIVES] = FM_JOB_TRAFFIC_ROW_COLLECTIVES};
    const struct fm_peer_traffic_entry *entry = &traffic->entries[number];
    bool is_lost = number < FM_PEER_KINDS;
    enum fm_peer_traffic_kind kind = is_lost ? number : fm_peer_traffic_kind_of(entry->key);
    if (memcmp(entry->numbers, none, sizeof none) == 0) {
        return;
    }
    uint32_t communicator = is_lost ? UINT32_MAX : communicator_of(output, entry->key);
    enum fm_job_traffic_row_kind row = rows[kind];
    fputs(fm_job_traffic_row_fields[row].name, output->file);
    write_number(output->file,
                 communicator != UINT32_MAX ? output->global[communicator] : UINT32_MAX);
    if (fm_job_traffic_row_fields[row].has_peer) {
        write_number(output->file,
                     is_lost ? UINT32_MAX
                             : peer_of(output, communicator, fm_peer_traffic_peer_of(entry->key)));
    }
    for (size_t i = 0; i < fm_job_traffic_row_fields[row].numbers; i++) {
        fprintf(output->file, "\t%" PRIu64, entry->numbers[i]);
    }
    putc('\n', output->file);
}

/* Notes the communicators with traffic, those that they are made from, and what has made them. */
static void note_used(const struct output *output, const struct fm_peer_traffic *traffic)
{
    for (uint32_t i = FM_PEER_KINDS; i < traffic->count; i++) {
        uint32_t communicator = communicator_of(output, traffic->entries[i].key);
        while (communicator < output->count && !output->is_used[communicator]) {
            output->is_used[communicator] = true;
            communicator =
                fm_defined(output->set, FM_DEFINE_COMM, communicator, NULL)[FM_COMM_PARENT];
        }
    }
    for (uint32_t i = 0; i < FM_PEER_MAKERS && i < output->count; i++) {
        output->makers[i] = traffic->makers[i] != 0 ? traffic->makers[i] : output->makers[i];
    }
}

static void write_all(const struct output *output, const struct fm_peer_traffic *const *threads,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        note_used(output, threads[i]);
    }
    for (uint32_t i = 0; i < output->count; i++) {
        if (output->is_used[i]) {
            write_communicator(output, i);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < threads[i]->count; k++) {
            write_entry(output, threads[i], k);
        }
    }
}

bool fm_peer_traffic_write(const char *directory, uint32_t rank,
                           const struct fm_traffic_names *names,
                           const struct fm_peer_traffic *const *threads, size_t count)
{
    const uint32_t communicators = (uint32_t)names->map->counts[FM_DEFINE_COMM];
    struct output output = {
        .names = names,
        .set = names->set,
        .rank = rank,
        .count = communicators,
        .global = names->map->numbers[FM_DEFINE_COMM],
        .is_used = calloc((size_t)communicators + 1, sizeof *output.is_used),
        .makers = calloc(FM_PEER_MAKERS, sizeof *output.makers),
    };
    struct fm_row_output rows;
    errno = ENOMEM;
    bool good = output.is_used != NULL && output.makers != NULL &&
                fm_row_output_begin(&rows, directory, "links", rank, FM_JOB_TRAFFIC_HEAD);
    if (good) {
        output.file = rows.file;
        write_all(&output, threads, count);
        good = fm_row_output_end(&rows);
    }
    int reason = errno;
    free(output.is_used);
    free(output.makers);
    errno = reason;
    return good;
}
