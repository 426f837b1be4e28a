#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records one of the programs of this folder and checks the archive against what the program did.

usage: check_recorder.py --fermata F --mpirun M --program P [--ranks N]

The output of the recorded program must be that of the unrecorded one, otf2-print and `fermata check`
must find nothing wrong, the rules that hold for every trace must hold, and the records must be
those that expected_records.py counts.
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import expected_records  # noqa: E402
import recorded_events  # noqa: E402
import recordings  # noqa: E402

TIMEOUT = 120  # seconds; a run takes a few


def run(command, folder):
    # Flushes only when the buffer is full, however slow the machine is.
    environment = {**os.environ, **recordings.VARIABLES, "FERMATA_FLUSH_INTERVAL": "never"}
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def compare_runs(options, folder, failures):
    """Runs the program without and with the recorder; returns the experiment directory."""
    experiment = folder / "experiment"
    plain = recordings.plain([options.mpirun, "-n", str(options.ranks), options.program])
    recorded = recordings.record_trace(options.fermata, options.mpirun, options.ranks, options.program,
                                       experiment)
    if plain.returncode != 0:
        failures.append(f"the program itself fails: {plain.stderr}")
    if recorded.returncode != plain.returncode:
        failures.append(f"exit code {recorded.returncode} recorded, {plain.returncode} unrecorded:"
                        f" {recorded.stderr}")
    if sorted(recorded.stdout.splitlines()) != sorted(plain.stdout.splitlines()):
        failures.append(f"output differs: {recorded.stdout!r}, unrecorded {plain.stdout!r}")
    return experiment


def check_with_tools(options, experiment, failures):
    printed = run(["otf2-print", "-Werror", str(experiment / "traces.otf2")], experiment)
    if printed.returncode != 0 or "rror" in printed.stderr:
        failures.append(f"otf2-print: exit code {printed.returncode}: {printed.stderr}")
    checked = run([options.fermata, "check", str(experiment)], experiment)
    if checked.returncode != 0 or " 0 findings" not in checked.stdout:
        failures.append(f"fermata check: {checked.stdout} {checked.stderr}")


def check_files(experiment, failures):
    """Permissions, and that nothing of the run is left over."""
    for path in [experiment, *experiment.rglob("*")]:
        mode = path.stat().st_mode & 0o777
        if mode != (0o700 if path.is_dir() else 0o600):
            failures.append(f"{path} has mode {mode:o}")
    for name in ("environment.json", "log", "traces.otf2", "traces.def", "traces/0.evt"):
        if not (experiment / name).exists():
            failures.append(f"{name} is missing")
    if (experiment / "journal").exists():
        failures.append("the journal is left over")


def check_counts(options, calls, failures):
    """Compares (region, record) counts; a number, or a predicate of (calls, records)."""
    counts = collections.Counter((call.region, record.kind)
                                 for call in calls for record in call.records)
    visits = collections.Counter()
    for call in calls:
        visits[call.region] += call.calls
    expected = expected_records.of(pathlib.Path(options.program).name, options.ranks)
    for (region, kind), number in expected.records.items():
        if counts[region, kind] != number:
            failures.append(f"{region}: {counts[region, kind]} {kind}, expected {number}")
    for region, number in expected.calls.items():
        if visits[region] != number:
            failures.append(f"{visits[region]} calls of {region}, expected {number}")
    for region in expected.exactly:
        for (found, kind), number in counts.items():
            if found == region and (region, kind) not in expected.records:
                failures.append(f"{region}: {number} unexpected {kind}")
    for text in expected.rules(calls):
        failures.append(text)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--ranks", type=int, default=4)
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        experiment = compare_runs(options, pathlib.Path(name), failures)
        if (experiment / "traces.otf2").exists():
            check_with_tools(options, experiment, failures)
            check_files(experiment, failures)
            calls, flushes, problems = recorded_events.read(str(experiment / "traces.otf2"))
            if (flushes > 0) != (pathlib.Path(options.program).name == "flushes"):
                failures.append(f"{flushes} flushes")
            failures += problems + recorded_events.broken_rules(calls)
            check_counts(options, calls, failures)
        else:
            failures.append("no archive was written")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
