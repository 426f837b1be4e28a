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
    struct stat status;
    *reader = (struct fm_journal_reader){.file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    if (reader->file >= 0 && fstat(reader->file, &status) == 0 && status.st_size > 0) {
        reader->end = (uint64_t)status.st_size;
    }
    return reader->file >= 0;
}

void fm_journal_continue(struct fm_journal_reader *reader, uint64_t offset, const void *rest,
                         uint64_t bytes)
{
    if (offset <= reader->end && bytes > reader->end - offset) {
        reader->rest = rest;
        reader->rest_at = offset;
        reader->rest_bytes = bytes;
    }
}

/* @return the number of bytes read, fewer than requested at the end or on an error */
static size_t read_file(int file, void *data, size_t bytes)
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

/* The same with what the file continues with. */
static size_t read_all(struct fm_journal_reader *reader, void *data, size_t bytes)
{
    size_t done = reader->at < reader->end ? read_file(reader->file, data, bytes) : 0;
    reader->at += done;
    if (reader->rest != NULL && reader->at >= reader->end && done < bytes) {
        uint64_t from = reader->at - reader->rest_at;
        size_t more = bytes - done;
        more = more < reader->rest_bytes - from ? more : (size_t)(reader->rest_bytes - from);
        memcpy((char *)data + done, reader->rest + from, more);
        reader->at += more;
        done += more;
    }
    return done;
}

/* A length from a damaged file must not cause an allocation larger than the file. */
static bool fits_file(const struct fm_journal_reader *reader, uint64_t bytes)
{
    uint64_t end = reader->rest != NULL ? reader->rest_at + reader->rest_bytes : reader->end;
    return bytes <= FM_JOURNAL_LARGEST && reader->at <= end && bytes <= end - reader->at;
}

bool fm_journal_next(struct fm_journal_reader *reader)
{
    struct fm_journal_head head;
    size_t count = read_all(reader, &head, sizeof head);
    if (count == 0) {
        return false;
    }
    reader->torn = true;
    if (count < sizeof head || head.magic != FM_JOURNAL_MAGIC || !fits_file(reader, head.bytes)) {
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
    if (read_all(reader, reader->content, padded) < padded) {
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
                                         struct fm_journal_part *part)
{
    if (reader->kind != FM_JOURNAL_RECORDS || reader->bytes < sizeof *part ||
        reader->bytes % sizeof(uint64_t) != 0) {
        return NULL;
    }
    memcpy(part, reader->content, sizeof *part);
    *words = (reader->bytes - sizeof *part) / sizeof(uint64_t);
    return (const uint64_t *)reader->content + sizeof *part / sizeof(uint64_t);
}
