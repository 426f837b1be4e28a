/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/cube_reader.h"

#include <stdlib.h>

static fm_status_t out_of_memory(const struct fm_cube_reader *reader)
{
    return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report", reader->path);
}

fm_status_t fm_cube_check_used_up(const struct fm_cube_reader *reader, enum fm_cube_section section)
{
    const struct fm_source *source = &reader->sections[section];
    if (source->failed)
        return fm_cube_damaged(reader, "section %s is too short or malformed",
                               fm_cube_section_tags[section]);
    if (source->left != 0)
        return fm_cube_damaged(reader, "section %s has %zu bytes too many",
                               fm_cube_section_tags[section], source->left);
    return FM_OK;
}

fm_status_t fm_cube_begin_optional(struct fm_cube_reader *reader, enum fm_cube_section section,
                                   uint32_t version, const char *what, bool *readable)
{
    *readable = false;
    if (!reader->present[section])
        return FM_OK;
    uint32_t found = fm_source_u32(&reader->sections[section]);
    if (reader->sections[section].failed)
        return fm_cube_check_used_up(reader, section);
    *readable = found == version;
    return *readable ? FM_OK
                     : fm_cube_warn(reader->cube, reader->error,
                                    "%s written in version %u of their format, which this program "
                                    "does not know: left out.",
                                    what, found);
}

static fm_status_t read_experiment(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_EXPT];
    struct fm_cube_experiment *experiment = &reader->cube->experiment;
    experiment->title = fm_source_string(source, true);
    experiment->command = fm_source_string(source, true);
    experiment->creator = fm_source_string(source, true);
    experiment->machine = fm_source_string(source, true);
    experiment->ticks_per_second = fm_source_u64(source);
    experiment->cost_shift = fm_source_u32(source);
    experiment->begin = fm_source_u64(source);
    experiment->end = fm_source_u64(source);
    experiment->event_count = fm_source_u64(source);
    experiment->process_count = fm_source_u32(source);
    fm_status_t status = fm_cube_check_used_up(reader, FM_SECTION_EXPT);
    if (status != FM_OK)
        return status;
    if (experiment->ticks_per_second == 0)
        return fm_cube_damaged(reader, "a clock without ticks");
    if (experiment->cost_shift > FM_CUBE_LARGEST_COST_SHIFT)
        return fm_cube_damaged(reader, "absurdly fine costs");
    if (experiment->end < experiment->begin)
        return fm_cube_damaged(reader, "the run ends before it begins");
    return FM_OK;
}

/** Declares a metric of a pattern of the user, as the file describes it. */
static fm_metric_t declare_metric(const struct fm_cube_reader *reader, uint32_t index,
                                  const char *id, const char *name, uint32_t parent, unsigned unit)
{
    const struct fm_cube_user_metric *texts = fm_cube_user_metric(reader, index);
    bool has_parent = parent != FM_CUBE_NONE;
    if (texts == NULL || unit > FM_UNIT_COST || (has_parent && !reader->metric_exact[parent]))
        return FM_METRIC_NONE;
    const struct fm_metric_info info = {
        .id = id,
        .parent = has_parent ? (fm_metric_t)reader->metrics[parent] : FM_METRIC_NONE,
        .name = name,
        .unit = (fm_unit_t)unit,
        .description = texts->description,
        .formula = texts->formula,
        .advice = texts->advice,
    };
    return fm_metric_declare(&info);
}

/** Maps the metric `index` of the file, whose id is `id`, to a metric of this program. */
static void map_metric(struct fm_cube_reader *reader, uint32_t index, const char *id,
                       const char *name, uint32_t parent, unsigned unit)
{
    fm_metric_t own = fm_metric_by_id(id);
    if (own == FM_METRIC_NONE || own >= FM_METRIC_USER)
        own = declare_metric(reader, index, id, name, parent, unit);
    if (own != FM_METRIC_NONE && fm_metric_info(own)->unit != unit)
        own = FM_METRIC_NONE;
    reader->metric_exact[index] = own != FM_METRIC_NONE;
    if (own == FM_METRIC_NONE && parent != FM_CUBE_NONE) {
        uint32_t ancestor = reader->metrics[parent];
        if (ancestor != FM_METRIC_NONE && fm_metric_info((fm_metric_t)ancestor)->unit == unit)
            own = (fm_metric_t)ancestor;
    }
    reader->metrics[index] = own;
}

