/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A run for tests of what a report says of it, and problems of this run.
 */
#ifndef ANSWER_CUBE_H
#define ANSWER_CUBE_H

#include "check.h"
#include "cube/model/cube.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/answer.h"

#include <stdlib.h>
#include <string.h>

enum { MAIN, SLOW, INIT, FINALIZE, RECV };

static inline void add(struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                       uint32_t location, int64_t value)
{
    assert_int_equal(fm_cube_add(cube, metric, callpath, location, value, NULL), FM_OK);
}

/** Two ranks and a clock of milliseconds. Rank 0 computes 800 ms in `slow` and 200 ms in main, rank
 * 1 500 ms in main, and then waits for rank 0: 300 ms in MPI_Recv, 200 ms in MPI_Finalize. Rank 1
 * is in MPI_Init for 900 ms, rank 0 for 400 ms of waiting and 500 ms more. */
static inline struct fm_cube *make_cube(void)
{
    static const char *const regions[] = {"main", "slow", "MPI_Init", "MPI_Finalize", "MPI_Recv"};
    struct fm_cube *cube = fm_cube_create();
    assert_non_null(cube);
    cube->experiment.ticks_per_second = 1000;
    cube->experiment.end = 2000;
    cube->experiment.process_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fm_cube_add_location(cube, i, i, 0, "node", "rank"), i);
    }
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const char *paradigm = i < INIT ? "user" : "mpi";
        uint32_t region = fm_cube_add_region(cube, regions[i], paradigm, NULL, 0);
        assert_int_equal(fm_cube_add_callpath(cube, i == 0 ? FM_CUBE_NONE : MAIN, region), i);
    }
    add(cube, FM_METRIC_COMP, SLOW, 0, 800);
    add(cube, FM_METRIC_COMP, MAIN, 0, 200);
    add(cube, FM_METRIC_COMP, MAIN, 1, 500);
    add(cube, FM_METRIC_MPI_LATESENDER, RECV, 1, 300);
    add(cube, FM_METRIC_MPI_FINALIZE_WAIT, FINALIZE, 1, 200);
    add(cube, FM_METRIC_MPI_INIT_EXIT, FINALIZE, 0, 100);
    add(cube, FM_METRIC_MPI_INIT_EXIT, FINALIZE, 1, 100);
    add(cube, FM_METRIC_MPI_INIT_WAIT, INIT, 0, 400);
    add(cube, FM_METRIC_MPI_INIT_EXIT, INIT, 0, 500);
    add(cube, FM_METRIC_MPI_INIT_EXIT, INIT, 1, 900);
    return cube;
}

/** Appends a problem on rank 1 - `waiter` with a wait state of rank `waiter`. */
static inline void add_problem(struct fm_cube *cube, uint32_t kind, uint32_t callpath,
                               uint32_t waiter, fm_metric_t metric, uint32_t place, int64_t cost)
{
    uint32_t locations[] = {1 - waiter};
    struct fm_cube_symptom symptom = {metric, place, 1, &waiter, cost};
    const struct fm_cube_problem problem = {
        .kind = kind,
        .callpath = callpath,
        .phase = FM_CUBE_NONE,
        .lock = FM_CUBE_NONE,
        .location_count = kind == FM_CAUSE_UNATTRIBUTED ? 0 : 1,
        .locations = locations,
        .cost = cost,
        .symptom_count = 1,
        .symptoms = &symptom,
    };
    assert_int_equal(fm_cube_add_problem(cube, &problem, NULL), FM_OK);
}

static inline void make_diagnosis(struct fm_cube *cube, struct fm_diagnosis *diagnosis)
{
    const struct fm_diagnosis_options options = {.width = 80, .utf8 = true};
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    assert_int_equal(fm_diagnosis_make(diagnosis, cube, &options, NULL), FM_OK);
}

/** @return the text of a problem with this label, "" if there is none */
static inline const char *text_of(const struct fm_cause_text *problem, const char *label)
{
    for (size_t i = 0; i < problem->lines.count; i++) {
        if (strcmp(problem->lines.items[i].label, label) == 0) {
            return problem->lines.items[i].text;
        }
    }
    return "";
}

#endif
