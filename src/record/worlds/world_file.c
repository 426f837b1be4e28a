/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/worlds/world_file.h"

#include "record/journal/journal_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x32444c524f57464du /* "MFWORLD2" */

struct head {
    uint64_t magic;
    uint64_t resolution, begin, end, realtime, locations_reused;
    uint64_t bytes;
    uint64_t checksum; /* of the block */
};

static uint64_t checksum_of(const void *block, size_t bytes)
{
    struct fm_journal_sum sum = {0};
    fm_journal_sum_add(&sum, block, bytes);
    return fm_journal_sum_end(&sum);
}

bool fm_world_is_connected(const struct fm_definitions *set)
{
    return set->tables[FM_DEFINE_LINK].count != 0;
}

static FILE *open_file(const char *directory, const char *mode, int flags)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/" FM_WORLD_FILE, directory);
    int file = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, mode) : NULL;
    if (stream == NULL && file >= 0) {
        close(file);
    }
    return stream;
}

bool fm_world_write(const char *directory, const struct fm_definitions *set,
                    const struct fm_archive_summary *summary, bool locations_reused)
{
    size_t bytes = 0;
    void *block = fm_definitions_pack(set, &bytes);
    FILE *file = block != NULL ? open_file(directory, "w", O_WRONLY | O_CREAT | O_TRUNC) : NULL;
    bool good = false;
    if (file != NULL) {
        const struct head head = {.magic = MAGIC,
                                  .resolution = summary->resolution,
                                  .begin = summary->begin,
                                  .end = summary->end,
                                  .realtime = summary->realtime,
                                  .locations_reused = locations_reused,
                                  .bytes = bytes,
                                  .checksum = checksum_of(block, bytes)};
        good = fwrite(&head, sizeof head, 1, file) == 1 && fwrite(block, 1, bytes, file) == bytes;
        good = fclose(file) == 0 && good;
    }
    int reason = errno;
    free(block);
    errno = reason;
    return good;
}

/* Reads what is behind the head. @return NULL: damaged, or no memory */
static void *read_block(FILE *file, const struct head *head)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || head->bytes % sizeof(uint32_t) != 0 ||
        (uint64_t)status.st_size != sizeof *head + head->bytes) {
        return NULL;
    }
    void *block = malloc(head->bytes + 1);
    if (block != NULL && (fread(block, 1, head->bytes, file) != head->bytes ||
                          checksum_of(block, head->bytes) != head->checksum)) {
        free(block);
        block = NULL;
    }
    return block;
}

bool fm_world_read(const char *directory, struct fm_world_content *content)
{
    struct head head;
    FILE *file = open_file(directory, "r", O_RDONLY);
    bool good = file != NULL && fread(&head, sizeof head, 1, file) == 1 && head.magic == MAGIC &&
                head.resolution != 0 && head.end >= head.begin;
    if (good) {
        *content = (struct fm_world_content){
            .summary = {head.resolution, head.begin, head.end, head.realtime},
            .locations_reused = head.locations_reused != 0,
            .block = read_block(file, &head),
            .bytes = head.bytes};
        good = content->block != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}
