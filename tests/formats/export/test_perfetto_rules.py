# SPDX-License-Identifier: BSD-3-Clause
"""Timelines for Perfetto obey the rules of their formats: for scenarios of all kinds, and for a recorded
program. What stands in them is the matter of test_timelines.py."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest

import perfetto_rules
from perfetto_rules import Broken
from support import TESTS, Experiments, fermata, some_scenarios


class Rules(Experiments):
    def check(self, place, *part):
        """Both formats tell the same; @return what they tell."""
        binary, text = (fermata("export", "--to", form, "-o", "-", *part, place)
                        for form in ("perfetto", "perfetto-json"))
        binary = perfetto_rules.protobuf(binary)
        text = perfetto_rules.chrome_json(json.loads(text))
        self.assertEqual(len(binary["slices"]), len(text["slices"]))
        # As JSON a flow needs slices at both ends, in the binary format only tracks.
        sliced = {track for track, *_ in binary["slices"]}
        self.assertEqual(sum(all(track in sliced for track, _ in flow) for flow in binary["flows"]),
                         len(text["flows"]))
        self.assertEqual(sorted((name, depth, round(end - begin))
                                for _, name, begin, end, depth in binary["slices"]),
                         sorted((name, depth, round(1000 * (end - begin)))
                                for _, name, begin, end, depth in text["slices"]))
        return binary

    def test_scenarios(self):
        slices = flows = 0
        sources = list(some_scenarios())
        for source in sources:
            name = os.path.basename(source)[: -len(".scn")]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                place = os.path.join(folder, name)
                fermata("synth", source, "-o", place)
                fermata("analyze", "-q", place)
                found = self.check(place)
                slices += len(found["slices"])
                flows += len(found["flows"])
        self.assertGreater(slices, 8 * len(sources))
        self.assertGreater(flows, 2 * len(sources))

    def recorded(self):
        place = self.path("recorded")
        shutil.copytree(os.path.join(TESTS, "traces", "scorep-waits"), place)
        fermata("analyze", "-q", place)
        return place

    def test_windows_of_any_length_give_the_same_order(self):
        subprocess.run([os.environ["ORDERED_EVENTS"], self.recorded()], check=True, timeout=300)

    def test_functions_known_by_samples_have_a_category_of_their_own(self):
        lines = ["0 0 enter main", "2 0 sample main/work", "6 0 sample main/work", "8 0 enter MPI_Barrier",
                 "8 0 coll_begin", "9 0 coll_end barrier world - 0 0", "9 0 leave MPI_Barrier", "9 0 leave main"]
        place = self.experiment("sampled", "unit 1\nranks 1\n" + "\n".join(lines) + "\n")
        document = json.loads(fermata("export", "--to=perfetto-json", "-o", "-", place))
        found = {event["name"]: event["cat"] for event in document["traceEvents"] if event["ph"] == "B"}
        self.assertEqual(found, {"main": "user,samples", "work": "user,samples", "MPI_Barrier": "mpi"})
        packets = [perfetto_rules.decode(value, perfetto_rules.PACKET)
                   for _, _, value in perfetto_rules.fields(fermata("export", "--to=perfetto", "-o", "-", place))]
        counts = [len(perfetto_rules.decode(packet["event"], perfetto_rules.EVENT).get("category_iids", []))
                  for packet in packets if "event" in packet]
        self.assertEqual(sorted(count for count in counts if count), [1, 2, 2])

    def test_processes_and_threads_are_in_the_order_of_ranks(self):
        ranks = 12
        lines = "".join(f"0 {r} enter main\n{9 + (5 * r) % ranks} {r} leave main\n" for r in range(ranks))
        place = self.experiment("many", f"unit 1\nranks {ranks}\n{lines}")
        tracks = list(self.check(place)["tracks"].values())
        self.assertEqual([t["process"]["name"] for t in tracks if "process" in t],
                         [f"Rank {r:02}".encode() for r in range(ranks)])
        self.assertEqual([t["rank"] for t in tracks if "process" in t], list(range(ranks)))
        threads = [t for t in tracks if "thread" in t]
        self.assertEqual([(t["thread"]["pid"], t["thread"]["tid"], t["rank"]) for t in threads],
                         [(r + 1, r + 1, 0) for r in range(ranks)])

    def test_a_recorded_program(self):
        place = self.recorded()
        found = self.check(place)
        self.assertGreater(len(found["slices"]), 50)
        self.assertGreater(len(found["flows"]), 10)
        end = self.report(place)["experiment"]["duration"]
        for part in range(20):
            with self.subTest(part):
                times = f"--begin={end * part / 20:.9f}", f"--end={end * (part + 3) / 20:.9f}"
                self.check(place, *times, f"--ranks={part % 3}-3")


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def packet(*parts):
    return field(1, field(10, 1) + b"".join(parts))


def flow(number):
    return varint(47 << 3 | 1) + struct.pack("<Q", number)


NAMES = packet(field(13, 1), field(12, field(2, field(1, 1) + field(2, b"work"))))
TRACK = packet(field(60, field(1, 5) + field(2, b"rank 0")))
ROOT = packet(field(60, field(1, 0) + field(19, 1) + field(20, 1)))


def process(pid, uuid):
    return packet(field(60, field(1, uuid) + field(3, field(1, pid) + field(6, b"rank"))))


def thread(pid, tid, uuid):
    return packet(field(60, field(1, uuid) + field(4, field(1, pid) + field(2, tid) + field(5, b"t"))))


def event(time, kind, *more, track=5, flags=2):
    name = field(10, 1) if kind != 2 else b""
    return packet(field(8, time), field(13, flags),
                  field(11, field(9, kind) + name + field(11, track) + b"".join(more)))


class BrokenTraces(unittest.TestCase):
    """The rules themselves: a trace that keeps them, and some that break one each."""

    def test_protobuf(self):
        good = [NAMES, TRACK, event(1, 1, flow(3)), event(2, 3, flow(3)), event(4, 2)]
        self.assertEqual(perfetto_rules.protobuf(b"".join(good))["slices"], [(5, "work", 1, 4, 0)])
        perfetto_rules.protobuf(b"".join([ROOT, process(1, 7), thread(1, 1, 8), thread(1, 9, 9)] + good))
        for what, wrong in {
            "no names": good[1:],
            "no track": good[:1] + good[2:],
            "a track twice": [TRACK] + good,
            "an unknown parent": good + [packet(field(60, field(1, 6) + field(2, b"x") + field(5, 9)))],
            "no end": good[:-1],
            "no begin": good + [event(5, 2)],
            "half of a flow": good + [event(5, 3, flow(4))],
            "a third end": good + [event(5, 3, flow(3))],
            "names that are not there": good + [event(5, 3, flags=0)],
            "cut off": [b"".join(good)[:-1]],
            "back in time": good[:2] + [event(2, 3, flow(3)), event(1, 1, flow(3)), event(4, 2)],
            "a process that is an idle processor": good + [process(0, 7)],
            "a thread without a process": good + [thread(1, 1, 8)],
            "a thread twice": good + [process(1, 7), thread(1, 1, 8), thread(1, 1, 9)],
            "the first thread of another process": good + [process(1, 7), process(2, 8), thread(1, 2, 9)],
            "a late root": good + [ROOT],
            "no time": good + [packet(field(13, 2), field(11, field(9, 3) + field(10, 1) + field(11, 5)))],
        }.items():
            with self.subTest(what):
                self.assertRaises(Broken, perfetto_rules.protobuf, b"".join(wrong))

    def test_json(self):
        def of(phase, time, **more):
            return {"ph": phase, "pid": 0, "tid": 0, "ts": time, "name": "x", **more}

        name = {"ph": "M", "pid": 0, "tid": 0, "name": "thread_name", "args": {"name": "a"}}
        good = [name, of("B", 1), of("E", 5), of("s", 2, cat="c", id=1),
                of("f", 3, cat="c", id=1, bp="e")]
        perfetto_rules.chrome_json({"traceEvents": good})
        for what, wrong in {
            "no end": [good[0], good[1]],
            "back in time": good + [of("B", 4), of("E", 6)],
            "no begin": good + [of("E", 6)],
            "half of a flow": good[:-1],
            "a flow outside": good[:-1] + [{**good[-1], "ts": 9}],
            "no name": good[1:],
        }.items():
            with self.subTest(what):
                self.assertRaises(Broken, perfetto_rules.chrome_json, {"traceEvents": wrong})


if __name__ == "__main__":
    unittest.main()
