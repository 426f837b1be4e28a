# SPDX-License-Identifier: BSD-3-Clause
"""Records the workload `patterns` and compares fermata's wait states with what the events of the same
trace say: each in its pattern, at its metric, rank and call, and no others.

One run has all patterns. Each is a region of the program, which separates its events and call paths
from those of other patterns. What is outside of all patterns, the frame, is a part of its own, to
which the pattern `finalize` belongs: its ranks wait when its region has ended.

How long a machine takes for anything plays no role: planted is what the trace has recorded between
the markers of the delay, and a wait is that plus what the trace shows of the late rank between the
delay and the event waited for, less what the waiting rank came too late for it itself. Only those
patterns are repeated that did not take place, because a busy machine kept the waiting rank away for
half of the delay.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from expected_waits import (DEPENDS_ON_LIBRARY, EXPECTED, PASSIVE_TARGET, frame_waits,  # noqa: E402
                            planted)
from mpi_launcher import TIMEOUT, mpi_command, run_mpi  # noqa: E402
from recorded_trace import read_archive  # noqa: E402
from report import wait_severities  # noqa: E402

ATTEMPTS = 3
# Between the recorded times and those that the analysis uses lies the repair of the clocks: some
# microseconds. In parts of the planted delay.
TOLERANCE = 0.02
# Whether MPI_Comm_free synchronizes is up to the MPI library, and whether that counts to the tool.
UNDEFINED = {("mpi_comm_wait", "MPI_Comm_free")}
# The pattern that belongs to the frame.
FRAME = "finalize"


def run(command):
    """What the command prints; exits with all its output if it fails."""
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    if outcome.returncode != 0:
        sys.exit(f"exit code {outcome.returncode}: {' '.join(command)}\n"
                 f"{outcome.stdout}{outcome.stderr}")
    return outcome.stdout


def listed_patterns(options):
    """The patterns' names and metrics, as the workload lists them."""
    output = run_mpi(options.mpirun, 1, [options.program, "--list"]).stdout
    return {words[1]: words[2] for words in map(str.split, output.splitlines())}


def part_of(path):
    """The pattern whose region is on a path of regions, or FRAME."""
    return next((region for region in path if region in EXPECTED), FRAME)


def record(options, names, folder):
    """Runs patterns under fermata; returns the traces of its parts, the waits of its parts, the report."""
    program = [options.program, "--delay", str(options.delay)]
    for name in names:
        program += ["--pattern", name]
    output = run([options.fermata, "run", "-o", str(folder), "--",
                  *mpi_command(options.mpirun, options.ranks, program)])
    if f"patterns: {len(names)} patterns done" not in output:
        sys.exit(f"the program's own output is missing from\n{output}")
    # All one-sided calls need their target: the few of a pattern are no evidence on how the library works.
    run([options.fermata, "analyze", "-q", "--progress=target", str(folder)])
    report = json.loads(run([options.fermata, "report", str(folder), "--format=json"]))
    traces = read_archive(str(folder / "traces.otf2"), part_of)
    waits = wait_severities(report, part_of)
    if not waits.keys() <= traces.keys() or traces.keys() != {FRAME, *names}:
        sys.exit(f"recorded are {sorted(traces)}, waits are in {sorted(waits)}, not in {names}")
    return traces, waits, report


def expected_seconds(trace, patterns):
    """Maps (metric, rank, region) to the seconds that the trace's events say."""
    seconds = collections.defaultdict(float)
    for wait in (*frame_waits(trace), *(wait for name in patterns for wait in EXPECTED[name](trace))):
        seconds[wait.metric, wait.rank, wait.region] += wait.ticks / trace.ticks_per_second
    return seconds


def planted_seconds(trace, late_rank):
    """The recorded duration of the pattern's one delay, which must be on the late rank."""
    delays = [(rank, delay) for rank in range(trace.size) for delay in trace.delays(rank)]
    if [rank for rank, _ in delays] != [late_rank]:
        sys.exit(f"delays recorded on ranks {[rank for rank, _ in delays]}, not on {late_rank}")
    ((_, (begin, end)),) = delays
    return (end - begin) / trace.ticks_per_second


