#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recorder's messages at start-up and finalization are counted, and grow with log P (bar P12)."""

import argparse
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from bars import messages  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", type=Path, required=True)
    parser.add_argument("--bench", type=Path, required=True, help="folder of the programs")
    parser.add_argument("libraries", nargs="+", choices=["openmpi", "mpich"])
    arguments = parser.parse_args()
    programs = SimpleNamespace(fermata=arguments.fermata, bench=arguments.bench)
    with tempfile.TemporaryDirectory() as folder:
        for library in arguments.libraries:
            figure = messages.growth(programs, Path(folder), library, [2, 4, 8])
            counts = figure.details["messages_of_the_busiest_rank"]
            # Whatever the recorder does, all ranks must agree at least once, up and down a tree.
            assert counts[2] >= 2, f"{library}: {counts}: messages are not counted"
            assert figure.holds, f"{library}: {counts}: more than c ceil(log2 P) + d"


main()
