#!/usr/bin/env python3
"""Prints the expected severities of a scenario file as `expect` lines.

usage: reference.py FILE.scn...
"""

import sys

import metrics
import scenario_file
import severities
import timeline


def expect_lines(scenario):
    """`expect` lines of a Scenario: all non-zero values, and the total of every metric."""
    result = severities.compute(timeline.Timeline(scenario))
    lines = []
    for metric in (list(metrics.TIME_METRICS) + list(metrics.COUNT_METRICS)
                   + list(metrics.INFO_METRICS)):
        as_text = str if metric in metrics.COUNT_METRICS else scenario_file.format_units
        cells = result.values[metric]
        for path, loc in sorted(cells):
            lines.append("expect %s %s %s %s" % (metric, "/".join(path),
                                                 scenario_file.format_location(loc),
                                                 as_text(cells[path, loc])))
        lines.append("expect %s * * %s" % (metric, as_text(sum(cells.values()))))
    return lines


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for path in arguments:
        try:
            print("\n".join(expect_lines(scenario_file.read_scenario(path))))
        except (OSError, scenario_file.ScenarioError) as error:
            print("%s: %s" % (path, error), file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
