#include "cli/commands/commands.h"
#include "cli/recording/recording.h"

static const char usage[] =
    "usage: fermata record [options] [--] command [arguments]\n"
    "       fermata record [options] -- mpirun -n 4 ./app\n"
    "       mpirun -n 4 fermata record [options] ./app\n"
    "Runs an MPI program and records its MPI calls to an OTF2 archive; no recompilation needed.\n";

int fm_command_record(int argc, char **argv)
{
    struct fm_record_result result;
    bool recorded;
    return fm_recording_run(argc, argv, usage, &result, &recorded);
}