static fm_status_t read_metrics(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_METR];
    uint32_t count = fm_source_count(source, 4 + 4 + 4 + 1);
    reader->metrics = calloc(count + (size_t)1, sizeof *reader->metrics);
    reader->metric_exact = calloc(count + (size_t)1, sizeof *reader->metric_exact);
    reader->metric_ids = calloc(count + (size_t)1, sizeof *reader->metric_ids);
    if (reader->metrics == NULL || reader->metric_exact == NULL || reader->metric_ids == NULL)
        return out_of_memory(reader);
    reader->metric_count = count;
    bool seen[FM_METRIC_COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        char *id = fm_source_string(source, false);
        reader->metric_ids[i] = id;
        char *name = fm_source_string(source, false);
        uint32_t parent = fm_source_u32(source);
        unsigned unit = fm_source_u8(source);
        bool valid = !source->failed && (parent == FM_CUBE_NONE || parent < i);
        if (valid) {
            map_metric(reader, i, id, name, parent, unit);
            if (reader->metric_exact[i]) {
                valid = !seen[reader->metrics[i]];
                seen[reader->metrics[i]] = true;
            }
        }
        free(name);
        if (!valid)
            return fm_cube_damaged(reader, "metric %u is malformed", i);
    }
    return fm_cube_check_used_up(reader, FM_SECTION_METR);
}

static fm_status_t read_regions(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_REGN];
    uint32_t count = fm_source_count(source, 4 + 4 + 4 + 4);
    for (uint32_t i = 0; i < count; i++) {
        char *name = fm_source_string(source, false);
        char *paradigm = fm_source_string(source, false);
        char *file = fm_source_string(source, true);
        uint32_t line = fm_source_u32(source);
        bool valid = !source->failed;
        uint32_t region = valid ? fm_cube_add_region(reader->cube, name, paradigm, file, line) : 0;
        free(name);
        free(paradigm);
        free(file);
        if (!valid)
            break;
        if (region == FM_CUBE_NONE)
            return out_of_memory(reader);
    }
    return fm_cube_check_used_up(reader, FM_SECTION_REGN);
}

static fm_status_t read_callpaths(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_CALL];
    uint32_t count = fm_source_count(source, 4 + 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = fm_source_u32(source);
        uint32_t region = fm_source_u32(source);
        if (region >= reader->cube->region_count || (parent != FM_CUBE_NONE && parent >= i))
            return fm_cube_damaged(reader, "call path %u is malformed", i);
        if (fm_cube_add_callpath(reader->cube, parent, region) == FM_CUBE_NONE)
            return out_of_memory(reader);
    }
    return fm_cube_check_used_up(reader, FM_SECTION_CALL);
}

static fm_status_t read_locations(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_LOCN];
    uint32_t count = fm_source_count(source, 8 + 4 + 4 + 4 + 4);
    uint64_t previous = 0; /* rank and thread of the previous location */
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = fm_source_u64(source);
        uint32_t rank = fm_source_u32(source);
        uint32_t thread = fm_source_u32(source);
        char *node = fm_source_string(source, false);
        char *name = fm_source_string(source, false);
        uint64_t place = (uint64_t)rank << 32 | thread;
        bool valid = !source->failed && (i == 0 || place > previous);
        uint32_t location =
            valid ? fm_cube_add_location(reader->cube, id, rank, thread, node, name) : 0;
        free(node);
        free(name);
        if (!valid)
            return fm_cube_damaged(reader, "location %u is malformed", i);
        if (location == FM_CUBE_NONE)
            return out_of_memory(reader);
        previous = place;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_LOCN);
}

