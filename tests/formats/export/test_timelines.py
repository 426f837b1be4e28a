# SPDX-License-Identifier: BSD-3-Clause
"""fermata export of timelines: slices nest, say what the scenario says, and flows join them."""

import collections
import json
import os
import pathlib
import re
import shutil
import struct
import unittest

from support import TESTS, Experiments, fermata, late_sender
from test_archives import FENCES, GENERAL, LOCKS, ONE_SIDED, on


def fields(message):
    """Decodes one message of protocol buffers: (field, value) in order."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            yield tag >> 3, struct.unpack_from("<Q", message, position)[0]
            position += 8
        elif tag & 7 == 2:
            length = varint()
            yield tag >> 3, message[position : position + length]
            position += length
        else:
            raise ValueError(f"wire type {tag & 7}")


def slices_of_json(document):
    """[(process, name, begin, end, depth)] of the B and E events, which must nest."""
    found, stacks, last = [], collections.defaultdict(list), {}
    for event in document["traceEvents"]:
        if event["ph"] not in "BE":
            continue
        thread = (event["pid"], event["tid"])
        assert event["ts"] >= last.get(thread, 0), event
        last[thread] = event["ts"]
        if event["ph"] == "B":
            stacks[thread].append((event["name"], event["ts"]))
        else:
            name, begin = stacks[thread].pop()
            found.append((event["pid"], name, begin, event["ts"], len(stacks[thread])))
    assert not any(stacks.values())
    return sorted(found, key=lambda s: (s[0], s[2], s[4]))


LATE = [
    (0, "main", 0, 20e6, 0),
    (0, "work", 1e6, 3e6, 1),
    (0, "MPI_Send", 3e6, 3.5e6, 1),
    (1, "main", 0, 20e6, 0),
    (1, "MPI_Recv", 1e6, 3.5e6, 1),
    (1, "Late Sender", 1e6, 3e6, 2),
]


class PerfettoJson(Experiments):
    def timeline(self, place, *options):
        return json.loads(fermata("export", "--to=perfetto-json", "-o", "-", *options, place))

    def test_slices_and_flows(self):
        document = self.timeline(self.experiment("a", late_sender(2)))
        self.assertEqual(slices_of_json(document), LATE)
        flows = [e for e in document["traceEvents"] if e["ph"] in "sf"]
        self.assertEqual(
            sorted((e["name"], e["ph"], e["pid"], e["ts"]) for e in flows),
            [
                ("Late Sender", "f", 1, 3.5e6 - 0.001),
                ("Late Sender", "s", 0, 3e6),
                ("message", "f", 1, 3.5e6 - 0.001),
                ("message", "s", 0, 3e6),
            ],
        )
        ends = collections.Counter(e["id"] for e in flows)
        self.assertEqual(set(ends.values()), {2})

    def test_a_part_of_the_time(self):
        place = self.experiment("a", late_sender(2))
        document = self.timeline(place, "--begin=2", "--end=3.25")
        self.assertEqual(
            slices_of_json(document),
            [
                (0, "main", 2e6, 3.25e6, 0),
                (0, "work", 2e6, 3e6, 1),
                (0, "MPI_Send", 3e6, 3.25e6, 1),
                (1, "main", 2e6, 3.25e6, 0),
                (1, "MPI_Recv", 2e6, 3.25e6, 1),
                (1, "Late Sender", 2e6, 3e6, 2),
            ],
        )
        self.assertEqual(slices_of_json(self.timeline(place, "--begin=30")), [])
        self.assertEqual(
            slices_of_json(self.timeline(place, "--begin=10", "--end=10")),
            [(0, "main", 10e6, 10e6, 0), (1, "main", 10e6, 10e6, 0)],
        )

    def test_calls_that_were_never_left(self):
        source = pathlib.Path(TESTS, "rules/scenarios/open-calls/barrier-of-all.scn").read_text(encoding="utf-8")
        place = self.experiment("hang", source)
        document = json.loads(fermata("export", "--to=perfetto-json", "-o", "-", place))
        begins = [event for event in document["traceEvents"] if event["ph"] == "B"]
        self.assertEqual([(event["pid"], event["name"]) for event in begins if event.get("args", {}).get("never left")],
                         [(0, "MPI_Barrier"), (1, "MPI_Barrier")])
        self.assertEqual(fermata("export", "--to=perfetto", "-o", "-", place).count(b"never left"), 2)

    def test_a_part_of_the_ranks(self):
        place = self.experiment("a", late_sender(2))
        document = self.timeline(place, "--ranks=1")
        self.assertEqual(slices_of_json(document), LATE[3:])
        self.assertFalse([e for e in document["traceEvents"] if e["ph"] in "sf"])
        self.assertEqual(slices_of_json(self.timeline(place, "--ranks=0-1000")), LATE)
        self.assertEqual(slices_of_json(self.timeline(place, "--ranks=7")), [])

    def test_one_sided_operations(self):
        place = self.experiment("a", """
