/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/journal/journal_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fm_journal_path(char *path, size_t size, const char *directory, uint32_t rank, int64_t thread)
{
    if (thread < 0) {
        snprintf(path, size, "%s/journal/%u.def", directory, rank);
    } else {
        snprintf(path, size, "%s/journal/%u.%lld.evt", directory, rank, (long long)thread);
    }
}

bool fm_journal_open(struct fm_journal_reader *reader, const char *path)
{
    *reader = (struct fm_journal_reader){.file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    return reader->file >= 0;
}

/* @return the number of bytes read, fewer than requested at the end or on an error */
static size_t read_all(int file, void *data, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t count = read(file, (char *)data + done, bytes - done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return done;
}

/* A length from a damaged file must not cause an allocation larger than the file. */
static bool fits_file(int file, uint64_t bytes)
{
    struct stat status;
    off_t here = lseek(file, 0, SEEK_CUR);
    return bytes <= FM_JOURNAL_LARGEST && here >= 0 && fstat(file, &status) == 0 &&
           status.st_size >= here && bytes <= (uint64_t)(status.st_size - here);
}

bool fm_journal_next(struct fm_journal_reader *reader)
{
    struct fm_journal_head head;
    size_t count = read_all(reader->file, &head, sizeof head);
    if (count == 0) {
        return false;
    }
    reader->torn = true;
    if (count < sizeof head || head.magic != FM_JOURNAL_MAGIC ||
        !fits_file(reader->file, head.bytes)) {
        return false;
    }
    size_t padded = (size_t)(head.bytes + 7) & ~(size_t)7;
    if (padded > reader->capacity) {
        void *larger = realloc(reader->content, padded);
        if (larger == NULL) {
            return false;
        }
        reader->content = larger;
        reader->capacity = padded;
    }
    if (read_all(reader->file, reader->content, padded) < padded) {
        return false;
    }
    struct fm_journal_sum sum = fm_journal_sum_of_head(&head);
    fm_journal_sum_add(&sum, reader->content, (size_t)head.bytes);
    if (fm_journal_sum_end(&sum) != head.checksum) {
        return false;
    }
    reader->kind = (enum fm_journal_kind)head.kind;
    reader->bytes = (size_t)head.bytes;
    reader->torn = false;
    return true;
}

void fm_journal_close(struct fm_journal_reader *reader)
{
    if (reader->file >= 0) {
        close(reader->file);
    }
    free(reader->content);
    reader->content = NULL;
    reader->file = -1;
}

const uint64_t *fm_journal_block_records(const struct fm_journal_reader *reader, size_t *words,
                                         struct fm_journal_moment *moment)
{
    if (reader->kind != FM_JOURNAL_RECORDS || reader->bytes < sizeof *moment ||
        reader->bytes % sizeof(uint64_t) != 0) {
        return NULL;
    }
    memcpy(moment, reader->content, sizeof *moment);
    *words = (reader->bytes - sizeof *moment) / sizeof(uint64_t);
    return (const uint64_t *)reader->content + sizeof *moment / sizeof(uint64_t);
}
