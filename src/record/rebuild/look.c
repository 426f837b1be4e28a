/* SPDX-License-Identifier: BSD-3-Clause */
/* Of each process the buffer file is copied first, then the journals: a thread that writes its
 * records to the journal meanwhile has them in both copies, which number them alike. Definitions
 * are copied last, because records refer to them. */
#include "record/rebuild/look.h"

#include "base/files/file_tree.h"
#include "record/buffers/buffer_beat.h"
#include "record/capture/clock.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = PATH_MAX + 64, PIECE = 1 << 20 };

/* ---- files ---- */

/* Copies what one file has between two places. */
static bool copy_piece(int from, int to, off_t begin, off_t end, char *piece)
{
    ssize_t count = 1;
    while (begin < end && count > 0) {
        const off_t most = end - begin < PIECE ? end - begin : PIECE;
        count = pread(from, piece, (size_t)most, begin);
        if (count > 0 && pwrite(to, piece, (size_t)count, begin) != count) {
            return false;
        }
        begin += count;
    }
    return count >= 0;
}

/* Copies a file, without its holes. @return false: errno is the reason */
static bool copy_file(const char *from, const char *to)
{
    struct stat status;
    char *piece = malloc(PIECE);
    const int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const int out = in >= 0 ? open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool good =
        piece != NULL && out >= 0 && fstat(in, &status) == 0 && ftruncate(out, status.st_size) == 0;
    for (off_t begin = 0; good && begin < status.st_size;) {
        const off_t data = lseek(in, begin, SEEK_DATA);
        const off_t end = data >= 0 ? lseek(in, data, SEEK_HOLE) : -1;
        if (end < 0) {
            break; /* the rest is a hole */
        }
        good = copy_piece(in, out, data, end, piece);
        begin = end;
    }
    if (in >= 0) {
        close(in);
    }
    if (out >= 0) {
        close(out);
    }
    free(piece);
    return good;
}

/* ---- processes ---- */

bool fm_look_is_due(const char *directory)
{
    static struct fm_journal_process process; /* large */
    const uint32_t size = fm_rebuild_process_count(directory);
    for (uint32_t rank = 0; rank < size; rank++) {
        if (fm_journal_load_process(directory, rank, &process) &&
            fm_journal_process_lives(&process)) {
            return true;
        }
    }
    return false;
}

static fm_status_t copy_buffers(const char *directory, const char *copy, uint32_t rank,
                                const struct fm_clock_moment *moment, struct fm_error *error)
{
    static struct fm_journal_process process; /* large */
    struct fm_buffer_reader buffers;
    char from[PATH_BYTES], to[PATH_BYTES], host[sizeof process.host] = "";
    if (!fm_journal_load_process(directory, rank, &process)) {
        return fm_fail(error, FM_ERR_DATA, "%s: process %u has not begun to record", directory,
                       rank);
    }
    gethostname(host, sizeof host - 1);
    if (strcmp(host, process.host) != 0) {
        return fm_fail(
            error, FM_ERR_DATA,
            "%s: the program still runs, also on %s: end it, then run this command again",
            directory, process.host);
    }
    if (!fm_journal_open_buffers(directory, &process, &buffers, from, sizeof from)) {
        return fm_fail(
            error, FM_ERR_DATA,
            "%s: the program still runs, and process %u has no buffer file: end it, then "
            "run this command again",
            directory, rank);
    }
    fm_buffer_close(&buffers);
    snprintf(to, sizeof to, "%s/journal/%u.buf", copy, rank);
    if (!copy_file(from, to)) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot copy %s to %s: %m", from, to);
    }
    fm_buffer_beat(to, process.buffer_token, moment);
    return FM_OK;
}

/* Copies the journals whose names end so. */
static fm_status_t copy_journals(const char *directory, const char *copy, const char *ending,
                                 struct fm_error *error)
{
    fm_status_t status = FM_OK;
    struct dirent *entry;
    char path[PATH_BYTES], from[PATH_BYTES + NAME_MAX + 2], to[PATH_BYTES + NAME_MAX + 16];
    snprintf(path, sizeof path, "%s/journal", directory);
    DIR *folder = opendir(path);
    while (folder != NULL && status == FM_OK && (entry = readdir(folder)) != NULL) {
        const char *last = strrchr(entry->d_name, '.');
        if (last == NULL || strcmp(last, ending) != 0) {
            continue;
        }
        snprintf(from, sizeof from, "%s/%s", path, entry->d_name);
        snprintf(to, sizeof to, "%s/journal/%s", copy, entry->d_name);
        if (!copy_file(from, to)) {
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot copy %s to %s: %m", from, to);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return status;
}

static fm_status_t make_folder(const char *directory, char *copy, size_t size,
                               struct fm_error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/worlds", directory);
    if (access(path, F_OK) == 0) {
        return fm_fail(
            error, FM_ERR_DATA,
            "%s: the program still runs, in several worlds: end it, then run this command "
            "again",
            directory);
    }
    if (snprintf(copy, size, "%s/fermata-look-XXXXXX", folder != NULL ? folder : "/tmp") >=
            (int)size ||
        mkdtemp(copy) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", copy);
    }
    snprintf(path, sizeof path, "%s/journal", copy);
    if (mkdir(path, 0700) != 0) {
        rmdir(copy);
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", path);
    }
    return FM_OK;
}

fm_status_t fm_look_copy(const char *directory, char *copy, size_t size, struct fm_error *error)
{
    fm_status_t status = make_folder(directory, copy, size, error);
    if (status != FM_OK) {
        return status;
    }
    fm_clock_start(0, 0);
    const struct fm_clock_moment moment = fm_clock_moment();
    const uint32_t ranks = fm_rebuild_process_count(directory);
    for (uint32_t rank = 0; rank < ranks && status == FM_OK; rank++) {
        status = copy_buffers(directory, copy, rank, &moment, error);
    }
    if (status == FM_OK) {
        status = copy_journals(directory, copy, ".evt", error);
    }
    if (status == FM_OK) {
        status = copy_journals(directory, copy, ".def", error);
    }
    if (status != FM_OK) {
        fm_remove_tree(copy);
    }
    return status;
}
