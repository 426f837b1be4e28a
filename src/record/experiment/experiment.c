/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/experiment.h"

#include "base/decimal_text.h"
#include "base/text.h"
#include "record/capture/clock.h"
#include "record/experiment/experiment_note.h"
#include "record/experiment/job.h"
#include "record/experiment/kept_variables.h"
#include "record/marks/mark_kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Replaces all characters except those that are harmless in a file name. */
static void make_plain(char *name)
{
    for (char *c = name; *c != '\0'; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '.' || *c == '_' || *c == '-';
        if (!plain) {
            *c = '_';
        }
    }
}

/* Base name of the program. */
static void program_name(char *name, size_t size)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash != NULL && slash[1] != '\0' ? slash + 1 : "program");
    make_plain(name);
}

void fm_experiment_place(const char *what, const char *when, char *path, size_t size)
{
    const char *wanted = fm_variable("FERMATA_EXPERIMENT_DIRECTORY");
    char folder[PATH_MAX], id[48] = "";
    struct fm_job job;
    if (getcwd(folder, sizeof folder) == NULL) {
        snprintf(folder, sizeof folder, ".");
    }
    if (wanted != NULL && wanted[0] != '\0') {
        bool absolute = wanted[0] == '/';
        snprintf(path, size, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", wanted);
        return;
    }
    bool in_job = fm_job_find(&job);
    if (in_job) {
        bool together = job.shares_id && job.index != NULL;
        snprintf(id, sizeof id, "%s%s%s", job.id, together ? "_" : "", together ? job.index : "");
        make_plain(id);
    }
    snprintf(path, size, "%s/fermata-%s%s%s-%s", folder, what, in_job ? "-job" : "", id, when);
}

static void choose_name(uint32_t ranks, char *path, size_t size)
{
    char name[64], what[128], when[32];
    const char *threads = fm_variable("OMP_NUM_THREADS");
    int count = threads != NULL ? atoi(threads) : 1;
    time_t now = time(NULL);
    struct tm parts;
    localtime_r(&now, &parts);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", &parts);
    program_name(name, sizeof name);
    snprintf(what, sizeof what, "%s-%ux%d", name, ranks, count > 0 ? count : 1);
    fm_experiment_place(what, when, path, size);
}

/* Reads the directory that the launcher's file names. @return whether it names one */
static bool read_launched(int file, char *directory, size_t size)
{
    char text[PATH_MAX + 256];
    ssize_t length = file >= 0 ? pread(file, text, sizeof text - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const char *place = fm_experiment_note_read(text) == NULL ? strchr(text, '/') : NULL;
    return place != NULL && (size_t)snprintf(directory, size, "%s", place) < size;
}

static int open_result(int flags)
{
    const char *path = fm_variable(FM_RESULT_FILE_VARIABLE);
    return path != NULL ? open(path, flags | O_NOFOLLOW | O_CLOEXEC) : -1;
}

/* Creates the directory `wanted`, with a number where it is taken. */
static bool make_directory(const char *wanted, char *path, size_t size)
{
    snprintf(path, size, "%s", wanted);
    for (int i = 2; mkdir(path, 0700) != 0; i++) {
        if (errno != EEXIST || i > 9999) {
            int reason = errno;
            snprintf(path, size, "cannot create %.3000s: %s", wanted, strerrordesc_np(reason));
            return false;
        }
        snprintf(path, size, "%s-%d", wanted, i);
    }
    return true;
}

bool fm_experiment_create(uint32_t ranks, char *path, size_t size)
{
    char wanted[PATH_MAX + 256];
    choose_name(ranks, wanted, sizeof wanted);
    /* Of several programs of one command, the first one has the name without a number and is the
     * one that others join. */
    int launched = open_result(O_RDWR);
    if (launched >= 0) {
        flock(launched, LOCK_EX);
    }
    const bool is_made = make_directory(wanted, path, size);
    if (is_made) {
        fm_experiment_result(path, &(struct fm_experiment_totals){0}, false);
    }
    if (launched >= 0) {
        close(launched);
    }
    return is_made;
}

static bool find_launched(char *directory, size_t size)
{
    int file = open_result(O_RDONLY);
    bool found = read_launched(file, directory, size);
    if (file >= 0) {
        close(file);
    }
    return found;
}

/* Whether a directory was made by fm_experiment_create_world in an experiment. */
static bool is_world_of(const char *directory, const char *experiment)
{
    const size_t length = strlen(experiment);
    return strncmp(directory, experiment, length) == 0 &&
           strncmp(directory + length, "/worlds/", strlen("/worlds/")) == 0;
}

bool fm_experiment_is_launched(const char *directory)
{
    char launched[PATH_MAX];
    return find_launched(launched, sizeof launched) &&
           (strcmp(launched, directory) == 0 || is_world_of(directory, launched));
}

/* Creates the first folder of a world that is free in an experiment. */
static bool make_world(const char *experiment, char *path, size_t size)
{
    snprintf(path, size, "%s/worlds", experiment);
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return false;
    }
    for (int i = 1; i <= 99999; i++) {
        snprintf(path, size, "%s/worlds/%d", experiment, i);
        if (mkdir(path, 0700) == 0) {
            return true;
        }
        if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

bool fm_experiment_create_world(char *path, size_t size)
{
    char experiment[PATH_MAX];
    return find_launched(experiment, sizeof experiment) && make_world(experiment, path, size);
}

bool fm_experiment_become_world(char *directory, size_t size)
{
    char experiment[PATH_MAX], path[PATH_MAX + 64];
    if (!find_launched(experiment, sizeof experiment) || fm_experiment_is_launched(directory) ||
        !make_world(experiment, path, sizeof path)) {
        return false;
    }
    if (strlen(path) >= size || rename(directory, path) != 0) { /* an empty folder is replaced */
        rmdir(path);
        return false;
    }
    snprintf(directory, size, "%s", path);
    return true;
}

/* Up to 64 KiB of it. */
static void write_command_line(FILE *file)
{
    enum { MOST = 65536 };
    char *arguments = malloc(MOST);
    int source = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = source >= 0 && arguments != NULL ? read(source, arguments, MOST - 1) : 0;
    if (source >= 0) {
        close(source);
    }
    if (arguments != NULL) {
        arguments[length > 0 ? length : 0] = '\0';
    }
    fputc('[', file);
    for (ssize_t i = 0; i < length; i += (ssize_t)strlen(arguments + i) + 1) {
        if (i > 0) {
            fputs(", ", file);
        }
        fm_text_write_json(file, arguments + i);
    }
    fputc(']', file);
    free(arguments);
}

static void write_job(FILE *file)
{
    struct fm_job job;
    if (!fm_job_find(&job)) {
        return;
    }
    fprintf(file, ",\n  \"job\": {\"system\": \"%s\", \"id\": ", job.system);
    fm_text_write_json(file, job.id);
    if (job.name != NULL) {
        fputs(", \"name\": ", file);
        fm_text_write_json(file, job.name);
    }
    if (job.index != NULL) {
        fputs(", \"array_index\": ", file);
        fm_text_write_json(file, job.index);
    }
    fputc('}', file);
}

static FILE *open_file(const char *directory, const char *name, int flags)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (stream == NULL && file >= 0) {
        close(file);
    }
    return stream;
}

/* One line for each paradigm: `"mpi_library": "Open MPI v4.1.4, ..."`. */
static void write_libraries(FILE *file, const struct fm_environment *e)
{
    for (size_t i = 0; i < e->library_count; i++) {
        fputs(",\n  \"", file);
        for (const char *c = e->libraries[i].paradigm; *c != '\0'; c++) {
            fputc(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c, file); /* in any locale */
        }
        fputs("_library\": ", file);
        fm_text_write_json(file, e->libraries[i].version);
    }
}

static void write_clock(FILE *file, const struct fm_environment *e)
{
    const struct fm_clock_quality *quality = e->clock;
    fprintf(file, ",\n  \"clock\": {\"source\": \"%s\", \"ticks_per_second\": %llu, ",
            fm_clock_name(), (unsigned long long)e->resolution);
    fprintf(file, "\"largest_deviation_ticks\": %s", fm_decimal(e->clock_deviation, 1).text);
    if (quality != NULL) {
        fprintf(file,
                ", \"rate_change_ppm\": %s, \"rate_difference_ppm\": %s, "
                "\"drift_ppm\": %s, \"disorder_ticks\": %llu, \"doubt\": ",
                fm_decimal((double)quality->change / 1e3, 3).text,
                fm_decimal((double)quality->difference / 1e3, 3).text,
                fm_decimal((double)quality->drift / 1e3, 3).text,
                (unsigned long long)quality->disorder);
        fm_text_write_json(file, e->clock_doubt);
    }
    fputc('}', file);
}

static void write_overhead(FILE *file, const struct fm_environment *e)
{
    static const char *const names[] = {
#define FM_COST_NAME(symbol, name, noun, advice) name,
        FM_RECORDER_COSTS(FM_COST_NAME)
#undef FM_COST_NAME
    };
    if (e->memory_used != 0) {
        fprintf(file,
                ",\n  \"recorder\": {\"memory_bytes\": %llu, \"cpu_seconds\": %s, "
                "\"begin_seconds\": %s, \"end_seconds\": %s, "
                "\"nanoseconds_per_call\": %s, \"nanoseconds_per_page_fault\": %s, "
                "\"overhead_percent\": %s, \"overhead_is_least\": %s, \"costs\": {",
                (unsigned long long)e->memory_used, fm_decimal(e->cpu_seconds, 6).text,
                fm_decimal(e->begin_seconds, 6).text, fm_decimal(e->end_seconds, 6).text,
                fm_decimal(e->nanoseconds_per_call, 1).text,
                fm_decimal(e->nanoseconds_per_page_fault, 0).text,
                fm_decimal(e->overhead * 100, 3).text, e->overhead_is_least ? "true" : "false");
        for (int cost = 0; cost < FM_RECORDER_COST_COUNT; cost++) {
            fprintf(file, "%s\"%s\": %s", cost != 0 ? ", " : "", names[cost],
                    fm_decimal((double)e->costs.of[cost] / 1e9, 6).text);
        }
        fputs("}}", file);
    }
}

static void write_run_delay(FILE *file, const struct fm_environment *e)
{
    if (e->run_seconds > 0) {
        fprintf(file, ",\n  \"run_delay\": {\"run_seconds\": %s, \"delay_seconds\": %s}",
                fm_decimal(e->run_seconds, 6).text, fm_decimal(e->run_delay_seconds, 6).text);
    }
}

/* Writes the selection of instrumented functions, if not all were recorded. */
static void write_instrumentation(FILE *file, const struct fm_environment *e)
{
    const char *filter = fm_variable("FERMATA_FILTERING_FILE");
    const char *shortest = fm_variable("FERMATA_MIN_DURATION");
    bool filtered = filter != NULL && filter[0] != '\0';
    bool limited = shortest != NULL && shortest[0] != '\0';
    if (!filtered && !limited) {
        return;
    }
    fputs(",\n  \"functions\": {\"filter\": ", file);
    fm_text_write_json(file, filtered ? filter : NULL);
    fputs(", \"min_duration\": ", file);
    fm_text_write_json(file, limited ? shortest : NULL);
    fprintf(file, ", \"visits_left_out\": %llu}", (unsigned long long)e->functions_dropped);
}

struct fm_obtained_rate fm_experiment_rate(const struct fm_environment *environment)
{
    return (struct fm_obtained_rate){
        .asked = environment->sample_rate_is_asked ? environment->sample_rate : 0,
        .signals = environment->sample_signals,
        .cpu = environment->sampled_cpu,
        .ticks = environment->sampled_by_perf ? 0 : fm_system_ticks(),
    };
}

static void write_sampling(FILE *file, const struct fm_environment *e)
{
    const struct fm_obtained_rate rate = fm_experiment_rate(e);
    char text[256];
    fprintf(file,
            ",\n  \"sampling\": {\"hertz\": %s, \"asked\": %s, \"clock\": \"%s\", "
            "\"samples\": %llu, \"lost\": %llu, \"seconds\": %s",
            fm_decimal_short(e->sample_rate, 6).text, e->sample_rate_is_asked ? "true" : "false",
            fm_sample_clock_name(e->sampled_by_perf, e->sampled_by_timers),
            (unsigned long long)e->samples, (unsigned long long)e->samples_lost,
            fm_decimal(e->sampling_seconds, 6).text);
    if (fm_obtained_rate(&rate) > 0) {
        double cpu = (double)rate.cpu / 1e9, spent = e->sampling_seconds + e->delivery_seconds;
        fprintf(file,
                ", \"signals\": %llu, \"cpu_seconds\": %s, \"obtained_hertz\": %s"
                ", \"cost_percent\": %s",
                (unsigned long long)rate.signals, fm_decimal(cpu, 6).text,
                fm_decimal(fm_obtained_rate(&rate), 3).text, fm_decimal(100 * spent / cpu, 4).text);
    }
    if (fm_obtained_rate_describe(&rate, text, sizeof text)) {
        fputs(", \"shortfall\": ", file);
        fm_text_write_json(file, text);
    }
    fputs("}", file);
}

/* Lists the kinds of marks that were found, if any. */
static void write_marks(FILE *file, uint32_t kinds)
{
    const char *separator = ",\n  \"marks\": [";
    for (uint32_t i = 0; i < FM_MARK_KINDS; i++) {
        if ((kinds >> i & 1) != 0) {
            fprintf(file, "%s\"%s\"", separator, fm_mark_kinds[i].name);
            separator = ", ";
        }
    }
    if (kinds != 0) {
        fputc(']', file);
    }
}

static void write_description(FILE *file, const struct fm_environment *e)
{
    struct utsname host = {0};
    char when[32];
    struct tm parts;
    time_t start = (time_t)(fm_clock.start_realtime / 1000000000u);
    uname(&host);
    gmtime_r(&start, &parts);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    fprintf(file, "{\n  \"fermata\": \"%s\",\n  \"command\": ", FERMATA_VERSION);
    write_command_line(file);
    fputs(",\n  \"host\": ", file);
    fm_text_write_json(file, host.nodename);
    fprintf(file, ",\n  \"system\": \"%s %s %s\"", host.sysname, host.release, host.machine);
    fprintf(file, ",\n  \"processors\": %ld", sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(file, ",\n  \"start\": \"%s\"", when);
    write_libraries(file, e);
    fprintf(file, ",\n  \"ranks\": %u,\n  \"locations\": %llu,\n  \"events\": %llu", e->ranks,
            (unsigned long long)e->locations, (unsigned long long)e->events);
    write_clock(file, e);
    fprintf(file, ",\n  \"memory_bytes\": %llu", (unsigned long long)e->memory);
    if (e->max_size != 0 && e->max_size != UINT64_MAX) {
        fprintf(file, ",\n  \"max_size_bytes\": %llu", (unsigned long long)e->max_size);
    }
    write_run_delay(file, e);
    write_overhead(file, e);
    write_job(file);
    if (e->progress != NULL) {
        fprintf(file, ",\n  \"progress\": \"%s\"", e->progress);
    }
    if (e->sample_rate > 0) {
        write_sampling(file, e);
    }
    write_instrumentation(file, e);
    write_marks(file, e->marks);
    if (e->recorded != NULL) {
        fputs(",\n  \"recorded\": ", file);
        fm_text_write_json(file, e->recorded);
    }
    if (e->unseen != NULL) {
        fputs(",\n  \"unseen\": ", file);
        fm_text_write_json(file, e->unseen);
    }
    fprintf(file, ",\n  \"limits_hit\": {\"buffer_flushes\": %llu, \"failure\": ",
            (unsigned long long)e->flushes);
    if (e->failure != NULL) {
        fm_text_write_json(file, e->failure);
    } else {
        fputs("null", file);
    }
    fprintf(file, "},\n  \"complete\": %s", e->complete ? "true" : "false");
    if (e->incomplete != NULL) {
        fputs(",\n  \"incomplete\": ", file);
        fm_text_write_json(file, e->incomplete);
    }
    fputs("\n}\n", file);
}

/* environment.json is complete at any time: without disk space for a new one the old one stays. */
void fm_experiment_describe(const char *directory, const struct fm_environment *environment)
{
    static const char name[] = "environment.json", next[] = "environment.json.new";
    char path[PATH_MAX + 64], new_path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(new_path, sizeof new_path, "%s/%s", directory, next);
    unlink(new_path);
    FILE *file = open_file(directory, next, O_EXCL);
    if (file == NULL) {
        return;
    }
    write_description(file, environment);
    bool good = ferror(file) == 0;
    if (fclose(file) != 0 || !good || rename(new_path, path) != 0) {
        unlink(new_path);
    }
}

void fm_experiment_log(const char *directory, const char *format, ...)
{
    FILE *file = open_file(directory, "log", O_APPEND);
    if (file != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(file, format, arguments);
        va_end(arguments);
        fputc('\n', file);
        fclose(file);
    }
}

const char *fm_experiment_totals_text(const struct fm_experiment_totals *totals, char *text,
                                      size_t size)
{
    char samples[64] = "", recorder[192] = "", longer[FM_TEXT_NUMBER];
    if (totals->samples + totals->samples_lost > 0) {
        snprintf(samples, sizeof samples, ", %llu %s (%llu lost)",
                 (unsigned long long)totals->samples, totals->samples == 1 ? "sample" : "samples",
                 (unsigned long long)totals->samples_lost);
    }
    if (totals->memory != 0) {
        snprintf(recorder, sizeof recorder,
                 "; recorder: %s MB of memory a process, %s s of CPU time, makes the run %s",
                 fm_decimal((double)totals->memory / 1e6, 1).text,
                 fm_decimal((double)totals->cpu / 1e6, 2).text,
                 fm_text_longer(longer, (double)totals->overhead / 1e6, totals->overhead_is_least));
    }
    snprintf(text, size, "%llu %s, %s MB%s%s", (unsigned long long)totals->events,
             totals->events == 1 ? "event" : "events",
             fm_decimal((double)totals->bytes / 1e6, 1).text, samples, recorder);
    return text;
}

struct fm_experiment_totals fm_experiment_totals(const struct fm_environment *environment)
{
    return (struct fm_experiment_totals){
        .events = environment->events,
        .bytes = environment->bytes,
        .samples = environment->samples,
        .samples_lost = environment->samples_lost,
        .memory = environment->memory_used,
        .cpu = (uint64_t)(environment->cpu_seconds * 1e6 + 0.5),
        .overhead = (uint64_t)(environment->overhead * 1e6),
        .overhead_is_least = environment->overhead_is_least,
    };
}

int fm_experiment_totals_write(const struct fm_experiment_totals *totals, char *text, size_t size)
{
    return snprintf(text, size,
                    "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                    " %" PRIu64 " %d",
                    totals->events, totals->bytes, totals->samples, totals->samples_lost,
                    totals->memory, totals->cpu, totals->overhead, totals->overhead_is_least);
}

const char *fm_experiment_totals_read(struct fm_experiment_totals *totals, const char *text)
{
    struct fm_experiment_totals read = {0};
    int length = 0, is_least = 0;
    if (sscanf(text,
               "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %d%n",
               &read.events, &read.bytes, &read.samples, &read.samples_lost, &read.memory,
               &read.cpu, &read.overhead, &is_least, &length) != 8) {
        return NULL;
    }
    read.overhead_is_least = is_least != 0;
    *totals = read;
    return text + length;
}

/* If the launcher's file names another experiment, that belongs to a program that was started
 * earlier, possibly the parent of this one; it must not be replaced. */
void fm_experiment_result(const char *directory, const struct fm_experiment_totals *totals,
                          bool closing)
{
    char text[PATH_MAX + 256], launched[PATH_MAX];
    int file = open_result(O_RDWR);
    bool is_other =
        read_launched(file, launched, sizeof launched) && strcmp(launched, directory) != 0;
    bool told = is_other && is_world_of(directory, launched);
    if (file >= 0 && !is_other) {
        /* Overwritten in place: if the disk is full, the earlier content remains. */
        int length = fm_experiment_totals_write(totals, text, sizeof text);
        length += snprintf(text + length, sizeof text - (size_t)length, " %s\n", directory);
        told = pwrite(file, text, (size_t)length, 0) == length && ftruncate(file, length) == 0;
    }
    if (file >= 0) {
        close(file);
    }
    if (!told && closing) {
        dprintf(STDERR_FILENO, "fermata: %s: %s\n", directory,
                fm_experiment_totals_text(totals, text, sizeof text));
    }
}

static uint64_t protect(const char *path, mode_t mode)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return 0;
    }
    chmod(path, mode);
    return S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

uint64_t fm_experiment_protect(const char *directory, uint64_t location)
{
    static const char *const suffixes[] = {"evt", "def"};
    uint64_t bytes = 0;
    char path[PATH_MAX + 64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/traces/%llu.%s", directory, (unsigned long long)location,
                 suffixes[i]);
        bytes += protect(path, 0600);
    }
    return bytes;
}

uint64_t fm_experiment_protect_global(const char *directory)
{
    char path[PATH_MAX + 64];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    bytes += protect(path, 0600);
    snprintf(path, sizeof path, "%s/traces.def", directory);
    bytes += protect(path, 0600);
    snprintf(path, sizeof path, "%s/traces.marker", directory);
    bytes += protect(path, 0600);
    snprintf(path, sizeof path, "%s/traces", directory);
    protect(path, 0700);
    return bytes;
}

void fm_experiment_remove_location(const char *directory, uint64_t location)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/traces/%llu.evt", directory, (unsigned long long)location);
    if (truncate(path, 0) != 0) { /* OTF2 may have it open: unlink alone would free no disk space */
        return;
    }
    unlink(path);
    snprintf(path, sizeof path, "%s/traces/%llu.def", directory, (unsigned long long)location);
    unlink(path);
}

void fm_experiment_remove_archive(const char *directory)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/traces", directory);
    rmdir(path);
    snprintf(path, sizeof path, "%s/traces.def", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces.marker", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces.otf2", directory);
    unlink(path);
}

void fm_experiment_remove_journal(const char *directory)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/journal/saved", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/journal", directory);
    rmdir(path);
}

void fm_experiment_remove(const char *directory)
{
    static const char *const names[] = {"environment.json", "log"};
    char path[PATH_MAX + 64];
    fm_experiment_remove_journal(directory);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}
