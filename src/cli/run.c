#include "cli/commands.h"
#include "cli/recording.h"

#include <stdio.h>

static const char usage[] =
    "usage: fermata run [options] [--] command [arguments]\n"
    "       fermata run [options] -- mpirun -n 4 ./app\n"
    "Records an MPI program, analyses the trace, prints the report and writes it as a page for\n"
    "the browser, report.html in the experiment directory: `fermata record`, `fermata analyze`,\n"
    "`fermata report` and `fermata view` in one. Exits with the program's status.\n";

int fm_command_run(int argc, char **argv)
{
    struct fm_record_result result;
    bool recorded;
    int program_status = fm_recording_run(argc, argv, usage, &result, &recorded);
    if (!recorded || result.directory[0] == '\0') {
        return program_status;
    }
    fflush(stdout);
    char *analyze[] = {"analyze", "--quiet", result.directory, NULL};
    char *report[] = {"report", result.directory, NULL};
    char *view[] = {"view", result.directory, NULL};
    int status = fm_command_analyze(3, analyze);
    if (status == FM_OK) {
        status = fm_command_report(2, report);
    }
    if (status == FM_OK) {
        putchar('\n');
        status = fm_command_view(2, view);
    }
    return program_status != 0 ? program_status : status;
}
