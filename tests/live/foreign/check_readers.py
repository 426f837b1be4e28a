# SPDX-License-Identifier: BSD-3-Clause
"""Other programs read fermata's archives, those of scenarios of all kinds and recorded ones: OTF2's otf2-print and
Python module without any complaint, and the trace viewer ViTE draws one.

usage: check_readers.py --fermata F [--run MPIRUN PROGRAM]...     (PROGRAM is the workload sor)
"""

import argparse
import glob
import os
import shutil
import sys
import tempfile
import xml.etree.ElementTree

import otf2

import fermata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import share  # noqa: E402
from mpi_launcher import mpi_command  # noqa: E402

VARIANTS = ["p2p", "p2p-blocking", "fence", "gats", "locks"]
RANKS = 4


def recorded(options, folder):
    """Experiments of all variants of sor with each MPI library."""
    for number, (mpirun, program) in enumerate(options.run):
        for variant in VARIANTS:
            experiment = os.path.join(folder, f"{variant}-{number}")
            fermata.run([options.fermata, "record", "-o", experiment, "--",
                         *mpi_command(mpirun, RANKS, [program, "--variant", variant,
                                                      "--size", "64x64", "--iterations", "20"])])
            yield experiment


def synthesized(options, folder):
    """Archives of scenarios of the tests; formats/scenario/other_readers.py reads all."""
    paths = sorted(glob.glob(os.path.join(HERE, "..", "..", "*", "scenario*", "**", "*.scn"), recursive=True))
    for number, path in enumerate(share.some(paths, 8)):
        archive = os.path.join(folder, f"scenario-{number}")
        fermata.run([options.fermata, "synth", path, "-o", archive])
        yield archive


def read_with_python(anchor):
    """Number of events, after the calls of every location were found to nest."""
    total = 0
    open_calls = {}
    with otf2.reader.open(anchor) as archive:
        for location, event in archive.events:
            total += 1
            calls = open_calls.setdefault(location, [])
            if isinstance(event, otf2.events.Enter):
                calls.append(event.region)
            elif isinstance(event, otf2.events.Leave):
                assert calls.pop() is event.region, anchor
        assert total == sum(location.number_of_events
                            for location in archive.definitions.locations), anchor
    assert not any(open_calls.values()), anchor
    return total


def print_with_otf2(anchor):
    printed = fermata.run(["otf2-print", "--silent", "-Werror", anchor])
    assert printed.stderr == "", f"{anchor}: {printed.stderr}"


def draw_with_vite(anchor, picture):
    drawn = fermata.run(["vite", "-e", picture, anchor],
                        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert "0 errors" in drawn.stdout + drawn.stderr, drawn.stderr[-2000:]
    shapes = list(xml.etree.ElementTree.parse(picture).iter())
    assert len(shapes) > 100, f"{anchor}: {len(shapes)} shapes"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--run", nargs=2, action="append", default=[])
    options = parser.parse_args()
    archives = events = 0
    with tempfile.TemporaryDirectory() as folder:
        for experiment in synthesized(options, folder):
            print_with_otf2(os.path.join(experiment, "traces.otf2"))
            archives += 1
        experiment = None
        for experiment in recorded(options, folder):
            anchor = os.path.join(experiment, "traces.otf2")
            print_with_otf2(anchor)
            events += read_with_python(anchor)
            archives += 1
        if experiment is None:
            print("nothing was recorded: no MPI library")
        elif shutil.which("vite") is None:
            print("ViTE is not installed: nothing was drawn")
        else:
            draw_with_vite(os.path.join(experiment, "traces.otf2"), os.path.join(folder, "a.svg"))
            print("ViTE drew an archive")
    print(f"{archives} archives read, {events} recorded events")


main()
