# SPDX-License-Identifier: BSD-3-Clause
"""Counters of ARMCI are those that the program has planned call by call, and those of its trace.

usage: check_armci.py FERMATA MPIRUN PROGRAM     (of live/armci: writes FOLDER/expected.RANK)
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
RANKS = 4
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1")
OPERATIONS = {"put": ("armci.puts", "armci.bytes_put"), "get": ("armci.gets", "armci.bytes_got")}


def planned(path):
    """What the lines of check_families.py add up to: the function, and a word for each record."""
    counts = collections.Counter()
    for line in path.read_text(encoding="ascii").splitlines():
        function, *words = line.split()
        counts[f"calls:{function}"] += 1
        for word in words:
            kind, *fields = word.split(":")
            if kind in OPERATIONS:
                number, volume = OPERATIONS[kind]
                counts[number] += 1
                counts[volume] += int(fields[1])
            elif kind == "atomic":
                counts["armci.atomics"] += 1
                counts["armci.bytes_atomic"] += int(fields[2]) + int(fields[3])
            elif kind == "collective":
                counts["armci.collectives"] += 1
            elif kind == "acquire":
                counts["armci.locks_acquired"] += 1
    return counts


def traced(archive):
    """The same of the trace, in which calls of ARMCI alone are one-sided."""
    counts = collections.defaultdict(collections.Counter)
    opened = {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            kind, own = type(event).__name__, counts[int(location.group.name.split()[-1])]
            if kind == "Enter" and event.region.name.startswith("ARMCI"):
                own[f"calls:{event.region.name}"] += 1
                opened[location] = event.region.name
            elif kind == "Leave":
                opened.pop(location, None)
            elif kind == "ParameterUnsignedInt" and event.parameter.name == "calls" and location in opened:
                own[f"calls:{opened[location]}"] += event.value - 1  # merged ones
            elif kind in ("RmaPut", "RmaGet"):
                number, volume = OPERATIONS[kind[3:].lower()]
                own[number] += 1
                own[volume] += event.bytes
            elif kind == "RmaAtomic":
                own["armci.atomics"] += 1
                own["armci.bytes_atomic"] += event.bytes_sent + event.bytes_received
            elif kind == "RmaCollectiveEnd":
                own["armci.collectives"] += 1
            elif kind == "RmaAcquireLock":
                own["armci.locks_acquired"] += 1
    return counts


def counted(experiment):
    shown = json.loads(subprocess.run([fermata, "counters", "show", "--format", "json",
                                       str(experiment), "armci.*", "calls:ARMCI*"],
                                      capture_output=True, text=True, check=True).stdout)
    counts = [collections.Counter() for _ in range(RANKS)]
    for counter in shown["counters"]:
        for rank, value in enumerate(counter["values"]):
            if value and not counter["name"].startswith("armci.collective_bytes"):
                counts[rank][counter["name"]] = value
    return counts


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for option in ("--counters", "--counters-only"):
            experiment = folder / option
            done = subprocess.run([fermata, "record", option, "--sample=off", "-o", str(experiment), "--",
                                   *mpi_command(mpirun, RANKS, [program, str(folder)])],
                                  capture_output=True, text=True, check=False, env=ENVIRONMENT)
            assert "all families" in done.stdout, done.stdout + done.stderr
            counts = counted(experiment)
            for rank in range(RANKS):
                wanted = planned(folder / f"expected.{rank}")
                assert wanted["armci.puts"] > 10 and wanted["armci.locks_acquired"] > 5, wanted
                different = {key: (wanted[key], counts[rank][key]) for key in wanted | counts[rank]
                             if wanted[key] != counts[rank][key]}
                assert not different, (option, rank, different)
            if option == "--counters":
                trace = traced(experiment / "traces.otf2")
                for rank in range(RANKS):
                    assert trace[rank] == counts[rank], (rank, trace[rank] - counts[rank],
                                                         counts[rank] - trace[rank])


main()