/** Reads the `count` values of one metric of the file. */
static fm_status_t read_block(struct fm_cube_reader *reader, uint32_t metric, uint64_t count)
{
    struct fm_source *source = &reader->sections[FM_SECTION_SEVR];
    struct fm_cube *cube = reader->cube;
    uint32_t own = reader->metrics[metric];
    uint64_t previous = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t callpath = fm_source_u32(source);
        uint32_t location = fm_source_u32(source);
        int64_t value = (int64_t)fm_source_u64(source);
        uint64_t key = (uint64_t)callpath << 32 | location;
        if (callpath >= cube->callpath_count || location >= cube->location_count || value == 0 ||
            (i > 0 && key <= previous))
            return fm_cube_damaged(reader, "a value of metric %u is malformed", metric);
        previous = key;
        if (own != FM_METRIC_NONE)
            cube->cells[cube->cell_count++] = (struct fm_cube_cell){own, callpath, location, value};
    }
    return FM_OK;
}

static fm_status_t read_severities(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_SEVR];
    struct fm_cube *cube = reader->cube;
    uint64_t total = fm_source_u64(source);
    if (source->failed || total > source->left / 16)
        return fm_cube_damaged(reader, "%llu values exceed their section",
                               (unsigned long long)total);
    if (total > 0) {
        cube->cells = calloc((size_t)total, sizeof *cube->cells);
        if (cube->cells == NULL)
            return out_of_memory(reader);
        cube->cell_capacity = (size_t)total;
    }
    uint32_t previous = 0;
    bool first = true;
    while (source->left > 0 && !source->failed) {
        uint32_t metric = fm_source_u32(source);
        uint64_t count = fm_source_u64(source);
        if (source->failed || metric >= reader->metric_count || (!first && metric <= previous) ||
            count == 0 || count > total)
            return fm_cube_damaged(reader, "the values of a metric are malformed");
        fm_status_t status = read_block(reader, metric, count);
        if (status != FM_OK)
            return status;
        if (!reader->metric_exact[metric]) {
            uint32_t own = reader->metrics[metric];
            bool dropped = own == FM_METRIC_NONE;
            status =
                fm_cube_warn(cube, reader->error,
                             "Metric %s of the report file is unknown to this version and %s%s.",
                             reader->metric_ids[metric], dropped ? "left out" : "counted as ",
                             dropped ? "" : fm_metric_info((fm_metric_t)own)->id);
            if (status != FM_OK)
                return status;
        }
        total -= count;
        previous = metric;
        first = false;
    }
    if (total != 0)
        return fm_cube_damaged(reader, "%llu values are missing", (unsigned long long)total);
    return fm_cube_check_used_up(reader, FM_SECTION_SEVR);
}

static bool is_location(const struct fm_cube *cube, uint32_t location)
{
    return location < cube->location_count;
}

static bool is_callpath(const struct fm_cube *cube, uint32_t callpath)
{
    return callpath < cube->callpath_count;
}

/** Reads one cause of a worst instance. @return whether its location, call path and metric are
 * defined. */
static bool read_cause(struct fm_cube_reader *reader, struct fm_cube_cause *cause)
{
    struct fm_source *source = &reader->sections[FM_SECTION_STAT];
    cause->location = fm_source_u32(source);
    cause->callpath = fm_source_u32(source);
    uint32_t metric = fm_source_u32(source);
    cause->permille = fm_source_u32(source);
    cause->ticks = fm_source_u64(source);
    if (metric != FM_CUBE_NONE && metric >= reader->metric_count)
        return false;
    cause->metric = metric == FM_CUBE_NONE ? FM_METRIC_NONE : reader->metrics[metric];
    return !source->failed && is_location(reader->cube, cause->location) &&
           is_callpath(reader->cube, cause->callpath);
}

static bool read_instance(struct fm_cube_reader *reader, struct fm_cube_instance *instance)
{
    struct fm_source *source = &reader->sections[FM_SECTION_STAT];
    const struct fm_cube *cube = reader->cube;
    instance->location = fm_source_u32(source);
    instance->callpath = fm_source_u32(source);
    instance->enter = fm_source_u64(source);
    instance->wait = fm_source_u64(source);
    instance->cause_location = fm_source_u32(source);
    instance->cause_callpath = fm_source_u32(source);
    instance->blamed.location = instance->blamed.callpath = FM_CUBE_NONE;
    instance->chain_length = fm_source_u32(source);
    if (instance->chain_length > FM_CUBE_CHAIN)
        return false;
    for (uint32_t i = 0; i < instance->chain_length; i++) {
        if (!read_cause(reader, &instance->chain[i]))
            return false;
    }
    return !source->failed && is_location(cube, instance->location) &&
           is_callpath(cube, instance->callpath) &&
           (instance->cause_location == FM_CUBE_NONE ||
            is_location(cube, instance->cause_location)) &&
           (instance->cause_callpath == FM_CUBE_NONE ||
            is_callpath(cube, instance->cause_callpath));
}

