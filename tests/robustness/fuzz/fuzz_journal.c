/* SPDX-License-Identifier: BSD-3-Clause */
/* Any journals become an archive or an error. Input: blocks { file (0: definitions, 1: records),
 * kind, length (2 bytes), content }, to which right heads and checksums are made. */
#include "base/files/file_tree.h"
#include "record/journal/journal.h"
#include "record/rebuild/rebuild.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/fuzz-journal-XXXXXX", path[128];
    struct fm_journal_process process = {
        .size = 1 + (size > 0 ? data[0] % 3u : 0), .ticks_used = 1, .host = "nowhere"};
    struct fm_rebuilt result;
    struct fm_error error = {""};
    int files[2];
    if (mkdtemp(folder) == NULL) {
        abort();
    }
    snprintf(path, sizeof path, "%s/journal", folder);
    mkdir(path, 0700);
    for (int i = 0; i < 2; i++) {
        fm_journal_path(path, sizeof path, folder, 0, i - 1);
        files[i] = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    }
    put_block(files[0], FM_JOURNAL_PROCESS, (const uint8_t *)&process, sizeof process);
    for (size_t i = 0; i + 4 <= size;) {
        size_t bytes = data[i + 2] | (size_t)data[i + 3] << 8;
        bytes = bytes < size - i - 4 ? bytes : size - i - 4;
        put_block(files[data[i] & 1], data[i + 1], data + i + 4, bytes);
        i += 4 + bytes;
    }
    close(files[0]);
    close(files[1]);
    fm_status_t status = fm_rebuild(folder, &result, &error);
    if (status != FM_OK && status != FM_ERR_DATA) {
        fprintf(stderr, "status %d: %s\n", status, error.message);
        abort();
    }
    fm_remove_tree(folder);
    return 0;
}
