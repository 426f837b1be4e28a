# SPDX-License-Identifier: BSD-3-Clause
"""Records merged.c with each event by itself, and with a budget that merges nearly all of them: visits and
times are the same in sum, contended locks are recorded by themselves.

usage: check_merged.py FERMATA SOURCE PROGRAM
"""
import collections
import json
import pathlib
import re
import sys
import tempfile

from merged_totals import Totals
from openmp_archive import marked_lines, run

FIBONACCI, LOOPS, STEPS, ROUNDS, HELD = 16, 3000, 10, 5, 0.010
BUDGET = "0.001%"


def expected_visits(source):
    """By the program itself. @return (visits by name, names of regions that are merged)"""
    lines = marked_lines(source)

    def at(construct, mark):
        return f"!$omp {construct} @{source.name}:{lines[mark]}"

    calls = collections.Counter()  # of fibonacci: those that create tasks

    def count(n):
        if n >= 2:
            calls["all"] += 1
            count(n - 1)
            count(n - 2)

    count(FIBONACCI)
    few = {at("critical", mark): ROUNDS for mark in ("holder", "waiter")}
    few |= {at("critical sblock", mark): ROUNDS for mark in ("holder", "waiter")}
    many = {at(construct, mark): calls["all"] for construct in ("create task", "task") for mark in ("first", "second")}
    many |= {at("taskwait", "taskwait"): calls["all"]}
    many |= {at(construct, mark): LOOPS for construct in ("critical", "critical sblock") for mark in ("even", "odd")}
    many |= {"omp_set_lock": 2 * LOOPS, "omp_unset_lock": 2 * LOOPS, "sweep": LOOPS, "step": LOOPS * STEPS}
    return few, many


def check_contended(totals, name):
    """Both acquisitions of a round have records: that of the thread that waits, and the one that it waits for."""
    contended = [lock for lock, records in totals.locks.items() if len({location for *_, location in records}) == 2]
    assert len(contended) == 1, (name, {lock: len(records) for lock, records in totals.locks.items()})
    records = sorted(totals.locks[contended[0]])
    rounds, owners = 0, {}
    for i in range(0, len(records), 2):
        (order, kind, begin, owner), (same, end_kind, end, other) = records[i:i + 2]
        assert order == same and owner == other and begin <= end, (name, records[i:i + 2])
        assert (kind, end_kind) == ("ThreadAcquireLock", "ThreadReleaseLock"), (name, records[i:i + 2])
        owners[order] = owner
        rounds += order - 1 in owners and owners[order - 1] != owner
    assert rounds > 0, (name, records)


def check_report(fermata, experiment, totals, name):
    run([fermata, "check", experiment])
    report = experiment.parent / f"{name}.fer"
    run([fermata, "analyze", "--check", "-q", "-o", report, experiment])
    text = re.sub(r"\s+", " ", run([fermata, "report", report]).stdout)
    said = re.search(r"visits were merged as they exceeded the event budget", text)
    assert bool(said) == bool(totals.merged), (name, text)
    contents = json.loads(run([fermata, "report", "--format", "json", report]).stdout)
    waiting = sum(problem["cost"] for problem in contents["problems"]
                  if "critical" in json.dumps(problem) or "lock" in json.dumps(problem))
    assert waiting >= HELD / 2, (name, waiting)


def main():
    fermata, source, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    few, many = expected_visits(source)
    plain = run([program])
    totals = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, budget in (("single", "off"), ("merged", BUDGET)):
            experiment = pathlib.Path(folder) / name
            recorded = run([fermata, "record", "--event-budget", budget, "-o", experiment, "--", program])
            assert recorded.stdout == plain.stdout, (recorded.stdout, plain.stdout)
            totals[name] = Totals(experiment)
            check_report(fermata, experiment, totals[name], name)
    for name, found in totals.items():
        assert {region: found.visits[region] for region in few | many} == few | many, \
            (name, {region: (found.visits[region], count) for region, count in (few | many).items()
                    if found.visits[region] != count})
        check_contended(found, name)
        waited = sum(found.seconds(region) for region in few if "sblock" not in region)
        assert waited >= HELD / 2, (name, waited)
    single, merged = totals["single"], totals["merged"]
    assert not single.merged, single.merged
    for region, count in many.items():
        assert merged.merged[region] > 0.9 * count, (region, merged.merged[region], count)
        assert merged.shortest[region] <= merged.longest[region], region
        mean = merged.ticks[region] / count
        assert merged.shortest[region] <= mean, (region, merged.shortest[region], mean)
    assert merged.events < single.events / 20, (merged.events, single.events)


main()
