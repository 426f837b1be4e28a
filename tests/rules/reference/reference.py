#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the expected severities of a scenario file as `expect` lines.

usage: reference.py [--no-formation] FILE.scn...

--no-formation leaves out why it waits: costs of delays, classes of wait states, critical path,
performance impact and imbalance; and phases, matrices and problems.
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


def _with_tolerance(ticks):
    """A cost in units and its tolerance, relative 1e-9."""
    if ticks == 0:
        return "0"
    scale = 10 ** 18
    value = round(Fraction(ticks) * scale / scenario_file.TICKS_PER_UNIT)
    tolerance = max(1000, abs(value) // 10 ** 9)
    return "%s %s" % tuple(("%d.%018d" % divmod(number, scale)).rstrip("0").rstrip(".")
                           for number in (value, tolerance))


def _formation_lines(times, result):
    lines = []
    for metric, cells in severities.compute_formation(times, result).items():
        as_text = str if metric.startswith("wait_count") else _with_tolerance
        for path, loc in sorted(cells):
            lines.append("expect %s %s %s %s" % (metric, "/".join(path),
                                                 scenario_file.format_location(loc),
                                                 as_text(cells[path, loc])))
        lines.append("expect %s * * %s" % (metric, as_text(sum(cells.values()))))
    return lines


def _phase_lines(times, result):
    for (name, region, number), value in severities.compute_phases(times, result).items():
        if name in phases.QUOTIENTS:
            # Efficiencies are numbers, the imbalance is a time.
            as_text = _with_tolerance(value if name == "imbalance"
                                      else value * scenario_file.TICKS_PER_UNIT)
        else:
            as_text = (str if name in phases.COUNTS else scenario_file.format_units)(value)
        yield "expect_phase %s %s %s %s" % (name, region, "*" if number is None else number,
                                            as_text)


def _matrix_lines(times, result):
    totals = {}
    for (name, one, other), value in severities.compute_matrices(times, result).items():
        as_text = scenario_file.format_units if matrices.is_time(name) else str
        yield "expect_matrix %s %s %s %s" % (name, scenario_file.format_location(one),
                                             scenario_file.format_location(other), as_text(value))
        totals[name] = totals.get(name, 0) + value
    for name, value in totals.items():
        as_text = scenario_file.format_units if matrices.is_time(name) else str
        yield "expect_matrix %s * * %s" % (name, as_text(value))


def _problem_lines(times, result):
    totals = dict.fromkeys(problems.KINDS, 0)
    cells, open_cells = {}, set()
    for problem in severities.compute_problems(times, result, with_occasions=False):
        totals[problem.kind] += problem.cost
        if problem.kind == problems.CONTENTION and len(problem.equal_paths) > 1:
            # Any of these calls may stand for the lock.
            open_cells |= {(problem.kind, path, loc) for path in problem.equal_paths for loc in problem.locations}
            continue
        for loc in problem.locations:
            key = problem.kind, problem.path, loc
            cells[key] = cells.get(key, 0) + problem.cost
    for (kind, path, loc), cost in cells.items():
        if (kind, path, loc) in open_cells:
            continue
        yield "expect_problem %s %s %s %s" % (kind, "/".join(path),
                                              scenario_file.format_location(loc),
                                              _with_tolerance(cost))
    for kind, cost in totals.items():
        yield "expect_problem %s * * %s" % (kind, _with_tolerance(cost))


def expect_lines(scenario, with_formation=True):
    """`expect` lines of a Scenario: all non-zero values, and the total of every metric."""
    times = timeline.Timeline(scenario)
    result = severities.compute(times)
    lines = []
    for metric in (list(metrics.TIME_METRICS) + list(metrics.COUNT_METRICS)
                   + list(metrics.INFO_METRICS) + list(severities.POLLING_METRICS)):
        as_text = str if metric in metrics.COUNT_METRICS else scenario_file.format_units
        cells = result.values[metric]
        for path, loc in sorted(cells):
            lines.append("expect %s %s %s %s" % (metric, "/".join(path),
                                                 scenario_file.format_location(loc),
                                                 as_text(cells[path, loc])))
        lines.append("expect %s * * %s" % (metric, as_text(sum(cells.values()))))
    if with_formation:
        lines += _formation_lines(times, result)
        lines += _phase_lines(times, result)
        lines += _matrix_lines(times, result)
        lines += _problem_lines(times, result)
    return lines


def main(arguments):
    with_formation = arguments[:1] != ["--no-formation"]
    if not with_formation:
        arguments = arguments[1:]
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for path in arguments:
        try:
            print("\n".join(expect_lines(scenario_file.read_scenario(path),
                                         with_formation)))
        except (OSError, scenario_file.ScenarioError) as error:
            print("%s: %s" % (path, error), file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
