/** @file
 * Who had to do with whom: messages, one-sided operations, and waiting. Belongs to the severity
 * cube (cube.h).
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_MATRIX_H
#define FERMATA_CUBE_MODEL_CUBE_MATRIX_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct fm_cube;

#define FM_CUBE_LINKS (1U << 20) /**< of a matrix at most */

/** The matrices. A message or operation names its partner by rank: there, the first location of the
 * process stands for all of it. */
enum fm_cube_matrix_kind {
    FM_MATRIX_MESSAGES,   /**< from sender to receiver; amount: bytes */
    FM_MATRIX_OPERATIONS, /**< from origin to target; amount: bytes */
    FM_MATRIX_DELAYS,     /**< from who caused the waiting to who waited; amount: ticks */
    FM_MATRIX_COUNT
};

/** What went from one location to another. */
struct fm_cube_link {
    uint32_t from, to;
    uint32_t metric; /**< of which kind: FM_METRIC_COMMS_SEND, comms_rma_puts, _gets, _atomics, or
                          the wait state */
    uint64_t count;  /**< messages, operations, wait states */
    uint64_t amount; /**< bytes or ticks */
};

struct fm_cube_matrix {
    size_t link_count;
    struct fm_cube_link *links; /**< ascending by (from, to, metric) */
    uint64_t omitted_links;     /**< those with the smallest amounts, if there are too many */
    uint64_t omitted_count, omitted_amount;
};

/** Sets a matrix (copied).
 * @return FM_ERR_FAILED: it is out of order, or names what does not exist */
fm_status_t fm_cube_set_matrix(struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                               const struct fm_cube_matrix *matrix, struct fm_error *error);

/** @return "messages", "operations", "delays". */
const char *fm_cube_matrix_name(enum fm_cube_matrix_kind kind);

/** Frees the matrices; the cube has none afterwards. fm_cube_free() does so, too. */
void fm_cube_free_matrices(struct fm_cube *cube);

#endif
