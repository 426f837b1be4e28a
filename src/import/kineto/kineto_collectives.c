/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_collectives.h"

#include "base/containers/sort.h"
#include "import/kineto/kernel_name.h"
#include "import/kineto/kineto_clocks.h"

#include <ctype.h>
#include <inttypes.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations that are not matched. */
#define ROOTED    0xfe
#define UNMATCHED 0xff

struct matching {
    struct fm_kineto_job *job;
    const struct fm_kineto_rank *ranks;
    struct fm_scenario *scenario;
    fm_kineto_part_vector *parts;
    struct fm_key_table keys;
    uint64_t rooted, unnamed, unmatched, by_order;
};

/* @return the operation of a name such as "all_reduce", "_allgather_base" */
static uint8_t operation_of(const char *name)
{
    static const struct {
        const char *part;
        uint8_t operation;
    } parts[] = {{"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
                 {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
                 {"reducescatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
                 {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALLV},
                 {"barrier", OTF2_COLLECTIVE_OP_ALLREDUCE}, /* NCCL has no other barrier */
                 {"broadcast", ROOTED},
                 {"reduce", ROOTED},
                 {"gather", ROOTED},
                 {"scatter", ROOTED}};
    char plain[64];
    size_t length = 0;
    for (; *name != '\0' && length + 1 < sizeof plain; name++) {
        if (isalpha((unsigned char)*name)) {
            plain[length++] = (char)tolower((unsigned char)*name);
        }
    }
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(plain, parts[i].part) != NULL) {
            return parts[i].operation;
        }
    }
    return UNMATCHED;
}

/* ---- parts ---- */

/* @return the members of the process group of a part, as they are written; "": not stated, or not
 * all of them */
static const char *members_of(const struct matching *matching, const struct fm_kineto_part *part)
{
    const struct fm_kineto_trace *trace = matching->ranks[part->rank].trace;
    const char *stated = fm_kineto_name(matching->job, part->stated->ranks);
    if (stated[0] != '\0' && strstr(stated, "...") == NULL) {
        return stated;
    }
    const char *group = fm_kineto_name(matching->job, part->stated->group);
    const uint32_t known = fm_key_table_find(&trace->groups, group, strlen(group));
    return known == FM_KEY_NONE ? "" : fm_kineto_name(matching->job, trace->members.items[known]);
}

static void add_part(struct matching *matching, struct fm_kineto_part part, int64_t stream)
{
    const struct fm_kineto_collective *stated = part.stated;
    const char *name = fm_kineto_name(matching->job, stated->name);
    char *key = NULL;
    part.operation = operation_of(name);
    part.sequence = stated->sequence;
    part.communicator = FM_KINETO_NONE;
    if (part.operation == ROOTED || part.operation == UNMATCHED) {
        matching->rooted += part.operation == ROOTED;
        matching->unnamed += part.operation == UNMATCHED;
        return;
    }
    const bool is_stated = stated->group != FM_KINETO_NONE && part.sequence >= 0;
    const int length = is_stated
                           ? asprintf(&key, "s%s|%s", fm_kineto_name(matching->job, stated->group),
                                      members_of(matching, &part))
                           : asprintf(&key, "o%s|%s|%" PRIu64 "|%" PRId64 "|%s", name,
                                      fm_kineto_name(matching->job, stated->group),
                                      stated->elements, stream, members_of(matching, &part));
    if (length >= 0) {
        part.key = fm_key_table_add(&matching->keys, key, (size_t)length);
        part.sequence = is_stated ? part.sequence : -1;
        fm_vector_push(matching->parts, part);
    }
    free(key);
}

static void list_parts(struct matching *matching, uint32_t rank)
{
    const struct fm_kineto_rank *of = &matching->ranks[rank];
    for (uint32_t l = 0; l < of->trace->lanes.count; l++) {
        const struct fm_kineto_lane *lane = &of->trace->lanes.items[l];
        for (uint32_t e = 0; e < lane->events.count && lane->is_stream; e++) {
            const struct fm_kineto_event *event = &lane->events.items[e];
            if (event->kind != FM_KINETO_KERNEL ||
                !fm_kernel_communicates(fm_kineto_name(matching->job, event->name))) {
                continue;
            }
            const struct fm_kineto_collective *stated = fm_kineto_collective_of(of, event);
            if (stated == NULL || stated->name == FM_KINETO_NONE) {
                matching->unnamed++;
                continue;
            }
            add_part(matching,
                     (struct fm_kineto_part){
                         .rank = rank, .lane = l, .event = e, .stated = stated, .kernel = event},
                     lane->thread);
        }
    }
}

/* By operation, rank and time. */
static int compare_in_rank(const void *a, const void *b)
{
    const struct fm_kineto_part *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return left->kernel->begin < right->kernel->begin ? -1
                                                      : left->kernel->begin > right->kernel->begin;
}

/* By operation and number, then rank. */
static int compare_in_key(const void *a, const void *b)
{
    const struct fm_kineto_part *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    if (left->sequence != right->sequence) {
        return left->sequence < right->sequence ? -1 : 1;
    }
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static int compare_places(const void *a, const void *b)
{
    const struct fm_kineto_part *left = a, *right = b;
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    if (left->lane != right->lane) {
        return left->lane < right->lane ? -1 : 1;
    }
    return left->event < right->event ? -1 : left->event > right->event;
}

/* ---- matching ---- */

static bool is_by_order(const struct matching *matching, uint32_t key)
{
    return matching->keys.keys[key].bytes[0] == 'o';
}

/* Numbers the parts of operations that state no number, within each rank. */
static void number_parts(struct matching *matching)
{
    struct fm_kineto_part *parts = matching->parts->items;
    fm_sort(parts, matching->parts->count, sizeof *parts, compare_in_rank);
    for (size_t i = 0; i < matching->parts->count; i++) {
        const bool continues =
            i > 0 && parts[i - 1].key == parts[i].key && parts[i - 1].rank == parts[i].rank;
        if (is_by_order(matching, parts[i].key)) {
            parts[i].sequence = continues ? parts[i - 1].sequence + 1 : 0;
        }
    }
}

/* Lists the ranks of the job that take part in the operations of a key: those that the group names
 * and that have traces, or those that have parts.
 * @param first  first part of the key; its parts are ascending by number and rank */
static uint32_t list_members(const struct matching *matching, size_t first, size_t end,
                             uint32_t *members)
{
    const struct fm_kineto_part *parts = matching->parts->items;
    const char *text = members_of(matching, &parts[first]);
    bool *is_member = fm_allocate(matching->job->traces.count, sizeof *is_member);
    for (const char *at = text; *at != '\0';) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *behind = NULL;
        const int64_t rank = strtoll(at, &behind, 10);
        at = behind;
        for (size_t i = 0; i < matching->job->traces.count; i++) {
            is_member[i] = is_member[i] || matching->job->traces.items[i].rank == rank;
        }
    }
    for (size_t i = first; i < end && text[0] == '\0'; i++) {
        is_member[parts[i].rank] = true;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < matching->job->traces.count; i++) {
        if (is_member[i]) {
            members[count++] = i;
        }
    }
    fm_free(is_member);
    return count;
}

/* @return whether the parts of an operation are of exactly these ranks, once each */
static bool is_complete(const struct fm_kineto_part *parts, size_t count, const uint32_t *members,
                        uint32_t member_count)
{
    for (size_t i = 0; i < count && count == member_count; i++) {
        if (parts[i].rank != members[i]) {
            return false;
        }
    }
    return count == member_count;
}

/* @return whether all parts of an operation were in it at one time */
static bool overlap(const struct matching *matching, const struct fm_kineto_part *parts,
                    size_t count)
{
    uint64_t last_begin = 0, first_end = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct fm_kineto_trace *trace = matching->ranks[parts[i].rank].trace;
        const uint64_t begin = fm_kineto_time(matching->job, trace, parts[i].kernel->begin);
        const uint64_t end = fm_kineto_time(matching->job, trace, parts[i].kernel->end);
        last_begin = begin > last_begin ? begin : last_begin;
        first_end = end < first_end ? end : first_end;
    }
    return last_begin < first_end;
}

