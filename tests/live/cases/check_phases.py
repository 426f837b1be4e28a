# SPDX-License-Identifier: BSD-3-Clause
"""Records 100 iterations of sor, which it marks as a phase, and compares the table of phases with what
the events of the same trace say of each iteration: how long it took, how much of that was computed
and waited, and what follows from it for imbalance and efficiency.

usage: check_phases.py --fermata F --mpirun M --program P
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

import fermata_run
from recorded_run import RecordedRun, active_target_waits, waits_for_the_last

RANKS, ITERATIONS = 4, 100
# Two by two blocks; puts go to the west, the east, the south and the north.
NEIGHBOURS = [[1, 2], [0, 3], [3, 0], [2, 1]]
# The analysis may move times by some microseconds.
SECONDS, PART = 2e-5, 0.01


def record(options, folder):
    """Returns the recorded run and the phase of its report."""
    # Which calls need progress is concluded from the run; what follows from it is no part of the rows expected here.
    output = fermata_run.record(options, folder, RANKS, [
        options.program, "--variant", "gats", "--size", "800x800", "--iterations",
        str(ITERATIONS), "--check", str(ITERATIONS), "--tolerance", "0", "--imbalance", "200:3"],
        analysis=["--progress", "async"])
    if f"sor: {ITERATIONS} iterations" not in output:
        sys.exit(f"the program's own output is missing from\n{output}")
    report = json.loads(fermata_run.report(options, folder, "--format=json"))
    (phase,) = report["phases"]
    return RecordedRun(folder / "traces.otf2"), phase


def computation(run, visit):
    """Seconds of a visit outside of MPI."""
    times = run.times(visit.rank, visit.enter, visit.leave)
    return sum(ticks for path, ticks in times.items()
               if not path[-1].startswith("MPI_")) / run.ticks_per_second


def expected_rows(run):
    """One dictionary for each iteration."""
    waits = active_target_waits(run, NEIGHBOURS)
    (residual,) = [[run.visits(rank, "MPI_Allreduce", ["residual"])[0] for rank in range(RANKS)]]
    waits += waits_for_the_last("mpi_wait_nxn", residual)
    for visits in run.instances("iteration"):
        lengths = [(visit.leave - visit.enter) / run.ticks_per_second for visit in visits]
        computed = [computation(run, visit) for visit in visits]
        waited = sum(wait.until - wait.call.enter for wait in waits
                     if visits[wait.call.rank].enter <= wait.call.enter
                     < visits[wait.call.rank].leave) / run.ticks_per_second
        yield {"duration": max(lengths), "time": sum(lengths), "computation": sum(computed),
               "longest_computation": max(computed), "waiting": waited,
               "imbalance": max(computed) - sum(computed) / RANKS,
               "parallel_efficiency": sum(computed) / (RANKS * max(lengths)),
               "load_balance": sum(computed) / (RANKS * max(computed)),
               "communication_efficiency": max(computed) / max(lengths)}


def check_rows(run, phase):
    if (phase["region"], phase["iterations"]) != ("iteration", ITERATIONS):
        yield f"{phase['iterations']} iterations of {phase['region']}"
    for number, (expected, row) in enumerate(zip(expected_rows(run), phase["rows"], strict=True)):
        if (row["first"], row["count"], row["locations"]) != (number, 1, RANKS):
            yield f"row {number}: {row}"
        for name, value in expected.items():
            if abs(row[name] - value) > SECONDS + PART * abs(value):
                yield f"{name} of iteration {number}: {row[name]:.9f} instead of {value:.9f}"


def check_table(options, folder, rows):
    """The text names the number of iterations and has a line for each of them, if asked."""
    text = fermata_run.report(options, folder, "--phases", "--top", str(ITERATIONS))
    if f"Phase iteration: {ITERATIONS} iterations on {RANKS} threads" not in text:
        yield f"no heading in\n{text}"
    lines = re.findall(r"^ +(\d+) +[\d.]+ [mun]?s +([\d.]+)%(?: \(\S+\))? +([\d.]+)%", text, re.MULTILINE)
    if sorted(int(number) for number, _, _ in lines) != list(range(ITERATIONS)):
        yield f"lines of {len(lines)} iterations in\n{text}"
    for number, waiting, parallel in lines:
        row = rows[int(number)]
        for name, shown, value in (("waiting", waiting, row["waiting"] / row["time"]),
                                   ("efficiency", parallel, row["parallel_efficiency"])):
            if abs(float(shown) - 100 * value) > 0.06:
                yield f"{name} of iteration {number}: {shown}% instead of {100 * value}%"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-cases-") as name:
        folder = pathlib.Path(name) / "sor"
        run, phase = record(options, folder)
        wrong = [*check_rows(run, phase), *check_table(options, folder, phase["rows"])]
    total = phase["total"]
    print(f"{phase['iterations']} iterations, {total['duration']:.6f} s, waiting "
          f"{total['waiting']:.6f} s, parallel efficiency {total['parallel_efficiency']:.3f}")
    for line in wrong[:40]:
        print(line)
    sys.exit(1 if wrong else 0)


main()
