/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/nsys_database.h"

#include "base/memory.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "SQLite format 3"

bool fm_is_database(const char *begin, size_t length)
{
    return length >= sizeof MAGIC && memcmp(begin, MAGIC, sizeof MAGIC) == 0;
}

/* The process is in the middle of its global number. Versions before 2020 have no such number. */
static const char launches[] =
    "SELECT (k.globalPid / 16777216) % 16777216, k.start, k.end - k.start, k.deviceId, k.streamId,"
    " s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id ="
    " COALESCE(k.demangledName, k.shortName) WHERE k.end >= k.start ORDER BY 1, 2";

static const char header[] = "Start (ns),Duration (ns),Device,Strm,Name\n";

static bool has_table(sqlite3 *database, const char *name)
{
    sqlite3_stmt *question;
    bool has = false;
    if (sqlite3_prepare_v2(database, "SELECT 1 FROM sqlite_master WHERE name = ?", -1, &question,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_text(question, 1, name, -1, SQLITE_STATIC);
        has = sqlite3_step(question) == SQLITE_ROW;
    }
    sqlite3_finalize(question);
    return has;
}

/* Writes a cell that may contain commas and quotes. */
static void write_name(FILE *stream, const unsigned char *name)
{
    putc('"', stream);
    for (; name != NULL && *name != '\0'; name++) {
        if (*name == '"') {
            putc('"', stream);
        }
        putc(*name < ' ' ? ' ' : *name, stream);
    }
    fputs("\"\n", stream);
}

/* @return the result of the last step */
static int write_launches(sqlite3_stmt *rows, FILE *stream)
{
    sqlite3_int64 process = -1;
    int result;
    while ((result = sqlite3_step(rows)) == SQLITE_ROW) {
        if (sqlite3_column_int64(rows, 0) != process) {
            process = sqlite3_column_int64(rows, 0);
            fprintf(stream, "==%" PRId64 "== \n%s", (int64_t)process, header);
        }
        for (int i = 1; i < 5; i++) {
            fprintf(stream, "%" PRId64 ",", (int64_t)sqlite3_column_int64(rows, i));
        }
        write_name(stream, sqlite3_column_text(rows, 5));
    }
    return result;
}

fm_status_t fm_nsys_database_read(const char *path, char **text, size_t *length,
                                  struct fm_error *error)
{
    sqlite3 *database;
    sqlite3_stmt *rows = NULL;
    char *made = NULL;
    size_t size = 0;
    int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL);
    if (result == SQLITE_OK && !has_table(database, "StringIds")) {
        sqlite3_close(database);
        return fm_fail(
            error, FM_ERR_DATA,
            "%.400s: the database is damaged, or it is none of Nsight Systems (it has no "
            "table StringIds)",
            path);
    }
    if (result == SQLITE_OK && !has_table(database, "CUPTI_ACTIVITY_KIND_KERNEL")) {
        sqlite3_close(database);
        return fm_fail(
            error, FM_ERR_DATA,
            "%.400s: it has no kernels (no table CUPTI_ACTIVITY_KIND_KERNEL): was the run "
            "profiled with --trace=cuda?",
            path);
    }
    result = result == SQLITE_OK ? sqlite3_prepare_v2(database, launches, -1, &rows, NULL) : result;
    if (result == SQLITE_OK) {
        FILE *stream = open_memstream(&made, &size);
        if (stream == NULL) {
            fm_memory_exhausted();
        }
        result = write_launches(rows, stream);
        fclose(stream);
    }
    fm_status_t status =
        result == SQLITE_DONE
            ? FM_OK
            : fm_fail(error, FM_ERR_DATA, "cannot read %.400s: %s", path, sqlite3_errmsg(database));
    if (status == FM_OK && size == 0) {
        status = fm_fail(error, FM_ERR_DATA, "%.400s: it has no kernels", path);
    }
    sqlite3_finalize(rows);
    sqlite3_close(database);
    if (status == FM_OK) {
        *text = made;
        *length = size;
    } else {
        free(made);
    }
    return status;
}
