/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/page.h"

#include "base/files/new_file.h"
#include "base/json/json_writer.h"
#include "base/memory.h"
#include "view/report/report_data.h"
#include "view/timeline/timeline_data.h"

#include <stdio.h>
#include <string.h>

/** Placeholder for the data in the built viewer. */
#define PLACEHOLDER "<!--fermata-data-->"

/** First words of the Content-Security-Policy of pages as files: no connections. */
#define POLICY "default-src 'none'"

/** Limit of the compressed severities and definitions; base64 adds a third. A page must fit into an
 * e-mail. */
#define REPORT_LIMIT (2400U << 10)

/** Limit of all compressed data: the timeline uses the part that the report leaves free. */
#define DATA_LIMIT (3500U << 10)

/** The built viewer (viewer.S). */
extern const char fm_viewer_page[];
extern const char fm_viewer_page_end[];

struct data {
    unsigned char *bytes;
    size_t size;
};

struct content {
    struct data *reports;   /* [run] */
    struct data *timelines; /* [run]; bytes NULL: none */
    size_t run_count;
};

static void put_base64(FILE *stream, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned second = i + 1 < size ? bytes[i + 1] : 0;
        unsigned third = i + 2 < size ? bytes[i + 2] : 0;
        unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
        putc_unlocked(digits[group >> 18], stream);
        putc_unlocked(digits[group >> 12 & 63], stream);
        putc_unlocked(i + 1 < size ? digits[group >> 6 & 63] : '=', stream);
        putc_unlocked(i + 2 < size ? digits[group & 63] : '=', stream);
    }
}

/** Writes the blocks of data of all runs that have any. The viewer finds them by their ids: NAME of
 * the first run, then NAME-1, NAME-2. */
static void put_data(FILE *stream, const char *name, const struct data *of_runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (of_runs[i].bytes == NULL)
            continue;
        fprintf(stream, "<script type=\"application/octet-stream\" id=\"%s", name);
        if (i > 0)
            fprintf(stream, "-%zu", i);
        fputs("\">", stream);
        put_base64(stream, of_runs[i].bytes, of_runs[i].size);
        fputs("</script>\n", stream);
    }
}

/** Writes the built viewer from `from` up to `text`, which is skipped. @return the text after it */
static const char *put_up_to(FILE *stream, const char *from, const char *text)
{
    size_t size = (size_t)(fm_viewer_page_end - from);
    const char *found = memmem(from, size, text, strlen(text));
    fwrite(from, 1, found == NULL ? size : (size_t)(found - from), stream);
    return found == NULL ? fm_viewer_page_end : found + strlen(text);
}

static void put_page(FILE *stream, const struct content *content)
{
    const char *rest = put_up_to(stream, fm_viewer_page, PLACEHOLDER);
    put_data(stream, "fermata-report", content->reports, content->run_count);
    put_data(stream, "fermata-timeline", content->timelines, content->run_count);
    fwrite(rest, 1, (size_t)(fm_viewer_page_end - rest), stream);
}

fm_status_t fm_page_for_server(const bool *timelines, size_t runs, char **page, size_t *size,
                               struct fm_error *error)
{
    FILE *stream = open_memstream(page, size);
    if (stream == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    const char *rest = put_up_to(stream, fm_viewer_page, POLICY);
    /* Tiles are read by a web worker, whose code is embedded in the page. */
    fputs(POLICY "; connect-src 'self'; worker-src blob:", stream);
    rest = put_up_to(stream, rest, PLACEHOLDER);
    fputs("<script type=\"application/json\" id=\"fermata-server\">", stream);
    struct fm_json json = fm_json_begin(stream, FM_JSON_COMPACT);
    fm_json_object(&json, NULL);
    fm_json_array(&json, "timelines");
    for (size_t i = 0; i < runs; i++)
        fm_json_bool(&json, NULL, timelines[i]);
    fm_json_end(&json);
    fm_json_end(&json);
    fputs("</script>\n", stream);
    fwrite(rest, 1, (size_t)(fm_viewer_page_end - rest), stream);
    return fclose(stream) == 0 ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "out of memory");
}

/** Makes the reports of all runs. @param size  out: of all of them together */
static fm_status_t make_reports(const struct content *content, const struct fm_page_run *runs,
                                size_t *size, struct fm_error *error)
{
    *size = 0;
    for (size_t i = 0; i < content->run_count; i++) {
        struct data *report = &content->reports[i];
        fm_status_t status =
            fm_report_data_make(runs[i].cube, &runs[i].extras, REPORT_LIMIT / content->run_count,
                                &report->bytes, &report->size, error);
        if (status != FM_OK)
            return status;
        *size += report->size;
    }
    return FM_OK;
}

/** Makes the timelines of the runs with events, which share `room` bytes: what a run leaves free is
 * for the runs after it. */
static fm_status_t make_timelines(const struct content *content, const struct fm_page_run *runs,
                                  const struct fm_page_events *events, size_t room,
                                  struct fm_error *error)
{
    for (size_t i = 0; i < content->run_count; i++) {
        const struct fm_detail *detail = events->of(events->context, i);
        struct data *timeline = &content->timelines[i];
        if (detail == NULL)
            continue;
        fm_status_t status =
            fm_timeline_data_make(detail, runs[i].cube, room / (content->run_count - i),
                                  &timeline->bytes, &timeline->size, error);
        if (status != FM_OK)
            return status;
        room -= timeline->size < room ? timeline->size : room;
    }
    return FM_OK;
}

fm_status_t fm_page_write(const struct fm_page_run *runs, size_t count,
                          const struct fm_page_events *events, const char *path,
                          struct fm_error *error)
{
    struct content content = {.run_count = count};
    size_t size;
    content.reports = fm_allocate(count, sizeof *content.reports);
    content.timelines = fm_allocate(count, sizeof *content.timelines);
    fm_status_t status = make_reports(&content, runs, &size, error);
    if (status == FM_OK && events != NULL)
        status = make_timelines(&content, runs, events, size < DATA_LIMIT ? DATA_LIMIT - size : 0,
                                error);
    struct fm_new_file file;
    if (status == FM_OK)
        status = fm_new_file_open(&file, path, error);
    if (status == FM_OK) {
        put_page(file.stream, &content);
        status = fm_new_file_commit(&file, error);
    }
    for (size_t i = 0; i < count; i++) {
        fm_free(content.reports[i].bytes);
        fm_free(content.timelines[i].bytes);
    }
    fm_free(content.reports);
    fm_free(content.timelines);
    return status;
}
