/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much times may be wrong, in the report file: section UNCT. The numbers belong to records
 * of other sections, which are read before. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>

#define RECORD_SIZE (4 + 3 * 8)
#define LINK_SIZE   (3 * 4 + 8)

/* ---- writing ---- */

static void put_statistics(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->statistics_count);
    for (uint32_t i = 0; i < cube->statistics_count; i++) {
        const struct fm_cube_statistics *record = &cube->statistics[i];
        fm_sink_u32(sink, record->metric);
        fm_sink_u64(sink, record->error);
        fm_sink_u64(sink, record->insignificant);
        fm_sink_u64(sink, record->insignificant_sum);
    }
}

/* @return bytes of each error of a kind in a phase: 4 if all fit, because phases have many rows */
static unsigned width_of(const struct fm_cube_phase *phase, uint32_t kind)
{
    for (uint32_t row = 0; row < phase->row_count; row++) {
        if (phase->errors[(size_t)row * phase->kind_count + kind] > UINT32_MAX) {
            return 8;
        }
    }
    return 4;
}

static void put_phases(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->phase_count);
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        const struct fm_cube_phase *phase = &cube->phases[i];
        fm_sink_u32(sink, phase->row_count);
        fm_sink_u32(sink, phase->errors == NULL ? 0 : phase->kind_count);
        for (uint32_t k = 0; phase->errors != NULL && k < phase->kind_count; k++) {
            const unsigned width = width_of(phase, k);
            fm_sink_u32(sink, phase->kinds[k]);
            fm_sink_u8(sink, (uint8_t)width);
            for (uint32_t row = 0; row < phase->row_count; row++) {
                const uint64_t error = phase->errors[(size_t)row * phase->kind_count + k];
                if (width == 4) {
                    fm_sink_u32(sink, (uint32_t)error);
                } else {
                    fm_sink_u64(sink, error);
                }
            }
        }
    }
}

/* The links of delays: those of other matrices have no errors of their own. */
static void put_links(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_matrix *delays = &cube->matrices[FM_MATRIX_DELAYS];
    fm_sink_u32(sink, (uint32_t)delays->link_count);
    for (size_t i = 0; i < delays->link_count; i++) {
        fm_sink_u32(sink, delays->links[i].from);
        fm_sink_u32(sink, delays->links[i].to);
        fm_sink_u32(sink, delays->links[i].metric);
        fm_sink_u64(sink, delays->links[i].error);
    }
}

static void put_parties(struct fm_sink *sink, const struct fm_cube_lock_party *parties,
                        uint32_t count)
{
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < count; i++) {
        fm_sink_u64(sink, parties[i].caused_error);
        fm_sink_u64(sink, parties[i].waiting_error);
    }
}

static void put_locks(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, cube->lock_count);
    for (uint32_t i = 0; i < cube->lock_count; i++) {
        fm_sink_u64(sink, cube->locks[i].error);
        put_parties(sink, cube->locks[i].holders, cube->locks[i].holder_count);
        put_parties(sink, cube->locks[i].victims, cube->locks[i].victim_count);
    }
}

static void put_path(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_path_errors *errors = &cube->path_errors;
    const uint32_t count = errors->of_callpath == NULL ? 0 : cube->callpath_count;
    fm_sink_u64(sink, errors->turns);
    fm_sink_u64(sink, errors->insignificant);
    fm_sink_u32(sink, count);
    for (uint32_t c = 0; c < count; c++) {
        fm_sink_u64(sink, errors->of_callpath[c]);
    }
}

/* The regions whose times are estimates. */
static void put_estimates(struct fm_sink *sink, const struct fm_cube *cube)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cube->region_count; i++) {
        count += cube->regions[i].is_estimated;
    }
    fm_sink_u32(sink, count);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        if (cube->regions[i].is_estimated) {
            fm_sink_u32(sink, i);
        }
    }
}

