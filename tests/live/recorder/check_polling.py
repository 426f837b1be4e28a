#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records polling.c: every call of its loops is in the archive, in few records, and in the counters; so is a loop in
which the process dies.

usage: check_polling.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recorded_events  # noqa: E402
import recordings  # noqa: E402

TESTS = 20000
# Calls by the function that loops, and number of requests that are tested.
LOOPS = {("poll_test", "MPI_Test"): 1, ("poll_in_turn", "MPI_Test"): 20, ("poll_all", "MPI_Testall"): 3,
         ("poll_status", "MPI_Request_get_status"): 0, ("poll_probe", "MPI_Iprobe"): 0,
         ("poll_matched", "MPI_Improbe"): 0, ("read_time", "MPI_Wtime"): 0,
         ("poll_and_read_time", "MPI_Test"): 1, ("poll_and_read_time", "MPI_Wtime"): 0,
         ("probe_once", "MPI_Comm_rank"): 0, ("probe_once", "MPI_Iprobe"): 0, ("test_once", "MPI_Test"): 1,
         ("poll_window", "MPI_Win_test"): 0}
# A loop is cut where the thread has lost its processor for long. Even so, beside other programs:
MOST_RECORDS = TESTS // 4


def check_loops(calls, loops):
    """What is wrong with the loops of rank 0."""
    failures = []
    records, requests = collections.defaultdict(list), collections.defaultdict(set)
    for call in calls:
        if call.location.group.name.split()[-1] == "0" and call.path:
            records[call.path[-1], call.region].append(call)
            requests[call.path[-1], call.region] |= {record.event.request_id for record in call.records
                                                     if record.kind == "MpiRequestTest"}
        if call.leave is None:
            continue  # the process has ended in it
        if not 0 <= call.gaps < max(call.leave - call.enter, 1) or call.calls < 1:
            failures.append(f"{call.region}: {call.calls} calls, {call.gaps} of {call.leave - call.enter} ticks"
                            " in gaps")
    for loop, tested in loops.items():
        number = sum(call.calls for call in records[loop])
        if number != TESTS:
            failures.append(f"{loop}: {number} calls, expected {TESTS}")
        if len(records[loop]) > MOST_RECORDS:
            failures.append(f"{loop}: {len(records[loop])} records")
        if len(requests[loop]) != tested:
            failures.append(f"{loop}: {len(requests[loop])} requests tested, expected {tested}")
    return failures


def check_counters(fermata, experiment):
    shown = json.loads(subprocess.run([fermata, "counters", "show", "--format", "json", str(experiment), "calls:MPI_*"],
                                      capture_output=True, text=True, check=True).stdout)
    counted = {counter["name"].split(":")[1]: counter["values"][0] for counter in shown["counters"]
               if counter["name"].startswith("calls:")}
    expected = collections.Counter()
    for _, region in LOOPS:
        expected[region] += TESTS
    expected["MPI_Comm_rank"] += 1  # in main()
    return [f"{region}: counted {counted.get(region)} times, expected {number}"
            for region, number in expected.items() if counted.get(region) != number]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    command = [options.mpirun, "-n", "2", options.program]
    with tempfile.TemporaryDirectory() as name:
        experiment = pathlib.Path(name) / "experiment"
        plain = recordings.plain(command)
        done = recordings.record(options.fermata, ["--counters", "--sample", "off"], command, experiment)
        failures = [] if sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines()) else \
            [f"output {done.stdout!r}, unrecorded {plain.stdout!r}: {done.stderr}"]
        calls, _, problems = recorded_events.read(str(experiment / "traces.otf2"))
        failures += [problem for problem in problems if not problem.startswith("Metric")]  # samples of counters
        failures += recorded_events.broken_rules(calls)
        failures += check_loops(calls, LOOPS) + check_counters(options.fermata, experiment)

        died = pathlib.Path(name) / "died"
        recordings.record(options.fermata, ["--sample", "off"], [*command, "die"], died)
        subprocess.run([options.fermata, "analyze", str(died)], capture_output=True, check=True)
        calls, _, _ = recorded_events.read(str(died / "traces.otf2"))
        failures += check_loops(calls, {("poll_and_die", "MPI_Test"): 1})
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
