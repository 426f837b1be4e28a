# SPDX-License-Identifier: BSD-3-Clause
"""Records and analyses programs with fermata, and reads its reports."""

import collections
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command, run_launcher  # noqa: E402


def run(command, has_begun=lambda: True):
    """What the command prints; exits with all its output if it fails. has_begun: as of run_launcher()"""
    outcome = run_launcher(command, has_begun)
    if outcome.returncode != 0:
        sys.exit(f"exit code {outcome.returncode}: {' '.join(command)}\n"
                 f"{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def record(options, folder, ranks, program, samples=False, analysis=()):
    """Records and analyses a program; returns what it prints. Without samples, its call paths are
    those of its MPI calls and marks only. analysis: further options of `fermata analyze`"""
    chosen = [] if samples else ["--sample=off"]
    output = run([options.fermata, "record", *chosen, "-o", str(folder), "--",
                  *mpi_command(options.mpirun, ranks, program)], pathlib.Path(folder).exists)
    run([options.fermata, "analyze", "--check", "-q", *analysis, str(folder)])
    return output


def report(options, folder, *arguments):
    return run([options.fermata, "report", str(folder), *arguments])


def severities(document):
    """Yields (metric, rank, call path as names, value) of a report as JSON."""
    paths = {}
    for callpath in document["callpaths"]:
        parent = paths.get(callpath["parent"], ())
        paths[callpath["id"]] = (*parent, callpath["region"])
    ranks = {location["id"]: location["rank"] for location in document["locations"]}
    for row in document["severities"]:
        yield row["metric"], ranks[row["location"]], paths[row["callpath"]], row["value"]


def pairwise_synchronizations(options, folder):
    """Returns the number of pair-wise synchronizations in a report, and how many of these are unneeded."""
    sums = collections.Counter()
    for metric, _, _, value in severities(json.loads(report(options, folder, "--format=json"))):
        sums[metric] += value
    unneeded = int(sums["mpi_rma_pairsync_unneeded_count"])
    return int(sums["mpi_rma_pairsync_count"]) + unneeded, unneeded
