#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the problems that fermata reports as JSON with those of the reference.

usage: check_problems.py FERMATA DIR COUNT SEED...   random scenarios
                                                    (or more than COUNT: support/share.py)
       check_problems.py FERMATA DIR FILE.scn...     the scenarios in files

Compares cause and cost of all problems, when the larger ones arise and what they explain. Half of
the random scenarios are programs of iterations, the others have locks of windows, mutexes, or teams of OpenMP
threads. Files that fail stay in DIR.
"""

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import scenario_file  # noqa: E402
import severities  # noqa: E402
import share  # noqa: E402
import timeline  # noqa: E402
from problems import IDLE  # noqa: E402

RANKS = (2, 12)
FOCUSES = (None, "iterations", "locks", "iterations", "hybrid", "iterations", "pthread", "iterations", "omp",
           "iterations")
# The report describes that many problems.
DESCRIBED = 32


class Report:
    """The JSON report of a scenario, in the terms of the reference; times are in 1/1000 units."""

    def __init__(self, document, unit):
        self._document = document
        self._tick = Fraction(unit) / scenario_file.TICKS_PER_UNIT
        self._locations = {location["id"]: (location["rank"], location["thread"])
                           for location in document["locations"]}
        self._paths = {}
        for path in document["callpaths"]:
            self._paths[path["id"]] = self._paths.get(path["parent"], ()) + (path["region"],)
        phases = [phase["region"] for phase in document["phases"]]
        self.problems = {}
        for problem in document["problems"]:
            cause = problem["cause"]
            key = (cause["kind"], self._paths.get(cause["callpath"]),
                   tuple(sorted(self._locations[loc] for loc in cause["locations"])))
            phase = None if problem["phase"] is None else phases[problem["phase"]]
            self.problems[key] = (
                self._ticks(problem["cost"]), phase,
                [self._occasion(part) for part in problem["when"]],
                self._symptoms(problem["symptoms"]))

    def _ticks(self, seconds):
        return float(Fraction(seconds) / self._tick)

    def _occasion(self, part):
        return (part["first"], part["last"], self._ticks(part["begin"]), self._ticks(part["end"]),
                part["count"], part["share"])

    def _symptoms(self, symptoms):
        costs = {}
        for symptom in symptoms:
            key = symptom["metric"], self._paths[symptom["callpath"]]
            costs[key] = costs.get(key, 0) + self._ticks(symptom["cost"])
        return costs


def report_of(fermata, folder, path):
    """The JSON report of a scenario's analysis."""
    experiment = os.path.join(folder, "experiment")
    shutil.rmtree(experiment, ignore_errors=True)
    scenario = scenario_file.read_scenario(path)
    options = ["--%s=%s" % option for option in scenario.options.items()]
    subprocess.run([fermata, "synth", path, "-o", experiment], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([fermata, "analyze", "--check", "-q"] + options + [experiment], check=True)
    text = subprocess.run([fermata, "report", "--format=json", experiment], check=True,
                          capture_output=True).stdout
    shutil.rmtree(experiment)
    return Report(json.loads(text), scenario.unit)


def _close(one, other, scale):
    return abs(one - other) <= 1e-9 * max(1, abs(other), scale)


def _text(key):
    kind, path, locations = key
    return "%s of %s on %s" % (kind, "/".join(path or ("?",)),
                               " ".join(map(scenario_file.format_location, locations)))


def _key(report, problem):
    """The key of a problem in the report: of call paths that cost equally much any may stand for a function."""
    keys = [(problem.kind, path, tuple(problem.locations)) for path in problem.equal_paths]
    return next((key for key in keys if key in report.problems), keys[0])


def differences(report, problems):
    """Texts about what differs. Problems of waiting and of idle threads are classes of their own."""
    expected = {_key(report, problem): problem for problem in problems}
    for key in sorted(set(expected) ^ set(report.problems), key=_text):
        yield "%s: only the %s has it" % (_text(key),
                                          "reference" if key in expected else "report")
    sums, limits = {}, {}
    for is_idle in (False, True):
        costs = [problem.cost for problem in problems if (problem.kind == IDLE) == is_idle]
        sums[is_idle] = sum(costs)
        limits[is_idle] = 1.000001 * max(costs[DESCRIBED:] + [sums[is_idle] / 100])
    for key, problem in expected.items():
        if key in report.problems:
            of_run, limit = sums[problem.kind == IDLE], limits[problem.kind == IDLE]
            cost, phase, occasions, symptoms = report.problems[key]
            if not _close(cost, float(problem.cost), float(of_run)):
                yield "%s: cost %s, expected %s" % (_text(key), cost, float(problem.cost))
            if problem.cost > limit:
                yield from ("%s: %s" % (_text(key), text) for text in _description_differences(
                    problem, phase, occasions, symptoms))


def _description_differences(problem, phase, occasions, symptoms):
    region, expected = problem.occasions
    if expected and phase != region:
        yield "phase %s, expected %s" % (phase, region)
    wanted = [((part.first, part.last) if region else (None, None)) + (part.begin, part.end)
              + ((part.count,) if region else (None,)) + (float(part.share),) for part in expected]
    same = len(wanted) == len(occasions) and all(
        one[:2] == other[:2] and one[4] == other[4]
        and all(_close(one[index], other[index], 1) for index in (2, 3, 5))
        for one, other in zip(occasions, wanted))
    if not same:
        yield "when %s, expected %s" % (occasions, wanted)
    whole = float(problem.cost)
    for key in sorted(set(symptoms) | set(problem.symptoms)):
        one, other = symptoms.get(key, 0), float(problem.symptoms.get(key, 0))
        if not _close(one, other, whole):
            yield "symptom %s in %s: %s, expected %s" % (key[0], "/".join(key[1]), one, other)


def check_file(fermata, folder, path):
    """Whether report and reference agree on a scenario; prints what differs."""
    scenario = scenario_file.read_scenario(path)
    times = timeline.Timeline(scenario)
    problems = severities.compute_problems(times, severities.compute(times))
    found = list(differences(report_of(fermata, folder, path), problems))
    for text in found:
        print("%s: %s" % (path, text))
    return not found


def random_files(folder, count, seeds):
    """Writes `count` scenarios of each seed and yields their paths."""
    os.makedirs(folder, exist_ok=True)
    for seed in seeds:
        for index in range(count):
            path = os.path.join(folder, "problems-%s-%05d.scn" % (seed, index))
            focus = FOCUSES[index % len(FOCUSES)]
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(generate.generate(seed, index, RANKS, focus)) + "\n")
            yield path


def main(arguments):
    if len(arguments) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    fermata, folder, rest = arguments[0], arguments[1], arguments[2:]
    is_random = rest[0].isdigit()
    if is_random:
        seeds = rest[1:] + [seed for seed in [os.environ.get("FERMATA_SEED")] if seed]
        shutil.rmtree(folder, ignore_errors=True)
        paths = random_files(folder, share.count(int(rest[0])), seeds)
    else:
        os.makedirs(folder, exist_ok=True)
        paths = rest
    checked, failed = 0, 0
    for path in paths:
        checked += 1
        if not check_file(fermata, folder, path):
            failed += 1
        elif is_random:
            os.remove(path)
    print("%d scenarios, %d failed" % (checked, failed))
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
