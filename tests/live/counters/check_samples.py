# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots are samples in the trace, too: at each visit of a phase, when a signal arrives, and each time
that a period has passed.

usage: check_samples.py FERMATA MPIRUN PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "recorder"))
from mpi_launcher import mpi_command  # noqa: E402
import recorded_events  # noqa: E402,F401  (repairs the bindings of OTF2)

fermata, mpirun, program = sys.argv[1:]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def samples(experiment, options, *arguments):
    """Values of mpi.messages_sent in the trace, by rank."""
    subprocess.run([fermata, "record", "--counters", *options, "-o", experiment, "--",
                    *mpi_command(mpirun, 2, [program, *arguments])],
                   capture_output=True, check=True, env=ENVIRONMENT)
    values, lasts = {}, {}
    with otf2.reader.open(f"{experiment}/traces.otf2") as archive:
        for location, event in archive.events:
            assert event.time >= lasts.get(location, 0), f"{location.name} goes back in time"
            lasts[location] = event.time
            if isinstance(event, otf2.events.Metric) and \
                    event.metric.members[0].name == "mpi.messages_sent":
                values.setdefault(location.group.name, []).append(event.values[0])
    assert len(values) == 2, values
    return values.values()


def main():
    with tempfile.TemporaryDirectory() as folder:
        for found in samples(f"{folder}/none", []):
            assert found == [10], found
        for found in samples(f"{folder}/phases", ["--snapshot", "phase:step"]):
            assert found == [1, 3, 6, 10], found  # visits begin with 0, 1, 3, 6
        for found in samples(f"{folder}/signal", ["--snapshot", "signal:USR2"], "signal"):
            assert found in ([3, 10], [4, 10]), found  # at the next call, or behind it
        # The call behind each pause is the first one behind a period.
        for found in samples(f"{folder}/period", ["--snapshot", "50ms"], "slow"):
            assert len(found) >= 4 and found[-1] == 10, found
        for found in samples(f"{folder}/seldom", ["--snapshot", "50ms", "--flush-interval", "never"],
                             "slow"):
            assert found == [10], found


main()
