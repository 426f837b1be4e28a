/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The files that tell about ranks and their accelerators: profiles of nvprof and Nsight Compute,
 * and own tables. What a file is follows from its header. docs/gpu-imbalance.md describes them.
 */
#ifndef FERMATA_IMBALANCE_INPUT_INPUT_FILE_H
#define FERMATA_IMBALANCE_INPUT_INPUT_FILE_H

#include "base/error.h"
#include "imbalance/input/csv_number.h"
#include "imbalance/input/kernel_table.h"

/** Columns of tables of ranks, FM_RANK_COLUMN(SYMBOL, "column", meaning): seconds, and units of
 * work. */
#define FM_RANK_COLUMNS(FM_RANK_COLUMN)                                                            \
    FM_RANK_COLUMN(TIME, "time", "measured time: of the kernels, or of the computation")           \
    FM_RANK_COLUMN(TOTAL, "total", "time of the process")                                          \
    FM_RANK_COLUMN(MPI, "mpi", "part of it in MPI")                                                \
    FM_RANK_COLUMN(CUDA, "cuda", "part of it in calls that wait for the accelerator")              \
    FM_RANK_COLUMN(WORK, "work", "units of work")

typedef enum {
#define FM_RANK_COLUMN(symbol, column, meaning) FM_RANK_##symbol,
    FM_RANK_COLUMNS(FM_RANK_COLUMN)
#undef FM_RANK_COLUMN
        FM_RANK_COLUMN_COUNT
} fm_rank_column_t;

/** A row of a table of ranks. */
struct fm_rank_row {
    uint32_t rank;
    unsigned long line;
    double values[FM_RANK_COLUMN_COUNT]; /**< NAN: not in the table */
};

/** Columns of tables of sweeps, FM_SWEEP_COLUMN(SYMBOL, "column"). Imbalances in percent; the
 * columns in front of them describe the problem. */
#define FM_SWEEP_COLUMNS(FM_SWEEP_COLUMN)                                                          \
    FM_SWEEP_COLUMN(REMOVED, "removed")                                                            \
    FM_SWEEP_COLUMN(WORK_UNITS, "units")                                                           \
    FM_SWEEP_COLUMN(INTERACTIONS, "interactions")                                                  \
    FM_SWEEP_COLUMN(PARAMETER, "parameter")                                                        \
    FM_SWEEP_COLUMN(WORK, "imbalance_work")                                                        \
    FM_SWEEP_COLUMN(INTERACTION_WORK, "imbalance_interactions")                                    \
    FM_SWEEP_COLUMN(COMPUTATION, "imbalance_computation")                                          \
    FM_SWEEP_COLUMN(MEASURED, "imbalance_measured")                                                \
    FM_SWEEP_COLUMN(ADJUSTED, "imbalance_adjusted")                                                \
    FM_SWEEP_COLUMN(COMPOSITE, "imbalance_composite")                                              \
    FM_SWEEP_COLUMN(R_MEASURED, "r_measured")                                                      \
    FM_SWEEP_COLUMN(R_ADJUSTED, "r_adjusted")                                                      \
    FM_SWEEP_COLUMN(R_COMPOSITE, "r_composite")

typedef enum {
#define FM_SWEEP_COLUMN(symbol, column) FM_SWEEP_##symbol,
    FM_SWEEP_COLUMNS(FM_SWEEP_COLUMN)
#undef FM_SWEEP_COLUMN
        FM_SWEEP_COLUMN_COUNT
} fm_sweep_column_t;

/** A problem of a sweep. */
struct fm_sweep_row {
    char *set;     /**< of problems that belong together: "small"; "": there is one set only */
    char *problem; /**< "7" */
    double values[FM_SWEEP_COLUMN_COUNT]; /**< NAN: not known */
};

/** Whose rank a process has. */
struct fm_process_rank {
    const char *host; /**< "": any */
    uint64_t process;
    uint32_t rank;
};

/** What is in a file. */
struct fm_input_file {
    char *path;
    struct fm_kernel_table table;          /**< of profiles */
    FM_VECTOR(struct fm_rank_row) ranks;   /**< ascending */
    FM_VECTOR(struct fm_sweep_row) sweep;  /**< in the order of the file */
    FM_VECTOR(struct fm_process_rank) map; /**< in the order of the file */
    FM_VECTOR(double) threads;             /**< work of each thread of a kernel, by its number */
    FM_VECTOR(char *) warnings;            /**< sentences */
    char *text;                            /**< that the strings above lie in */
};

/** Reads a text.
 * @param text     of `length` bytes; will be copied
 * @param decimal  how its numbers are written; FM_DECIMAL_UNKNOWN: as they reveal
 * @param file     out: to be freed with fm_input_file_free(); set only on success
 * @return FM_ERR_DATA: file and line with the reason. Thread-safe. */
fm_status_t fm_input_parse(const char *text, size_t length, const char *path,
                           enum fm_decimal_mark decimal, struct fm_input_file **file,
                           struct fm_error *error);

/** Reads a file of at most 1 GiB, a text or a database of Nsight Systems; as fm_input_parse(). */
fm_status_t fm_input_read(const char *path, enum fm_decimal_mark decimal,
                          struct fm_input_file **file, struct fm_error *error);

/** Frees a file. NULL is allowed. */
void fm_input_file_free(struct fm_input_file *file);

/** @return name of a column of tables of ranks, or of sweeps. */
const char *fm_rank_column_name(fm_rank_column_t column);
const char *fm_sweep_column_name(fm_sweep_column_t column);

#endif
