/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Findings: what other measurements of a run prove that its events do not show, such as counters of
 * the inside of a library, and the evidence on which parts of the analysis rely. Belongs to the
 * severity cube (cube.h).
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_FINDING_H
#define FERMATA_CUBE_MODEL_CUBE_FINDING_H

#include <stdbool.h>

struct fm_cube;

/** A finding. */
struct fm_cube_finding {
    char *id;              /**< of its rule, for programs: "out-of-sequence" */
    char *statement;       /**< one or more sentences, with numbers */
    char *advice;          /**< a sentence; "": there is none */
    bool is_contradiction; /**< counters and events do not agree */
};

/** Appends a finding; the texts are copied. */
void fm_cube_add_finding(struct fm_cube *cube, const struct fm_cube_finding *finding);

/** Frees the findings; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_findings(struct fm_cube *cube);

#endif
