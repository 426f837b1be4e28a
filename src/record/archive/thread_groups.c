/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/thread_groups.h"

#include "record/archive/archive.h"
#include "record/archive/streams.h"

#include <stdlib.h>
#include <string.h>

/* Counts the locations of each rank; definitions of processes are in any order. */
static bool count_locations(const struct fm_definitions *set, struct fm_thread_groups *groups)
{
    const struct fm_define_table *table = &set->tables[FM_DEFINE_PROCESS];
    groups->ranks = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t rank = fm_defined(set, FM_DEFINE_PROCESS, i, NULL)[0];
        groups->ranks = rank >= groups->ranks ? rank + 1 : groups->ranks;
    }
    groups->before = calloc((size_t)groups->ranks + 1, sizeof *groups->before);
    if (groups->before == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t *process = fm_defined(set, FM_DEFINE_PROCESS, i, NULL);
        groups->before[process[0] + 1] = process[3];
    }
    for (uint32_t rank = 0; rank < groups->ranks; rank++) {
        groups->before[rank + 1] += groups->before[rank];
    }
    return true;
}

static bool is_of_threads(const uint32_t *comm)
{
    return comm[FM_COMM_ORIGIN] == FM_COMM_THREADS;
}

bool fm_thread_groups_begin(const struct fm_definitions *set, uint32_t first,
                            struct fm_thread_groups *groups)
{
    const struct fm_define_table *comms = &set->tables[FM_DEFINE_COMM];
    memset(groups, 0, sizeof *groups);
    memset(groups->locations, 0xff, sizeof groups->locations);
    groups->numbers = calloc(comms->count + 1, sizeof *groups->numbers);
    if (groups->numbers == NULL || !count_locations(set, groups)) {
        return false;
    }
    for (uint32_t i = 0; i < comms->count; i++) {
        const uint32_t *comm = fm_defined(set, FM_DEFINE_COMM, i, NULL);
        if (is_of_threads(comm)) {
            uint32_t *locations = &groups->locations[comm[FM_COMM_PARADIGM] % 256];
            *locations = *locations == FM_DEFINE_NONE ? first++ : *locations;
            groups->numbers[i] = first++;
        }
    }
    return true;
}

/* Writes the group of a rank's threads.
 * @param members  room for them */
static void write_threads(const struct fm_definitions *set, const struct fm_thread_groups *groups,
                          OTF2_GlobalDefWriter *writer, uint32_t number, uint32_t name,
                          const uint32_t *comm, uint64_t *members)
{
    uint32_t rank = comm[FM_COMM_A];
    uint64_t first = groups->before[rank], locations = groups->before[rank + 1] - first, count = 0;
    for (uint64_t i = 0; i < locations; i++) {
        if (fm_stream_name(set, rank, (uint32_t)i) == FM_DEFINE_NONE) {
            members[count++] = first + i;
        }
    }
    fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(
        writer, number, name, OTF2_GROUP_TYPE_COMM_GROUP, (OTF2_Paradigm)comm[FM_COMM_PARADIGM],
        OTF2_GROUP_FLAG_NONE, (uint32_t)count, members));
}

static void write_locations(const struct fm_thread_groups *groups, OTF2_GlobalDefWriter *writer,
                            uint32_t name, OTF2_Paradigm paradigm, uint64_t *members)
{
    for (uint32_t rank = 0; rank < groups->ranks; rank++) {
        uint64_t first = groups->before[rank];
        for (uint64_t t = first; t < groups->before[rank + 1]; t++) {
            members[t] = fm_archive_location(rank, (uint32_t)(t - first));
        }
    }
    fm_archive_check(OTF2_GlobalDefWriter_WriteGroup(
        writer, groups->locations[paradigm], name, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm,
        OTF2_GROUP_FLAG_NONE, (uint32_t)groups->before[groups->ranks], members));
}

void fm_thread_groups_write(const struct fm_definitions *set, const struct fm_thread_groups *groups,
                            OTF2_GlobalDefWriter *writer, uint32_t name)
{
    const struct fm_define_table *comms = &set->tables[FM_DEFINE_COMM];
    uint64_t *members = malloc((groups->before[groups->ranks] + 1) * sizeof *members);
    if (members == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    for (uint32_t paradigm = 0; paradigm < 256; paradigm++) {
        if (groups->locations[paradigm] != FM_DEFINE_NONE) {
            write_locations(groups, writer, name, (OTF2_Paradigm)paradigm, members);
        }
    }
    for (uint32_t i = 0; i < comms->count; i++) {
        const uint32_t *comm = fm_defined(set, FM_DEFINE_COMM, i, NULL);
        if (is_of_threads(comm) && comm[FM_COMM_A] < groups->ranks) {
            write_threads(set, groups, writer, groups->numbers[i], name, comm, members);
        }
    }
    free(members);
}

void fm_thread_groups_free(struct fm_thread_groups *groups)
{
    free(groups->before);
    free(groups->numbers);
}
