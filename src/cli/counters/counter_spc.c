/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters convert: the files of Open MPI's software performance counters, for their
 * readers.
 *
 * D. Eberius, "Low-level metrics for MPI and GPUs", 3.3.3 and appendix B: a data file for each
 * rank, spc_data.NODE.LABEL.RANK, and its description, the same with .xml. The data file has a
 * value of eight bytes for each counter; then for each counter with bins, at multiples of 64 bytes,
 * its rules (int: number of bins, largest value of each bin but the last), and at the next multiple
 * of 8 its bins (long long). Readers split names at dots and read the description line by line,
 * then they map the data: while the program runs, its values are stored there again and again.
 *
 * A snapshot has the name of the data file and its time behind a further dot. It has the values
 * alone, without bins, which snapshots of fermata do not have. */
#include "base/memory.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/counter_pace.h"
#include "cli/text/safe_text.h"
#include "counters/counter_layout.h"
#include "counters/counter_series.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 64, PAGE = 4096 };

/* Where the counters of a rank are in its data file. */
struct layout {
    size_t count;
    const struct fm_counter_entry **entries; /* the available ones, in the order of Open MPI */
    int64_t *rules, *bins;                   /* -1: none */
    size_t bytes;
};

/* The files of a rank. */
struct converted {
    unsigned rank;
    struct layout layout;
    char *data; /* mapped; NULL: not written */
    char *path;
    double tick_rate;
};

/* All of them. */
struct conversion {
    const char *folder, *label;
    bool has_snapshots; /* which have only what the recording asked for */
    struct converted *ranks;
    size_t count;
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Whether a rank has a counter, and had to have it: of a sum, its summands. */
static bool is_in(const fermata_counters_t *file, const struct fm_counter_entry *entry,
                  bool selected_only)
{
    const bool is_sum = entry->summands[0] != NULL;
    int number = fermata_counters_find(file, is_sum ? entry->summands[0] : entry->name);
    return fermata_counters_find(file, entry->name) >= 0 && number >= 0 &&
           (!selected_only || fermata_counters_info(file, (size_t)number)->selected);
}

static struct layout lay_out(const fermata_counters_t *file, bool selected_only)
{
    struct layout l = {0};
    l.entries = fm_allocate(fm_counter_count(), sizeof *l.entries);
    l.rules = fm_allocate(fm_counter_count(), sizeof *l.rules);
    l.bins = fm_allocate(fm_counter_count(), sizeof *l.bins);
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        if (entry->is_spc && is_in(file, entry, selected_only)) {
            l.entries[l.count++] = entry;
        }
    }
    l.bytes = 8 * l.count;
    for (size_t i = 0; i < l.count; i++) {
        int number = fermata_counters_find(file, l.entries[i]->name);
        unsigned bins = fermata_counters_info(file, (size_t)number)->bins;
        l.rules[i] = l.bins[i] = -1;
        if (bins > 1) {
            size_t rules = round_up(l.bytes, LINE), first = round_up(rules + 4 * bins, 8);
            l.rules[i] = (int64_t)rules;
            l.bins[i] = (int64_t)first;
            l.bytes = first + 8 * bins;
        }
    }
    l.bytes = round_up(l.bytes, PAGE);
    return l;
}

static void free_layout(struct layout *l)
{
    fm_free(l->entries);
    fm_free(l->rules);
    fm_free(l->bins);
}

/* Stores a value at once, for readers that have mapped the file. */
static void store(char *data, size_t at, int64_t value)
{
    __atomic_store_n((int64_t *)(void *)(data + at), value, __ATOMIC_RELAXED);
}

/* A time in clock ticks, which readers convert; any other value as it is. */
static int64_t in_ticks(enum fm_counter_kind kind, double value, double tick_rate)
{
    return llround(fm_counter_is_time(kind) ? value * tick_rate : value);
}

static void fill(char *data, const struct layout *l, const fermata_counters_t *file)
{
    for (size_t i = 0; i < l->count; i++) {
        size_t number = (size_t)fermata_counters_find(file, l->entries[i]->name);
        const fermata_counter_info_t *info = fermata_counters_info(file, number);
        store(data, 8 * i,
              info->kind == FERMATA_KIND_NANOSECONDS
                  ? in_ticks(FM_COUNTER_NANOSECONDS, fermata_counters_real(file, number),
                             fermata_counters_tick_rate(file))
                  : fermata_counters_value(file, number));
        unsigned bins = info->bins;
        const int32_t rules[] = {(int32_t)bins, (int32_t)info->boundary,
                                 (int32_t)info->communicator_boundary, 0};
        for (unsigned bin = 0; bin < bins && bin < 4 && l->rules[i] >= 0; bin++) {
            memcpy(data + l->rules[i] + 4 * bin, &rules[bin], sizeof rules[0]);
            store(data, (size_t)l->bins[i] + 8 * bin, fermata_counters_bin(file, number, bin));
        }
    }
}

