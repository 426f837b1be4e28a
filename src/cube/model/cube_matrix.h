/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Matrices of communication and waiting between pairs of locations. Part of the severity cube
 * (cube.h).
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_MATRIX_H
#define FERMATA_CUBE_MODEL_CUBE_MATRIX_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_cube;

#define FM_CUBE_LINKS (1U << 20) /**< largest number of links of a matrix */

/** The kinds of matrices. The trace gives the partner of a message or operation by rank only: the
 * partner's first location represents its process. */
enum fm_cube_matrix_kind {
    FM_MATRIX_MESSAGES,   /**< from sender to receiver; amount: bytes */
    FM_MATRIX_OPERATIONS, /**< from origin to target; amount: bytes */
    FM_MATRIX_DELAYS,     /**< from the location that caused the waiting to the location that
                               waited; amount: ticks */
    FM_MATRIX_BLAME,      /**< from the location that is blamed to the location that waits; amount:
                               ticks; count: wait states of which it is the last one blamed */
    FM_MATRIX_COUNT
};

/** An entry of a matrix: all traffic or waiting of one metric from one location to another. */
struct fm_cube_link {
    uint32_t from, to;
    uint32_t metric; /**< FM_METRIC_COMMS_SEND, FM_METRIC_COMMS_RMA_PUTS, _GETS, _ATOMICS, or the
                          wait state */
    uint64_t count;  /**< number of messages, operations or wait states */
    uint64_t amount; /**< bytes or ticks */
    uint64_t error;  /**< of delays: ticks by which `amount` may be wrong, if cube->errors are
                          known; else 0 */
};

struct fm_cube_matrix {
    size_t link_count;
    struct fm_cube_link *links; /**< ascending by (from, to, metric) */
    uint64_t omitted_links;     /**< number of links left out, those with the smallest amounts */
    uint64_t omitted_count, omitted_amount; /**< sums over the omitted links */
};

/** Sets a matrix (copied).
 * @return FM_ERR_FAILED: the links are not in order, or a location or metric does not exist */
fm_status_t fm_cube_set_matrix(struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                               const struct fm_cube_matrix *matrix, struct fm_error *error);

/** @return "messages", "operations", "delays", "blame". */
const char *fm_cube_matrix_name(enum fm_cube_matrix_kind kind);

/** @return whether amounts are ticks of waiting; otherwise they are bytes. */
static inline bool fm_cube_matrix_is_time(enum fm_cube_matrix_kind kind)
{
    return kind == FM_MATRIX_DELAYS || kind == FM_MATRIX_BLAME;
}

/** Frees the matrices; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_matrices(struct fm_cube *cube);

#endif
