# SPDX-License-Identifier: BSD-3-Clause
"""Records shmem-sor with a PE that comes late. Its result is that of a run without the recorder, and its
neighbours' waits last as long as the trace says that the late PE's flags stay away.

usage: check_sor.py FERMATA LAUNCHER PROGRAM
"""
import pathlib
import shlex
import sys
import tempfile

import otf2
from otf2.events import Enter, Leave
from shmem_archive import pe_of, run

PES, LATE, ITERATIONS, MILLISECONDS = 4, 2, 10, 30


def read_exchanges(archive):
    """@return by PE: (Enter, Leave) of its flags and of its waits, in seconds"""
    calls, since = {pe: {"flag": [], "wait": []} for pe in range(PES)}, {}
    kinds = {"shmem_long_p": "flag", "shmem_long_wait_until": "wait"}
    with otf2.reader.open(str(archive)) as trace:
        second = trace.timer_resolution
        for location, event in trace.events:
            if isinstance(event, Enter):
                since[pe_of(location)] = event.time / second
            elif isinstance(event, Leave) and event.region.name in kinds:
                pe = pe_of(location)
                calls[pe][kinds[event.region.name]].append((since[pe], event.time / second))
    return calls


def check_waits(calls):
    """The last PE has one neighbour, the late one, which sends it the second flag of each exchange."""
    half_sweeps = 2 * ITERATIONS
    waits, flags = calls[PES - 1]["wait"], calls[LATE]["flag"][1::2]
    assert len(waits) == len(flags) == half_sweeps, (len(waits), len(flags))
    expected = waited = 0
    for (enter, leave), (sent, _) in zip(waits, flags):
        expected += max(0, sent - enter)
        waited += leave - enter
    assert waited >= 0.99 * expected, f"{waited} s of waiting are recorded instead of {expected} s"
    least = half_sweeps * MILLISECONDS / 1000
    assert flags[-1][0] - flags[0][0] >= 0.95 * least, "the delays are not in the trace"


def main():
    fermata, launcher, program = sys.argv[1], shlex.split(sys.argv[2]), sys.argv[3]
    command = [*launcher, "-n", PES, program, "--iterations", ITERATIONS, "--late", f"{MILLISECONDS}:{LATE}"]

    def result(text):
        return [line for line in text.splitlines() if line.startswith("shmem-sor:")]

    plain = result(run(command, may_fail=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([fermata, "record", "-o", experiment, "--", *command], may_fail=True)
        assert plain and plain[0].endswith("right") and result(recorded.stdout) == plain, recorded.stdout
        check_waits(read_exchanges(experiment / "traces.otf2"))
        assert "0 findings" in run([fermata, "check", experiment]).stdout


main()