static fm_status_t read_statistics(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_STAT];
    uint32_t count = fm_source_count(source, 4 + 7 * 8 + 1);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_statistics record = {0};
        uint32_t metric = fm_source_u32(source);
        record.count = fm_source_u64(source);
        record.sum = fm_source_u64(source);
        record.min = fm_source_u64(source);
        record.lower_quartile = fm_source_u64(source);
        record.median = fm_source_u64(source);
        record.upper_quartile = fm_source_u64(source);
        record.max = fm_source_u64(source);
        record.worst_count = fm_source_u8(source);
        bool valid = !source->failed && metric < reader->metric_count &&
                     (i == 0 || metric > previous) && record.worst_count <= FM_CUBE_WORST;
        for (uint32_t j = 0; valid && j < record.worst_count; j++)
            valid = read_instance(reader, &record.worst[j]);
        if (!valid)
            return fm_cube_damaged(reader, "statistics %u are malformed", i);
        previous = metric;
        if (!reader->metric_exact[metric])
            continue;
        record.metric = reader->metrics[metric];
        fm_status_t status = fm_cube_add_statistics(reader->cube, &record, reader->error);
        if (status != FM_OK)
            return status;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_STAT);
}

static fm_status_t read_critical_path(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PATH];
    uint32_t count = fm_source_count(source, 4 + 2 * 8);
    uint64_t previous = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_segment segment = {.location = fm_source_u32(source)};
        segment.begin = fm_source_u64(source);
        segment.end = fm_source_u64(source);
        if (source->failed || segment.location >= reader->cube->location_count ||
            segment.end <= segment.begin || (i != 0 && segment.begin != previous))
            return fm_cube_damaged(reader, "segment %u of the critical path is malformed", i);
        previous = segment.end;
        fm_status_t status = fm_cube_add_segment(reader->cube, &segment, reader->error);
        if (status != FM_OK)
            return status;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_PATH);
}

static fm_status_t read_warnings(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_WARN];
    uint32_t count = fm_source_count(source, 4);
    for (uint32_t i = 0; i < count; i++) {
        char *text = fm_source_string(source, false);
        if (text == NULL)
            break;
        fm_status_t status = fm_cube_warn(reader->cube, reader->error, "%s", text);
        free(text);
        if (status != FM_OK)
            return status;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_WARN);
}

fm_status_t fm_cube_read_sections(struct fm_cube_reader *reader)
{
    fm_status_t (*const steps[FM_CUBE_SECTION_COUNT])(struct fm_cube_reader *) = {
        read_experiment,
        fm_cube_read_user_metrics,
        read_metrics,
        read_regions,
        read_callpaths,
        read_locations,
        read_severities,
        read_statistics,
        read_critical_path,
        read_warnings,
        fm_cube_read_locks,
        fm_cube_read_options,
        fm_cube_read_phases,
        fm_cube_read_bins,
        fm_cube_read_matrices,
        fm_cube_read_topologies,
        fm_cube_read_problems,
        fm_cube_read_blamed,
        fm_cube_read_streams,
        fm_cube_read_clock,
        fm_cube_read_predictions,
        fm_cube_read_switched_off,
        fm_cube_read_profile,
        fm_cube_read_last_partitions,
        fm_cube_read_unexpected,
        fm_cube_read_sites,
        fm_cube_read_worlds,
        fm_cube_read_uncertainty,
        fm_cube_read_findings,
        fm_cube_read_hang,
    };
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < FM_CUBE_SECTION_COUNT; i++)
        status = steps[i](reader);
    return status;
}

void fm_cube_reader_release(struct fm_cube_reader *reader)
{
    for (uint32_t i = 0; i < reader->metric_count; i++)
        free(reader->metric_ids[i]);
    free(reader->metric_ids);
    fm_cube_forget_user_metrics(reader);
    free(reader->metrics);
    free(reader->metric_exact);
}
