/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the workers find out about calls as evidence for progress, and its sum. Whether a piece
 * counts depends on u, which is a median over all calls of a kind: until it is known, a worker
 * keeps of each piece for which u it counts.
 */
#ifndef FERMATA_ANALYSIS_PROGRESS_EVIDENCE_PARTS_H
#define FERMATA_ANALYSIS_PROGRESS_EVIDENCE_PARTS_H

#include "analysis/progress/progress_evidence.h"

/** A piece that counts if from <= u < below. */
struct fm_evidence_piece {
    uint64_t from, below;
};

typedef FM_VECTOR(struct fm_evidence_piece) fm_evidence_pieces;

/** What a worker has found out about a kind of calls: all that is kept of them until u is known. */
struct fm_kind_part {
    uint64_t key;
    FM_VECTOR(uint64_t) times; /**< values of u */
    fm_evidence_pieces passed, held;
};

/** What a worker has found out about the calls of its processes. */
struct fm_evidence_part {
    FM_VECTOR(struct fm_kind_part) kinds;
    struct fm_map kind_of_key;
    unsigned char apart[FM_APART];
};

/** Context of a stage that fills the parts of the workers. */
struct fm_weighing {
    const void *calls;              /**< of the caller */
    struct fm_evidence_part *parts; /**< by worker */
};

/** @return the number of a kind in the part of a worker; a new one is added. */
uint32_t fm_evidence_part_kind(struct fm_evidence_part *part, uint64_t key);

/** @return parts without kinds, one for each worker */
struct fm_evidence_part *fm_evidence_parts_create(struct fm_engine *engine);

/** Sums up the parts of all workers and processes, and frees those of this process: the kinds, with
 * the medians of the values of u and the pieces that count. Runs stages; collective. */
void fm_evidence_sum_up(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                        struct fm_evidence_part *parts);

#endif