void fm_cube_put_uncertainty(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_UNCERTAINTY_VERSION);
    fm_sink_u8(sink, cube->errors.are_known);
    fm_sink_u64(sink, cube->errors.call);
    fm_sink_u64(sink, cube->errors.clock);
    fm_sink_u64(sink, cube->errors.computation);
    fm_sink_u64(sink, cube->errors.longest_computation);
    put_statistics(sink, cube);
    put_estimates(sink, cube);
    if (cube->errors.are_known) {
        put_phases(sink, cube);
        put_links(sink, cube);
        put_locks(sink, cube);
        put_path(sink, cube);
    }
}

/* ---- reading: each function returns whether its part is well-formed ---- */

static bool read_statistics(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    const uint32_t count = fm_source_count(source, RECORD_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_statistics *record =
            fm_cube_statistics_in_file(reader, fm_source_u32(source));
        struct fm_cube_statistics unknown = {0};
        record = record == NULL ? &unknown : record;
        record->error = fm_source_u64(source);
        record->insignificant = fm_source_u64(source);
        record->insignificant_sum = fm_source_u64(source);
        if (source->failed || record->error > INT64_MAX ||
            (record != &unknown &&
             (record->insignificant > record->count || record->insignificant_sum > record->sum))) {
            return false;
        }
    }
    return !source->failed;
}

static bool read_estimates(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    const uint32_t count = fm_source_count(source, 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t region = fm_source_u32(source);
        if (source->failed || region >= reader->cube->region_count) {
            return false;
        }
        reader->cube->regions[region].is_estimated = true;
    }
    return !source->failed;
}

/* Reads an error, which is at most INT64_MAX. */
static uint64_t read_error(struct fm_source *source)
{
    const uint64_t error = fm_source_u64(source);
    source->failed |= error > INT64_MAX;
    return error;
}

/* @return the number of a kind of the file in a phase; its number of kinds: the phase has it not */
static uint32_t kind_of(const struct fm_cube_reader *reader, const struct fm_cube_phase *phase,
                        uint32_t metric)
{
    uint32_t kind = 0;
    while (kind < phase->kind_count &&
           (!reader->metric_exact[metric] || phase->kinds[kind] != reader->metrics[metric])) {
        kind++;
    }
    return kind;
}

/* Reads the errors of a phase of the file. @param phase  NULL: it was left out */
static bool read_phase(struct fm_cube_reader *reader, struct fm_cube_phase *phase)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    const uint32_t rows = fm_source_u32(source);
    const uint32_t kinds = fm_source_count(source, 4 + 1 + (size_t)rows * 4);
    if (source->failed || (phase != NULL && rows != phase->row_count)) {
        return false;
    }
    if (phase != NULL && kinds > 0) {
        phase->errors = calloc((size_t)rows * phase->kind_count + 1, sizeof *phase->errors);
    }
    for (uint32_t k = 0; k < kinds; k++) {
        const uint32_t metric = fm_source_u32(source);
        const unsigned width = fm_source_u8(source);
        if (source->failed || metric >= reader->metric_count || (width != 4 && width != 8)) {
            return false;
        }
        const bool is_known = phase != NULL && phase->errors != NULL;
        const uint32_t kind = is_known ? kind_of(reader, phase, metric) : 0;
        for (uint32_t row = 0; row < rows; row++) {
            const uint64_t error = width == 4 ? fm_source_u32(source) : read_error(source);
            if (is_known && kind < phase->kind_count) {
                uint64_t *sum = &phase->rows[row].error;
                phase->errors[(size_t)row * phase->kind_count + kind] = error;
                *sum = error > UINT64_MAX - *sum ? UINT64_MAX : *sum + error;
            }
        }
    }
    return !source->failed;
}

static bool read_phases(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    const uint32_t count = fm_source_count(source, 4 + 4);
    bool is_valid = reader->cube->phase_count == 0 || reader->cube->phase_count == count;
    for (uint32_t i = 0; i < count && is_valid; i++) {
        is_valid =
            read_phase(reader, reader->cube->phase_count == 0 ? NULL : &reader->cube->phases[i]);
    }
    return is_valid && !source->failed;
}

