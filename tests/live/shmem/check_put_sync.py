# SPDX-License-Identifier: BSD-3-Clause
"""Records shmem-put-sync (Hermanns 2005, figure 3): every call of the pairs is recorded, the put as complete at
its origin when it returns (basic model). In the extended model, the transfers end at their targets when
the origins' shmem_quiet returns, and the targets wait for the flag behind it.

usage: check_put_sync.py FERMATA LAUNCHER PROGRAM
"""
import collections
import pathlib
import shlex
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import otf2  # noqa: E402
from otf2.events import Enter, Leave  # noqa: E402
from shmem_archive import compare, pe_of, recorded, run  # noqa: E402
from transfers import transfers  # noqa: E402

PES, BYTES = 4, 4096
FLAG, WAIT, PUT, QUIET = "shmem_long_p", "shmem_long_wait_until", "shmem_long_put", "shmem_quiet"


def times(archive):
    """@return by PE and name: (Enter, Leave) of the last call of this name, in ticks"""
    last, since = {}, collections.defaultdict(list)
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter):
                since[pe_of(location)].append(event.time)
            elif isinstance(event, Leave):
                pe = pe_of(location)
                last[pe, event.region.name] = since[pe].pop(), event.time
    return last


def expected_calls(pe):
    if pe % 2 == 0:
        return [f"{FLAG} put:{pe + 1}:8 blocking:{pe + 1}", f"{WAIT} change"]
    target = pe - 1
    return [f"{WAIT} change", f"{PUT} put:{target}:{BYTES} blocking:{target}", f"{QUIET} remote:{target}",
            f"{FLAG} put:{target}:8 blocking:{target}"]


def main():
    fermata, launcher, program = sys.argv[1], shlex.split(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = run([fermata, "record", "--sample=off", "-o", experiment, "--", *launcher, "-n", PES, program],
                     may_fail=True)
        assert "shmem-put-sync: right" in result.stdout, result.stdout + result.stderr
        calls = recorded(experiment / "traces.otf2")
        for pe in range(PES):
            own = [call for call in calls[pe] if call.startswith(("shmem_long_", QUIET))]
            compare(own, expected_calls(pe), f"PE {pe}")
        run([fermata, "analyze", experiment])
        run([fermata, "export", "--to", "otf2-extended", experiment])
        ends, expected = times(experiment / "traces.otf2"), []
        for origin in range(1, PES, 2):
            target = origin - 1
            complete = ends[origin, QUIET][1]
            expected += [(ends[origin, PUT][0], "sent", origin, target, BYTES),
                         (complete, "received", target, origin, BYTES)]
            assert ends[target, WAIT][1] > complete, "the target's wait ends before its row is complete"
        extended = experiment / "otf2-extended" / "traces.otf2"
        assert transfers(extended, pe_of, least=BYTES) == sorted(expected)


main()
