# SPDX-License-Identifier: BSD-3-Clause
"""bt-rma, lock-contention, ocean-cg, work-queue, rput-pipeline, srumma, hybrid-jacobi, subsurface-cg and crystal-melt
verify their results on any number of ranks, print the same in every run, and reject wrong arguments."""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import share
from mpi_launcher import run_mpi

SHORT = ["--scale", "0.01"]

# program, arguments, what it prints with {ranks}
RUNS = [
    ("lock-contention", SHORT, "{ranks} ranks, all updates arrived"),
    ("lock-contention", [*SHORT, "--all", "--two-locks"], "{ranks} ranks, all updates arrived"),
    ("lock-contention", [*SHORT, "--busy", "--window", "allocate"],
     "{ranks} ranks, all updates arrived"),
    ("bt-rma", ["--variant", "fence-only", "--work", "0"],
     "fence-only, {ranks} ranks, 5 iterations, the solution is right"),
    ("bt-rma", ["--variant", "gats-fence", "--work", "0.001", "--rotate", "200", "--iterations", "2"],
     "gats-fence, {ranks} ranks, 2 iterations, the solution is right"),
    ("bt-rma", ["--variant", "gats-single", "--work", "0", "--points", "5"],
     "gats-single, {ranks} ranks, 5 iterations, the solution is right"),
    ("bt-rma", ["--variant", "gats-multi", "--work", "0.001", "--imbalance", "100:1", "--busy"],
     "gats-multi, {ranks} ranks, 5 iterations, the solution is right"),
    ("ocean-cg", ["--matvec", "0", "--size", "20x33", "--iterations", "15"],
     "{ranks} ranks, 15 iterations, the solution is right"),
    ("ocean-cg", ["--matvec", "0", "--size", "31x4", "--no-barrier", "--iterations", "100"],
     "{ranks} ranks, 41 iterations, the solution is right"),
    ("ocean-cg", ["--matvec", "0.001", "--imbalance", "100:0,1", "--busy", "--iterations", "1"],
     "{ranks} ranks, 1 iterations, the solution is right"),
    ("work-queue", ["--tasks", "20"], "20 tasks, each done once"),
    ("work-queue", ["--tasks", "9", "--exclusive", "--busy"], "9 tasks, each done once"),
    ("work-queue", ["--tasks", "0"], "0 tasks, each done once"),
    ("rput-pipeline", ["--blocks", "9"], "9 blocks of 1024 numbers, all right"),
    ("rput-pipeline", ["--blocks", "6", "--length", "1", "--transfer", "rput"],
     "6 blocks of 1 numbers, all right"),
    ("rput-pipeline", ["--blocks", "6", "--length", "9", "--transfer", "put"],
     "6 blocks of 9 numbers, all right"),
    ("rput-pipeline", ["--blocks", "6", "--length", "9", "--transfer", "local"],
     "6 blocks of 9 numbers, all right"),
    ("srumma", ["--blocks", "5", "--length", "8"],
     "5 x 5 blocks of 8 x 8 elements, their sum is -714, right"),
    ("srumma", ["--blocks", "1", "--length", "9", "--repeats", "2", "--window", "create"],
     "1 x 1 blocks of 9 x 9 elements, their sum is 179, right"),
    ("message-rate", ["--mode", "flood", "--messages", "300", "--delay", "0"],
     "flood, {flood} messages of 8 numbers, all right"),
    ("message-rate", ["--mode", "get", "--messages", "300", "--numbers", "1", "--delay", "0.01"],
     "get, {flood} messages of 1 numbers, all right"),
    ("hybrid-jacobi", ["--size", "21x12", "--iterations", "9", "--work", "0"],
     "21 x 12 points, 9 iterations, correct"),
    ("hybrid-jacobi", ["--size", "8x5", "--iterations", "3", "--imbalance", "100:0", "--dynamic"],
     "8 x 5 points, 3 iterations, correct"),
    ("subsurface-cg", ["--work", "0", "--iterations", "1000"],
     "{elements} elements, 1000 iterations, the solution is right"),
    ("subsurface-cg", ["--work", "0.001", "--imbalance", "100:0", "--even", "--iterations", "6"],
     "{elements} elements, 6 iterations, the solution is right"),
    ("crystal-melt", ["--work", "0", "--length", "40"], "1124 melt cells, 30 steps, the velocities are right"),
    ("crystal-melt", ["--work", "0.001", "--length", "40", "--cut", "cells", "--steps", "9"],
     "1124 melt cells, 9 steps, the velocities are right"),
]

