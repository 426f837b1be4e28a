# SPDX-License-Identifier: BSD-3-Clause
"""Records a program whose rank 1 sends to rank 0, puts into its memory, or completes a collective while that computes,
and compares what fermata says of the waiting with how long the program itself was in its call. Whether it waits for
the progress of rank 0 is the library's choice: calls that took most of the computing time did, those that took next to
nothing did not.

usage: check_late_partners.py --fermata F --mpirun M --program P"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import TIMEOUT, mpi_command  # noqa: E402

# What the program does, how many bytes; the metric, the calls, how the report names these. Which call of a lock epoch
# is held is the library's choice.
LOCKING = ["MPI_Win_lock", "MPI_Put", "MPI_Win_unlock"], ("Locks", "Puts", "Unlocks")
CASES = [("message", 4 << 20, "mpi_p2p_wait_for_progress", ["MPI_Send"], ("Sends",)),
         ("message", 8, "mpi_p2p_wait_for_progress", ["MPI_Send"], ("Sends",)),
         ("target", 4 << 20, "mpi_rma_active_wait_for_progress", ["MPI_Win_complete"], ("Completes",)),
         ("target", 8, "mpi_rma_active_wait_for_progress", ["MPI_Win_complete"], ("Completes",)),
         ("lock", 4 << 20, "mpi_rma_sync_wait_for_progress", *LOCKING),
         ("lock", 8, "mpi_rma_sync_wait_for_progress", *LOCKING),
         ("collective", 4 << 20, "mpi_coll_wait_for_progress", ["MPI_Wait"], ("Iallreduces",)),
         ("collective", 8, "mpi_coll_wait_for_progress", ["MPI_Wait"], ("Iallreduces",))]
WINDOW = re.compile(r" on window \d+ \(MPI_Win_\w+, late_partners\.c:\d+\)")
PROGRESS = re.compile(r"mpi_.*_wait_for_progress$")
HELD, FREE = 0.15, 0.02  # seconds: a call of at least, at most this
TOLERANCE = 0.4  # of the time in the call: what it takes once it is served, on a machine with other load


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT,
                          errors="replace")
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def waiting(report):
    """{(metric, region): seconds on rank 1}."""
    regions = {path["id"]: path["region"] for path in report["callpaths"]}
    ranks = {location["id"]: location["rank"] for location in report["locations"]}
    found = {}
    for row in report["severities"]:
        if PROGRESS.match(row["metric"]) and ranks[row["location"]] == 1:
            key = row["metric"], regions[row["callpath"]]
            found[key] = found.get(key, 0) + row["value"]
    return found


def check(options, folder, mode, size, metric, regions, calls):
    """What is wrong with the report on one run, as lines."""
    output = run([options.fermata, "run", "-o", folder, "--",
                  *mpi_command(options.mpirun, 2, [options.program, mode, str(size)])])
    held = [float(word) for word in re.findall(r"held: ([0-9.]+)", output)]
    report = json.loads(run([options.fermata, "report", folder, "--format=json"]))
    found = sum(waiting(report).get((metric, region), 0) for region in regions)
    stated = [finding["statement"] for finding in report["findings"]
              if finding["id"] == "progress-evidence" and finding["statement"].startswith(calls)]
    print(f"{mode} {size}: held {held}, found {found:.6f} s; {stated}")
    if not stated:
        yield f"no statement on {calls}"
    # The program does not name its window.
    if mode in ("target", "lock") and not all(WINDOW.search(statement) for statement in stated):
        yield f"the window is not named: {stated}"
    if all(time >= HELD for time in held):
        if not sum(held) * (1 - TOLERANCE) <= found <= sum(held) * 1.02 + 0.01:
            yield f"{found} s of {metric} in {regions}, the program was {sum(held)} s in it"
        if not any("need its progress" in statement for statement in stated):
            yield f"the report says otherwise: {stated}"
        cause = report["problems"][0]["cause"]
        region_of = {path["id"]: path["region"] for path in report["callpaths"]}
        if cause["kind"] != "progress" or region_of[cause["callpath"]] != "compute":
            yield f"the first problem is {cause}"
    elif all(time <= FREE for time in held):
        if waiting(report):
            yield f"nobody waited, but the report has {waiting(report)}"
        if not all("no progress needed" in statement or "no wait for progress is counted" in statement
                   for statement in stated):
            yield f"the report says otherwise: {stated}"
    else:
        print("neither held nor free: not checked")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-progress-") as folder:
        wrong = [f"{case[0]} {case[1]}: {line}" for number, case in enumerate(CASES)
                 for line in check(options, pathlib.Path(folder) / str(number), *case)]
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