/* Creates a file of zeros. @return its content, mapped; NULL: errno is the reason */
static char *create_file(const char *path, size_t bytes)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return NULL;
    }
    int reason = posix_fallocate(file, 0, (off_t)bytes);
    char *data =
        reason == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    reason = reason == 0 ? errno : reason;
    close(file);
    errno = reason;
    return data != MAP_FAILED ? data : NULL;
}

/* One tag a line, in this order: readers depend on it. */
static void print_description(FILE *xml, const char *path, const struct layout *l,
                              const fermata_counters_t *file)
{
    fprintf(xml,
            "<?xml version=\"1.0\"?>\n<SPC>\n<filename>%s</filename>\n<file_size>%zu</file_size>\n"
            "<num_counters>%zu</num_counters>\n<freq_mhz>%.0f</freq_mhz>\n",
            path, l->bytes, l->count, fermata_counters_tick_rate(file) / 1e6);
    for (size_t i = 0; i < l->count; i++) {
        fprintf(xml,
                "<counter>\n<name>" FM_SPC_PREFIX "%s</name>\n<value_offset>%zu</value_offset>\n"
                "<rules_offset>%lld</rules_offset>\n<bin_offset>%lld</bin_offset>\n</counter>\n",
                l->entries[i]->name, 8 * i, (long long)l->rules[i], (long long)l->bins[i]);
    }
    fputs("</SPC>\n", xml);
}

/* Copies a part of a file's name: dots separate these parts, and tags are not escaped. */
static void copy_part(char *part, size_t size, const char *text)
{
    snprintf(part, size, "%s", text);
    for (char *c = part; *c != '\0'; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9') || *c == '-' || *c == '_';
        *c = is_plain ? *c : '-';
    }
}

static fm_status_t convert_rank(struct conversion *conversion, const fermata_counters_t *file,
                                unsigned rank, struct fm_error *error)
{
    char node[64], path[PATH_MAX], xml_path[PATH_MAX + 8];
    copy_part(node, sizeof node, fermata_counters_host(file));
    if (snprintf(path, sizeof path, "%s/spc_data.%s.%s.%u", conversion->folder, node,
                 conversion->label, rank) >= PATH_MAX) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the folder is too long");
    }
    conversion->ranks = fm_resize(conversion->ranks, conversion->count * sizeof *conversion->ranks,
                                  (conversion->count + 1) * sizeof *conversion->ranks);
    struct converted *made = &conversion->ranks[conversion->count++];
    *made = (struct converted){.rank = rank,
                               .layout = lay_out(file, conversion->has_snapshots),
                               .path = fm_copy_string(path),
                               .tick_rate = fermata_counters_tick_rate(file)};
    made->data = create_file(path, made->layout.bytes);
    if (made->data == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
    }
    fill(made->data, &made->layout, file);
    snprintf(xml_path, sizeof xml_path, "%s.xml", path);
    int file_number = open(xml_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *xml = file_number >= 0 ? fdopen(file_number, "w") : NULL;
    if (xml != NULL) {
        print_description(xml, path, &made->layout, file);
    }
    return xml != NULL && fclose(xml) == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", xml_path);
}

static void free_conversion(struct conversion *conversion)
{
    for (size_t i = 0; i < conversion->count; i++) {
        if (conversion->ranks[i].data != NULL) {
            munmap(conversion->ranks[i].data, conversion->ranks[i].layout.bytes);
        }
        free_layout(&conversion->ranks[i].layout);
        fm_free(conversion->ranks[i].path);
    }
    fm_free(conversion->ranks);
}

/* Writes the files of new ranks, and the present values of all. */
static fm_status_t convert_all(struct conversion *conversion, const struct fm_counter_job *job,
                               struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        unsigned rank = fm_counter_job_rank(job, i);
        size_t known = 0;
        while (known < conversion->count && conversion->ranks[known].rank != rank) {
            known++;
        }
        if (known < conversion->count) {
            fill(conversion->ranks[known].data, &conversion->ranks[known].layout, job->files[i]);
        } else {
            status = convert_rank(conversion, job->files[i], rank, error);
        }
    }
    return status;
}

/* ---- snapshots ---- */

/* Counters of files, of which series are read. */
struct names {
    const char **items;
    size_t count;
};

static const char *name_in_files(const struct fm_counter_entry *entry)
{
    return entry->source != NULL ? entry->source : entry->name;
}

static size_t place_of(const struct names *names, const char *name)
{
    size_t i = 0;
    while (i < names->count && strcmp(names->items[i], name) != 0) {
        i++;
    }
    return i;
}

