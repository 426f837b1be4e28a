/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The reader of a report file: the file and its sections (cube_read.c) and the contents of the
 * sections (cube_read_sections.c).
 */
#ifndef FERMATA_CUBE_FILE_CUBE_READER_H
#define FERMATA_CUBE_FILE_CUBE_READER_H

#include "cube/file/cube_format.h"
#include "cube/file/source.h"
#include "cube/model/cube.h"

/** The sections of the file, in the order in which their contents must be read. */
enum fm_cube_section {
    FM_SECTION_EXPT,
    FM_SECTION_METR,
    FM_SECTION_REGN,
    FM_SECTION_CALL,
    FM_SECTION_LOCN,
    FM_SECTION_SEVR,
    FM_SECTION_STAT,
    FM_SECTION_PATH,
    FM_SECTION_WARN,
    FM_SECTION_LOCK, /**< the first optional section */
    FM_SECTION_OPTS,
    FM_SECTION_PHAS,
    FM_SECTION_BINS,
    FM_SECTION_MATX,
    FM_SECTION_TOPO,
    FM_SECTION_PROB,
    FM_SECTION_BLAM,
    FM_SECTION_STRM,
    FM_SECTION_CLCK,
    FM_SECTION_UNCT,
    FM_SECTION_UMET, /**< read before the metrics */
    FM_SECTION_PRED,
    FM_SECTION_SOFF,
    FM_SECTION_PROF,
    FM_SECTION_PART,
    FM_SECTION_FIND,
    FM_SECTION_WRLD,
    FM_SECTION_UNEX,
    FM_SECTION_SITE,
    FM_SECTION_HANG
};

extern const char fm_cube_section_tags[FM_CUBE_SECTION_COUNT][5];

/** Texts of a metric that a pattern of the user declares. */
struct fm_cube_user_metric {
    uint32_t number; /**< in the file */
    char *description, *formula, *advice;
};

struct fm_cube_reader {
    const char *path;
    struct fm_error *error;
    struct fm_source sections[FM_CUBE_SECTION_COUNT];
    bool present[FM_CUBE_SECTION_COUNT];
    struct fm_cube *cube;
    uint32_t *metrics;  /**< [metric of the file]: fm_metric_t, or FM_METRIC_NONE if unknown */
    bool *metric_exact; /**< [metric of the file]: false: unknown, a known ancestor or
                           FM_METRIC_NONE replaces it */
    char **metric_ids;
    uint32_t metric_count;
    struct fm_cube_user_metric *user_metrics;
    uint32_t user_metric_count;
};

/** Reports damage of the file. @return FM_ERR_DATA */
fm_status_t fm_cube_damaged(const struct fm_cube_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** @return FM_OK if the whole payload of the section has been read, else FM_ERR_DATA. */
fm_status_t fm_cube_check_used_up(const struct fm_cube_reader *reader,
                                  enum fm_cube_section section);

/** Begins an optional section, whose first number is its version. An unsupported version is
 * reported in a warning.
 * @param what      contents of the section; the first words of the warning: "The queues ... are"
 * @param readable  out: whether the section exists and its version is supported */
fm_status_t fm_cube_begin_optional(struct fm_cube_reader *reader, enum fm_cube_section section,
                                   uint32_t version, const char *what, bool *readable);

/** Reads which wait states were switched off. */
fm_status_t fm_cube_read_switched_off(struct fm_cube_reader *reader);
/** @return the statistics of a metric of the file; NULL: there are none */
struct fm_cube_statistics *fm_cube_statistics_in_file(const struct fm_cube_reader *reader,
                                                      uint32_t metric);

/** Read an optional section, if it exists and its version is supported. */
fm_status_t fm_cube_read_locks(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_options(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_phases(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_bins(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_matrices(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_blamed(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_topologies(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_profile(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_streams(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_predictions(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_clock(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_last_partitions(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_unexpected(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_sites(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_worlds(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_uncertainty(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_findings(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_hang(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_problems(struct fm_cube_reader *reader);
fm_status_t fm_cube_read_user_metrics(struct fm_cube_reader *reader);

/** @return the texts of metric `number` of the file; NULL: it has none. */
const struct fm_cube_user_metric *fm_cube_user_metric(const struct fm_cube_reader *reader,
                                                      uint32_t number);

/** Frees the texts. */
void fm_cube_forget_user_metrics(struct fm_cube_reader *reader);

/** Fills reader->cube from the sections found; the cube is not sealed. */
fm_status_t fm_cube_read_sections(struct fm_cube_reader *reader);

/** Frees the memory of the reader, except the cube. */
void fm_cube_reader_release(struct fm_cube_reader *reader);

#endif
