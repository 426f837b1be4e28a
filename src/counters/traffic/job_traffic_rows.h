/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Traffic of a process by communicator and peer, as recordings with counters only write it when the
 * program ends regularly: EXPERIMENT/counters/links.N. A text file; rows of fields that tabs
 * separate:
 *
 *     fermata-links 2
 *     communicator NUMBER  SIZE  REMOTE_SIZE  PLACE  FIRST  PARENT  MAKER  NAME
 *     messages     NUMBER  PEER  SENT  BYTES_SENT  RECEIVED  BYTES_RECEIVED
 *     one-sided    NUMBER  PEER  PUTS  BYTES_PUT  GETS  BYTES_GOT  ATOMICS  BYTES_ATOMIC
 *     collectives  NUMBER  CALLS  BYTES_SENT  BYTES_RECEIVED
 *     end
 *
 * NUMBER is that of the communicator among those of all processes with the same MPI_COMM_WORLD; the
 * same communicator has the same number in all files, and all communicators of one process alone
 * have numbers that other processes may use for theirs. SIZE and REMOTE_SIZE (0: it has no remote
 * group) are those of the groups, as this process sees them; PLACE is the number of the process in
 * its group, FIRST the rank of the first member of this group, PARENT the communicator that it was
 * made from. MAKER is the function that has made it, and may be empty like NAME. One-sided
 * operations belong to the communicator of their window.
 *
 * PEER and FIRST are ranks in the same MPI_COMM_WORLD. `-` instead of a rank or a communicator: the
 * process is in another MPI_COMM_WORLD, or there is none. Rows of traffic with the NUMBER `-` have
 * what is lost: operations for which the recorder had no room. Rows `communicator` precede the
 * other ones; there are none of communicators without traffic, except those that others are made
 * from. Rows of traffic may repeat with the same NUMBER and PEER. The last row is `end`: a file
 * without it is cut. A reader refuses other versions.
 */
#ifndef FERMATA_COUNTERS_TRAFFIC_JOB_TRAFFIC_ROWS_H
#define FERMATA_COUNTERS_TRAFFIC_JOB_TRAFFIC_ROWS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The first row. */
#define FM_JOB_TRAFFIC_HEAD "fermata-links 2"

/** Instead of a number: `-`. */
#define FM_JOB_TRAFFIC_NONE UINT32_MAX

enum fm_job_traffic_row_kind {
    FM_JOB_TRAFFIC_ROW_COMMUNICATOR,
    FM_JOB_TRAFFIC_ROW_MESSAGES,
    FM_JOB_TRAFFIC_ROW_ONE_SIDED,
    FM_JOB_TRAFFIC_ROW_COLLECTIVES,
    FM_JOB_TRAFFIC_ROW_KINDS
};

/** Most numbers of a row of traffic. */
enum { FM_JOB_TRAFFIC_ROW_NUMBERS = 6 };

/** The fields of each kind of row. */
static const struct {
    const char *name;
    bool has_peer;
    unsigned numbers; /**< behind NUMBER and PEER; of `communicator` those before the texts */
} fm_job_traffic_row_fields[FM_JOB_TRAFFIC_ROW_KINDS] = {
    [FM_JOB_TRAFFIC_ROW_COMMUNICATOR] = {"communicator", false, 5},
    [FM_JOB_TRAFFIC_ROW_MESSAGES] = {"messages", true, 4},
    [FM_JOB_TRAFFIC_ROW_ONE_SIDED] = {"one-sided", true, 6},
    [FM_JOB_TRAFFIC_ROW_COLLECTIVES] = {"collectives", false, 3},
};

/** A row. */
struct fm_job_traffic_row {
    enum fm_job_traffic_row_kind kind;
    uint32_t communicator;                        /**< FM_JOB_TRAFFIC_NONE: lost */
    uint32_t peer;                                /**< or FM_JOB_TRAFFIC_NONE */
    uint64_t numbers[FM_JOB_TRAFFIC_ROW_NUMBERS]; /**< of rows of traffic */
    uint32_t size, remote_size, place;            /**< of `communicator`, as what follows */
    uint32_t first, parent;                       /**< or FM_JOB_TRAFFIC_NONE */
    const char *maker, *name;                     /**< "": not known */
};

/** Receives a row, valid during the call. @return other than FM_OK: reading ends with it */
typedef fm_status_t fm_job_traffic_row_take(void *context, const struct fm_job_traffic_row *row,
                                            struct fm_error *error);

/** Reads a file.
 * @return FM_OK; FM_ERR_SYSTEM: it cannot be opened (errno); FM_ERR_DATA: it is damaged, cut,
 * or of another version */
fm_status_t fm_job_traffic_rows_read(const char *path, fm_job_traffic_row_take *take, void *context,
                                     struct fm_error *error);

#endif