/* The counters of all ranks; to be freed. */
static struct names names_of(const struct conversion *conversion)
{
    struct names names = {.items = fm_allocate(fm_counter_count(), sizeof *names.items)};
    for (size_t rank = 0; rank < conversion->count; rank++) {
        const struct layout *l = &conversion->ranks[rank].layout;
        for (size_t i = 0; i < l->count; i++) {
            const char *name = name_in_files(l->entries[i]);
            if (place_of(&names, name) == names.count) {
                names.items[names.count++] = name;
            }
        }
    }
    return names;
}

static fm_status_t write_snapshot(const struct converted *rank, const struct names *names,
                                  const struct fm_snapshot_series *series, size_t snapshot,
                                  uint64_t stamp, struct fm_error *error)
{
    char path[PATH_MAX + 32];
    size_t count = rank->layout.count;
    int64_t *values = fm_allocate(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const struct fm_counter_entry *entry = rank->layout.entries[i];
        const struct fm_snapshot_series *one = &series[place_of(names, name_in_files(entry))];
        values[i] =
            in_ticks(entry->kind, one->values[snapshot * one->ranks + rank->rank], rank->tick_rate);
    }
    snprintf(path, sizeof path, "%s.%llu", rank->path, (unsigned long long)stamp);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_written = file >= 0 && write(file, values, 8 * count) == (ssize_t)(8 * count);
    is_written = file >= 0 && close(file) == 0 && is_written;
    fm_free(values);
    return is_written ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
}

static fm_status_t write_series(const struct conversion *conversion,
                                const struct fm_counter_job *job, const struct names *names,
                                const struct fm_snapshot_series *series, struct fm_error *error)
{
    const uint64_t start = fm_counter_job_start(job);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < series[0].snapshots; i++) {
        uint64_t stamp = start + (uint64_t)llround(1e9 * series[0].seconds[i]);
        for (size_t k = 0; status == FM_OK && k < conversion->count; k++) {
            if (conversion->ranks[k].rank < series[0].ranks) {
                status = write_snapshot(&conversion->ranks[k], names, series, i, stamp, error);
            }
        }
    }
    return status;
}

/* Writes a file for each rank and snapshot, the begin of the counting included, where all counters
 * are 0. A run that ended before its first snapshot has none. */
static fm_status_t write_snapshots(const struct conversion *conversion,
                                   const struct fm_counter_job *job, const char *experiment,
                                   struct fm_error *error)
{
    struct names names = names_of(conversion);
    struct fm_snapshot_series *series = fm_allocate(names.count + 1, sizeof *series);
    fm_status_t status = FM_OK;
    if (names.count > 0) {
        status = fm_counter_series_of_job(job, experiment, names.items, names.count, series, error);
    }
    if (status == FM_OK && names.count > 0) {
        status = write_series(conversion, job, &names, series, error);
        for (size_t i = 0; i < names.count; i++) {
            fm_counter_series_free(&series[i]);
        }
    } else if (status == FM_ERR_DATA) {
        fprintf(stderr, "fermata counters: without snapshots: %s\n", fm_safe_text(error->message));
        status = FM_OK;
    }
    fm_free(series);
    fm_free(names.items);
    return status;
}

fm_status_t fm_counters_convert(const struct fm_counter_request *request,
                                struct fm_counter_job *job, const char *experiment,
                                const char *folder, struct fm_error *error)
{
    char label[128], absolute[PATH_MAX], name[PATH_MAX];
    struct conversion conversion = {.folder = absolute, .label = label};
    struct fm_counter_pace pace;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", folder);
    }
    if (realpath(folder, absolute) == NULL || realpath(experiment, name) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %m", folder);
    }
    copy_part(label, sizeof label, strrchr(name, '/') + 1);
    conversion.has_snapshots = !request->has_period && fm_counter_series_exist(experiment);
    fm_status_t status = convert_all(&conversion, job, error);
    if (status == FM_OK && conversion.has_snapshots) {
        status = write_snapshots(&conversion, job, experiment, error);
    }
    fm_counter_pace_begin(&pace, job);
    for (uint64_t i = 0; request->has_period && status == FM_OK && i < request->count &&
                         fm_counter_pace_goes_on(job);
         i++) {
        fm_counter_pace_wait(&pace, job, request->period);
        fm_counter_pace_take_others(&pace, job);
        status = convert_all(&conversion, job, error);
    }
    if (request->has_period && status == FM_OK) {
        fm_counter_job_read(job); /* a process may have ended since it was read */
        status = convert_all(&conversion, job, error);
    }
    fm_counter_pace_end(&pace);
    free_conversion(&conversion);
    return status;
}
