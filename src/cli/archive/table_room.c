/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/table_room.h"

#include "base/memory.h"

#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

/* Other programs may take some of what is available meanwhile. */
#define USABLE_SHARE 0.9

/* The rest is for tables of single locations that are too small for the file. */
#define TABLE_SHARE 0.5

/* With less in memory, the analysis would wait for the disk most of the time. */
#define LEAST_TABLES ((uint64_t)128 << 20)

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path + 1));
}

void fm_table_room_begin(struct fm_table_room *room)
{
    room->memory = fm_memory_room("");
    room->memory.bytes /= fm_team_neighbors(room->team);
    fm_memory_keep();
    if (room->limit != 0) {
        char *directory = directory_of(room->output);
        fm_memory_limit(room->limit, directory);
        free(directory);
        room->has_file = true;
    }
}

/* Whether a directory is on a disk that has room for so many bytes. */
static bool has_disk(const char *directory, uint64_t bytes)
{
    struct statfs system;
    return directory != NULL && statfs(directory, &system) == 0 && system.f_type != TMPFS_MAGIC &&
           system.f_type != RAMFS_MAGIC &&
           (uint64_t)system.f_bavail * (uint64_t)system.f_bsize > bytes;
}

/* @return a directory on a disk with room for so many bytes, the report's if possible, to be freed;
 * NULL: none is known */
static char *find_directory(const char *output, uint64_t bytes)
{
    char *beside = directory_of(output);
    const char *const others[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    if (has_disk(beside, bytes)) {
        return beside;
    }
    free(beside);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (has_disk(others[i], bytes)) {
            return strdup(others[i]);
        }
    }
    return NULL;
}

/* A size for the user. @return text */
static const char *size_text(uint64_t bytes, char text[32])
{
    const double megabytes = (double)bytes / (double)(1 << 20);
    if (megabytes < 1000) {
        snprintf(text, 32, "%.0f MiB", megabytes);
    } else {
        snprintf(text, 32, "%.1f GiB", megabytes / 1024);
    }
    return text;
}

/* A comparison of what is needed with what there is, as a part of a message. */
struct comparison {
    char text[192];
};

static struct comparison compare(uint64_t need, uint64_t available, const char *whose)
{
    struct comparison comparison;
    char needed[32], there[32];
    snprintf(comparison.text, sizeof comparison.text, "about %s of memory, more than the %s %s",
             size_text(need, needed), size_text(available, there), whose);
    return comparison;
}

static struct comparison compare_room(uint64_t need, const struct fm_memory_room *memory)
{
    return compare(need, memory->bytes,
                   memory->bound == FM_MEMORY_OF_CONTROL_GROUP ? "that the control group allows"
                   : memory->bound == FM_MEMORY_OF_DATA_LIMIT  ? "that ulimit -d allows"
                                                               : "that are available");
}

/* Lets tables go to a file, as --memory does. */
static void use_file(struct fm_table_room *room, uint64_t events, uint64_t need, bool speaks)
{
    const uint64_t kept = (uint64_t)(TABLE_SHARE * (double)room->memory.bytes);
    char *directory = find_directory(room->output, need);
    room->has_file = true;
    if (directory != NULL) {
        fm_memory_limit(kept > LEAST_TABLES ? kept : LEAST_TABLES, directory);
    }
    if (speaks && directory == NULL) {
        fprintf(stderr,
                "fermata: warning: %" PRIu64 " events need %s, and no disk has room for the rest: "
                "the system may end the analysis\n",
                events, compare_room(need, &room->memory).text);
    } else if (speaks && !room->quiet) {
        fprintf(stderr,
                "fermata: %" PRIu64 " events need %s: the rest goes to a file in %s (--memory)\n",
                events, compare_room(need, &room->memory).text,
                strcmp(directory, ".") == 0 ? "the working directory" : directory);
    }
    free(directory);
}

/* A file of tables is mapped, too. */
static void warn_of_address_space(const struct fm_table_room *room, uint64_t events, uint64_t need)
{
    fprintf(stderr,
            "fermata: warning: %" PRIu64 " events need %s, and --memory does not help: raise that "
            "limit, or use several processes (mpirun -n 4 fermata analyze)\n",
            events,
            compare(need, room->memory.mappable, "of addresses that ulimit -v allows").text);
}

static uint64_t need_of(const struct fm_table_room *room, struct fm_analysis_size size,
                        bool has_dependencies)
{
    const unsigned processes = fm_team_size(room->team);
    size.events /= processes;
    size.locations /= processes;
    size.has_dependencies = has_dependencies;
    return fm_analysis_memory(&size);
}

bool fm_table_room_decide(void *context, const struct fm_analysis_size *size)
{
    struct fm_table_room *room = context;
    const double usable = USABLE_SHARE * (double)room->memory.bytes;
    const bool can_leave_out =
        size->has_dependencies && !size->needs_dependencies && !room->must_predict;
    const uint64_t whole = need_of(room, *size, size->has_dependencies);
    const bool fits = (double)whole <= usable;
    const uint64_t need = !fits && can_leave_out ? need_of(room, *size, false) : whole;
    const bool speaks = fm_team_leads(room->team) && !room->has_told;
    const bool has_addresses = need <= room->memory.mappable;
    const bool needs_file = (double)need > usable && !room->has_file;
    room->has_told = room->has_told || !has_addresses || needs_file || need < whole;
    if (speaks && !has_addresses) {
        warn_of_address_space(room, size->events, need);
    }
    if (needs_file) {
        use_file(room, size->events, need, speaks);
    } else if (need < whole && speaks && !room->quiet) {
        fprintf(stderr,
                "fermata: predictions of %" PRIu64 " events need %s: they are left out without "
                "--predict=yes\n",
                size->events, compare_room(whole, &room->memory).text);
    }
    return size->has_dependencies && need == whole;
}