def unprovoked_ranks(seconds, duration, waiting_ranks, metrics):
    """The ranks that should wait and do not for at least half of the delay."""
    return [rank for rank in sorted(waiting_ranks)
            if not any(where[0] in metrics and where[1] == rank and value >= duration / 2
                       for where, value in seconds.items())]


def differences(expected, reported, tolerance):
    """One line for each wait state that is wrong, missing or should not be there."""
    for where in sorted(expected.keys() | reported.keys()):
        metric, rank, region = where
        should, does = expected.get(where, 0.0), reported.get(where, 0.0)
        if abs(should - does) > tolerance and (metric, region) not in UNDEFINED:
            yield f"{metric} on rank {rank} in {region}: {does:.6f} s instead of {should:.6f} s"


def check_pattern(options, name, metric, trace, reported, warnings):
    """Compares the report on a pattern with its trace. Returns what is wrong, as lines, and the ranks
    that did not wait because the pattern did not take place; prints what is right."""
    late_rank, waiting_ranks, metrics = planted(name, metric, options.ranks)
    expected = expected_seconds(trace, [name])
    duration = planted_seconds(trace, late_rank)
    wrong = list(differences(expected, reported, TOLERANCE * duration))
    if wrong:
        return wrong, []
    if name == "neighbourhood" and not trace.has_topology:
        told = any("neighbo" in json.dumps(warning) for warning in warnings)
        return [] if told else ["no topology in the archive, and no warning of it"], []
    missing = unprovoked_ranks(expected, duration, waiting_ranks, metrics)
    if not missing:
        print(f"{name}: planted {duration:.6f} s, found in {metric}")
    elif name in DEPENDS_ON_LIBRARY:
        print(f"{name}: does not occur with this MPI library; nothing found, as expected")
        missing = []
    return [], missing


def check_run(options, metric_of, names, folder):
    """Records patterns in one run and checks them. Returns what is wrong, as lines by pattern, and the
    ranks that did not wait, of those patterns that did not take place."""
    traces, waits, report = record(options, names, folder)
    wrong, missing = {}, {}
    for name in names:
        wrong[name], missing[name] = check_pattern(options, name, metric_of[name], traces[name],
                                                   waits[name], report["warnings"])
    if FRAME not in names:
        wrong[FRAME] = list(differences(expected_seconds(traces[FRAME], []), waits[FRAME],
                                        TOLERANCE * options.delay))
    return wrong, {name: ranks for name, ranks in missing.items() if ranks}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True, help="the workload patterns")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds")
    parser.add_argument("--pattern", action="append", help="default: all of active target, "
                        "point-to-point and collectives")
    parser.add_argument("--passive", action="store_true", help="those of passive target instead")
    options = parser.parse_args()

    metric_of = listed_patterns(options)
    if metric_of.keys() != EXPECTED.keys():
        sys.exit(f"not both in the workload and here: {metric_of.keys() ^ EXPECTED.keys()}")
    names = options.pattern or [name for name in metric_of
                                if (name in PASSIVE_TARGET) == options.passive]
    wrong, missing = {}, dict.fromkeys(names)
    with tempfile.TemporaryDirectory(prefix="fermata-patterns-") as folder:
        for attempt in range(ATTEMPTS):
            if missing:
                found, missing = check_run(options, metric_of, list(missing),
                                           pathlib.Path(folder, str(attempt)))
                for name, lines in found.items():
                    wrong.setdefault(name, []).extend(lines)
    for name, ranks in missing.items():
        wrong[name].append(f"ranks {ranks} did not wait for half of the delay in any of {ATTEMPTS} runs")
    for name, lines in wrong.items():
        for line in lines:
            print(f"{name}: {line}")
    failures = sum(bool(lines) for lines in wrong.values())
    sys.exit(f"{failures} of {len(wrong)} parts failed" if failures else 0)


main()
