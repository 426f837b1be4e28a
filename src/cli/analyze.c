#include "base/memory.h"
#include "cli/analysis_options.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/isolate.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_usage(FILE *stream)
{
    fputs(
        "usage: fermata analyze [OPTIONS] DIR\n"
        "Finds the wait states in the trace DIR/traces.otf2 (any OTF2 archive) and writes\n"
        "DIR/report.fer, which `fermata report DIR` shows.\n\n"
        "  -j, --jobs N       worker threads (default: one for each processor)\n"
        "  -o, --output FILE  where to write the report\n"
        "  -q, --quiet        print errors only; warnings stand in the report, too\n"
        "      --check        verify the invariants of the result\n"
        "      --critical-path=init-finalize\n"
        "                     the critical path leads from MPI_Init to MPI_Finalize only, instead\n"
        "                     of through the whole run\n"
        "      --partition NAME:RANKS,...\n"
        "                     the partitions of the ranks, for imbalance inside and between them:\n"
        "                     io:0-3,solver:4-15 or, by threads, main:*.0,workers:*.1-7; @FILE: "
        "from\n"
        "                     a file. Default: those that run the same top-level functions are "
        "one\n"
        "      --progress WHO target (default): one-sided operations need a call of their target;\n"
        "                     async: a progress thread or process serves them at any time\n"
        "      --memory SIZE  keep at most about SIZE (e.g. 512M, 4G) of the tables in memory,\n"
        "                     the rest in a file beside the report\n",
        stream);
}

/* @return whether `text` is a size such as 4096, 512K, 64M, 2G */
static bool parse_size(const char *text, size_t *bytes)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = 0;
    switch (*end) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    end += shift != 0;
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || value == 0 ||
        value > SIZE_MAX >> shift) {
        return false;
    }
    *bytes = (size_t)value << shift;
    return true;
}

/* DIR/report.fer, or traces.fer beside an anchor file */
static char *default_output(const char *archive)
{
    struct stat status;
    char *path = NULL;
    if (stat(archive, &status) == 0 && !S_ISDIR(status.st_mode)) {
        const char *slash = strrchr(archive, '/');
        int directory = slash == NULL ? 0 : (int)(slash - archive + 1);
        return asprintf(&path, "%.*sreport.fer", directory, archive) < 0 ? NULL : path;
    }
    return asprintf(&path, "%s/report.fer", archive) < 0 ? NULL : path;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path + 1));
}

/* The report tells, too, what the experiment lacks. */
static fm_status_t add_missing(struct fm_cube *cube, const char *archive, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    char *missing = fm_missing_of_experiment(archive);
    if (missing != NULL) {
        status = fm_cube_warn(cube, error, "incomplete run: %s", missing);
    }
    free(missing);
    return status;
}

struct request {
    const char *archive;
    struct fm_analysis_options options;
    char *output;
    bool quiet;
};

static int analyze(void *argument)
{
    const struct request *request = argument;
    const struct fm_analysis_options *options = &request->options;
    const char *output = request->output;
    struct fm_error error;
    struct fm_cube *cube = NULL;
    fm_memory_keep();
    if (options->memory_limit != 0) {
        char *directory = directory_of(output);
        fm_memory_limit(options->memory_limit, directory);
        free(directory);
    }
    fm_status_t status = fm_analysis_run(request->archive, options, &cube, &error);
    if (status == FM_OK) {
        status = add_missing(cube, request->archive, &error);
    }
    if (status == FM_OK) {
        status = fm_cube_write(cube, output, &error);
    }
    if (status == FM_OK && !request->quiet) {
        for (uint32_t i = 0; i < cube->warning_count; ++i) {
            fprintf(stderr, "fermata: warning: %s\n", cube->warnings[i]);
        }
        if (options->check) {
            puts("fermata: all invariants hold");
        }
        printf("fermata: analysed %" PRIu64 " events of %" PRIu32 " locations: %s\n",
               cube->experiment.event_count, cube->location_count, output);
    } else if (status != FM_OK) {
        fprintf(stderr, "fermata: %s\n", error.message);
    }
    fm_cube_free(cube);
    return (int)status;
}

/* Reads the arguments; the archive is argv[optind] then. @return FM_ERR_USAGE, told, or the like */
static int parse(int argc, char **argv, struct fm_chosen_options *chosen, const char **output,
                 bool *quiet, bool *help)
{
    enum { OPTION_CHECK = 256, OPTION_MEMORY, OPTION_ANALYSIS };
    static const struct option long_options[] = {
        {"jobs", required_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        {"quiet", no_argument, NULL, 'q'},
        {"check", no_argument, NULL, OPTION_CHECK},
        {"critical-path", required_argument, NULL, OPTION_ANALYSIS},
        {"partition", required_argument, NULL, OPTION_ANALYSIS},
        {"progress", required_argument, NULL, OPTION_ANALYSIS},
        {"memory", required_argument, NULL, OPTION_MEMORY},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct fm_error error;
    int option, index = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, "j:o:qh", long_options, &index)) != -1) {
        fm_status_t status = FM_OK;
        switch (option) {
        case 'j': {
            char *end;
            unsigned long jobs = strtoul(optarg, &end, 10);
            if (*end != '\0' || jobs == 0 || jobs > 4096) {
                status = fm_fail(&error, FM_ERR_USAGE, "--jobs wants a number from 1 to 4096");
            }
            chosen->options.workers = (unsigned)jobs;
            break;
        }
        case 'o':
            *output = optarg;
            break;
        case 'q':
            *quiet = true;
            break;
        case OPTION_CHECK:
            chosen->options.check = true;
            break;
        case OPTION_ANALYSIS:
            status = fm_chosen_options_set(chosen, long_options[index].name, optarg, &error);
            break;
        case OPTION_MEMORY:
            if (!parse_size(optarg, &chosen->options.memory_limit)) {
                status = fm_fail(&error, FM_ERR_USAGE, "--memory wants a size such as 512M");
            }
            break;
        case 'h':
            *help = true;
            return FM_OK;
        default:
            print_usage(stderr);
            return FM_ERR_USAGE;
        }
        if (status != FM_OK) {
            fprintf(stderr, "fermata analyze: %s\n", error.message);
            return status;
        }
    }
    if (optind + 1 != argc) {
        print_usage(stderr);
        return FM_ERR_USAGE;
    }
    return FM_OK;
}

static int analyze_archive(const char *archive, const struct fm_analysis_options *options,
                           const char *output, bool quiet)
{
    int completed = fm_complete_experiment("analyze", archive);
    if (completed != FM_OK) {
        return completed;
    }
    struct request request = {
        .archive = archive,
        .options = *options,
        .output = output == NULL ? default_output(archive) : strdup(output),
        .quiet = quiet,
    };
    int status = request.output == NULL
                     ? FM_ERR_SYSTEM
                     : fm_run_isolated("analyze", request.archive, 0, analyze, &request);
    free(request.output);
    return status;
}

int fm_command_analyze(int argc, char **argv)
{
    struct fm_chosen_options chosen = {0};
    const char *output = NULL;
    bool quiet = false;
    bool help = false;
    int status = parse(argc, argv, &chosen, &output, &quiet, &help);
    if (status == FM_OK && help) {
        print_usage(stdout);
    } else if (status == FM_OK) {
        status = analyze_archive(argv[optind], &chosen.options, output, quiet);
    }
    fm_chosen_options_free(&chosen);
    return status;
}
