/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Constants of the report file format (docs/report-format.md), shared by its writer and reader.
 */
#ifndef FERMATA_CUBE_FILE_CUBE_FORMAT_H
#define FERMATA_CUBE_FILE_CUBE_FORMAT_H

#define FM_CUBE_FILE_MAGIC                                                                         \
    "\x89"                                                                                         \
    "FERMATA"
#define FM_CUBE_FILE_MAGIC_SIZE      8
#define FM_CUBE_FILE_VERSION         3
#define FM_CUBE_FILE_HEADER_SIZE     24
#define FM_CUBE_FILE_CHECKSUM_SIZE   8
#define FM_CUBE_SECTION_HEADER_SIZE  16
#define FM_CUBE_SECTION_REQUIRED     1U
#define FM_CUBE_SECTION_COUNT        30
#define FM_CUBE_LOCKS_VERSION        3
#define FM_CUBE_OPTIONS_VERSION      1
#define FM_CUBE_PHASES_VERSION       1
#define FM_CUBE_BINS_VERSION         1
#define FM_CUBE_MATRICES_VERSION     2
#define FM_CUBE_TOPOLOGIES_VERSION   1
#define FM_CUBE_PROBLEMS_VERSION     5
#define FM_CUBE_BLAMED_VERSION       1
#define FM_CUBE_USER_METRICS_VERSION 1
#define FM_CUBE_STREAMS_VERSION      1
#define FM_CUBE_PREDICTIONS_VERSION  9
#define FM_CUBE_CLOCK_VERSION        1
#define FM_CUBE_PROFILE_VERSION      1
#define FM_CUBE_SWITCHED_OFF_VERSION 1
#define FM_CUBE_PARTITIONS_VERSION   1
#define FM_CUBE_UNCERTAINTY_VERSION  3
#define FM_CUBE_FINDINGS_VERSION     1
#define FM_CUBE_WORLDS_VERSION       1
#define FM_CUBE_UNEXPECTED_VERSION   1
#define FM_CUBE_SITES_VERSION        1
#define FM_CUBE_HANG_VERSION         1

#endif
