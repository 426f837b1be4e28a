# SPDX-License-Identifier: BSD-3-Clause
"""Whether the report names the planted cause, and predicts what its removal saves: P19.

The planted programs compute; nothing in them is marked. Each kind runs as it is, recorded with defaults, and with
the cause removed, in turn. The saving is a share of the time of the steps, which the programs themselves measure;
the predicted one that of the first prediction of problem 1, of the recorded run. Kinds without a cause in the
program run recorded only: no function of the program may be named."""

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .measure import Figure, median, open_mpi, run


@dataclass
class Kind:
    """A planted cause."""

    program: str  # in the folder of the built benchmarks; a Python program: beside this package's folder
    name: str
    function: str  # of the cause; "": there is none
    ranks: int = 2  # 0: without MPI
    arguments: tuple = ()
    also: tuple = ()  # functions that take as long as the cause: they may be named instead
    is_passive: bool = False  # threads of OpenMP that wait do not spin
    change: str = ""  # that removes the cause, of any problem of this function; "": the first one of problem 1

    def command(self, folder):
        launcher = open_mpi(self.ranks) if self.ranks else []
        if not self.program.endswith(".py"):
            return [*launcher, folder / self.program, *self.arguments]
        return [*launcher, "/usr/bin/python3", Path(__file__).parent.parent / self.program, *self.arguments]

    def is_there(self, folder):
        return self.program.endswith(".py") or (folder / self.program).exists()


CAUSES, THREADS = "planted_causes_openmpi", "planted_threads"


def _cause(name, function="late_part", **options):
    return Kind(CAUSES, name, function, arguments=(name,), **options)


def _threads(name):
    return Kind(THREADS, name, "late_part", ranks=0, arguments=(name,))


def _more_ranks_than_processors():
    return 2 * len(os.sched_getaffinity(0))


KINDS = [
    _cause("steps-1ms"),
    _cause("steps-10ms"),
    _cause("some-steps"),
    _cause("late-sender"),
    _cause("fence"),
    _cause("lock"),
    _cause("library", "late_library"),
    _cause("more-calls", also=("more_calls",)),
    _cause("page-faults", "late_scratch"),
    _cause("chain", ranks=3),
    _cause("input", "read_input"),
    _threads("critical"),
    _threads("serial"),
    _threads("team"),
    # Its first problem may be that of the idle threads, which another change removes.
    Kind("planted_hybrid", "hybrid", "late_part", is_passive=True, change="as_others"),
    Kind("planted_templates", "templates", "grid::Field<double>::rank_values"),
    Kind("planted_fortran", "fortran", "physics::microphysics"),
    Kind("planted_python.py", "python", "build_neighbours"),
    _cause("clean", ""),
    _cause("starved", "", ranks=_more_ranks_than_processors()),
]
OF_CALLS = ("no_barrier", "partners")  # changes of the call that waits, not of the cause
LEAST_SHARE = 95  # percent of the runs in which problem 1 is the cause
LEAST_SAVING = 0.2  # where less is saved, the prediction is not judged
SAVING_BARS = (0.9, 1.1)


def _seconds(output, what="steps"):
    return float(re.search(what + r" ([0-9.]+)", output).group(1))


def _saved(problems, change):
    """Seconds saved by the change, of any of the problems; "": by the first one of the first problem."""
    made = [prediction for problem in (problems if change else problems[:1]) for prediction in problem["predictions"]
            if prediction["change"] not in OF_CALLS and change in ("", prediction["change"])]
    return made[0]["saved"] if made else 0


def _first_problem(programs, archive, change):
    """(function, share of the waiting or idle time, seconds saved by a prediction) of problem 1; Nones
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
    function = report["callpaths"][first["cause"]["callpath"]]["region"]
    same = [problem for problem in problems if problem["cause"]["callpath"] is not None
            and report["callpaths"][problem["cause"]["callpath"]]["region"] == function]
    return function, first["cost"] / waiting, _saved(same, change)


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
    command = kind.command(programs.bench)
    passive = dict(os.environ, OMP_WAIT_POLICY="passive") if kind.is_passive else None
    before = _seconds(run(command, environment=passive).output)
    shutil.rmtree(archive, ignore_errors=True)
    recorded = _seconds(run([programs.fermata, "record", "-o", archive, "--", *command],
                            environment=passive).output)
    after = _seconds(run([*command, "fixed"], environment=passive).output)
    return Turn(before, recorded, after, *_first_problem(programs, archive, kind.change))


def _claim(programs, archive, kind):
    """(what the first screen says is the first cause in the program, or "", whether it says that processors
    lacked)."""
    shutil.rmtree(archive, ignore_errors=True)
    run([programs.fermata, "record", "-o", archive, "--", *kind.command(programs.bench)])
    run([programs.fermata, "analyze", "-q", archive])
    text = run([programs.fermata, "report", archive]).output
    first = re.search(r"^ *1\. (.*)", text, re.MULTILINE)
    return first.group(1) if first else "", "processor" in text


def _without_cause(programs, archive, kind, repeats):
    claims = [_claim(programs, archive, kind) for _ in range(repeats)]
    right = [100 * (first == "" and (lack or kind.name != "starved")) for first, lack in claims]
    yield Figure("P19", f"% of {len(claims)} runs: no cause in the program is claimed, {kind.name}",
                 [sum(right) / len(right)], LEAST_SHARE, at_most=False, details={"claims": claims})


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
        if not kind.is_there(programs.bench):
            continue
        if not kind.function:
            yield from _without_cause(programs, archive, kind, options.repeats)
        else:
            yield from _figures(kind, [_turn(programs, archive, kind) for _ in range(options.repeats)])
    shutil.rmtree(archive, ignore_errors=True)
