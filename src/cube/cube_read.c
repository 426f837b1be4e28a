#include "base/crc64.h"
#include "cube/cube.h"
#include "cube/cube_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A part of the file still to be read. Every get_ function checks what is left; after the first
 * failure all return 0, so that callers may check once per record. */
struct source {
    const unsigned char *bytes;
    size_t left;
    bool failed;
};

/** The sections of the file, in the order in which they must be read. */
enum section { EXPT, METR, REGN, CALL, LOCN, SEVR, STAT, WARN };

static const char section_tags[FM_CUBE_SECTION_COUNT][5] = {"EXPT", "METR", "REGN", "CALL",
                                                            "LOCN", "SEVR", "STAT", "WARN"};

struct reader {
    const char *path;
    struct fm_error *error;
    struct source sections[FM_CUBE_SECTION_COUNT];
    bool present[FM_CUBE_SECTION_COUNT];
    struct fm_cube *cube;
    uint32_t *metrics;  /**< of the file's metrics: ours, or FM_METRIC_NONE */
    bool *metric_exact; /**< false: not ours, an ancestor or nothing stands in */
    uint32_t metric_count;
    char **metric_ids;
};

static fm_status_t damaged(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static fm_status_t damaged(const struct reader *reader, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fm_fail(reader->error, FM_ERR_DATA, "%s: damaged report: %s", reader->path, reason);
}

static fm_status_t out_of_memory(const struct reader *reader)
{
    return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report", reader->path);
}

static const unsigned char *get_bytes(struct source *source, size_t length)
{
    if (source->failed || source->left < length) {
        source->failed = true;
        return NULL;
    }
    const unsigned char *bytes = source->bytes;
    source->bytes += length;
    source->left -= length;
    return bytes;
}

static uint64_t get_integer(struct source *source, unsigned size)
{
    const unsigned char *bytes = get_bytes(source, size);
    uint64_t value = 0;
    if (bytes != NULL) {
        for (unsigned i = 0; i < size; i++)
            value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static uint8_t get_u8(struct source *source)
{
    return (uint8_t)get_integer(source, 1);
}

static uint32_t get_u32(struct source *source)
{
    return (uint32_t)get_integer(source, 4);
}

static uint64_t get_u64(struct source *source)
{
    return get_integer(source, 8);
}

/** @return a copy of the string, to be freed; NULL if it is unknown and `optional`, or on failure.
 */
static char *get_string(struct source *source, bool optional)
{
    uint32_t length = get_u32(source);
    if (source->failed || (length == UINT32_MAX && optional))
        return NULL;
    const unsigned char *bytes = get_bytes(source, length);
    if (bytes == NULL)
        return NULL;
    char *copy = memchr(bytes, '\0', length) == NULL ? malloc((size_t)length + 1) : NULL;
    if (copy == NULL) {
        source->failed = true;
        return NULL;
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

/** Reads the number of records that follow, each at least `smallest` bytes long: so a wrong number
 * is found before anything is allocated for it. */
static uint32_t get_count(struct source *source, size_t smallest)
{
    uint32_t count = get_u32(source);
    if (count > source->left / smallest)
        source->failed = true;
    return source->failed ? 0 : count;
}

static fm_status_t check_used_up(const struct reader *reader, enum section section)
{
    const struct source *source = &reader->sections[section];
    if (source->failed)
        return damaged(reader, "section %s is too short or malformed", section_tags[section]);
    if (source->left != 0)
        return damaged(reader, "section %s has %zu bytes too many", section_tags[section],
                       source->left);
    return FM_OK;
}

static fm_status_t find_sections(struct reader *reader, const unsigned char *bytes, size_t size)
{
    const char *path = reader->path;
    if (size < FM_CUBE_FILE_MAGIC_SIZE ||
        memcmp(bytes, FM_CUBE_FILE_MAGIC, FM_CUBE_FILE_MAGIC_SIZE) != 0)
        return fm_fail(reader->error, FM_ERR_DATA, "%s: not a fermata report", path);
    if (size < FM_CUBE_FILE_HEADER_SIZE + FM_CUBE_FILE_CHECKSUM_SIZE)
        return damaged(reader, "only %zu bytes long", size);
    struct source source = {bytes + FM_CUBE_FILE_MAGIC_SIZE, size - FM_CUBE_FILE_MAGIC_SIZE, false};
    uint32_t version = get_u32(&source);
    if (version != FM_CUBE_FILE_VERSION) {
        return fm_fail(reader->error, FM_ERR_DATA,
                       "%s: report of format version %u; this program reads version %d", path,
                       version, FM_CUBE_FILE_VERSION);
    }
    uint32_t section_count = get_u32(&source);
    uint64_t stated_size = get_u64(&source);
    if (stated_size != size)
        return damaged(reader, "%zu bytes long instead of %llu", size,
                       (unsigned long long)stated_size);
    struct source checksum = {bytes + size - FM_CUBE_FILE_CHECKSUM_SIZE, FM_CUBE_FILE_CHECKSUM_SIZE,
                              false};
    if (get_u64(&checksum) != fm_crc64(0, bytes, size - FM_CUBE_FILE_CHECKSUM_SIZE))
        return damaged(reader, "the checksum does not match");

    source.left -= FM_CUBE_FILE_CHECKSUM_SIZE;
    for (uint32_t i = 0; i < section_count; i++) {
        const unsigned char *tag = get_bytes(&source, 4);
        uint32_t flags = get_u32(&source);
        uint64_t length = get_u64(&source);
        if (source.failed || length > source.left)
            return damaged(reader, "section %u exceeds the file", i);
        struct source payload = {get_bytes(&source, (size_t)length), (size_t)length, false};
        unsigned known = 0;
        while (known < FM_CUBE_SECTION_COUNT && memcmp(section_tags[known], tag, 4) != 0)
            known++;
        if (known < FM_CUBE_SECTION_COUNT) {
            if (reader->present[known])
                return damaged(reader, "two sections %s", section_tags[known]);
            reader->present[known] = true;
            reader->sections[known] = payload;
        } else if (flags & FM_CUBE_SECTION_REQUIRED) {
            return fm_fail(reader->error, FM_ERR_DATA,
                           "%s: the report needs a newer version of this program", path);
        }
    }
    if (source.left != 0)
        return damaged(reader, "%zu bytes behind the last section", source.left);
    for (unsigned i = 0; i < FM_CUBE_SECTION_COUNT; i++) {
        if (!reader->present[i])
            return damaged(reader, "section %s is missing", section_tags[i]);
    }
    return FM_OK;
}

static fm_status_t read_experiment(struct reader *reader)
{
    struct source *source = &reader->sections[EXPT];
    struct fm_cube_experiment *experiment = &reader->cube->experiment;
    experiment->title = get_string(source, true);
    experiment->command = get_string(source, true);
    experiment->creator = get_string(source, true);
    experiment->machine = get_string(source, true);
    experiment->ticks_per_second = get_u64(source);
    experiment->begin = get_u64(source);
    experiment->end = get_u64(source);
    experiment->event_count = get_u64(source);
    experiment->process_count = get_u32(source);
    fm_status_t status = check_used_up(reader, EXPT);
    if (status != FM_OK)
        return status;
    if (experiment->ticks_per_second == 0)
        return damaged(reader, "a clock without ticks");
    if (experiment->end < experiment->begin)
        return damaged(reader, "the run ends before it begins");
    return FM_OK;
}

/** Maps the metric `index` of the file, called `id`, to one of ours. */
static void map_metric(struct reader *reader, uint32_t index, const char *id, uint32_t parent,
                       unsigned unit)
{
    fm_metric_t own = fm_metric_by_id(id);
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

static fm_status_t read_metrics(struct reader *reader)
{
    struct source *source = &reader->sections[METR];
    uint32_t count = get_count(source, 4 + 4 + 4 + 1);
    reader->metrics = calloc(count + (size_t)1, sizeof *reader->metrics);
    reader->metric_exact = calloc(count + (size_t)1, sizeof *reader->metric_exact);
    reader->metric_ids = calloc(count + (size_t)1, sizeof *reader->metric_ids);
    if (reader->metrics == NULL || reader->metric_exact == NULL || reader->metric_ids == NULL)
        return out_of_memory(reader);
    reader->metric_count = count;
    bool seen[FM_METRIC_COUNT] = {false};
    for (uint32_t i = 0; i < count; i++) {
        char *id = get_string(source, false);
        reader->metric_ids[i] = id;
        char *name = get_string(source, false);
        uint32_t parent = get_u32(source);
        unsigned unit = get_u8(source);
        bool valid = !source->failed && (parent == FM_CUBE_NONE || parent < i);
        free(name);
        if (valid) {
            map_metric(reader, i, id, parent, unit);
            if (reader->metric_exact[i]) {
                valid = !seen[reader->metrics[i]];
                seen[reader->metrics[i]] = true;
            }
        }
        if (!valid)
            return damaged(reader, "metric %u is malformed", i);
    }
    return check_used_up(reader, METR);
}

static fm_status_t read_regions(struct reader *reader)
{
    struct source *source = &reader->sections[REGN];
    uint32_t count = get_count(source, 4 + 4 + 4 + 4);
    for (uint32_t i = 0; i < count; i++) {
        char *name = get_string(source, false);
        char *paradigm = get_string(source, false);
        char *file = get_string(source, true);
        uint32_t line = get_u32(source);
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
    return check_used_up(reader, REGN);
}

static fm_status_t read_callpaths(struct reader *reader)
{
    struct source *source = &reader->sections[CALL];
    uint32_t count = get_count(source, 4 + 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = get_u32(source);
        uint32_t region = get_u32(source);
        if (region >= reader->cube->region_count || (parent != FM_CUBE_NONE && parent >= i))
            return damaged(reader, "call path %u is malformed", i);
        if (fm_cube_add_callpath(reader->cube, parent, region) == FM_CUBE_NONE)
            return out_of_memory(reader);
    }
    return check_used_up(reader, CALL);
}

static fm_status_t read_locations(struct reader *reader)
{
    struct source *source = &reader->sections[LOCN];
    uint32_t count = get_count(source, 8 + 4 + 4 + 4 + 4);
    uint64_t previous = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = get_u64(source);
        uint32_t rank = get_u32(source);
        uint32_t thread = get_u32(source);
        char *node = get_string(source, false);
        char *name = get_string(source, false);
        bool valid = !source->failed && (i == 0 || id > previous);
        uint32_t location =
            valid ? fm_cube_add_location(reader->cube, id, rank, thread, node, name) : 0;
        free(node);
        free(name);
        if (!valid)
            return damaged(reader, "location %u is malformed", i);
        if (location == FM_CUBE_NONE)
            return out_of_memory(reader);
        previous = id;
    }
    return check_used_up(reader, LOCN);
}

/** Reads the `count` values of one metric of the file. */
static fm_status_t read_block(struct reader *reader, uint32_t metric, uint64_t count)
{
    struct source *source = &reader->sections[SEVR];
    struct fm_cube *cube = reader->cube;
    uint32_t own = reader->metrics[metric];
    uint64_t previous = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t callpath = get_u32(source);
        uint32_t location = get_u32(source);
        int64_t value = (int64_t)get_u64(source);
        uint64_t key = (uint64_t)callpath << 32 | location;
        if (callpath >= cube->callpath_count || location >= cube->location_count || value == 0 ||
            (i > 0 && key <= previous))
            return damaged(reader, "a value of metric %u is malformed", metric);
        previous = key;
        if (own != FM_METRIC_NONE)
            cube->cells[cube->cell_count++] = (struct fm_cube_cell){own, callpath, location, value};
    }
    return FM_OK;
}

static fm_status_t read_severities(struct reader *reader)
{
    struct source *source = &reader->sections[SEVR];
    struct fm_cube *cube = reader->cube;
    uint64_t total = get_u64(source);
    if (source->failed || total > source->left / 16)
        return damaged(reader, "%llu values exceed their section", (unsigned long long)total);
    if (total > 0) {
        cube->cells = calloc((size_t)total, sizeof *cube->cells);
        if (cube->cells == NULL)
            return out_of_memory(reader);
        cube->cell_capacity = (size_t)total;
    }
    uint32_t previous = 0;
    bool first = true;
    while (source->left > 0 && !source->failed) {
        uint32_t metric = get_u32(source);
        uint64_t count = get_u64(source);
        if (source->failed || metric >= reader->metric_count || (!first && metric <= previous) ||
            count == 0 || count > total)
            return damaged(reader, "the values of a metric are malformed");
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
        return damaged(reader, "%llu values are missing", (unsigned long long)total);
    return check_used_up(reader, SEVR);
}

static bool is_location(const struct fm_cube *cube, uint32_t location)
{
    return location < cube->location_count;
}

static bool is_callpath(const struct fm_cube *cube, uint32_t callpath)
{
    return callpath < cube->callpath_count;
}

/** Reads one worst instance. @return whether it refers to things that exist. */
static bool read_instance(struct reader *reader, struct fm_cube_instance *instance)
{
    struct source *source = &reader->sections[STAT];
    const struct fm_cube *cube = reader->cube;
    instance->location = get_u32(source);
    instance->callpath = get_u32(source);
    instance->enter = get_u64(source);
    instance->wait = get_u64(source);
    instance->cause_location = get_u32(source);
    instance->cause_callpath = get_u32(source);
    return !source->failed && is_location(cube, instance->location) &&
           is_callpath(cube, instance->callpath) &&
           (instance->cause_location == FM_CUBE_NONE ||
            is_location(cube, instance->cause_location)) &&
           (instance->cause_callpath == FM_CUBE_NONE ||
            is_callpath(cube, instance->cause_callpath));
}

static fm_status_t read_statistics(struct reader *reader)
{
    struct source *source = &reader->sections[STAT];
    uint32_t count = get_count(source, 4 + 7 * 8 + 1);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_statistics record = {0};
        uint32_t metric = get_u32(source);
        record.count = get_u64(source);
        record.sum = get_u64(source);
        record.min = get_u64(source);
        record.lower_quartile = get_u64(source);
        record.median = get_u64(source);
        record.upper_quartile = get_u64(source);
        record.max = get_u64(source);
        record.worst_count = get_u8(source);
        bool valid = !source->failed && metric < reader->metric_count &&
                     (i == 0 || metric > previous) && record.worst_count <= FM_CUBE_WORST;
        for (uint32_t j = 0; valid && j < record.worst_count; j++)
            valid = read_instance(reader, &record.worst[j]);
        if (!valid)
            return damaged(reader, "statistics %u are malformed", i);
        previous = metric;
        if (!reader->metric_exact[metric])
            continue;
        record.metric = reader->metrics[metric];
        fm_status_t status = fm_cube_add_statistics(reader->cube, &record, reader->error);
        if (status != FM_OK)
            return status;
    }
    return check_used_up(reader, STAT);
}

static fm_status_t read_warnings(struct reader *reader)
{
    struct source *source = &reader->sections[WARN];
    uint32_t count = get_count(source, 4);
    for (uint32_t i = 0; i < count; i++) {
        char *text = get_string(source, false);
        if (text == NULL)
            break;
        fm_status_t status = fm_cube_warn(reader->cube, reader->error, "%s", text);
        free(text);
        if (status != FM_OK)
            return status;
    }
    return check_used_up(reader, WARN);
}

/** Reads a whole regular file. @return its bytes, to be freed; NULL: `*status` tells why. */
static unsigned char *load(const char *path, size_t *size, fm_status_t *status,
                           struct fm_error *error)
{
    unsigned char *bytes = NULL;
    /* Without O_NONBLOCK a named pipe of that name would block for ever. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        *status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot open the report: %m", path);
        return NULL;
    }
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        *status = fm_fail(error, FM_ERR_DATA, "%s: not a regular file", path);
        goto close_file;
    }
    size_t wanted = (size_t)info.st_size;
    bytes = malloc(wanted + 1);
    if (bytes == NULL) {
        *status = fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory for %zu bytes", path, wanted);
        goto close_file;
    }
    *size = 0;
    while (*size < wanted) {
        ssize_t count = read(descriptor, bytes + *size, wanted - *size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            *status = fm_fail(error, FM_ERR_SYSTEM, "%s: cannot read the report: %m", path);
            free(bytes);
            bytes = NULL;
            goto close_file;
        }
        if (count == 0)
            break;
        *size += (size_t)count;
    }
close_file:
    close(descriptor);
    return bytes;
}

fm_status_t fm_cube_read(const char *path, struct fm_cube **cube, struct fm_error *error)
{
    fm_status_t (*const steps[])(struct reader *) = {
        read_experiment, read_metrics,    read_regions,    read_callpaths,
        read_locations,  read_severities, read_statistics, read_warnings};
    fm_status_t status = FM_OK;
    size_t size = 0;
    unsigned char *bytes = load(path, &size, &status, error);
    if (bytes == NULL)
        return status;
    struct reader reader = {.path = path, .error = error, .cube = fm_cube_create()};
    if (reader.cube == NULL)
        status = out_of_memory(&reader);
    if (status == FM_OK)
        status = find_sections(&reader, bytes, size);
    for (size_t i = 0; status == FM_OK && i < sizeof steps / sizeof steps[0]; i++)
        status = steps[i](&reader);
    if (status == FM_OK)
        status = fm_cube_seal(reader.cube, error);
    for (uint32_t i = 0; i < reader.metric_count; i++)
        free(reader.metric_ids[i]);
    free(reader.metric_ids);
    free(reader.metrics);
    free(reader.metric_exact);
    free(bytes);
    if (status != FM_OK) {
        fm_cube_free(reader.cube);
        return status;
    }
    *cube = reader.cube;
    return FM_OK;
}
