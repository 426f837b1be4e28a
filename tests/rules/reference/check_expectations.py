#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the `expect` lines that are written in scenario files with what the reference finds.

usage: check_expectations.py FILE.scn...

Only the reference is looked at: the analysis has tests of its own for the same files.
"""

import sys
from fractions import Fraction

import matrices
import metrics
import phases
import problems
import scenario_file
import severities
import timeline


def values_of(scenario):
    """{metric: {(call path, location): value}} of everything in scope."""
    times = timeline.Timeline(scenario)
    result = severities.compute(times)
    return {**result.values, **severities.compute_formation(times, result)}


def _is_count(metric):
    return metric in metrics.COUNT_METRICS or metric.startswith("wait_count")


def _actual(values, metric, path, loc):
    total = sum((value for (cell_path, cell_loc), value in values[metric].items()
                 if path in ("*", "/".join(cell_path))
                 and (loc == "*" or scenario_file.parse_location(loc) == cell_loc)), Fraction(0))
    return total if _is_count(metric) else total / scenario_file.TICKS_PER_UNIT


def _is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


def _parts(words):
    """(metric, call path, location, value, tolerance) of an `expect` line; regions may contain
    blanks, so that its end decides whether it has a tolerance."""
    has_tolerance = len(words) > 4 and all(_is_number(word) for word in words[-2:]) and (
        words[-3] == "*" or _is_number(words[-3]))
    end = len(words) - (3 if has_tolerance else 2)
    tolerance = Fraction(words[-1]) if has_tolerance else Fraction(0)
    return words[0], " ".join(words[1:end]), words[end], Fraction(words[end + 1]), tolerance


def _phase_failures(scenario, times, result):
    values = severities.compute_phases(times, result)
    for words in scenario.phase_expects:
        name, region, number, expected, tolerance = _parts(words)
        actual = values.get((name, region, None if number == "*" else int(number)), Fraction(0))
        if name in phases.TIMES + ("imbalance",) or name.startswith("mpi_"):
            actual = Fraction(actual) / scenario_file.TICKS_PER_UNIT
        if abs(actual - expected) > tolerance:
            yield "%s: found %s" % (" ".join(words), float(actual))


def _is_location(text, loc):
    return text == "*" or scenario_file.parse_location(text) == loc


def _matrix_failures(scenario, times, result):
    values = severities.compute_matrices(times, result)
    for words in scenario.matrix_expects:
        name, one, other, expected, tolerance = _parts(words)
        actual = sum(value for (cell, start, end), value in values.items()
                     if cell == name and _is_location(one, start) and _is_location(other, end))
        if matrices.is_time(name):
            actual = Fraction(actual) / scenario_file.TICKS_PER_UNIT
        if abs(actual - expected) > tolerance:
            yield "%s: found %s" % (" ".join(words), float(actual))


def _matching_problems(problems, path, loc):
    return [problem for problem in problems
            if path in ("*", "/".join(problem.path or ("?",)))
            and (loc == "*" or scenario_file.parse_location(loc) in problem.locations)]


def _value_of_problem(found, name):
    """A value of the largest of some problems; None of those that the reference does not know."""
    if not found or not found[0].occasions:
        return Fraction(0)
    largest, occasions = found[0], found[0].occasions[1]
    if name in metrics.TIME_METRICS:
        return sum(cost for (metric, _), cost in largest.symptoms.items() if metric == name)
    values = {"locations": len(largest.locations), "occasions": len(occasions),
              "symptoms": len(largest.symptoms), "locks": len(largest.locks)}
    for field in ("first", "last", "begin", "end", "count"):
        part = occasions and occasions[-1 if field in ("last", "end") else 0]
        is_known = part and (largest.occasions[0] or field in ("begin", "end"))
        values[field] = getattr(part, field) if is_known else 0
    if largest.gain is not None:
        values["balanced"], values["removed"] = largest.gain
    return values.get(name)


def _problem_failures(scenario, times, result):
    if not scenario.problem_expects:
        return
    found = severities.compute_problems(times, result)
    for words in scenario.problem_expects:
        name, path, loc, expected, tolerance = _parts(words)
        matching = _matching_problems(found, path, loc)
        if name in problems.KINDS:
            actual = sum(problem.cost for problem in matching if problem.kind == name)
        else:
            actual = _value_of_problem(matching, name)
        if actual is None:
            continue
        if name not in ("locations", "occasions", "symptoms", "locks", "first", "last", "count"):
            actual = Fraction(actual) / scenario_file.TICKS_PER_UNIT
        if abs(actual - expected) > tolerance:
            yield "%s: found %s" % (" ".join(words), float(actual))


def failures(scenario):
    """Texts about the expectations that do not hold."""
    values = values_of(scenario)
    found = []
    for words in scenario.expects:
        metric, path, loc, expected, tolerance = _parts(words)
        if metric not in values:
            found.append("%s is not in the reference" % metric)
            continue
        actual = _actual(values, metric, path, loc)
        if abs(actual - expected) > tolerance:
            found.append("%s: found %s" % (" ".join(words), float(actual)))
    times = timeline.Timeline(scenario)
    result = severities.compute(times)
    found += _phase_failures(scenario, times, result)
    found += _matrix_failures(scenario, times, result)
    found += _problem_failures(scenario, times, result)
    return found


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failed, checked = 0, 0
    for path in arguments:
        scenario = scenario_file.read_scenario(path)
        checked += (len(scenario.expects) + len(scenario.phase_expects)
                    + len(scenario.matrix_expects) + len(scenario.problem_expects))
        for text in failures(scenario):
            print("%s: %s" % (path, text))
            failed += 1
    print("%d files, %d expectations, %d failed" % (len(arguments), checked, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
