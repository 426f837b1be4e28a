/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Exports of experiments to the formats of other tools. A format consists of one file (or one
 * folder) here, which defines a struct fm_export_format, and a row of formats.def:
 * docs/adding-an-export.md.
 *
 * Names from traces are never interpreted: they are made valid UTF-8 and escaped by the rules of
 * the format. An output file is created completely or not at all.
 */
#ifndef FERMATA_EXPORT_EXPORT_H
#define FERMATA_EXPORT_EXPORT_H

#include "base/error.h"
#include "cube/view/view.h"

#include <stdbool.h>
#include <stdio.h>

/** The input of an export. */
struct fm_export_request {
    const struct fm_cube *cube; /**< the report, sealed; NULL: the experiment has none yet, which
                                     formats of events do not need */
    const char *archive; /**< experiment directory, or path of an anchor file or of a report */
    fm_metric_t metric;  /**< for formats of one property: its metric */
    double from, to;     /**< for timelines: seconds since the begin of the run */
    uint32_t first_rank, last_rank; /**< for timelines: first and last rank to show */
};

/** An export format. Write errors are left in the stream; the caller reports them at commit of the
 * file. */
struct fm_export_format {
    const char *name;    /**< as argument of --to */
    const char *file;    /**< default name in the experiment directory */
    const char *summary; /**< one line of help */
    bool of_one_metric;  /**< shows one property: requires `metric` */
    bool of_events;      /**< reads the trace, and needs no report */
    bool of_a_part;      /**< supports times and ranks of the request */
    /** Writes a file; NULL: the format writes a directory. */
    fm_status_t (*write)(const struct fm_export_request *request, FILE *stream,
                         struct fm_error *error);
    /** Writes a directory, which must not exist. */
    fm_status_t (*write_directory)(const struct fm_export_request *request, const char *directory,
                                   struct fm_error *error);
};

/** All formats, terminated by NULL. */
extern const struct fm_export_format *const fm_export_formats[];

/** @return the format of this name, or NULL. Thread-safe. */
const struct fm_export_format *fm_export_format_by_name(const char *name);

#endif
