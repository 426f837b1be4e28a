# SPDX-License-Identifier: BSD-3-Clause
"""Programs of nothing but very many short events (short_events.c), with and without the event
budget: slowdown, what the recorder states of it, events, size of the trace and memory.

The slowdown is by the clock of the program, plus what the recorder takes before and after it by its
own clock: neither the start of the process nor that of `fermata record` is part of it. What is
stated is the same quantity.
"""

import json
import os
import shutil

from .measure import Figure, alternate, median, run

BUDGETS = {"off": ("--event-budget=off",), "on": ()}
LONGEST = 1.5  # fib with the budget
LARGEST = 500  # its trace, in MB
MISSTATED = 1.3


def _programs(options):
    number = options.short_events
    return {
        f"fib {options.fib}": ("fib", options.fib),
        f"queens {options.queens}": ("queens", options.queens),
        "mutex": ("mutex", number),
        "OpenMP lock": ("lock", number),
        "critical": ("critical", number),
        "critical, 2 threads": ("contended", number),
        "functions": ("functions", 10 * number),
    }


class _Run:
    """A run of a program."""

    def __init__(self, sample, facts=None, size=0):
        recorder = (facts or {}).get("recorder", {})
        _, elapsed, cpu = sample.output.split("\n")[0].split()
        self.program, self.cpu = float(elapsed), float(cpu)
        self.elapsed = self.program + recorder.get("begin_seconds", 0) + recorder.get("end_seconds", 0)
        self.events, self.size, self.memory = (facts or {}).get("events", 0), size, recorder.get("memory_bytes", 0)
        self.stated = 1 + recorder.get("overhead_percent", 0) / 100
        self.is_least = recorder.get("overhead_is_least", False)
        self.costs = recorder.get("costs")


def _record(programs, archive, command, options):
    shutil.rmtree(archive, ignore_errors=True)
    sample = run([programs.fermata, "record", *options, "-o", archive, "--", *command])
    facts = json.loads((archive / "environment.json").read_text())
    size = sum(file.stat().st_size for file in archive.rglob("*") if file.is_file())
    shutil.rmtree(archive)
    return _Run(sample, facts, size)


def _misstated(each, measured):
    """By which factor a stated slowdown is wrong. One that is stated as the least is wrong if it is too large."""
    return max(each.stated / measured, 1 if each.is_least else measured / each.stated)


def _figures(name, budget, plain, recorded):
    about = f"{name}, budget {budget}"
    bounded = budget == "on" and name.startswith("fib")
    slowdowns = [each.elapsed / before.elapsed for each, before in zip(recorded, plain)]
    measured = median(slowdowns)
    yield Figure("SHORT", f"slowdown, {about}", slowdowns, LONGEST if bounded else None,
                 details={"plain": [vars(each) for each in plain], "recorded": [vars(each) for each in recorded]})
    least = sum(each.is_least for each in recorded)
    yield Figure("SHORT", f"stated{', as the least' if 2 * least > len(recorded) else ''}, {about}",
                 [each.stated for each in recorded], None)
    yield Figure("SHORT", f"stated / measured or reverse, {about}",
                 [_misstated(each, measured) for each in recorded], MISSTATED)
    yield Figure("SHORT", f"events, {about}", [each.events / 1e6 for each in recorded], None, unit="10^6")
    yield Figure("SHORT", f"trace, {about}", [each.size / 1e6 for each in recorded],
                 LARGEST if bounded else None, unit="MB")
    yield Figure("SHORT", f"memory of the recorder, {about}", [each.memory / 1e6 for each in recorded], None, unit="MB")


def slowdown(programs, folder, options):
    """Every program unrecorded, without and with the budget, in turn."""
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    for name, (program, number) in _programs(options).items():
        command = [programs.bench / "short_events", program, str(number)]
        runs = {"plain": lambda command=command: _Run(run(command))}
        for budget, chosen in BUDGETS.items():
            runs[budget] = lambda command=command, chosen=chosen: _record(
                programs, folder / "short-events", command, chosen)
        results = alternate(runs, options.repeats)
        for budget in BUDGETS:
            yield from _figures(name, budget, results["plain"], results[budget])
