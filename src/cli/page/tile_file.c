/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/page/tile_file.h"

#include "base/files/new_file.h"
#include "cli/archive/isolated_command.h"
#include "cli/report/report_detail.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"
#include "view/tiles/tiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TILE_FILE "timeline.tiles"

struct task {
    const struct fm_cube *cube;
    char *archive;
    const char *path; /* where the tiles go; NULL: nowhere that has a name */
    int fd;           /* of the file without a name */
    uint64_t key;
};

/* FNV-1a. A CRC would not do: reports end with their own, which makes it the same for all of them.
 */
static uint64_t hash(uint64_t before, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t i = 0; i < size; i++)
        before = (before ^ next[i]) * UINT64_C(0x100000001b3);
    return before;
}

/* @return what distinguishes these tiles from others: their version, the contents of the report,
 * and when its trace was made */
static uint64_t key_of(const char *place, const char *archive)
{
    struct stat info;
    const uint64_t version = FM_TILES_VERSION;
    uint64_t key = hash(UINT64_C(0xcbf29ce484222325), &version, sizeof version);
    char *beside = NULL;
    if (stat(place, &info) == 0 && S_ISDIR(info.st_mode))
        beside = fm_path_beside_report(place, "report.fer");
    FILE *file = fopen(beside == NULL ? place : beside, "rb");
    char block[65536];
    size_t count;
    while (file != NULL && (count = fread(block, 1, sizeof block, file)) > 0)
        key = hash(key, block, count);
    if (file != NULL)
        fclose(file);
    free(beside);
    if (archive != NULL && stat(archive, &info) == 0)
        key = hash(key, &info.st_mtim, sizeof info.st_mtim);
    return key;
}

static struct fm_tile_store *open_tiles(const char *path, uint64_t key)
{
    struct fm_tile_store *store = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)fm_tile_store_open(fd, key, &store, NULL);
    return store;
}

static fm_status_t write_tiles(const struct task *task, const struct fm_detail *detail,
                               struct fm_error *error)
{
    if (task->path == NULL) {
        FILE *stream = fdopen(dup(task->fd), "wb");
        if (stream == NULL)
            return fm_fail(error, FM_ERR_SYSTEM, "cannot write the timeline: %m");
        fm_status_t status = fm_tiles_write(detail, task->cube, task->key, stream, error);
        if ((ferror(stream) | fclose(stream)) != 0 && status == FM_OK)
            status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the timeline: %m");
        return status;
    }
    struct fm_new_file file;
    fm_status_t status = fm_new_file_open(&file, task->path, error);
    if (status != FM_OK)
        return status;
    status = fm_tiles_write(detail, task->cube, task->key, file.stream, error);
    if (status == FM_OK)
        return fm_new_file_commit(&file, error);
    fm_new_file_discard(&file);
    return status;
}

static int make_tiles(void *argument)
{
    const struct task *task = argument;
    struct fm_error error;
    struct fm_detail *detail = fm_report_detail(task->archive, task->cube);
    if (detail == NULL) {
        fprintf(stderr,
                "fermata: warning: there is no timeline: %s is not what the report was made of, "
                "or cannot be read\n",
                fm_safe_text(task->archive));
        return FM_ERR_DATA;
    }
    fm_status_t status = write_tiles(task, detail, &error);
    if (status != FM_OK)
        fprintf(stderr, "fermata: warning: there is no timeline: %s\n",
                fm_safe_text(error.message));
    fm_detail_free(detail);
    return (int)status;
}

/* @return a file without a name, for users who may not write beside the report; -1: none */
static int unnamed_file(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/fermata-XXXXXX", folder == NULL ? "/tmp" : folder) < 0)
        return -1;
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static struct fm_tile_store *make(struct task *task, const char *place, const char *path)
{
    struct fm_tile_store *store = NULL;
    char *folder = fm_path_beside_report(place, ".");
    task->fd = -1;
    task->path = path;
    if (folder != NULL && access(folder, W_OK) != 0) {
        task->path = NULL;
        task->fd = unnamed_file();
    }
    free(folder);
    fputs("fermata: making the timeline, which is kept for later...\n", stderr);
    if (fm_run_isolated("view", task->archive, 0, make_tiles, task) == FM_OK) {
        if (task->path != NULL)
            return open_tiles(task->path, task->key);
        (void)fm_tile_store_open(task->fd, task->key, &store, NULL);
        return store;
    }
    if (task->fd >= 0)
        close(task->fd);
    return NULL;
}

struct fm_tile_store *fm_tile_file_open(const char *place, const struct fm_cube *cube)
{
    char *archive = fm_report_archive(place);
    char *path = fm_path_beside_report(place, TILE_FILE);
    struct fm_tile_store *store = NULL;
    if (path != NULL) {
        struct task task = {.cube = cube, .archive = archive, .key = key_of(place, archive)};
        store = open_tiles(path, task.key);
        if (store == NULL && archive != NULL)
            store = make(&task, place, path);
    }
    free(path);
    free(archive);
    return store;
}
