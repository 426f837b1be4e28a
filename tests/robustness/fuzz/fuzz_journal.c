/* SPDX-License-Identifier: BSD-3-Clause */
/* Any journals become an archive or an error. Input: blocks { file (0: definitions, 1: records,
 * 2: the buffer file), kind, length (2 bytes), content }, to which right heads and checksums are
 * made. A kind of the buffer file is the number of a block, and a place in it. */
#include "base/files/file_tree.h"
#include "record/buffers/buffer_layout.h"
#include "record/journal/journal.h"
#include "record/rebuild/rebuild.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 8, TOKEN = 1, FILES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_block(int file, uint32_t kind, const uint8_t *content, size_t bytes)
{
    static const uint64_t zero;
    struct fm_journal_head head = {FM_JOURNAL_MAGIC, kind, 0, bytes, 0};
    struct fm_journal_sum sum = fm_journal_sum_of_head(&head);
    fm_journal_sum_add(&sum, content, bytes);
    head.checksum = fm_journal_sum_end(&sum);
    if (write(file, &head, sizeof head) < 0 || write(file, content, bytes) < 0 ||
        write(file, &zero, -bytes & 7u) < 0) {
        abort();
    }
}

/* Writes to the buffer file, which is made if need be. */
static void put_buffer(int file, uint8_t kind, const uint8_t *content, size_t bytes)
{
    static const size_t places[] = {0, FM_BUFFER_SITES_AT, FM_BUFFER_SLOTS_AT,
                                    FM_BUFFER_SLOTS_AT + FM_SLOT_BYTES};
    const struct fm_buffer_head head = {
        .magic = FM_BUFFER_MAGIC, .token = TOKEN, .ticks_used = 1, .host = "nowhere"};
    const size_t place = (kind & (BLOCKS - 1u)) * (size_t)FM_BLOCK_BYTES + places[kind >> 4 & 3u];
    const size_t skipped = place < sizeof head ? sizeof head : 0; /* the head stays sound */
    if (ftruncate(file, (off_t)BLOCKS * FM_BLOCK_BYTES) != 0 ||
        pwrite(file, &head, sizeof head, 0) < 0 ||
        (bytes > skipped &&
         pwrite(file, content + skipped, bytes - skipped, (off_t)(place + skipped)) < 0)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/fuzz-journal-XXXXXX", path[128];
    struct fm_journal_process process = {.size = 1 + (size > 0 ? data[0] % 3u : 0),
                                         .ticks_used = 1,
                                         .host = "nowhere",
                                         .buffer_token = TOKEN};
    struct fm_rebuilt result;
    struct fm_error error = {""};
    int files[FILES];
    if (mkdtemp(folder) == NULL) {
        abort();
    }
    snprintf(path, sizeof path, "%s/journal", folder);
    mkdir(path, 0700);
    for (int i = 0; i < 2; i++) {
        fm_journal_path(path, sizeof path, folder, 0, i - 1);
        files[i] = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    }
    snprintf(path, sizeof path, "%s/journal/0.buf", folder);
    files[2] = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    put_block(files[0], FM_JOURNAL_PROCESS, (const uint8_t *)&process, sizeof process);
    for (size_t i = 0; i + 4 <= size;) {
        size_t bytes = data[i + 2] | (size_t)data[i + 3] << 8;
        bytes = bytes < size - i - 4 ? bytes : size - i - 4;
        if (data[i] % FILES == 2) {
            put_buffer(files[2], data[i + 1], data + i + 4, bytes);
        } else {
            put_block(files[data[i] % FILES], data[i + 1], data + i + 4, bytes);
        }
        i += 4 + bytes;
    }
    for (int i = 0; i < FILES; i++) {
        close(files[i]);
    }
    fm_status_t status = fm_rebuild(folder, 0, &result, &error);
    if (status != FM_OK && status != FM_ERR_DATA) {
        fprintf(stderr, "status %d: %s\n", status, error.message);
        abort();
    }
    fm_remove_tree(folder);
    return 0;
}
