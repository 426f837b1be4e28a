#include "base/process/launch.h"
#include "cli/archive/analyze_trace.h"
#include "cli/archive/isolate.h"
#include "cli/archive/team.h"
#include "cli/commands/commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_usage(void)
{
    fputs(
        "usage: fermata analyze [OPTIONS] DIR\n"
        "Finds the wait states in the trace DIR/traces.otf2 (any OTF2 archive) and writes\n"
        "DIR/report.fer, which `fermata report DIR` shows.\n\n"
        "  -j, --jobs N       worker threads of each process (default: one for each processor, "
        "which\n"
        "                     the processes on a machine share)\n"
        "  -o, --output FILE  where to write the report\n"
        "  -q, --quiet        print errors only; warnings stand in the report, too\n"
        "      --html FILE    write the page for the browser, too, as `fermata view` does later\n"
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
        "      --progress WHO target: one-sided operations need a call of their target; async: a\n"
        "                     progress thread or process serves them at any time (default: what\n"
        "                     the experiment says; it takes note of what is said here)\n"
        "      --memory SIZE  keep at most about SIZE (e.g. 512M, 4G) of the tables in memory,\n"
        "                     the rest in a file beside the report; counts for each process\n"
        "      --mpi LIBRARY  openmpi, mpich: share the work with the processes that were started\n"
        "                     together by this library; none: do not; default: as the launcher\n"
        "                     tells (mpirun -n 4 fermata analyze DIR)\n",
        stdout);
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

enum { OPTION_CHECK = 256, OPTION_HTML, OPTION_MEMORY, OPTION_MPI, OPTION_ANALYSIS };

/* getopt() has found something wrong with `word`, or with a letter in it. */
static fm_status_t refuse_option(const char *word, const char *what, struct fm_error *error)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    return fm_fail(error, FM_ERR_USAGE, "%s %s; see fermata analyze --help",
                   strncmp(word, "--", 2) == 0 ? word : letter, what);
}

static bool is_one_of(const char *word, const char *const words[])
{
    while (*words != NULL && strcmp(*words, word) != 0) {
        ++words;
    }
    return *words != NULL;
}

/* Reads the option that getopt() has found. @param name  of a long option */
static fm_status_t read_option(int option, const char *name, const char *word,
                               struct fm_analyze_request *request, const char **mpi,
                               struct fm_error *error)
{
    static const char *const mpi_libraries[] = {"openmpi", "mpich", "none", NULL};
    switch (option) {
    case 'j': {
        char *end;
        unsigned long jobs = strtoul(optarg, &end, 10);
        if (*end != '\0' || jobs == 0 || jobs > 4096) {
            return fm_fail(error, FM_ERR_USAGE, "--jobs wants a number from 1 to 4096");
        }
        request->chosen.options.workers = (unsigned)jobs;
        return FM_OK;
    }
    case 'o':
        free(request->output);
        request->output = strdup(optarg);
        return FM_OK;
    case 'q':
        request->quiet = true;
        return FM_OK;
    case OPTION_HTML:
        request->page = optarg;
        return FM_OK;
    case OPTION_CHECK:
        request->chosen.options.check = true;
        return FM_OK;
    case OPTION_ANALYSIS:
        if (strcmp(name, "progress") == 0) {
            request->progress = optarg;
        }
        return fm_chosen_options_set(&request->chosen, name, optarg, error);
    case OPTION_MEMORY:
        if (!parse_size(optarg, &request->chosen.options.memory_limit)) {
            return fm_fail(error, FM_ERR_USAGE, "--memory wants a size such as 512M");
        }
        return FM_OK;
    case OPTION_MPI:
        if (!is_one_of(optarg, mpi_libraries)) {
            return fm_fail(error, FM_ERR_USAGE, "--mpi wants openmpi, mpich, or none");
        }
        *mpi = optarg;
        return FM_OK;
    case ':':
        return refuse_option(word, "wants a value", error);
    default:
        return refuse_option(word, "is no option", error);
    }
}

/* @return the first thing that is wrong
 * @param mpi   out: the MPI library that the user wants
 * @param help  out: only the help is wanted */
static fm_status_t read_arguments(int argc, char **argv, struct fm_analyze_request *request,
                                  const char **mpi, bool *help, struct fm_error *error)
{
    static const struct option long_options[] = {
        {"jobs", required_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        {"quiet", no_argument, NULL, 'q'},
        {"html", required_argument, NULL, OPTION_HTML},
        {"check", no_argument, NULL, OPTION_CHECK},
        {"critical-path", required_argument, NULL, OPTION_ANALYSIS},
        {"partition", required_argument, NULL, OPTION_ANALYSIS},
        {"progress", required_argument, NULL, OPTION_ANALYSIS},
        {"memory", required_argument, NULL, OPTION_MEMORY},
        {"mpi", required_argument, NULL, OPTION_MPI},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int option, index = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":j:o:qh", long_options, &index)) != -1) {
        *help = option == 'h';
        fm_status_t status = *help ? FM_OK
                                   : read_option(option, long_options[index].name, argv[optind - 1],
                                                 request, mpi, error);
        if (*help || status != FM_OK) {
            return status;
        }
    }
    if (optind + 1 != argc) {
        return fm_fail(error, FM_ERR_USAGE, "wants one DIR; see fermata analyze --help");
    }
    request->archive = argv[optind];
    if (request->output == NULL) {
        request->output = default_output(request->archive);
    }
    return request->output != NULL ? FM_OK : fm_fail(error, FM_ERR_SYSTEM, "no memory");
}

int fm_command_analyze(int argc, char **argv)
{
    struct fm_analyze_request request = {0};
    const char *mpi = NULL;
    bool help = false;
    int status;
    request.status = read_arguments(argc, argv, &request, &mpi, &help, &request.error);
    request.library = fm_team_library(mpi);
    if (help) {
        status = FM_OK;
        if (fm_launch_read().rank == 0) {
            print_usage();
        }
    } else if (request.status != FM_OK && request.library == NULL) {
        status = (int)request.status;
        fprintf(stderr, "fermata analyze: %s\n", request.error.message);
    } else {
        status = fm_run_isolated("analyze", request.archive, 0, fm_analyze_trace, &request);
    }
    free(request.output);
    fm_chosen_options_free(&request.chosen);
    return status;
}