/* @return whether the operations of a key are in the same order on each rank as by their numbers,
 * and those that are matched by their order overlap */
static bool is_consistent(const struct matching *matching, size_t first, size_t end,
                          const uint32_t *members, uint32_t member_count)
{
    const struct fm_kineto_part *parts = matching->parts->items;
    for (size_t i = first; i + member_count < end; i++) {
        const struct fm_kineto_part *next = &parts[i + member_count];
        if (parts[i].rank == next->rank && next->kernel->begin < parts[i].kernel->begin) {
            return false;
        }
    }
    for (size_t i = first; i < end && is_by_order(matching, parts[first].key); i += member_count) {
        if (i + member_count > end ||
            !is_complete(&parts[i], member_count, members, member_count) ||
            parts[i].sequence != parts[i + member_count - 1].sequence ||
            !overlap(matching, &parts[i], member_count)) {
            return false;
        }
    }
    return true;
}

static uint32_t add_communicator(struct matching *matching, const struct fm_kineto_part *part,
                                 const uint32_t *members, uint32_t count)
{
    const char *group = fm_kineto_name(matching->job, part->stated->group);
    char name[160];
    if (group[0] != '\0') {
        snprintf(name, sizeof name, "process group %.64s, operations %" PRIu32, group, part->key);
    } else {
        snprintf(name, sizeof name, "%.64s of %" PRIu64 " elements, operations %" PRIu32,
                 fm_kineto_name(matching->job, part->stated->name), part->stated->elements,
                 part->key);
    }
    return fm_scenario_add_comm(matching->scenario, name, members, count);
}