static int compare_links(const void *left, const void *right)
{
    const struct fm_cube_link *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static bool read_links(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    const struct fm_cube_matrix *delays = &reader->cube->matrices[FM_MATRIX_DELAYS];
    const uint32_t count = fm_source_count(source, LINK_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_link key = {.from = fm_source_u32(source)};
        key.to = fm_source_u32(source);
        const uint32_t metric = fm_source_u32(source);
        const uint64_t error = read_error(source);
        if (source->failed || metric >= reader->metric_count) {
            return false;
        }
        key.metric = reader->metrics[metric];
        struct fm_cube_link *link =
            reader->metric_exact[metric] && delays->link_count > 0
                ? bsearch(&key, delays->links, delays->link_count, sizeof key, compare_links)
                : NULL;
        if (link != NULL) {
            link->error = error;
        }
    }
    return !source->failed;
}

/* Reads the errors of the parties of a lock. @param parties  NULL: the lock was left out */
static bool read_parties(struct fm_source *source, struct fm_cube_lock_party *parties,
                         uint32_t expected)
{
    const uint32_t count = fm_source_count(source, 2 * 8);
    if (count > FM_CUBE_LOCK_PARTIES || (parties != NULL && count != expected)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t caused = read_error(source), waiting = read_error(source);
        if (parties != NULL) {
            parties[i].caused_error = caused;
            parties[i].waiting_error = waiting;
        }
    }
    return !source->failed;
}

static bool read_locks(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    struct fm_cube *cube = reader->cube;
    const uint32_t count = fm_source_count(source, 8 + 4 + 4);
    bool is_valid = cube->lock_count == 0 || cube->lock_count == count;
    for (uint32_t i = 0; i < count && is_valid; i++) {
        struct fm_cube_lock none = {0};
        const bool is_known = cube->lock_count != 0;
        struct fm_cube_lock *lock = is_known ? &cube->locks[i] : &none;
        lock->error = read_error(source);
        is_valid = read_parties(source, is_known ? lock->holders : NULL, lock->holder_count) &&
                   read_parties(source, is_known ? lock->victims : NULL, lock->victim_count);
    }
    return is_valid && !source->failed;
}

/* @param status  out: FM_OK unless memory is exhausted */
static bool read_path(struct fm_cube_reader *reader, fm_status_t *status)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    struct fm_cube *cube = reader->cube;
    struct fm_cube_path_errors errors = {.turns = fm_source_u64(source)};
    errors.insignificant = fm_source_u64(source);
    const uint32_t count = fm_source_count(source, 8);
    if (source->failed || errors.insignificant > errors.turns ||
        (count != 0 && count != cube->callpath_count)) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    errors.of_callpath = calloc(count, sizeof *errors.of_callpath);
    for (uint32_t c = 0; errors.of_callpath != NULL && c < count; c++) {
        errors.of_callpath[c] = read_error(source);
    }
    *status = errors.of_callpath == NULL ? fm_fail(reader->error, FM_ERR_SYSTEM,
                                                   "%s: out of memory for the report", reader->path)
                                         : fm_cube_set_path_errors(cube, &errors, reader->error);
    free(errors.of_callpath);
    return !source->failed;
}

fm_status_t fm_cube_read_uncertainty(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UNCT];
    struct fm_cube *cube = reader->cube;
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_UNCT, FM_CUBE_UNCERTAINTY_VERSION,
                               "By how much times may be wrong is", &readable);
    if (status != FM_OK || !readable) {
        return status;
    }
    cube->errors.are_known = fm_source_u8(source) != 0;
    cube->errors.call = fm_source_u64(source);
    cube->errors.clock = fm_source_u64(source);
    cube->errors.computation = fm_source_u64(source);
    cube->errors.longest_computation = fm_source_u64(source);
    bool is_valid = read_statistics(reader) && read_estimates(reader);
    if (is_valid && cube->errors.are_known) {
        is_valid = read_phases(reader) && read_links(reader) && read_locks(reader) &&
                   read_path(reader, &status);
    }
    if (status != FM_OK || is_valid) {
        return status != FM_OK ? status : fm_cube_check_used_up(reader, FM_SECTION_UNCT);
    }
    return fm_cube_damaged(reader, "an error of times is malformed");
}
