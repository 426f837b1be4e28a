/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/buffer_place.h"
#include "base/decimal_text.h"
#include "record/experiment/kept_variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    PART = 4,                 /* of the free room */
    LEAST = 3 * 512 * 1024,   /* bytes: two blocks, and two chunks of two threads */
    LARGEST_BLOCK = 64 * 1024 /* of file systems that write in place */
};

/* File systems on which a file keeps the room that was reserved, whatever is written. On others
 * (Btrfs, ZFS) changed blocks need new room. */
enum { EXT = 0xef53, XFS = 0x58465342, TMPFS = 0x01021994, OVERLAY = 0x794c7630 };

static bool keeps_room(const struct statfs *status)
{
    switch ((uint32_t)status->f_type) {
    case EXT:
    case XFS:
    case TMPFS:
        return true;
    case OVERLAY: /* the numbers are those of the file system below: Btrfs has no number of inodes,
                     ZFS has large blocks */
        return status->f_files != 0 && status->f_bsize <= LARGEST_BLOCK;
    default:
        return false;
    }
}

/* Processes of the run on this node: as the launcher states, else all. */
static uint64_t count_local(uint32_t processes)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                            "MV2_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE",
                                            "SLURM_NTASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *text = fm_variable(variables[i]);
        unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 0;
        if (count > 0 && count <= processes) {
            return count;
        }
    }
    return processes > 0 ? processes : 1;
}

/* @return whether the process gets a share of the folder, which is in place->share */
static bool has_room(const char *folder, uint64_t processes, struct fm_buffer_place *place)
{
    struct statfs status;
    if (statfs(folder, &status) != 0 || access(folder, W_OK) != 0) {
        snprintf(place->reason, sizeof place->reason, "%.150s: %s", folder, strerrordesc_np(errno));
        return false;
    }
    if (!keeps_room(&status)) {
        snprintf(place->reason, sizeof place->reason,
                 "the file system of %.150s does not reserve room for good", folder);
        return false;
    }
    /* A file system in memory may have no size: then the system's memory limits it. */
    uint64_t free = status.f_blocks == 0 ? UINT64_MAX : status.f_bavail * (uint64_t)status.f_bsize;
    place->share = free / PART / processes;
    if (place->share < LEAST) {
        snprintf(place->reason, sizeof place->reason,
                 "%.150s has too little room (%s MB free for %llu processes)", folder,
                 fm_decimal((double)free / 1e6, 1).text, (unsigned long long)processes);
    }
    return place->share >= LEAST;
}

static bool is_in_memory(const char *folder)
{
    struct statfs status;
    return statfs(folder, &status) == 0 && (uint32_t)status.f_type == TMPFS;
}

bool fm_buffer_place_choose(const char *choice, const char *directory, uint32_t processes,
                            struct fm_buffer_place *place)
{
    const uint64_t local = count_local(processes);
    *place = (struct fm_buffer_place){.share = 0};
    if (choice != NULL && strcmp(choice, "off") == 0) {
        snprintf(place->reason, sizeof place->reason, "%s is off", FM_BUFFERS_VARIABLE);
        return false;
    }
    if (choice != NULL && choice[0] == '/') {
        if (strlen(choice) > FM_BUFFERS_FOLDER_LONGEST) {
            snprintf(place->reason, sizeof place->reason, "its path is too long");
            return false;
        }
        snprintf(place->folder, sizeof place->folder, "%s", choice);
        return has_room(place->folder, local, place);
    }
    snprintf(place->folder, sizeof place->folder, "%s", FM_BUFFERS_IN_MEMORY);
    if (is_in_memory(place->folder) && has_room(place->folder, local, place)) {
        return true;
    }
    char before[sizeof place->reason];
    memcpy(before, place->reason, sizeof before);
    place->in_experiment = (size_t)snprintf(place->folder, sizeof place->folder, "%s/journal",
                                            directory) < sizeof place->folder;
    if (place->in_experiment && has_room(place->folder, local, place)) {
        memcpy(place->reason, before, sizeof before);
        return true;
    }
    return false;
}
