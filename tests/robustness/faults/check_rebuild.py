#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several commands at once meet an experiment whose archive is still to be made from its journals,
beside what a rebuild that was killed has left: all see the whole archive, nothing else remains.

usage: check_rebuild.py --fermata F --mpirun M --program FAIL
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RANKS, COMMANDS, ATTEMPTS = 2, 6, 3


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    failures = []
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       FERMATA_FLUSH_INTERVAL="0")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recorded = subprocess.run([options.mpirun, "-n", str(RANKS), options.fermata, "record",
                                   "-o", "experiment", options.program, "flood-kill"],
                                  cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=120, errors="replace")
        if not (folder / "experiment/journal").exists():
            failures.append(f"no journal was left: {recorded.stderr}")
        seen = set()
        for attempt in range(ATTEMPTS):
            experiment = folder / f"experiment-{attempt}"
            shutil.copytree(folder / "experiment", experiment)
            (experiment / "rebuild-abcdef").mkdir()
            (experiment / "rebuild-abcdef/traces.def").write_text("")
            commands = [subprocess.Popen([options.fermata, "info", "--format=json", experiment],
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                        for _ in range(COMMANDS)]
            for command in commands:
                output, errors = command.communicate(timeout=120)
                if command.returncode != 0:
                    failures.append(f"exit code {command.returncode}: {errors}")
                else:
                    seen.add(json.loads(output)["events"])
            left = [path.name for path in experiment.iterdir()
                    if path.name == "journal" or path.name.startswith("rebuild")]
            if left:
                failures.append(f"left over: {left}")
        if len(seen) != 1 or min(seen) < RANKS * 20000:
            failures.append(f"numbers of events: {seen}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