# program, ranks, arguments, message
WRONG = [
    ("lock-contention", 2, ["--hold", "-1"], '--hold needs a number from 0 to 3600, not "-1"'),
    ("lock-contention", 2, ["--scale", "nan"], '--scale needs a number from 0 to 3600, not "nan"'),
    ("lock-contention", 2, ["--window", "shared"],
     '--window is create or allocate, not "shared"'),
    ("lock-contention", 2, ["--skew"], "--skew needs a value"),
    ("bt-rma", 1, [], "needs 2 ranks or more"),
    ("bt-rma", 2, ["--variant", "gats"],
     '--variant needs fence-only, gats-fence, gats-single or gats-multi, not "gats"'),
    ("bt-rma", 2, ["--rotate", "-1"], '--rotate needs a percentage from 0 to 10000, not "-1"'),
    ("ocean-cg", 1, [], "needs 2 ranks or more, and a row for each of them"),
    ("ocean-cg", 3, ["--size", "9x2"], "needs 2 ranks or more, and a row for each of them"),
    ("ocean-cg", 2, ["--size", "9"], '--size needs two positive numbers, as in 200x100, not "9"'),
    ("ocean-cg", 2, ["--iterations", "0"],
     '--iterations needs a number from 1 to 1000000, not "0"'),
    ("ocean-cg", 2, ["--matvec", "1ms"], '--matvec needs seconds from 0 to 3600, not "1ms"'),
    ("ocean-cg", 2, ["--imbalance", "50:2"], "--imbalance needs a percentage and, after a colon, "
     'ranks of this run, as in 50:0,2, not "50:2"'),
    ("ocean-cg", 2, ["--no-barrier=1"], "unknown option --no-barrier=1"),
    ("md-voids", 2, ["--cells", "3"], '--cells cannot be "3"'),
    ("md-voids", 2, ["--grid", "2x2"], '--grid cannot be "2x2"'),
    ("md-voids", 2, ["--grid", "2x2x1"], "the grid needs a rank for each domain"),
    ("md-voids", 2, ["--model"], "--model needs --kernel"),
    ("md-voids", 2, ["--model", "--kernel", "packed"], "--model needs one rank"),
    ("md-voids", 2, ["--kernel", "packed"], "--kernel needs --model, or md-voids-cuda"),
    ("work-queue", 2, ["--tasks", "1x"], '--tasks needs a number from 0 to 1000000, not "1x"'),
    ("work-queue", 2, ["--mean", ""], '--mean needs seconds from 0 to 3600, not ""'),
    ("work-queue", 2, ["fast"], 'unexpected argument "fast"'),
    ("rput-pipeline", 2, ["--transfer", "get"], '--transfer cannot be "get"'),
    ("rput-pipeline", 2, ["--length", "0"], '--length cannot be "0"'),
    ("rput-pipeline", 2, ["--what"], "unknown option --what"),
    ("rput-pipeline", 1, [], "needs 2 ranks or more"),
    ("hybrid-jacobi", 2, ["--size", "1x9"], "1 rows are too few for 2 processes"),
    ("hybrid-jacobi", 2, ["--work", "-1"], 'wrong argument "-1"'),
    ("subsurface-cg", 2, ["--imbalance", "50:2"], 'wrong argument "50:2"'),
    ("crystal-melt", 2, ["--cut", "columns"], 'wrong argument "columns"'),
    ("crystal-melt", 2, ["--length", "7"], "a mesh of 7 rows is too small for 2 processes"),
    ("message-rate", 2, ["--mode", "put"], '--mode cannot be "put"'),
    ("message-rate", 2, ["--messages", "0"], '--messages cannot be "0"'),
    ("message-rate", 1, [], "needs 2 ranks or more, for pairs an even number"),
    ("message-rate", 2, ["--threads", "2", "--mode", "get"],
     "threads need --mode pairs and MPI_THREAD_MULTIPLE"),
    ("message-rate", 2, ["--numbers", "1,0", "--repetitions", "2"], '--numbers cannot be "1,0"'),
    ("message-rate", 2, ["--numbers", "1,2"], "a list of --numbers needs --repetitions"),
    ("message-rate", 2, ["--mode", "flood", "--repetitions", "2"], "repetitions need --mode pairs"),
    ("srumma", 2, ["--blocks", "0"], '--blocks cannot be "0"'),
    ("srumma", 2, ["--late", "20"], '--late cannot be "20"'),
    ("srumma", 2, ["--window"], '--window cannot be ""'),
]


def lines_of(options, program, ranks, arguments, exit_code):
    """The program's own lines; exits with everything it printed if it ends in another way."""
    run = run_mpi(options.mpirun, ranks, [os.path.join(options.folder, program), *arguments])
    if run.returncode != exit_code:
        sys.exit(f"{program} {' '.join(arguments)} on {ranks} ranks: exit code {run.returncode}\n"
                 f"{run.stdout}{run.stderr}")
    return [line for line in (run.stdout + run.stderr).splitlines()
            if line.startswith(f"{program}: ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--folder", required=True, help="where the workloads are")
    parser.add_argument("--arguments", action="store_true", help="wrong arguments, not results")
    options = parser.parse_args()

    for number, (program, arguments, message) in enumerate([] if options.arguments else RUNS):
        for ranks in share.some((3, 4), 2) if number % 2 == 0 else share.some((4, 3), 2):
            told = lines_of(options, program, ranks, arguments, 0)
            expected = message.format(ranks=ranks, flood=300 * (ranks - 1), elements=8 * ranks)
            if told != [f"{program}: {expected}"]:
                sys.exit(f"{program} {' '.join(arguments)} on {ranks} ranks prints {told}")
    for program, ranks, arguments, message in WRONG if options.arguments else []:
        told = lines_of(options, program, ranks, arguments, 2)
        if told != [f"{program}: {message} (try --help)"]:
            sys.exit(f"{program} {' '.join(arguments)} prints {told}")


main()
