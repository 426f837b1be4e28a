#include "cli/recording.h"

#include "cli/dry_run.h"
#include "cli/environment.h"
#include "record/core/sample_rate.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char options_help[] =
    "\n"
    "  -o DIR          experiment directory (default: fermata-<app>-<ranks>x<threads>-<time>,\n"
    "                  in a batch job fermata-<app>-<ranks>x<threads>-job<id>-<time>)\n"
    "  --memory SIZE   buffer of each process, as in 64M; when full it is written and reused\n"
    "  --progress WHO  who serves one-sided operations, for the analysis: target (only calls of\n"
    "                  their target), async (a progress thread or process, at any time)\n"
    "  --callpath=WHAT which functions of the program lead to its MPI calls: stack (all that are "
    "on\n"
    "                  the call stack, the default), depth=N (the outer N of them), flat (none)\n"
    "  --sample FREQ   record what threads do between their MPI calls, too, as often as that in a\n"
    "                  second of their CPU time: 100Hz, 1kHz\n"
    "  --dry-run       print the environment, the directory and the command, and do nothing else\n"
    "  --verbose       say what is recorded where\n"
    "  --help          this text\n"
    "\n"
    "Environment: FERMATA_EXPERIMENT_DIRECTORY, FERMATA_TOTAL_MEMORY, FERMATA_PROGRESS,\n"
    "FERMATA_CALLPATH, FERMATA_SAMPLE, FERMATA_VERBOSE as the options; "
    "FERMATA_CLOCK_EXCHANGE=always\n"
    "measures clock offsets even between processes that share their clock. "
    "FERMATA_FLUSH_INTERVAL:\n"
    "seconds after which records are written to disk at the next MPI call, so that a killed "
    "process loses "
    "little\n"
    "(default 2; 0: at every call; never: only when the buffer is full).\n";

static int fail(const char *command, const struct fm_error *error, fm_status_t status)
{
    fprintf(stderr, "fermata %s: %s\n", command, error->message);
    return (int)status;
}

static bool is_callpath(const char *text)
{
    char *end;
    if (strncmp(text, "depth=", 6) == 0) {
        return text[6] >= '0' && text[6] <= '9' && strtol(text + 6, &end, 10) > 0 && *end == '\0';
    }
    return strcmp(text, "stack") == 0 || strcmp(text, "flat") == 0;
}

static void print_closing_line(const struct fm_record_result *result)
{
    char text[256];
    if (result->directory[0] == '\0') {
        fprintf(stderr, "fermata: nothing was recorded: no dynamically linked MPI program called "
                        "MPI_Init, or a message above says why; see `fermata doctor`\n");
    } else if (result->totals.events == 0) {
        fprintf(stderr, "fermata: %s: %s\n", result->directory,
                result->missing[0] != '\0' ? result->missing : "no events");
    } else {
        fprintf(stderr, "fermata: %s: %s%s%s\n", result->directory,
                fm_experiment_totals_text(&result->totals, text, sizeof text),
                result->missing[0] != '\0' ? "; incomplete run: " : "", result->missing);
    }
}

int fm_recording_run(int argc, char **argv, const char *usage, struct fm_record_result *result,
                     bool *recorded)
{
    static const struct option long_options[] = {{"output", required_argument, NULL, 'o'},
                                                 {"memory", required_argument, NULL, 'm'},
                                                 {"progress", required_argument, NULL, 'p'},
                                                 {"callpath", required_argument, NULL, 'c'},
                                                 {"sample", required_argument, NULL, 's'},
                                                 {"verbose", no_argument, NULL, 'v'},
                                                 {"dry-run", no_argument, NULL, 'd'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    struct fm_record_options options = {0};
    struct fm_error error;
    int option;
    bool dry_run = false;
    *recorded = false;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+o:m:vh", long_options, NULL)) != -1) {
        switch (option) {
        case 'o':
            options.directory = optarg;
            break;
        case 'm':
            options.memory = optarg;
            break;
        case 'p':
            options.progress = fm_progress_named(optarg);
            if (options.progress == NULL) {
                fprintf(stderr, "fermata %s: --progress wants target or async\n", argv[0]);
                return FM_ERR_USAGE;
            }
            break;
        case 'c':
            if (!is_callpath(optarg)) {
                fprintf(stderr, "fermata %s: --callpath=%s: not stack, flat or depth=N\n", argv[0],
                        optarg);
                return FM_ERR_USAGE;
            }
            options.callpath = optarg;
            break;
        case 's':
            if (fm_sample_rate(optarg) <= 0) {
                fprintf(stderr, "fermata %s: --sample=%s: no frequency from %d Hz to %d kHz\n",
                        argv[0], optarg, FM_SAMPLE_RATE_LEAST, FM_SAMPLE_RATE_MOST / 1000);
                return FM_ERR_USAGE;
            }
            options.sample = optarg;
            break;
        case 'd':
            dry_run = true;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 'h':
            fputs(usage, stdout);
            fputs(options_help, stdout);
            return FM_OK;
        default:
            fprintf(stderr, "see fermata %s --help\n", argv[0]);
            return FM_ERR_USAGE;
        }
    }
    if (options.sample != NULL && options.callpath != NULL &&
        strcmp(options.callpath, "flat") == 0) {
        fprintf(stderr, "fermata %s: --sample wants call paths, --callpath=flat wants none\n",
                argv[0]);
        return FM_ERR_USAGE;
    }
    if (optind >= argc) {
        fprintf(stderr, "fermata %s: no command given; see fermata %s --help\n", argv[0], argv[0]);
        return FM_ERR_USAGE;
    }
    if (dry_run) {
        fm_status_t told = fm_dry_run(&options, argv + optind, &error);
        return told == FM_OK ? FM_OK : fail(argv[0], &error, told);
    }
    if (fm_record_is_rank()) {
        return fail(argv[0], &error, fm_record_exec(&options, argv + optind, &error));
    }
    fm_status_t status = fm_record_run(&options, argv + optind, result, &error);
    if (status != FM_OK) {
        return fail(argv[0], &error, status);
    }
    *recorded = true;
    print_closing_line(result);
    return result->exit_status;
}
