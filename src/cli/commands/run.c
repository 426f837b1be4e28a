#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/recording/recording.h"
#include "cli/text/safe_text.h"

#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: fermata run [options] [--] command [arguments]\n"
    "       fermata run [options] -- mpirun -n 4 ./app\n"
    "Records an MPI program, analyses the trace, prints the report and writes it as a page for\n"
    "the browser, report.html in the experiment directory: `fermata record`, `fermata analyze`,\n"
    "`fermata report` and `fermata view` in one. Exits with the program's status. Started by a\n"
    "launcher itself (mpirun -n 4 fermata run ./app), it records only.\n";

int fm_command_run(int argc, char **argv)
{
    struct fm_record_result result;
    bool recorded;
    int program_status = fm_recording_run(argc, argv, usage, &result, &recorded);
    if (!recorded || result.directory[0] == '\0') {
        return program_status;
    }
    fflush(stdout);
    char *page;
    if (asprintf(&page, "%s/report.html", result.directory) < 0) {
        return FM_ERR_SYSTEM;
    }
    /* The page is made in the same go: it needs what the analysis alone knows. */
    char *analyze[] = {"analyze", "--quiet", "--html", page, result.directory, NULL};
    char *report[] = {"report", result.directory, NULL};
    int status = fm_command_analyze(5, analyze);
    if (status == FM_OK) {
        status = fm_command_report(2, report);
    }
    if (status == FM_OK) {
        printf("\nfermata: page for the browser: %s\n", fm_safe_text(page));
    }
    free(page);
    return program_status != 0 ? program_status : status;
}
