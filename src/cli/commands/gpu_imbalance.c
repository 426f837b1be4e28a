/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata gpu-imbalance: how unevenly accelerators are loaded. */
#include "base/files/new_file.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/report/report_file.h"
#include "cli/text/safe_text.h"
#include "imbalance/output/output.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    enum format format;
    enum fm_decimal_mark decimal;
    uint64_t top;
    const char *svg, *html;
    bool has_kernels;
    regex_t kernels;
    struct fm_gpu_request run;
};

/* What was read: one run, or one of each folder and the tables beside them. */
struct input {
    FM_VECTOR(struct fm_gpu_sources) sources; /* of each run; behind them the tables of sweeps */
    FM_VECTOR(struct fm_gpu_run) runs;
    struct fm_sweep sweep;
    bool is_sweep;
};

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return stat(path, &info) == 0;
}

static bool is_experiment(const char *path)
{
    const char *end = strrchr(path, '.');
    return is_directory(path) ? has_file(path, "report.fer") || has_file(path, "traces.otf2")
                              : end != NULL && strcmp(end, ".fer") == 0;
}

/* ---- reading ---- */

static fm_status_t read_place(const struct request *request, const char *path,
                              struct fm_gpu_sources *sources, struct fm_error *error)
{
    if (is_experiment(path)) {
        struct fm_cube *cube;
        fm_status_t status =
            sources->experiments.count > 0
                ? fm_fail(error, FM_ERR_USAGE, "%.400s: a second experiment of one run", path)
                : fm_load_report(path, &cube, error);
        if (status == FM_OK) {
            fm_vector_push(&sources->experiments, cube);
        }
        return status;
    }
    struct fm_input_file *file;
    fm_status_t status = fm_input_read(path, request->decimal, &file, error);
    if (status == FM_OK) {
        fm_vector_push(&sources->files, file);
    }
    return status;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

static int is_source(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return name[0] != '.' && (ends_with(name, ".csv") || ends_with(name, ".sqlite") ||
                              strncmp(name, "fermata-", 8) == 0);
}

/* Reads the files of a run's folder. */
static fm_status_t read_folder(const struct request *request, const char *folder,
                               struct fm_gpu_sources *sources, struct fm_error *error)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_source, alphasort);
    if (count < 0) {
        return fm_fail(error, FM_ERR_USAGE, "cannot read the folder %.400s: %m", folder);
    }
    fm_status_t status =
        count > 0 ? FM_OK
                  : fm_fail(error, FM_ERR_DATA,
                            "%.400s: no files *.csv or *.sqlite and no experiment", folder);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == FM_OK) {
            status = read_place(request, path, sources, error);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* The last part of a path, and the one before it. */
static void name_run(const char *folder, char label[256], char set[256])
{
    const char *end = folder + strlen(folder);
    label[0] = set[0] = '\0';
    for (int part = 0; part < 2; part++) {
        while (end > folder && end[-1] == '/') {
            end--;
        }
        const char *begin = end;
        while (begin > folder && begin[-1] != '/') {
            begin--;
        }
        snprintf(part == 0 ? label : set, 256, "%.*s", (int)(end - begin), begin);
        end = begin;
    }
}

static bool is_run_folder(const char *path)
{
    return is_directory(path) && !is_experiment(path);
}

/* Whether all runs are in one folder: then it names no set. */
static bool share_folder(char *const *places, int count)
{
    char label[256], set[256], first[256] = "";
    for (int i = 0, runs = 0; i < count; i++) {
        if (is_run_folder(places[i])) {
            name_run(places[i], label, set);
            if (runs++ == 0) {
                memcpy(first, set, sizeof first);
            } else if (strcmp(first, set) != 0) {
                return false;
            }
        }
    }
    return true;
}

static bool has_sweep(const struct fm_gpu_sources *sources)
{
    for (size_t i = 0; i < sources->files.count; i++) {
        if (sources->files.items[i]->sweep.count > 0) {
            return true;
        }
    }
    return false;
}

static fm_status_t read_all(const struct request *request, char *const *places, int count,
                            struct input *input, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    const bool shared = share_folder(places, count);
    for (int i = 0; i < count && status == FM_OK; i++) {
        if (!is_run_folder(places[i])) {
            continue;
        }
        char label[256], set[256];
        struct fm_gpu_sources sources = {.files = {0}};
        struct fm_gpu_run run;
        name_run(places[i], label, set);
        status = read_folder(request, places[i], &sources, error);
        fm_vector_push(&input->sources, sources);
        if (status == FM_OK) {
            status =
                fm_gpu_run_make(&sources, &request->run, label, shared ? "" : set, &run, error);
        }
        if (status == FM_OK) {
            fm_vector_push(&input->runs, run);
        }
    }
    const size_t folders = input->runs.count;
    struct fm_gpu_sources files = {.files = {0}};
    for (int i = 0; i < count && status == FM_OK; i++) {
        if (!is_run_folder(places[i])) {
            status = read_place(request, places[i], &files, error);
        }
    }
    const bool is_table = has_sweep(&files);
    fm_vector_push(&input->sources, files);
    if (status == FM_OK && (files.files.count > 0 || files.experiments.count > 0) && !is_table) {
        struct fm_gpu_run run;
        if (folders > 0) {
            return fm_fail(error, FM_ERR_USAGE,
                           "give the files of one run, or folders of several runs, not both");
        }
        status = fm_gpu_run_make(&files, &request->run, "", "", &run, error);
        if (status == FM_OK) {
            fm_vector_push(&input->runs, run);
        }
    }
    input->is_sweep = is_table || folders > 1;
    return status;
}

static void compare(struct input *input)
{
    const size_t count = input->sources.count;
    const struct fm_gpu_sources **sources = fm_allocate(count, sizeof *sources);
    for (size_t i = 0; i < count; i++) {
        sources[i] = &input->sources.items[i];
    }
    fm_sweep_make(input->runs.items, input->runs.count, sources, count, &input->sweep);
    fm_free(sources);
}

/* ---- writing ---- */

static fm_status_t write_page(const struct fm_imbalance_result *result, const char *path,
                              struct fm_error *error)
{
    struct fm_new_file file;
    fm_status_t status = fm_new_file_open(&file, path, error);
    if (status == FM_OK) {
        fm_imbalance_write_page(result, file.stream);
        status = fm_new_file_commit(&file, error);
    }
    return status;
}

static fm_status_t write_figures(const struct fm_imbalance_result *result, const char *folder,
                                 struct fm_error *error)
{
    fm_figure_list figures = {0};
    fm_figures_draw(result, &figures);
    fm_status_t status = fm_figures_write(&figures, folder, error);
    fm_figures_free(&figures);
    return status;
}

static fm_status_t write_all(const struct request *request, const struct input *input,
                             struct fm_error *error)
{
    const struct fm_imbalance_result result = {.runs = input->runs.items,
                                               .run_count = input->runs.count,
                                               .sweep = input->is_sweep ? &input->sweep : NULL};
    const struct fm_terminal terminal = fm_terminal_detect(stdout);
    switch (request->format) {
    case FORMAT_TEXT:
        fm_imbalance_write_text(&result, request->top, &terminal);
        break;
    case FORMAT_JSON:
        fm_imbalance_write_json(&result, stdout);
        break;
    case FORMAT_CSV:
        fm_imbalance_write_csv(&result, stdout);
        break;
    }
    fm_status_t status = FM_OK;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the result: %m");
    }
    if (status == FM_OK && request->svg != NULL) {
        status = write_figures(&result, request->svg, error);
    }
    if (status == FM_OK && request->html != NULL) {
        status = write_page(&result, request->html, error);
    }
    return status;
}

