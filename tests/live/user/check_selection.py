# SPDX-License-Identifier: BSD-3-Clause
"""Records a part of pauses.c, as the options of `fermata record` select it, and compares what fermata
finds with what belongs together by the numbers of the iterations.

usage: check_selection.py --fermata F --mpirun M --program P [CASE...]

What was not selected must leave no events but those of MPI_Init and MPI_Finalize; the analysis must
match what was recorded across the gaps, leave alone what lacks its partner, and say what was selected.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import otf2
from otf2.enums import MeasurementMode

import user_archive
from check_pauses import (ITERATIONS, LATE_POST, LATE_SENDER, RANKS, Recorded, collective_waits,
                          compare, late_posts, late_senders)

ALWAYS = {"MPI_Init_thread", "MPI_Finalize"}
ALL = range(ITERATIONS)
WINDOW = 0.05, 0.2  # seconds; the program takes 0.36 at least


def check_iterations(recorded, expected):
    yield from recorded.problems
    for rank in range(RANKS):
        if recorded.iterations[rank] != list(expected(rank)):
            yield (f"rank {rank} recorded iterations {recorded.iterations[rank]}, not "
                   f"{list(expected(rank))}")
        if recorded.visits[rank, "iteration"] != len(expected(rank)):
            yield f"rank {rank}: {recorded.visits[rank, 'iteration']} visits of the phase"
        names = {call.name for call in recorded.calls if call.rank == rank}
        if not ALWAYS <= names or (not expected(rank) and names != ALWAYS):
            yield f"rank {rank}: calls of {sorted(names)}"


def check_window(experiment, recorded):
    """Recording begins and ends so long after a moment within MPI_Init; a call that is open then is
    recorded to its end."""
    switches = {}
    with otf2.reader.open(str(experiment / "traces.otf2")) as archive:
        for location, event in archive.events:
            if (type(event).__name__ == "MeasurementOnOff" and location.name == "Master thread"
                    and not event.attributes):
                rank = int(location.group.name.split()[-1])
                off = event.measurement_mode == MeasurementMode.OFF
                switches.setdefault(rank, []).append((off, event.time))
    yield from recorded.problems
    for rank in range(RANKS):
        init = next(c for c in recorded.calls if (c.rank, c.name) == (rank, "MPI_Init_thread"))
        found = switches.get(rank, [])
        if [off for off, _ in found] != [True, False, True, False]:
            yield f"rank {rank}: switched {found}"
            continue
        before = [c.leave for c in recorded.calls if c.rank == rank and c.name not in ALWAYS]
        for seconds, (_, time) in zip(WINDOW, found[1:]):
            ticks = seconds * recorded.second
            slack = 1e-4 * recorded.second  # clocks are brought together
            latest = max([init.leave + ticks, *(leave for leave in before if leave <= time)])
            if not init.enter + ticks - slack <= time <= latest + slack:
                yield f"rank {rank}: switched at {time}, {seconds} s after {init.enter}"
        late = [c for c in recorded.calls if c.rank == rank and c.name not in ALWAYS
                and not found[1][1] <= c.enter <= found[2][1]]
        if late:
            yield f"rank {rank}: outside of the window {late[:3]}"


def check_analysis(options, experiment, recorded, described, planted):
    shown = user_archive.run([options.fermata, "report", "--format=json", str(experiment)],
                             experiment)
    report = json.loads(shown.stdout)
    collectives = {"Wait at Barrier": (["mpi_barrier_wait"], ("MPI_Barrier", 0), ("MPI_Barrier", 1)),
                   "Wait at NxN": (["mpi_wait_nxn"], ("MPI_Allreduce", 0)),
                   "Wait at Fence": (["mpi_rma_wait_at_fence", "mpi_rma_early_fence"],
                                     ("MPI_Win_fence", 0), ("MPI_Win_fence", 1))}
    expected = {"Late Sender": (LATE_SENDER, late_senders(recorded)),
                "Late Post": (LATE_POST, late_posts(recorded))}
    for what, (metrics, *calls) in collectives.items():
        expected[what] = metrics, collective_waits(recorded, *calls)
    for what, (metrics, waits) in expected.items() if planted is not None else ():
        for problem in compare(report, metrics, waits, recorded, what):
            if planted(what) or not problem.endswith("nothing was planted"):
                yield problem
    if described is not None:
        sentence = f"recorded: {described}"
        text = user_archive.run([options.fermata, "report", str(experiment)], experiment).stdout
        if sentence not in " ".join(text.split()):
            yield f"the report does not say '{sentence}': {text[-600:]}"
        if not any(sentence in warning for warning in report["warnings"]):
            yield f"no warning '{sentence}': {report['warnings']}"
        information = user_archive.run([options.fermata, "info", str(experiment)], experiment).stdout
        if described not in information:
            yield f"info does not say '{described}': {information}"
    checked = user_archive.run([options.fermata, "check", str(experiment)], experiment).stdout
    paused = any("Recording was paused" in warning for warning in report["warnings"])
    if ("a part was not recorded" in checked) != paused:
        yield f"paused: {paused}, but check says {checked}"
    if any("no matching" in warning or "the record of a member" in warning
           for warning in report["warnings"]):
        yield f"what was cut off is taken for an error: {report['warnings']}"


class Case:
    def __init__(self, options, described, expected, how="selected", planted=lambda what: True):
        self.options, self.described, self.expected = options, described, expected
        self.how, self.planted = how, planted


CASES = {
    "ranks": Case(["--ranks", "0-1"], "ranks 0-1 only",
                  lambda rank: ALL if rank < 2 else [],
                  planted=lambda what: what == "Late Sender"),
    "window": Case(["--window", ":".join(map(str, WINDOW))], "0.05 s to 0.2 s after initialization", None,
                   planted=None),  # its borders lie within iterations
    "phase": Case(["--phase", "iteration:3-9"], "visits of the phase iteration, number 3 to 9",
                  lambda rank: range(3, 10)),
    "signal": Case(["--signal", "USR2"], "switched by SIGUSR2",
                   lambda rank: [i for i in ALL if not 5 + rank <= i < 9], "signal"),
    "handler": Case(["--signal", "USR2"], "switched by SIGUSR2", lambda rank: ALL, "handler"),
    "both": Case(["--ranks=1-2", "--phase=iteration:3-14"],
                 "ranks 1-2 only, visits of the phase iteration, number 3 to 14",
                 lambda rank: range(3, 15) if rank != 0 else [],
                 planted=lambda what: what == "Late Sender"),
}


def check_refused(options):
    for arguments in (["--ranks", "3-1"], ["--window", "5"], ["--phase", ":1"], ["--signal", "HUP"]):
        refused = user_archive.run([options.fermata, "record", *arguments, "--", "true"], ".")
        if refused.returncode != 2 or f"{arguments[0][2:]} needs" not in refused.stderr:
            yield f"{arguments}: exit code {refused.returncode}: {refused.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    problems = list(check_refused(options))
    for name in options.cases:
        case = CASES[name]
        with tempfile.TemporaryDirectory(prefix="fermata-user-") as folder:
            experiment, wrong = user_archive.record(options, pathlib.Path(folder),
                                                    [options.program, case.how], ranks=RANKS,
                                                    how=case.options)
            recorded = Recorded(experiment / "traces.otf2")
            if case.expected is None:
                wrong += check_window(experiment, recorded)
            else:
                wrong += check_iterations(recorded, case.expected)
            wrong += check_analysis(options, experiment, recorded, case.described, case.planted)
            problems += [f"{name}: {text}" for text in wrong]
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


main()
