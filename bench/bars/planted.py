# SPDX-License-Identifier: BSD-3-Clause
"""Whether the report names the planted cause, and predicts what its removal saves: P19.

planted_causes and planted_threads compute; nothing in them is marked. Each kind runs as it is, recorded with
defaults, and with the cause removed, in turn. The saving is a share of the time of the steps, which the programs
themselves measure; the predicted one that of the first prediction of problem 1, of the recorded run."""

import json
import re
import shutil
from dataclasses import dataclass

from .measure import Figure, median, open_mpi, run


@dataclass
class Kind:
    """A planted cause."""

    program: str
    name: str
    function: str  # of the cause
    is_mpi: bool = True
    also: tuple = ()  # functions that take as long as the cause: they may be named instead


CAUSES, THREADS = "planted_causes_openmpi", "planted_threads"
KINDS = [
    Kind(CAUSES, "steps-1ms", "late_part"),
    Kind(CAUSES, "steps-10ms", "late_part"),
    Kind(CAUSES, "some-steps", "late_part"),
    Kind(CAUSES, "late-sender", "late_part"),
    Kind(CAUSES, "fence", "late_part"),
    Kind(CAUSES, "library", "late_library"),
    Kind(CAUSES, "more-calls", "late_part", also=("more_calls",)),
    Kind(CAUSES, "page-faults", "late_scratch"),
    Kind(THREADS, "critical", "late_part", is_mpi=False),
    Kind(THREADS, "serial", "late_part", is_mpi=False),
    Kind(THREADS, "team", "late_part", is_mpi=False),
]
LEAST_SHARE = 95  # percent of the runs in which problem 1 is the cause
LEAST_SAVING = 0.2  # where less is saved, the prediction is not judged
SAVING_BARS = (0.9, 1.1)


def _seconds(output, what="steps"):
    return float(re.search(what + r" ([0-9.]+)", output).group(1))


def _first_problem(programs, archive):
    """(function, share of the waiting or idle time, seconds saved by its first prediction) of problem 1; Nones
    without one. Idle time during which masters wait is no problem of its own."""
    run([programs.fermata, "analyze", "-q", archive])
    report = json.loads(run([programs.fermata, "report", "--format=json", archive]).output)
    causes = [problem["cause"] for problem in report["problems"]]
    problems = [problem for problem, cause in zip(report["problems"], causes)
                if cause["kind"] != "idle" or cause["callpath"] is not None]
    if not problems or problems[0]["cause"]["callpath"] is None:
        return None, 0, 0
    first = problems[0]
    is_idle = first["cause"]["kind"] == "idle"
    waiting = sum(problem["cost"] for problem, cause in zip(report["problems"], causes)
                  if (cause["kind"] == "idle") == is_idle)
    predictions = first["predictions"]
    saved = predictions[0]["saved"] if predictions else 0
    return report["callpaths"][first["cause"]["callpath"]]["region"], first["cost"] / waiting, saved


@dataclass
class Turn:
    """A run as it is, one recorded, and one without the cause; times in seconds."""

    before: float
    recorded: float
    after: float
    function: str
    share: float
    saved: float


def _turn(programs, archive, kind):
    launcher = open_mpi(2) if kind.is_mpi else []
    command = [*launcher, programs.bench / kind.program, kind.name]
    before = _seconds(run(command).output)
    shutil.rmtree(archive, ignore_errors=True)
    recorded = _seconds(run([programs.fermata, "record", "-o", archive, "--", *command]).output)
    after = _seconds(run([*command, "fixed"]).output)
    return Turn(before, recorded, after, *_first_problem(programs, archive))


def _figures(kind, turns):
    names = (kind.function, *kind.also)
    details = {"turns": [vars(turn) for turn in turns]}
    right = [100 * (turn.function in names) for turn in turns]
    yield Figure("P19", f"% of {len(turns)} runs: problem 1 is {kind.function}, {kind.name}",
                 [sum(right) / len(right)], LEAST_SHARE, at_most=False, details=details)
    yield Figure("P19", f"share of all waiting that stems from problem 1, {kind.name}",
                 [turn.share for turn in turns], None, details=details)
    saving = 1 - median([turn.after for turn in turns]) / median([turn.before for turn in turns])
    ratios = [turn.saved / turn.recorded / saving for turn in turns] if saving > 0 else [0]
    what = f"time saved, predicted / measured ({100 * saving:.0f} %), {kind.name}"
    if saving < LEAST_SAVING:
        yield Figure("P19", what, ratios, None, details=details)
        return
    yield Figure("P19", what, ratios, SAVING_BARS[0], at_most=False, details=details)
    yield Figure("P19", what, ratios, SAVING_BARS[1], details=details)


def causes(programs, folder, options):
    """P19: planted causes are named, and their removal is predicted."""
    archive = folder / "planted"
    for kind in KINDS:
        if (programs.bench / kind.program).exists():
            yield from _figures(kind, [_turn(programs, archive, kind) for _ in range(options.repeats)])
    shutil.rmtree(archive, ignore_errors=True)
