# SPDX-License-Identifier: BSD-3-Clause
"""Whether waiting times are as exact as the report says: WAITS.

planted_waits makes waits of known length: it reads the clock immediately before the calls. A run is right if
the true sum of its waits differs from the report's Late Sender by no more than the error that the report
states; a tenth of a microsecond for each wait is what the program's own readings of the clock take."""

import json
import shutil

from .measure import Figure, mpich, open_mpi, run

LAUNCHERS = {"openmpi": open_mpi, "mpich": mpich}
WAITS = 20  # of a run
OWN_READING = 1e-7  # seconds
LEAST_SHARE = 95  # percent


def _run_once(programs, archive, command):
    """(true sum, reported sum, its error) of the waits of a run, in seconds."""
    shutil.rmtree(archive, ignore_errors=True)
    output = run([programs.fermata, "record", "-o", archive, "--", *command]).output
    true = [int(line) * 1e-9 for line in output.splitlines() if line.lstrip("-").isdigit()]
    run([programs.fermata, "analyze", "-q", archive])
    report = json.loads(run([programs.fermata, "report", "--format=json", archive]).output)
    found = next((record for record in report["statistics"] if record["metric"] == "mpi_latesender"),
                 {"sum": 0, "error": 0})
    return sum(max(length, 0) for length in true), found["sum"], found["error"]


def right_runs(programs, folder, options):
    """WAITS: percentage of runs whose waiting is within the stated error of the true one."""
    archive = folder / "waits"
    for library, launcher in LAUNCHERS.items():
        runs = options.planted_runs // len(LAUNCHERS)
        right, details = 0, []
        for seed in range(runs):
            command = [*launcher(2), programs.bench / f"planted_waits_{library}", str(WAITS), str(seed + 1)]
            true, reported, error = _run_once(programs, archive, command)
            right += abs(true - reported) <= error + WAITS * OWN_READING
            details.append((true, reported, error))
        yield Figure("WAITS", f"% of {runs} runs within the stated error, {library}", [100 * right / runs],
                     LEAST_SHARE, at_most=False, details={"runs": details})
    shutil.rmtree(archive, ignore_errors=True)
