/* SPDX-License-Identifier: BSD-3-Clause */
/* The repair of clocks: passes of the analysis find out what is wrong, until a pass with the
 * repairs found so far shows no violation; the last pass makes the report. An archive whose clocks
 * agree is read once. */
#include "analysis/clocks/clock_offsets.h"
#include "analysis/clocks/clock_warnings.h"
#include "analysis/clocks/logical_clock.h"
#include "analysis/pass.h"

/* Repairs by the logical clock. One is enough, unless events of a location have the same time and
 * are to have different ones. */
#define MOST_LOGICAL_LAYERS 5

/* Times from here on are not subject to estimated offsets: the archive is damaged. */
#define LATEST_TIME ((uint64_t)INT64_MAX / 2)

struct repairing {
    const char *archive;
    struct fm_analysis_options options; /* of the passes that search for repairs */
    struct fm_time_maps maps;
    struct fm_cube_clock clock;
};

static bool can_estimate(const struct fm_trace *trace)
{
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        if (location->begin <= location->end && location->end > LATEST_TIME) {
            return false;
        }
    }
    return true;
}

/* Whether offsets are estimated. The recorder of fermata measures them unless all processes have
 * one clock: its archives are taken at their word unless the logical clock is asked for. */
static bool wants_offsets(const struct repairing *repairing, const struct fm_pass_found *found)
{
    return found->lacks_offsets &&
           (!found->is_own || repairing->options.clock == FM_CUBE_CLOCK_LOGICAL);
}

/* Adds the next repair. @return false: there is none */
static bool add_repair(struct repairing *repairing, const struct fm_detail *detail,
                       const struct fm_pass_found *found)
{
    struct fm_cube_clock *clock = &repairing->clock;
    const uint32_t locations = detail->trace->location_count;
    if (found->violations == 0) {
        return false;
    }
    if (wants_offsets(repairing, found) && !clock->is_estimated && can_estimate(detail->trace)) {
        const struct fm_offset_quality quality =
            fm_clock_offsets_estimate(detail, fm_time_maps_add(&repairing->maps, locations));
        clock->is_estimated = true;
        clock->error = quality.error;
        clock->unbounded = quality.unbounded;
        return true;
    }
    if (repairing->options.clock == FM_CUBE_CLOCK_LOGICAL &&
        repairing->maps.layer_count < MOST_LOGICAL_LAYERS + (unsigned)clock->is_estimated) {
        fm_logical_clock(detail, repairing->options.workers,
                         fm_time_maps_add(&repairing->maps, locations));
        return true;
    }
    return false;
}

/* Finds the repairs in passes by this process alone, also if it is one of a team: all processes
 * find the same ones. */
static fm_status_t find_repairs(struct repairing *repairing, struct fm_error *error)
{
    bool is_first = true;
    for (bool goes_on = true; goes_on; is_first = false) {
        const struct fm_pass_clocks clocks = {.maps = &repairing->maps, .keeps_violated = true};
        struct fm_detail *detail = NULL;
        struct fm_pass_found found;
        const fm_status_t status = fm_analysis_pass(repairing->archive, &repairing->options,
                                                    &clocks, NULL, &detail, &found, error);
        if (status != FM_OK) {
            return status;
        }
        if (is_first) {
            repairing->clock.violations_before = found.violations;
        }
        repairing->clock.violations_after = found.violations;
        goes_on = add_repair(repairing, detail, &found);
        fm_detail_free(detail);
    }
    return FM_OK;
}

static fm_status_t find_in_team(struct repairing *repairing, struct fm_team *team,
                                struct fm_error *error)
{
    repairing->options.team = NULL;
    repairing->options.check = false;
    repairing->options.times = NULL;
    repairing->options.partitions = NULL;
    repairing->options.blames = false;
    repairing->options.switched_off = NULL;
    return fm_team_agree(team, find_repairs(repairing, error), error);
}

/* Frees what a pass has made. */
static void discard(struct fm_cube **cube, struct fm_detail **detail)
{
    if (cube != NULL) {
        fm_cube_free(*cube);
        *cube = NULL;
    }
    if (detail != NULL) {
        fm_detail_free(*detail);
        *detail = NULL;
    }
}

/* Makes the last pass, with all repairs. */
static fm_status_t run_repaired(struct repairing *repairing,
                                const struct fm_analysis_options *options, struct fm_cube **cube,
                                struct fm_detail **detail, struct fm_pass_found *found,
                                struct fm_error *error)
{
    fm_status_t status = find_in_team(repairing, options->team, error);
    if (status == FM_OK) {
        const struct fm_pass_clocks clocks = {
            .maps = repairing->maps.layer_count != 0 ? &repairing->maps : NULL,
            .are_single = repairing->clock.is_estimated,
        };
        struct fm_analysis_options final = *options;
        if (repairing->clock.is_estimated) {
            final.errors.are_known = repairing->clock.unbounded == 0;
            final.errors.clock = 2 * repairing->clock.error;
        }
        status = fm_analysis_pass(repairing->archive, &final, &clocks, cube, detail, found, error);
    }
    return status;
}

fm_status_t fm_analysis_run_in_detail(const char *archive,
                                      const struct fm_analysis_options *options,
                                      struct fm_cube **cube, struct fm_detail **detail,
                                      struct fm_error *error)
{
    struct repairing repairing = {
        archive, *options, {.layer_count = 0}, {.mode = (uint8_t)options->clock}};
    struct fm_pass_found found = {0};
    fm_status_t status = FM_OK;
    const bool is_logical = options->clock == FM_CUBE_CLOCK_LOGICAL;
    if (!is_logical) {
        const struct fm_pass_clocks as_recorded = {0};
        status = fm_analysis_pass(archive, options, &as_recorded, cube, detail, &found, error);
    }
    if (is_logical || (status == FM_OK && options->clock == FM_CUBE_CLOCK_LINEAR &&
                       found.violations != 0 && wants_offsets(&repairing, &found))) {
        if (!is_logical) {
            discard(cube, detail);
        }
        status = run_repaired(&repairing, options, cube, detail, &found, error);
    } else {
        repairing.clock.violations_before = found.violations;
    }
    if (status == FM_OK && !is_logical) {
        repairing.clock.violations_after = found.violations;
    }
    if (status == FM_OK && cube != NULL && *cube != NULL) {
        (*cube)->clock = repairing.clock;
        status = fm_clock_warn(*cube, error);
    }
    status = fm_team_agree(options->team, status, error);
    if (status == FM_OK && detail != NULL && *detail != NULL) {
        (*detail)->maps = repairing.maps;
        (*detail)->trace->time_maps = repairing.maps.layer_count != 0 ? &(*detail)->maps : NULL;
    } else {
        fm_time_maps_free(&repairing.maps);
    }
    return status;
}

fm_status_t fm_analysis_run(const char *archive, const struct fm_analysis_options *options,
                            struct fm_cube **cube, struct fm_error *error)
{
    return fm_analysis_run_in_detail(archive, options, cube, NULL, error);
}
