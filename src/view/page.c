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
    struct data *reports; /* [run] */
    size_t run_count;
    unsigned char *timeline; /* NULL: none */
    size_t timeline_size;
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

/** Writes a block of data, which the viewer finds by its id. */
static void put_data(FILE *stream, const char *id, const unsigned char *bytes, size_t size)
{
    fprintf(stream, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    put_base64(stream, bytes, size);
    fputs("</script>\n", stream);
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
    for (size_t i = 0; i < content->run_count; i++) {
        char id[40] = "fermata-report";
        if (i > 0)
            snprintf(id, sizeof id, "fermata-report-%zu", i);
        put_data(stream, id, content->reports[i].bytes, content->reports[i].size);
    }
    if (content->timeline != NULL)
        put_data(stream, "fermata-timeline", content->timeline, content->timeline_size);
    fwrite(rest, 1, (size_t)(fm_viewer_page_end - rest), stream);
}

fm_status_t fm_page_for_server(bool timeline, size_t runs, char **page, size_t *size,
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
    fm_json_bool(&json, "timeline", timeline);
    fm_json_unsigned(&json, "runs", runs);
    fm_json_end(&json);
    fputs("</script>\n", stream);
    fwrite(rest, 1, (size_t)(fm_viewer_page_end - rest), stream);
    return fclose(stream) == 0 ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "out of memory");
}

fm_status_t fm_page_write(const struct fm_page_run *runs, size_t count,
                          const struct fm_detail *detail, const char *path, struct fm_error *error)
{
    struct content content = {.run_count = count};
    content.reports = fm_allocate(count, sizeof *content.reports);
    fm_status_t status = FM_OK;
    size_t size = 0;
    for (size_t i = 0; i < count && status == FM_OK; i++) {
        struct data *report = &content.reports[i];
        status = fm_report_data_make(runs[i].cube, &runs[i].extras, REPORT_LIMIT / count,
                                     &report->bytes, &report->size, error);
        size += report->size;
    }
    if (status == FM_OK && detail != NULL) {
        size_t room = size < DATA_LIMIT ? DATA_LIMIT - size : 0;
        status = fm_timeline_data_make(detail, runs[0].cube, room, &content.timeline,
                                       &content.timeline_size, error);
    }
    struct fm_new_file file;
    if (status == FM_OK)
        status = fm_new_file_open(&file, path, error);
    if (status == FM_OK) {
        put_page(file.stream, &content);
        status = fm_new_file_commit(&file, error);
    }
    for (size_t i = 0; i < count; i++)
        fm_free(content.reports[i].bytes);
    fm_free(content.reports);
    fm_free(content.timeline);
    return status;
}
