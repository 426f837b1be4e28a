#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records solver.py on several ranks: its output, the first problem, samples, lines, and a run that
is aborted."""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT = 240  # seconds; a run takes a few
RANKS = 3
SOURCE = pathlib.Path(__file__).parent / "solver.py"


def run(command, folder, **settings):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       **settings)
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def line_of(text):
    lines = SOURCE.read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if text in line)


def analyzed(options, experiment, folder, failures):
    done = run([options.fermata, "analyze", "--check", "--quiet", experiment], folder)
    if done.returncode != 0:
        failures.append(f"analyze: {done.stdout} {done.stderr}")
    return json.loads(run([options.fermata, "report", "--format=json", experiment], folder).stdout)


def check_problem(options, folder, failures):
    """The first problem names the function, its file and line, and the rank."""
    text = run([options.fermata, "report", "experiment"], folder).stdout
    first = re.search(r"^  1\. .*?(?=^     When)", text, re.M | re.S)
    sentence = " ".join(first.group(0).split()) if first else text
    place = f"`Grid.assemble` (solver.py:{line_of('def assemble')}) on rank 1 "
    if place not in sentence:
        failures.append(f"the first problem is {sentence!r}, expected {place!r}")


def paths_of(report):
    callpaths = {item["id"]: item for item in report["callpaths"]}
    for item in report["callpaths"]:
        path, above = [item], item["parent"]
        while above is not None:
            path.insert(0, callpaths[above])
            above = callpaths[above]["parent"]
        yield item, path


def check_paths(report, failures):
    """Only Python functions and MPI calls; the lines of the calls."""
    main = ["<module>", "main"]
    barriers = []
    for item, path in paths_of(report):
        names = [part["region"] for part in path][1:]
        if item["region"] == "MPI_Barrier":
            barriers.append(item["line"])
        allowed = [main + ["Grid.assemble"], main + ["Grid.smooth", "spin"],
                   main + ["levels"] * 3 + ["Grid.exchange"],
               main + ["write"]]  # a sample in the system's function, as main tells its result
        inner = [name for name in names if not name.startswith("MPI_")]
        if names[:2] == main and not any(inner == chain[:len(inner)] for chain in allowed):
            failures.append(f"call path {names}")
        if any(part.startswith(("_Py", "Py", "__pyx", "(unnamed code")) or "+0x" in part for part in names):
            failures.append(f"call path with functions of C: {names}")
    expected = sorted([line_of("comm.Barrier(); comm.Barrier()"),
                       1 + line_of("comm.Barrier(); comm.Barrier()")])
    if sorted(barriers) != expected:
        failures.append(f"barriers in lines {barriers}, expected {expected}")


def check_samples(report, failures):
    """Rank 1 computes 6 parts in Grid.assemble and 1 in spin, the other ranks 1 and 1."""
    metric = next(item["id"] for item in report["metrics"] if item["id"] == "samples"
                  or item["name"] == "samples")
    regions = {item["id"]: item["region"] for item in report["callpaths"]}
    samples = collections.Counter()
    for item in report["severities"]:
        if item["metric"] == metric:
            samples[regions[item["callpath"]]] += item["value"]
    total = sum(samples.values())
    if total < 50 or samples["Grid.assemble"] < samples["spin"] or \
            samples["Grid.assemble"] + samples["spin"] < 0.8 * total:
        failures.append(f"samples: {samples}")


def check_aborted(options, folder, failures):
    """The paths of a run that did not reach its end are the same."""
    run([options.fermata, "record", "-o", "aborted", "--", options.mpirun, "-n", str(RANKS),
         options.python, "-B", SOURCE, "3", "20000", "abort"], folder, FERMATA_FLUSH_INTERVAL="0")
    names = [[part["region"] for part in path][1:]
             for _, path in paths_of(analyzed(options, "aborted", folder, failures))]
    wanted = ["<module>", "main", "levels", "levels", "levels", "Grid.exchange", "MPI_Barrier"]
    if wanted not in names:
        failures.append(f"aborted run: no {wanted} in {names}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--python"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        command = [options.mpirun, "-n", str(RANKS), options.python, "-B", SOURCE, "20", "100000"]
        plain = run(command, folder)
        # By default as many as 0.3 % of the time permit: of so short a run, where a Python stack costs much, a few.
        recorded = run([options.fermata, "record", "--sample", "200Hz", "-o", "experiment", "--", *command], folder)
        if (recorded.returncode, sorted(recorded.stdout.splitlines())) != \
                (plain.returncode, sorted(plain.stdout.splitlines())):
            failures.append(f"recorded: {recorded}\nunrecorded: {plain}")
        report = analyzed(options, "experiment", folder, failures)
        check_problem(options, folder, failures)
        check_paths(report, failures)
        check_samples(report, failures)
        check_aborted(options, folder, failures)
    for failure in failures[:20]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