static fm_status_t match_key(struct matching *matching, size_t first, size_t end,
                             struct fm_error *error)
{
    struct fm_kineto_part *parts = matching->parts->items;
    uint32_t *members = fm_allocate(matching->job->traces.count, sizeof *members);
    const uint32_t count = list_members(matching, first, end, members);
    uint32_t communicator = FM_KINETO_NONE;
    fm_status_t status = FM_OK;
    const bool is_usable = count > 1 && is_consistent(matching, first, end, members, count);
    for (size_t i = first; i < end && status == FM_OK;) {
        size_t next = i;
        while (next < end && parts[next].sequence == parts[i].sequence) {
            next++;
        }
        const bool matches = is_usable && is_complete(&parts[i], next - i, members, count);
        if (matches && communicator == FM_KINETO_NONE) {
            communicator = add_communicator(matching, &parts[i], members, count);
            if (communicator == FM_SCENARIO_NONE) {
                status = fm_fail(error, FM_ERR_SYSTEM, "no memory for process groups");
            }
        }
        matching->by_order += matches && is_by_order(matching, parts[i].key) ? next - i : 0;
        matching->unmatched += matches || count < 2 ? 0 : next - i;
        for (; i < next; i++) {
            parts[i].communicator = matches ? communicator : FM_KINETO_NONE;
        }
    }
    fm_free(members);
    return status;
}

static void warn(const struct matching *matching)
{
    struct fm_kineto_job *job = matching->job;
    if (matching->by_order != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64 " kernels of collectives do not state their process group and "
                       "sequence number: they are matched by order, size and time.",
                       matching->by_order);
    }
    if (matching->unmatched != 0) {
        fm_kineto_warn(job,
                       "%" PRIu64
                       " kernels of collectives have no counterpart on another rank that "
                       "is certain: waiting in them is not looked for.",
                       matching->unmatched);
    }
    if (matching->rooted + matching->unnamed != 0 && job->traces.count > 1) {
        fm_kineto_warn(job,
                       "%" PRIu64 " kernels are of operations whose root the traces do not state, "
                       "%" PRIu64 " of messages or of operations that are not named: waiting in "
                       "them is not looked for.",
                       matching->rooted, matching->unnamed);
    }
}

fm_status_t fm_kineto_collectives_match(struct fm_kineto_job *job,
                                        const struct fm_kineto_rank *ranks,
                                        struct fm_scenario *scenario, fm_kineto_part_vector *parts,
                                        struct fm_error *error)
{
    struct matching matching = {.job = job, .ranks = ranks, .scenario = scenario, .parts = parts};
    for (uint32_t rank = 0; rank < job->traces.count; rank++) {
        list_parts(&matching, rank);
    }
    number_parts(&matching);
    fm_sort(parts->items, parts->count, sizeof *parts->items, compare_in_key);
    fm_status_t status = FM_OK;
    for (size_t first = 0; first < parts->count && status == FM_OK;) {
        size_t end = first;
        while (end < parts->count && parts->items[end].key == parts->items[first].key) {
            end++;
        }
        status = match_key(&matching, first, end, error);
        first = end;
    }
    if (status == FM_OK) {
        fm_kineto_clocks_align(job, parts);
        warn(&matching);
    }
    fm_sort(parts->items, parts->count, sizeof *parts->items, compare_places);
    fm_key_table_clear(&matching.keys);
    return status;
}

const struct fm_kineto_part *fm_kineto_part_of(const fm_kineto_part_vector *parts, uint32_t rank,
                                               uint32_t lane, uint32_t event)
{
    const struct fm_kineto_part wanted = {.rank = rank, .lane = lane, .event = event};
    const struct fm_kineto_part *found =
        parts->count == 0
            ? NULL
            : bsearch(&wanted, parts->items, parts->count, sizeof wanted, compare_places);
    return found != NULL && found->communicator != FM_KINETO_NONE ? found : NULL;
}
