# SPDX-License-Identifier: BSD-3-Clause
"""A run of sor recorded by EZTrace and by fermata at the same time: both traces must tell the same of
who waited for late senders.

EZTrace writes no completion of non-blocking operations, hence sor receives with blocking ones here. Its
processes have clocks of their own, and it writes no clock offsets: they are estimated from the messages. With
a preloaded clock that all processes share (eztrace_clock.c), the traces agree more closely.
"""

import argparse
import json
import os
import sys
import tempfile

import fermata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
from mpi_launcher import mpi_command  # noqa: E402

RANKS = 4
SOR = ["--variant", "p2p-blocking", "--size", "600x600", "--iterations", "100", "--check", "50",
       "--tolerance", "0", "--imbalance", "300"]
# Between the two recorders' clock readings lies what each does in a call: some microseconds.
CALL_DIFFERENCE = 5e-6
RELATIVE_DIFFERENCE = 0.05
# Of all ranks together, with estimated clock offsets.
ESTIMATED_DIFFERENCE = 0.10


def record(options, folder, clock):
    """Runs sor under both recorders; returns EZTrace's archive and fermata's experiment."""
    os.mkdir(folder)
    experiment = os.path.join(folder, "experiment")
    preload = f'LD_PRELOAD="{clock}:$LD_PRELOAD" ' if clock else ""
    script = f'{preload}exec eztrace -t openmpi "$@"'
    program = ["sh", "-c", script, "sh", options.program, *SOR]
    fermata.run([options.fermata, "record", "-o", experiment, "--",
                 *mpi_command(options.mpirun, RANKS, program)], cwd=folder)
    return os.path.join(folder, "sor_trace", "eztrace_log.otf2"), experiment


def late_sender(options, archive, report):
    """Seconds of Late Sender in MPI_Recv by rank, and the number of these calls."""
    fermata.run([options.fermata, "analyze", "--check", "-o", report, archive])
    found = fermata.severities(options.fermata, report, {"mpi_latesender", "visits"})
    return ([found.get(("mpi_latesender", rank, "MPI_Recv"), 0.0) for rank in range(RANKS)],
            [found.get(("visits", rank, "MPI_Recv"), 0.0) for rank in range(RANKS)])


def compare_by_rank(theirs, ours, calls):
    failures = 0
    for rank in range(RANKS):
        allowed = RELATIVE_DIFFERENCE * ours[rank] + CALL_DIFFERENCE * calls[rank]
        agree = abs(theirs[rank] - ours[rank]) <= allowed
        failures += not agree
        print(f"rank {rank}: EZTrace {theirs[rank]:.6f} s, fermata {ours[rank]:.6f} s"
              + ("" if agree else f": more than {allowed:.6f} s apart"))
    return failures


def compare_estimated(options, theirs, ours, calls, report):
    """With estimated offsets: as a whole, and with a statement about the clocks. Where messages take long, as on a busy
    machine, the offsets are known less exactly, which the report says: each wait may be wrong by that much."""
    clock = json.loads(fermata.run([options.fermata, "report", "--format=json", report]).stdout)["clock"]
    apart = abs(sum(theirs) - sum(ours)) / sum(ours)
    print(f"estimated offsets: EZTrace {sum(theirs):.6f} s, fermata {sum(ours):.6f} s, {100 * apart:.1f} % apart; "
          f"clocks: {clock}")
    allowed = ESTIMATED_DIFFERENCE + clock["error"] * sum(calls) / sum(ours)
    return (apart > allowed) + (not clock["estimated"]) + (clock["unbounded_processes"] != 0)


def check(options, folder, clock):
    archive, experiment = record(options, folder, clock)
    # EZTrace's own oddities may be found, but the archive can be read.
    fermata.run([options.fermata, "check", archive], statuses=(0, 1))
    report = os.path.join(folder, "theirs.fer")
    theirs, calls = late_sender(options, archive, report)
    ours, _ = late_sender(options, experiment, os.path.join(folder, "ours.fer"))
    if sum(ours) < 0.01:
        print("nobody waited: the run proves nothing")
        return 1
    return compare_by_rank(theirs, ours, calls) if clock else compare_estimated(options, theirs, ours, calls, report)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("fermata", "mpirun", "program", "clock"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failures = check(options, os.path.join(folder, "shared"), options.clock)
        failures += check(options, os.path.join(folder, "own"), None)
    sys.exit(failures != 0)


main()
