#include "cli/commands.h"

#include "record/launch.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: fermata record [options] [--] command [arguments]\n"
    "       fermata record [options] -- mpirun -n 4 ./app\n"
    "       mpirun -n 4 fermata record [options] ./app\n"
    "Runs an MPI program and records its MPI calls to an OTF2 archive; no recompilation needed.\n"
    "\n"
    "  -o DIR          experiment directory (default: fermata-<app>-<ranks>x<threads>-<time>)\n"
    "  --memory SIZE   buffer of each process, as in 64M; when full it is written and reused\n"
    "  --verbose       say what is recorded where\n"
    "  --help          this text\n"
    "\n"
    "Environment: FERMATA_EXPERIMENT_DIRECTORY, FERMATA_TOTAL_MEMORY, FERMATA_VERBOSE as the\n"
    "options; FERMATA_CLOCK_EXCHANGE=always measures clock offsets even between processes that\n"
    "share their clock.\n";

static int fail(const struct fm_error *error, fm_status_t status)
{
    fprintf(stderr, "fermata record: %s\n", error->message);
    return (int)status;
}

static void print_closing_line(const struct fm_record_result *result)
{
    if (result->directory[0] == '\0') {
        fprintf(stderr, "fermata: nothing was recorded: no dynamically linked MPI program called "
                        "MPI_Init\n");
    } else if (result->events == 0) {
        fprintf(stderr,
                "fermata: %s: the program did not reach MPI_Finalize; what was measured is kept\n",
                result->directory);
    } else {
        fprintf(stderr, "fermata: %s: %llu events, %.1f MB\n", result->directory,
                (unsigned long long)result->events, (double)result->bytes / 1e6);
    }
}

int fm_command_record(int argc, char **argv)
{
    static const struct option long_options[] = {{"output", required_argument, NULL, 'o'},
                                                 {"memory", required_argument, NULL, 'm'},
                                                 {"verbose", no_argument, NULL, 'v'},
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};
    struct fm_record_options options = {0};
    struct fm_record_result result;
    struct fm_error error;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+o:m:vh", long_options, NULL)) != -1) {
        switch (option) {
        case 'o':
            options.directory = optarg;
            break;
        case 'm':
            options.memory = optarg;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 'h':
            fputs(help, stdout);
            return FM_OK;
        default:
            fputs("see fermata record --help\n", stderr);
            return FM_ERR_USAGE;
        }
    }
    if (optind >= argc) {
        fputs("fermata record: no command given; see fermata record --help\n", stderr);
        return FM_ERR_USAGE;
    }
    if (fm_record_is_rank()) {
        return fail(&error, fm_record_exec(&options, argv + optind, &error));
    }
    fm_status_t status = fm_record_run(&options, argv + optind, &result, &error);
    if (status != FM_OK) {
        return fail(&error, status);
    }
    print_closing_line(&result);
    return result.exit_status;
}