/* ---- the command ---- */

static fm_status_t take_kernels(struct fm_option_reader *reader, struct request *request)
{
    char reason[200];
    if (request->has_kernels) {
        return fm_options_refuse(reader, "--kernel is given twice");
    }
    const int result = regcomp(&request->kernels, reader->value, REG_EXTENDED | REG_NOSUB);
    if (result != 0) {
        regerror(result, &request->kernels, reason, sizeof reason);
        return fm_options_refuse(reader, "--kernel '%.100s': %s", reader->value, reason);
    }
    request->has_kernels = true;
    request->run.kernels = &request->kernels;
    return FM_OK;
}

static fm_status_t take_option(struct fm_option_reader *reader, int option, struct request *request)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const decimals[] = {"point", "comma", NULL};
    fm_status_t status = FM_OK;
    int choice = 0;
    switch (option) {
    case FM_OPTION_gpu_imbalance_KERNEL:
        return take_kernels(reader, request);
    case FM_OPTION_gpu_imbalance_RANK_PATTERN:
        request->run.rank_pattern = reader->value;
        return strstr(reader->value, "%r") != NULL
                   ? FM_OK
                   : fm_options_refuse(reader, "--rank-pattern needs %%r where the rank stands");
    case FM_OPTION_gpu_imbalance_CALLPATH:
        request->run.callpath = reader->value;
        return FM_OK;
    case FM_OPTION_gpu_imbalance_DECIMAL:
        status = fm_option_choice(reader, decimals, &choice);
        request->decimal = choice == 0 ? FM_DECIMAL_POINT : FM_DECIMAL_COMMA;
        return status;
    case FM_OPTION_gpu_imbalance_TOP:
        return fm_option_number(reader, 1, UINT32_MAX, &request->top);
    case FM_OPTION_gpu_imbalance_FORMAT:
        status = fm_option_choice(reader, formats, &choice);
        request->format = (enum format)choice;
        return status;
    case FM_OPTION_gpu_imbalance_SVG:
        request->svg = reader->value;
        return FM_OK;
    default: /* FM_OPTION_gpu_imbalance_HTML */
        request->html = reader->value;
        return FM_OK;
    }
}

static int run(const struct request *request, char *const *places, int count)
{
    struct input input = {.is_sweep = false};
    struct fm_error error;
    fm_status_t status = read_all(request, places, count, &input, &error);
    if (status == FM_OK && input.is_sweep) {
        compare(&input);
    }
    if (status == FM_OK) {
        status = write_all(request, &input, &error);
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata gpu-imbalance: %s\n", fm_safe_text(error.message));
    }
    fm_sweep_free(&input.sweep);
    for (size_t i = 0; i < input.runs.count; i++) {
        fm_gpu_run_free(&input.runs.items[i]);
    }
    for (size_t i = 0; i < input.sources.count; i++) {
        fm_gpu_sources_free(&input.sources.items[i]);
    }
    fm_vector_free(&input.runs);
    fm_vector_free(&input.sources);
    return (int)status;
}

int fm_command_gpu_imbalance(int argc, char **argv)
{
    struct request request = {.top = 64};
    struct fm_option_reader reader;
    int status = -1;
    fm_options_begin(&reader, FM_COMMAND_gpu_imbalance, argc, argv);
    for (int option; status < 0 && (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option < 0) {
            status = fm_options_stop(&reader, option);
        } else if (take_option(&reader, option, &request) != FM_OK) {
            status = fm_options_complain(&reader);
        }
    }
    if (status < 0 && !fm_options_operands(&reader, 1, INT_MAX, "the files of a run")) {
        status = fm_options_complain(&reader);
    }
    if (status < 0) {
        status = run(&request, reader.operands, reader.operand_count);
    }
    if (request.has_kernels) {
        regfree(&request.kernels);
    }
    return status;
}