unit 1
ranks 2
window w world
0 0 enter main
1 0 enter MPI_Win_lock
1 0 lock_request w 1 0 x
2 0 leave MPI_Win_lock
2 0 enter MPI_Put
2 0 put w 1 8 1
3 0 leave MPI_Put
3 0 enter MPI_Get
3 0 get w 1 8 2
4 0 leave MPI_Get
4 0 enter MPI_Win_unlock
5 0 done_remote w 1
5 0 done_remote w 2
5 0 lock_release w 1 0
5 0 leave MPI_Win_unlock
9 0 leave main
0 1 enter main
9 1 leave main
""")
        flows = [e for e in self.timeline(place)["traceEvents"] if e["ph"] in "sf"]
        self.assertEqual(
            sorted((e["name"], e["ph"], e["pid"], e["ts"]) for e in flows
                   if e["name"] in ("put", "get")),
            [("get", "f", 0, 5e6 - 0.001), ("get", "s", 1, 3e6),
             ("put", "f", 1, 5e6), ("put", "s", 0, 2e6)],
        )

    def transfers(self, scenario):
        """[(operation, from rank, begin, to rank, end)], in seconds."""
        document = self.timeline(self.experiment(f"transfers-{len(os.listdir(self.folder))}", scenario))
        return sorted((name, begin[0], since, end[0], until) for name, flows in flows_of_json(document).items()
                      for begin, since, end, until in flows if name in ("put", "get", "atomic operation"))

    def test_one_sided_operations_end_where_they_are_complete(self):
        """Those of the extended event model, as in otf2-extended."""
        before = 1e-9  # a flow ends inside its slice
        # Fences: at the end of the target's fence, of a get at the end of the origin's.
        self.assertEqual(self.transfers(FENCES),
                         [("get", 2, 4, 0, 9 - before), ("put", 0, 3, 1, 10 - before)])
        # Start and complete: at the end of the target's Win_wait.
        self.assertEqual(self.transfers(GENERAL),
                         [("put", 0, 3, 1, 7 - before), ("put", 0, 8, 1, 12 - before)])
        # Passive target: when the origin's call returns that completes the operation at the target.
        self.assertEqual(self.transfers(LOCKS), [("atomic operation", 0, 5, 1, 8), ("put", 0, 3, 1, 5)])

    def test_gets_end_where_their_data_are_first_known_to_be_there(self):
        self.assertEqual(self.transfers(ONE_SIDED + on(
            0,
            (1, 2, "MPI_Win_lock", (1, "lock_request w 1 0 s")),
            (3, 4, "MPI_Get", (3, "get w 1 8 1")),
            (4, 5, "MPI_Rget", (4, "get w 1 8 2")),
            (5, 6, "MPI_Put", (5, "put w 1 8 3")),
            (6, 7, "MPI_Win_flush_local", (7, "done_nonblocking w 1"), (7, "done_nonblocking w 3")),
            (7, 8, "MPI_Wait", (8, "done_nonblocking w 2")),
            (9, 10, "MPI_Win_unlock", (10, "done_remote w 3"), (10, "lock_release w 1 0 s")),
        ) + on(1) + on(2)), [("get", 1, 3, 0, 7 - 1e-9), ("get", 1, 4, 0, 8 - 1e-9), ("put", 0, 5, 1, 10)])

    def test_operations_without_a_record_of_their_end_end_with_their_call(self):
        self.assertEqual(self.transfers(
            ONE_SIDED + on(0, (3, 4, "MPI_Put", (3, "put w 1 8 1")), (5, 6, "MPI_Get", (5, "get w 2 8 2"))) +
            on(1) + on(2)), [("get", 2, 5, 0, 6 - 1e-9), ("put", 0, 3, 1, 4)])

    def test_a_target_with_several_threads(self):
        """The thread that calls Win_wait is where the put ends."""
        scenario = re.sub(r"^([\d.]+) 1 (?!.*main)", r"\1 1.1 ", GENERAL.replace("ranks 3", "ranks 3 threads 2"),
                          flags=re.M)
        document = self.timeline(self.experiment("a", scenario))
        self.assertEqual(flows_of_json(document)["put"], [
            ((0, 0), 3, (1, 1), 7 - 1e-9), ((0, 0), 8, (1, 1), 12 - 1e-9)])

    def test_a_run_that_is_not_analysed(self):
        """Timelines need no report; other exports ask for one."""
        place = self.experiment("a", FENCES)
        bare = self.path("bare")
        os.mkdir(bare)
        for name in os.listdir(place):
            if name.startswith("traces"):
                source = os.path.join(place, name)
                copy = shutil.copytree if os.path.isdir(source) else shutil.copy
                copy(source, os.path.join(bare, name))
        for form in ("perfetto", "perfetto-json"):
            self.assertEqual(fermata("export", "--to", form, "-o", "-", bare),
                             fermata("export", "--to", form, "-o", "-", place))
        for form in ("otf2", "otf2-extended"):
            prints = []
            for each in (place, bare, os.path.join(bare, "traces.otf2")):
                copy = self.path(f"copy-{form}-{len(prints)}")
                fermata("export", "--to", form, "-o", copy, each)
                prints.append(fermata("info", "--format=json", copy))
                self.assertTrue(os.path.exists(os.path.join(copy, "traces.otf2")))
            self.assertEqual(len({re.sub(rb'"bytes":\s*\d+|copy-[\w-]+', b"", text) for text in prints}), 1)
        self.assertIn("run `fermata analyze`", fermata("export", "--to=csv", "-o", "-", bare, status=3))
        self.assertIn("No such file", fermata("export", "--to=otf2-extended", self.path("none"), status=3))

    def test_wrong_requests(self):
        place = self.experiment("a", late_sender(2))
        for option in ("--begin=x", "--end=-1", "--ranks=2-1", "--ranks=a", "--ranks=-1"):
            with self.subTest(option):
                fermata("export", "--to=perfetto", option, place, status=2)
        fermata("export", "--to=csv", "--begin=1", place, status=2)

    def test_names_are_data(self):
        hostile = '<b>"x"\\'
        place = self.experiment("a", late_sender(2, extra=f"6 0 enter {hostile}\n7 0 leave {hostile}"))
        self.assertIn(hostile, [s[1] for s in slices_of_json(self.timeline(place))])


def flows_of_json(document):
    """{name: [((rank, thread), time, (rank, thread), time)]} of the flows of a small run."""
    threads, ends, found = {}, {}, collections.defaultdict(list)
    for event in document["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "thread_sort_index":
            threads[event["tid"]] = event["pid"], event["args"]["sort_index"]
    for event in document["traceEvents"]:
        if event["ph"] == "s":
            ends[event["id"]] = event
        elif event["ph"] == "f":
            begin = ends.pop(event["id"])
            assert begin["name"] == event["name"] and begin["cat"] == event["cat"]
            found[event["name"]].append(
                (threads[begin["tid"]], begin["ts"] / 1e6, threads[event["tid"]], event["ts"] / 1e6))
    assert not ends
    return {name: sorted(flows) for name, flows in found.items()}


class ArrowsOfThreads(Experiments):
    """The scenarios of rules/scenarios/threads, whose comments tell the times."""

    def flows(self, name):
        scenarios = pathlib.Path(__file__).parents[2] / "rules" / "scenarios"
        place = self.experiment(pathlib.Path(name).name, (scenarios / f"{name}.scn").read_text())
        document = json.loads(fermata("export", "--to=perfetto-json", "-o", "-", place))
        native = {text for text in (b"fork", b"thread start", b"thread end", b"task", b"lock hand-over")}
        # The same flows, with a mark at each end.
        packets = fermata("export", "--to=perfetto", "-o", "-", place)
        ids, names = collections.Counter(), {}
        for _, packet in fields(packets):
            for number, value in fields(packet):
                if number == 12:
                    names.update((dict(fields(name))[1], dict(fields(name))[2])
                                 for field, name in fields(value) if field == 2)
                if number != 11:
                    continue
                event = list(fields(value))
                if dict(event)[9] == 3 and names[dict(event)[10]] in native:
                    ids.update((names[dict(event)[10]].decode(), flow) for field, flow in event if field == 47)
        flows = flows_of_json(document)
        of_threads = {name: flows[name] for name in flows if name.encode() in native}
        self.assertEqual(set(ids.values()) - {2}, set())
        self.assertEqual(collections.Counter(name for name, _ in ids),
                         {name: len(found) for name, found in of_threads.items()})
        return of_threads

    def test_forks_lead_to_the_members_of_a_team(self):
        self.assertEqual(self.flows("threads/slow-thread-to-late-sender"),
                         {"fork": [((0, 0), 1, (0, 1), 2)]})
        self.assertEqual(self.flows("threads/path-behind-forks"),
                         {"fork": [((0, 0), 1, (0, 1), 2), ((0, 0), 6, (0, 1), 7)]})

    def test_tasks_lead_to_other_threads_that_execute_them(self):
        self.assertEqual(self.flows("threads/tasks"), {
            "fork": [((0, 0), 1, (0, 1), 1), ((0, 0), 1, (0, 2), 1)],
            "task": [((0, 0), 2.5, (0, 1), 4)]})

    def test_threads_lead_from_their_creation_and_to_who_joins_them(self):
        self.assertEqual(self.flows("threads/create-and-join"), {
            "thread start": [((0, 0), 1.5, (0, 1), 3), ((0, 0), 2, (0, 2), 2.5)],
            "thread end": [((0, 1), 9, (0, 0), 9.5), ((0, 2), 8, (0, 0), 10)]})

    def test_locks_lead_to_the_next_thread_that_waits(self):
        self.assertEqual(self.flows("threads/mutex-queue"), {
            "lock hand-over": [((0, 0), 15, (0, 1), 16), ((0, 1), 19, (0, 2), 20)]})
        self.assertEqual(self.flows("threads/critical-ordered-locks"), {
            # The run begins at 1.
            "lock hand-over": [((0, 0), 4, (0, 1), 4.5), ((0, 0), 12, (0, 1), 12), ((0, 0), 23, (0, 1), 24)]})
        # A writer follows the last one of the readers, a reader follows the writer.
        self.assertEqual(self.flows("threads/read-write-lock"), {
            "lock hand-over": [((0, 0), 7, (0, 2), 7.5), ((0, 2), 10.5, (0, 3), 11.5)]})


class Perfetto(Experiments):
    def decode(self, place, *options):
        """[(track, type, name, time, flows)] of the events, and the tracks: uuid -> (name, parent)"""
        names, tracks, events = {}, {}, []
        for field, packet in fields(fermata("export", "--to=perfetto", "-o", "-", *options, place)):
            self.assertEqual(field, 1)
            content = dict(fields(packet))
            self.assertIn(10, content)
            if 12 in content:
                for kind, entry in fields(content[12]):
                    if kind == 2:
                        name = dict(fields(entry))
                        names[name[1]] = name[2].decode()
            elif 60 in content:
                track = dict(fields(content[60]))
                if track[1] != 0:  # the root has no name
                    tracks[track[1]] = (track[2].decode(), track.get(5))
            else:
                event = list(fields(content[11]))
                of = dict(event)
                flows = tuple(value for number, value in event if number == 47)
                events.append((of[11], of[9], names.get(of.get(10)), content[8], flows))
        return events, tracks

    def test_slices_and_flows(self):
        events, tracks = self.decode(self.experiment("a", late_sender(2)))
        found, stacks = [], collections.defaultdict(list)
        for track, kind, name, time, _ in events:
            rank = int(tracks[tracks[track][1]][0].split()[1])
            if kind == 1:
                stacks[track].append((name, time))
            elif kind == 2:
                name, begin = stacks[track].pop()
                found.append((rank, name, begin / 1e3, time / 1e3, len(stacks[track])))
        self.assertEqual(sorted(found, key=lambda s: (s[0], s[2], s[4])), LATE)
        marks = [(name, time) for _, kind, name, time, _ in events if kind == 3]
        self.assertEqual(sorted(marks), [("Late Sender", 3.5e9), ("message", 3.5e9)])
        ends = collections.Counter(flow for event in events for flow in event[4])
        self.assertEqual(ends, {1: 2, 2: 2})

    def test_equal_runs_make_equal_files(self):
        place = self.experiment("a", late_sender(2))
        self.assertEqual(
            fermata("export", "--to=perfetto", "-o", "-", place),
            fermata("export", "--to=perfetto", "-o", "-", place),
        )


if __name__ == "__main__":
    unittest.main()
