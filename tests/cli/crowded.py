# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run that lacked processors for much of its time states that before all shares of waiting and
communication; that of another run does not.

usage: crowded.py FERMATA
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SCENARIO = """unit 1
ranks 2
0 0 enter MPI_Barrier
0 0 coll_begin
10 1 enter MPI_Barrier
10 1 coll_begin
11 0 coll_end barrier world - 0 0
11 0 leave MPI_Barrier
11 1 coll_end barrier world - 0 0
11 1 leave MPI_Barrier
"""


def report(fermata, folder, delay):
    experiment = pathlib.Path(folder) / f"delay-{delay}"
    scenario = pathlib.Path(folder) / "scenario.scn"
    scenario.write_text(SCENARIO)
    subprocess.run([fermata, "synth", scenario, "-o", experiment], check=True, capture_output=True)
    place = experiment / "environment.json"
    environment = json.loads(place.read_text()) if place.exists() else {}
    environment.update(processors=1, run_delay={"run_seconds": 100, "delay_seconds": delay})
    place.write_text(json.dumps(environment))
    subprocess.run([fermata, "analyze", "-q", experiment], check=True, capture_output=True)
    return subprocess.run([fermata, "report", experiment], check=True, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        crowded, quiet = (report(sys.argv[1], folder, delay) for delay in (96, 1))
    assert "none for 96% of the run" in crowded, crowded
    assert crowded.index("none for 96%") < crowded.index("  Waiting"), crowded
    assert "  Processors" not in quiet and "  Waiting" in quiet, quiet


main()
