/* fermata counters convert: the files of Open MPI's software performance counters, for their
 * readers.
 *
 * D. Eberius, "Low-level metrics for MPI and GPUs", 3.3.3 and appendix B: a data file for each
 * rank, spc_data.NODE.LABEL.RANK, and its description, the same with .xml. The data file has a
 * value of eight bytes for each counter; then for each counter with bins, at multiples of 64 bytes,
 * its rules (int: number of bins, largest value of each bin but the last), and at the next multiple
 * of 8 its bins (long long). Readers split names at dots and read the description line by line. */
#include "base/memory.h"
#include "cli/counters/counter_output.h"
#include "counters/counter_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static struct layout lay_out(const fermata_counters_t *file)
{
    struct layout l = {0};
    l.entries = fm_allocate(fm_counter_count(), sizeof *l.entries);
    l.rules = fm_allocate(fm_counter_count(), sizeof *l.rules);
    l.bins = fm_allocate(fm_counter_count(), sizeof *l.bins);
    for (size_t i = 0; i < fm_counter_count(); i++) {
        const struct fm_counter_entry *entry = fm_counter_at(i);
        if (entry->is_spc && fermata_counters_find(file, entry->name) >= 0) {
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

static void fill(char *data, const struct layout *l, const fermata_counters_t *file)
{
    for (size_t i = 0; i < l->count; i++) {
        size_t number = (size_t)fermata_counters_find(file, l->entries[i]->name);
        int64_t value = fermata_counters_value(file, number);
        memcpy(data + 8 * i, &value, sizeof value);
        const fermata_counter_info_t *info = fermata_counters_info(file, number);
        unsigned bins = info->bins;
        const int32_t rules[] = {(int32_t)bins, (int32_t)info->boundary,
                                 (int32_t)info->communicator_boundary, 0};
        for (unsigned bin = 0; bin < bins && bin < 4 && l->rules[i] >= 0; bin++) {
            int64_t part = fermata_counters_bin(file, number, bin);
            memcpy(data + l->rules[i] + 4 * bin, &rules[bin], sizeof rules[0]);
            memcpy(data + l->bins[i] + 8 * bin, &part, sizeof part);
        }
    }
}

static fm_status_t write_file(const char *path, const void *data, size_t bytes,
                              struct fm_error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, data, bytes) == (ssize_t)bytes;
    int reason = errno;
    if (file >= 0) {
        good = close(file) == 0 && good;
    }
    errno = reason;
    return good ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
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

static fm_status_t convert_rank(const fermata_counters_t *file, const char *folder,
                                const char *label, struct fm_error *error)
{
    char node[64], path[PATH_MAX], xml_path[PATH_MAX + 8];
    copy_part(node, sizeof node, fermata_counters_host(file));
    if (snprintf(path, sizeof path, "%s/spc_data.%s.%s.%u", folder, node, label,
                 fermata_counters_rank(file)) >= PATH_MAX) {
        return fm_fail(error, FM_ERR_USAGE, "the path of the folder is too long");
    }
    struct layout l = lay_out(file);
    char *data = fm_allocate(l.bytes, 1);
    fill(data, &l, file);
    fm_status_t status = write_file(path, data, l.bytes, error);
    snprintf(xml_path, sizeof xml_path, "%s.xml", path);
    FILE *xml = status == FM_OK ? fopen(xml_path, "wxe") : NULL;
    if (xml != NULL) {
        print_description(xml, path, &l, file);
    }
    if (status == FM_OK && (xml == NULL || fclose(xml) != 0)) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", xml_path);
    }
    fm_free(data);
    free_layout(&l);
    return status;
}

fm_status_t fm_counters_convert(const struct fm_counter_job *job, const char *experiment,
                                const char *folder, struct fm_error *error)
{
    char label[128], absolute[PATH_MAX], name[PATH_MAX];
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot create %s: %m", folder);
    }
    if (realpath(folder, absolute) == NULL || realpath(experiment, name) == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %m", folder);
    }
    copy_part(label, sizeof label, strrchr(name, '/') + 1);
    fm_status_t status = FM_OK;
    for (size_t rank = 0; status == FM_OK && rank < job->ranks; rank++) {
        status = convert_rank(job->files[rank], absolute, label, error);
    }
    return status;
}
