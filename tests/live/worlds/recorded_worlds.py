# SPDX-License-Identifier: BSD-3-Clause
"""Records programs of several worlds, and reads what is said about them."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402
from mpi_launcher import TIMEOUT, mpi_command, run_launcher  # noqa: E402

SKIPPED = 77


def options():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--preload")
    return parser.parse_args()


def skip_without_spawn(chosen, ranks, *arguments):
    """Not every library can spawn processes: Debian's MPICH cannot."""
    command = mpi_command(chosen.mpirun, ranks, [chosen.program, *arguments])
    if subprocess.run(command, capture_output=True, timeout=TIMEOUT).returncode != 0:
        print("skipped: the program does not work with this library")
        sys.exit(SKIPPED)


class Report:
    """The report of an experiment: by JSON, and as text."""

    def __init__(self, chosen, experiment):
        fermata_run.run([chosen.fermata, "analyze", "--check", "-q", str(experiment)])
        self.document = json.loads(fermata_run.report(chosen, experiment, "--format=json"))
        self.text = " ".join(fermata_run.report(chosen, experiment).split())
        self.warnings = self.document["warnings"]

    def ranks(self):
        return [(place["rank"], place.get("world", 0), place.get("world_rank", place["rank"]))
                for place in self.document["locations"]]

    def waits(self, metric, call):
        """The seconds that each rank waits in these calls."""
        waits = collections.Counter()
        for name, rank, path, value in fermata_run.severities(self.document):
            if name == metric and path[-1].startswith(call):
                waits[rank] += value
        return waits

    def causes(self):
        """Pairs of the functions of a cause, innermost first, and its ranks; the largest first."""
        paths = {path["id"]: path for path in self.document["callpaths"]}
        ranks = {place["id"]: place["rank"] for place in self.document["locations"]}
        for problem in self.document["problems"]:
            functions, at = [], problem["cause"]["callpath"]
            while at is not None:
                functions.append(paths[at]["region"])
                at = paths[at]["parent"]
            yield functions, {ranks[place] for place in problem["cause"]["locations"]}


def environment(experiment):
    return json.loads((experiment / "environment.json").read_text())
