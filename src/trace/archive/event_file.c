/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/archive/event_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MARK = 3, LITTLE_ENDIAN_MARK = 0x42, BIG_ENDIAN_MARK = 0x23 };

/* Major versions of OTF2 whose event files are supported. */
enum { FIRST_VERSION = 1, LAST_VERSION = 3 };

static bool is_known_kind(OTF2_Reader *archive)
{
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    uint8_t major, minor, fix;
    return OTF2_Reader_GetFileSubstrate(archive, &substrate) == OTF2_SUCCESS &&
           substrate == OTF2_SUBSTRATE_POSIX &&
           OTF2_Reader_GetCompression(archive, &compression) == OTF2_SUCCESS &&
           compression == OTF2_COMPRESSION_NONE &&
           OTF2_Reader_GetVersion(archive, &major, &minor, &fix) == OTF2_SUCCESS &&
           major >= FIRST_VERSION && major <= LAST_VERSION;
}

void fm_event_files_use(struct fm_event_files *files, fm_files_t kind, const char *folder,
                        uint64_t chunk_size)
{
    /* malloc(), since fm_allocate() may back large tables by a file. */
    *files = (struct fm_event_files){.kind = kind,
                                     .folder = fm_copy_string(folder),
                                     .chunk_size = chunk_size,
                                     .chunk = malloc((size_t)chunk_size + FM_EVENT_SLACK),
                                     .file = -1};
    if (files->chunk == NULL) {
        fm_memory_exhausted();
    }
}

void fm_event_files_open(struct fm_event_files *files, fm_files_t kind, OTF2_Reader *archive,
                         const char *anchor)
{
    *files = (struct fm_event_files){.file = -1};
    const char *slash = strrchr(anchor, '/'), *dot = strrchr(anchor, '.');
    uint64_t chunk_size[2] = {0, 0};
    if (dot == NULL || (slash != NULL && dot < slash) || !is_known_kind(archive) ||
        OTF2_Reader_GetChunkSize(archive, &chunk_size[FM_FILES_EVENTS],
                                 &chunk_size[FM_FILES_DEFINITIONS]) != OTF2_SUCCESS ||
        chunk_size[kind] < OTF2_CHUNK_SIZE_MIN || chunk_size[kind] > OTF2_CHUNK_SIZE_MAX) {
        return;
    }
    char *folder = fm_copy_string(anchor);
    folder[dot - anchor] = '\0';
    fm_event_files_use(files, kind, folder, chunk_size[kind]);
    fm_free(folder);
}

static void close_file(struct fm_event_files *files)
{
    if (files->file >= 0) {
        close(files->file);
        files->file = -1;
    }
}

void fm_event_files_close(struct fm_event_files *files)
{
    close_file(files);
    fm_free(files->folder);
    free(files->chunk);
    files->folder = NULL;
    files->chunk = NULL;
}

bool fm_event_files_select_open(struct fm_event_files *files, int file)
{
    struct stat status;
    close_file(files);
    files->file = file;
    files->position = 0;
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    files->size = (uint64_t)status.st_size;
    return true;
}

bool fm_event_files_select(struct fm_event_files *files, uint64_t location)
{
    size_t length = strlen(files->folder) + sizeof "/18446744073709551615.evt";
    char *path = fm_allocate(1, length);
    snprintf(path, length, "%s/%" PRIu64 ".%s", files->folder, location,
             files->kind == FM_FILES_EVENTS ? "evt" : "def");
    /* O_NONBLOCK: to open a FIFO without a writer would block. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    fm_free(path);
    return fm_event_files_select_open(files, file);
}

/* @return number of bytes read; less than `wanted` only if the file was truncated meanwhile */
static size_t read_bytes(const struct fm_event_files *files, size_t wanted)
{
    size_t done = 0;
    while (done < wanted) {
        ssize_t got =
            pread(files->file, files->chunk + done, wanted - done, (off_t)(files->position + done));
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            break;
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return done;
}

bool fm_event_files_next(struct fm_event_files *files, struct fm_event_bytes *bytes)
{
    static const uint8_t own_order =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LITTLE_ENDIAN_MARK : BIG_ENDIAN_MARK;
    uint64_t left = files->size - files->position;
    size_t wanted = (size_t)(left < files->chunk_size ? left : files->chunk_size);
    if (wanted <= FM_FILE_HEADER || read_bytes(files, wanted) != wanted ||
        files->chunk[0] != HEADER_MARK || files->chunk[1] != own_order) {
        return false;
    }
    files->position += wanted;
    memset(files->chunk + wanted, 0, FM_EVENT_SLACK);
    *bytes =
        (struct fm_event_bytes){.at = files->chunk + FM_FILE_HEADER, .end = files->chunk + wanted};
    return true;
}
