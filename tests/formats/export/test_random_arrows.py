# SPDX-License-Identifier: BSD-3-Clause
"""Arrows between threads of random executions: those of the exports against the reference (rules/reference)."""

import collections
import json
import pathlib
import sys
import unittest

from support import Experiments, fermata

TESTS = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / "rules" / "reference"), str(TESTS / "support")]
import generate  # noqa: E402
import scenario_file  # noqa: E402
import share  # noqa: E402
import tasks  # noqa: E402
import thread_locks  # noqa: E402
import timeline as timelines  # noqa: E402

KINDS = "fork", "thread start", "thread end", "task", "lock hand-over"


def forks(timeline):
    for members in timeline.teams.members.values():
        events = timeline.scenario.events
        for master, forked in members.items():
            if forked.fork is not None:
                for loc, membership in members.items():
                    yield "fork", master, forked.fork[1], loc, events[loc][membership.begin].time


def lives(timeline):
    records = collections.defaultdict(list)
    for loc, found in timeline.thread_records.items():
        for record in found:
            if record.name in ("thread_create", "thread_begin", "thread_wait", "thread_end"):
                records[record.name, loc[0], record.args].append((loc, record.time))
    for (name, *thread), found in list(records.items()):
        for loc, time in found:
            if name == "thread_create":
                for other, begin in records.get(("thread_begin", *thread), ()):
                    yield "thread start", loc, time, other, begin
            elif name == "thread_wait":
                for other, end in records.get(("thread_end", *thread), ()):
                    yield "thread end", other, end, loc, time


def tasks_of(timeline):
    for task in tasks.all_tasks(timeline):
        if task.created is not None and task.runs:
            loc, begin = min((begin, loc) for loc, begin, _ in task.runs)[::-1]
            yield "task", task.creator, task.created, loc, begin


def hand_overs(timeline):
    for holds in thread_locks.holds_of_locks(timeline):
        for position, hold in enumerate(holds):
            before = thread_locks.blocked_by(holds, position)
            if before is None or hold.call is None:
                continue
            released = holds[before].released
            if hold.call.enter < released:
                yield "lock hand-over", holds[before].loc, released, hold.loc, hold.acquired


def spans_of(document, locations, unit):
    """Begins and ends of the outermost slices of each location, in the order of time."""
    spans, open_since = collections.defaultdict(list), collections.defaultdict(list)
    for event in document["traceEvents"]:
        if event["ph"] == "B":
            open_since[event["tid"]].append(event["ts"])
        elif event["ph"] == "E":
            begin = open_since[event["tid"]].pop()
            if not open_since[event["tid"]]:
                spans[locations[event["tid"]]].append((round(begin / unit),
                                                       round(event["ts"] / unit)))
    return spans


def into_a_span(spans, time):
    """A flow needs a slice: the one at that time, else the next one, else the last; None without any."""
    if any(begin <= time <= end for begin, end in spans):
        return time
    return min((begin for begin, _ in spans if begin > time), default=spans[-1][1] if spans else None)


class RandomArrows(Experiments):
    def arrows(self, document, unit):
        """Those of the export, in ticks of `unit` microseconds since the begin of the run, and the spans."""
        locations, starts, found = {}, {}, []
        for event in document["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "thread_sort_index":
                locations[event["tid"]] = event["pid"], event["args"]["sort_index"]
            elif event["ph"] == "s":
                starts[event["id"]] = event
        for event in document["traceEvents"]:
            if event["ph"] == "f" and event["name"] in KINDS:
                start = starts[event["id"]]
                found.append((event["name"], locations[start["tid"]], round(start["ts"] / unit),
                              locations[event["tid"]], round(event["ts"] / unit)))
        return collections.Counter(found), spans_of(document, locations, unit)

    def test_they_are_those_of_the_reference(self):
        seen = collections.Counter()
        for focus in "omp", "pthread", "hybrid":
            for index in range(share.count(8)):
                with self.subTest(focus=focus, index=index):
                    text = "\n".join(generate.generate("arrows", index, (2, 6), focus)) + "\n"
                    scenario = scenario_file.parse_scenario(text)
                    timeline = timelines.Timeline(scenario)
                    begin = min(events[0].time for events in scenario.events.values() if events)
                    unit = float(scenario.unit) * 1e6 / scenario_file.TICKS_PER_UNIT
                    place = self.experiment(f"{focus}{index}", text)
                    document = json.loads(fermata("export", "--to=perfetto-json", "-o", "-", place))
                    found, spans = self.arrows(document, unit)
                    expected = collections.Counter(
                        (kind, tail, into_a_span(spans[tail], since - begin), head,
                         into_a_span(spans[head], until - begin))
                        for part in (forks, lives, tasks_of, hand_overs)
                        for kind, tail, since, head, until in part(timeline)
                        if tail != head and since <= until and spans[tail] and spans[head])
                    self.assertEqual(found, expected)
                    seen.update(kind for kind, *_ in expected)
        self.assertEqual(set(seen), set(KINDS))


if __name__ == "__main__":
    unittest.main()
