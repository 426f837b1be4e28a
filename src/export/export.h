/** @file
 * Experiments in the formats of other tools. A format is one file of this folder (or a folder of
 * its own), which defines a struct fm_export_format, and a row of formats.def:
 * docs/adding-an-export.md.
 *
 * Exporters never interpret names from traces: they are escaped as the format demands and made
 * valid UTF-8. Files appear complete or not at all.
 */
#ifndef FERMATA_EXPORT_EXPORT_H
#define FERMATA_EXPORT_EXPORT_H

#include "base/error.h"
#include "cube/model/view.h"

#include <stdbool.h>
#include <stdio.h>

/** What is to be exported. */
struct fm_export_request {
    const struct fm_cube *cube; /**< the report, sealed */
    const char *archive;        /**< experiment directory, or path of an anchor file or report */
    fm_metric_t metric;         /**< for formats that show one property: which */
    double from, to;            /**< for timelines: seconds since the begin of the run */
    uint32_t first_rank, last_rank; /**< for timelines: ranks shown, both included */
};

/** A format. Errors of writing are left in the stream: the caller reports them when it commits the
 * file. */
struct fm_export_format {
    const char *name;    /**< as in --to */
    const char *file;    /**< default name in the experiment directory */
    const char *summary; /**< one line of help */
    bool of_one_metric;  /**< shows one property: needs `metric` */
    bool of_events;      /**< reads the trace */
    bool of_a_part;      /**< heeds times and ranks */
    /** Writes a file; NULL: the format is a directory. */
    fm_status_t (*write)(const struct fm_export_request *request, FILE *stream,
                         struct fm_error *error);
    /** Writes a directory, which must not exist. */
    fm_status_t (*write_directory)(const struct fm_export_request *request, const char *directory,
                                   struct fm_error *error);
};

/** All formats, NULL at the end. */
extern const struct fm_export_format *const fm_export_formats[];

/** @return the format of this name, or NULL. Thread-safe. */
const struct fm_export_format *fm_export_format_by_name(const char *name);

#endif
