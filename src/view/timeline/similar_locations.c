/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/similar_locations.h"

#include "base/memory.h"

/** Number of equal parts of the run's time; FM_TILE_BINS is a multiple. */
#define PARTS 32U

/** Value of a whole part in a profile. */
#define WHOLE 200U

/** Maximum number of kinds of wait states that a profile distinguishes. */
#define MOST_KINDS 5U

#define MOST_GROUPS 32U

/** Distance of two profiles that differ in 1/32 of a part. */
#define TOLERANCE (2 * WHOLE / 32)

/** A part counts only if some locations differ by at least this value. */
#define LEAST_DIFFERENCE (WHOLE / 20)

/** Planes of a profile: computation, calls without waiting, and waiting. */
enum { COMPUTE, CALL, WAIT };

struct profiles {
    uint32_t width;
    uint8_t *values; /* [location][plane][part] */
    uint32_t planes;
    uint32_t plane_of[FM_METRIC_USER]; /* [kind]: its plane */
};

/** Assigns planes to the kinds with most waiting. */
static void choose_planes(struct profiles *profiles, const struct fm_detail *detail,
                          const struct fm_wait_kinds *kinds)
{
    uint64_t sums[FM_METRIC_USER] = {0};
    for (uint32_t i = 0; i < detail->trace->location_count; i++) {
        const struct fm_location *location = &detail->trace->locations[i];
        const struct fm_findings *findings = &detail->findings[i];
        for (size_t k = 0; k < findings->waits.count; k++) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[k]];
            sums[kinds->of[wait->metric]] += wait->t - fm_trace_begin(location, wait->activity);
        }
    }
    profiles->planes = WAIT;
    for (uint32_t kind = 0; kind < kinds->count; kind++) {
        uint32_t larger = 0;
        for (uint32_t other = 0; other < kinds->count; other++)
            larger += sums[other] > sums[kind] || (sums[other] == sums[kind] && other < kind);
        profiles->plane_of[kind] = WAIT + (larger < MOST_KINDS ? larger : MOST_KINDS);
        if (profiles->planes <= profiles->plane_of[kind])
            profiles->planes = profiles->plane_of[kind] + 1;
    }
    profiles->width = profiles->planes * PARTS;
}

static uint64_t sum_of_part(const uint64_t *row, uint32_t part)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FM_TILE_BINS / PARTS; i++)
        sum += row[part * (FM_TILE_BINS / PARTS) + i];
    return sum;
}

static uint8_t share(uint64_t ticks, uint64_t whole)
{
    uint64_t value = whole == 0 ? 0 : (uint64_t)((unsigned __int128)ticks * WHOLE / whole);
    return (uint8_t)(value < WHOLE ? value : WHOLE);
}

/** Builds the profile of the location in a row of a tile. */
static void make_profile(const struct profiles *profiles, uint8_t *profile,
                         const struct fm_cells *cells, const struct fm_cell_band *band,
                         uint32_t row)
{
    const size_t plane = (size_t)FM_TILE_ROWS * FM_TILE_BINS;
    const uint64_t *inside = cells->ticks + (size_t)row * FM_TILE_BINS;
    uint64_t whole = band->length / PARTS;
    for (uint32_t part = 0; part < PARTS; part++) {
        uint64_t calls = sum_of_part(inside + plane, part), all = sum_of_part(inside, part);
        uint64_t waiting[MOST_KINDS + 1] = {0}, waited = 0;
        for (uint32_t kind = 0; kind < band->kinds->count; kind++) {
            uint64_t time = sum_of_part(inside + (2 + (size_t)kind) * plane, part);
            waiting[profiles->plane_of[kind] - WAIT] += time;
            waited += time;
        }
        profile[COMPUTE * PARTS + part] = share(all > calls ? all - calls : 0, whole);
        profile[CALL * PARTS + part] = share(calls > waited ? calls - waited : 0, whole);
        for (uint32_t i = WAIT; i < profiles->planes; i++)
            profile[i * PARTS + part] = share(waiting[i - WAIT], whole);
    }
}

/** @return the number of parts in which the activities of the locations differ. */
static uint32_t count_parts(const struct profiles *profiles, uint32_t locations)
{
    bool counts[PARTS] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < profiles->width; i++) {
        uint8_t least = UINT8_MAX, most = 0;
        for (uint32_t l = 0; l < locations; l++) {
            uint8_t value = profiles->values[(size_t)l * profiles->width + i];
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        counts[i % PARTS] |= most - least >= (int)LEAST_DIFFERENCE;
    }
    for (uint32_t part = 0; part < PARTS; part++)
        count += counts[part];
    return count;
}

struct fm_clusters fm_similar_find(const struct fm_detail *detail,
                                   const struct fm_wait_kinds *kinds, uint64_t begin,
                                   uint64_t length)
{
    uint32_t locations = detail->trace->location_count;
    struct profiles profiles = {.planes = 0};
    struct fm_cells cells = {.ticks = fm_allocate(fm_cells_count(kinds), sizeof *cells.ticks)};
    choose_planes(&profiles, detail, kinds);
    profiles.values = fm_allocate(locations, profiles.width);
    for (uint32_t first = 0; first < locations; first += FM_TILE_ROWS) {
        struct fm_cell_band band = {.begin = begin, .length = length};
        fm_cell_band_open(&band, detail, kinds, first, 1);
        fm_cells_measure(&cells, &band, 0, 0);
        for (uint32_t i = 0; i < band.count; i++)
            make_profile(&profiles, profiles.values + (size_t)(first + i) * profiles.width, &cells,
                         &band, i);
        fm_cell_band_close(&band);
    }
    uint32_t tolerance = TOLERANCE * count_parts(&profiles, locations);
    struct fm_clusters alike =
        fm_clusters_find(profiles.values, locations, profiles.width, tolerance, MOST_GROUPS);
    fm_free(profiles.values);
    fm_free(cells.ticks);
    return alike;
}

void fm_similar_add(struct fm_bundle *bundle, const struct fm_clusters *alike, uint32_t locations)
{
    uint64_t *values = fm_allocate((size_t)locations + alike->count, sizeof *values);
    uint64_t *typical = values + locations;
    for (uint32_t i = 0; i < locations; i++)
        values[i] = alike->of[i];
    for (uint32_t i = 0; i < alike->count; i++)
        typical[i] = alike->typical[i];
    fm_json_unsigned(fm_bundle_json(bundle), "alike", alike->count);
    fm_bundle_add(bundle, "alike_of", values, locations, false);
    fm_bundle_add(bundle, "alike_typical", typical, alike->count, false);
    fm_free(values);
}
