# SPDX-License-Identifier: BSD-3-Clause
"""fermata export --to=cubex, read by a reader of our own: every value of every metric, call path and
location is that of the report."""

import math
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

import cubex_reader
from support import TESTS, Experiments, fermata, late_sender, some_scenarios


def member(name, content):
    """A member of a ustar archive."""
    header = bytearray(512)
    header[: len(name)] = name.encode()
    header[100:108] = b"0000600\0"
    header[124:136] = b"%11.11o\0" % len(content)
    header[156:157] = b"0"
    header[257:265] = b"ustar\x0000"
    header[148:156] = b" " * 8
    header[148:156] = b"%6.6o\0 " % sum(header)
    return bytes(header) + content + bytes(-len(content) % 512)


def anchor(kind):
    """Call tree 0(1(2 3 4 5(6 7 10) 8 9)), which real tools have enumerated."""
    def cnode(number, *children):
        return f'<cnode id="{number}" calleeId="0">{"".join(children)}</cnode>'

    inner = cnode(5, cnode(6), cnode(7), cnode(10))
    tree = cnode(0, cnode(1, cnode(2), cnode(3), cnode(4), inner, cnode(8), cnode(9)))
    place = "<name>n</name><class>node</class>"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4">
<metrics><metric id="7" type="{kind}"><disp_name>T</disp_name><uniq_name>t</uniq_name>
<dtype>DOUBLE</dtype><uom>sec</uom></metric></metrics>
<program><region id="0" mod="" begin="-1" end="-1"><name>f</name><mangled_name>f</mangled_name>
<paradigm>user</paradigm><role>function</role><url></url><descr></descr></region>{tree}</program>
<system><systemtreenode Id="0">{place}<locationgroup Id="0"><name>p</name><rank>0</rank>
<type>process</type><location Id="0"><name>a</name><rank>0</rank><type>thread</type></location>
<location Id="1"><name>b</name><rank>1</rank><type>thread</type></location>
</locationgroup></systemtreenode></system>
</cube>
""".encode()


class Reader(unittest.TestCase):
    """The reader itself, on files made by hand."""

    ORDER = {"INCLUSIVE": [0, 1, 2, 3, 4, 5, 8, 9, 6, 7, 10],
             "EXCLUSIVE": [0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9]}

    def cube(self, kind, index, data):
        return cubex_reader.read(member("7.data", data) + member("7.index", index)
                                 + member("anchor.xml", anchor(kind)) + bytes(1024))

    def test_rows_of_all_forms(self):
        for kind, order in self.ORDER.items():
            for endian in "<>":
                rows = [struct.pack(endian + "2d", i + 1, 100 * i) for i in range(len(order))]
                head = b"CUBEX.INDEX" + struct.pack(endian + "IH", 1, 0)
                dense = head + b"\x03"
                sparse = head + b"\x01" + struct.pack(f"{endian}4I", 3, 2, 5, 10)
                packed = [zlib.compress(row) for row in rows]
                starts = [sum(map(len, packed[:i])) for i in range(len(packed))]
                table = b"".join(struct.pack(endian + "3Q", 16 * i, starts[i], len(packed[i]))
                                 for i in range(len(rows)))
                compressed = (b"ZCUBEX.DATA" + struct.pack(endian + "Q", len(rows)) + table
                              + b"".join(packed))
                full = {(order[i], l): [i + 1, 100 * i][l] for i in range(len(order))
                        for l in (0, 1) if (l, i) != (1, 0)}
                for index, data, expected in [
                    (dense, b"CUBEX.DATA" + b"".join(rows), full),
                    (dense, compressed, full),
                    (sparse, b"CUBEX.DATA" + b"".join(rows[i] for i in (2, 5, 10)),
                     {at: v for at, v in full.items() if at[0] in (order[2], order[5], order[10])}),
                ]:
                    with self.subTest(kind=kind, endian=endian, data=data[:11]):
                        self.assertEqual(self.cube(kind, index, data).metrics[0].values, expected)

    def test_inclusive_and_exclusive_values(self):
        own = {i: 2.0**i for i in range(11)}
        below = {5: (6, 7, 10), 1: (2, 3, 4, 5, 6, 7, 8, 9, 10), 0: range(1, 11)}
        total = {i: own[i] + sum(own[j] for j in below.get(i, ())) for i in own}
        for kind, stored in (("INCLUSIVE", total), ("EXCLUSIVE", own)):
            rows = [struct.pack("<2d", stored[i], 0) for i in self.ORDER[kind]]
            cube = self.cube(kind, b"CUBEX.INDEX\x01\0\0\0\0\0\x03", b"CUBEX.DATA" + b"".join(rows))
            for inclusive, expected in ((True, total), (False, own)):
                with self.subTest(kind=kind, inclusive=inclusive):
                    self.assertEqual(cube.by_call_path(cube.metrics[0], inclusive),
                                     {(i, 0): v for i, v in expected.items()})

    def test_what_is_wrong_is_refused(self):
        good = (member("7.data", b"CUBEX.DATA" + bytes(176))
                + member("7.index", b"CUBEX.INDEX\x01\0\0\0\0\0\x03")
                + member("anchor.xml", anchor("EXCLUSIVE")) + bytes(1024))
        cubex_reader.read(good)
        for what, wrong in {
            "checksum": good[:148] + b"000001" + good[154:],
            "no end": good[:-512],
            "order of the sections": good.replace(b"metrics>", b"program>"),
            "a comment": good.replace(b"<system>", b"<!---->"),
            "half of a metric": good.replace(b"7.index", b"8.index"),
            "size": member("x", bytes(512)) + good,
            "rows": good.replace(b"\0\0\0\x03", b"\0\0\0\x01"),
        }.items():
            with self.subTest(what):
                self.assertRaises((cubex_reader.Malformed, struct.error), cubex_reader.read, wrong)


def trail(parents, key):
    """{node: its way from the root}: names, and which of equal siblings; nodes in their order."""
    ways, seen = {}, {}
    for node, parent in parents:
        way = ways.get(parent, ()) + (key(node),)
        seen[way] = seen.get(way, -1) + 1
        ways[node] = way[:-1] + ((way[-1], seen[way]),)
    return ways


class Compared(Experiments):
    """Cube files with the same numbers as the report."""

    def compare(self, place):
        report = self.report(place)
        cube = cubex_reader.read(fermata("export", "--to=cubex", "-o", "-", place))
        self.compare_definitions(report, cube)
        self.compare_values(report, cube)
        self.compare_topologies(report, cube)
        return report, cube

    def compare_definitions(self, report, cube):
        self.assertEqual([(m.name, m.parent and m.parent.name, m.unit) for m in cube.metrics],
                         [(m["id"], m["parent"], m["unit"]) for m in report["metrics"]])
        paths = report["callpaths"]
        in_report = trail([(p["id"], p["parent"]) for p in paths],
                          lambda i: (paths[i]["region"], paths[i]["file"], paths[i]["line"]))
        cnodes = cube.cnodes
        in_file = trail(
            [(i, cnodes[i].parent and cnodes[i].parent.id) for i in cube.exclusive_order],
            lambda i: (cnodes[i].region["name"], cnodes[i].region["mod"] or None,
                       cnodes[i].region["begin"] if cnodes[i].region["begin"] > 0 else None))
        self.assertEqual(sorted(map(repr, in_report.values())), sorted(map(repr, in_file.values())))
        self.callpath = {way: number for number, way in in_report.items()}
        self.of_cnode = {number: self.callpath[way] for number, way in in_file.items()}
        self.assertEqual([(l.rank, l.thread, l.name) for l in cube.locations],
                         [(l["rank"], l["thread"], l["name"]) for l in report["locations"]])
        for in_file, in_report in zip(cube.locations, report["locations"]):
            self.assertIn(in_report["node"], in_file.nodes)
        self.of_location = {l.id: r["id"] for l, r in zip(cube.locations, report["locations"])}

    def compare_values(self, report, cube):
        given = {m["id"]: {} for m in report["metrics"]}
        for s in report["severities"]:
            given[s["metric"]][s["callpath"], s["location"]] = s["value"]
        children = {m["id"]: [] for m in report["metrics"]}
        for m in reversed(report["metrics"]):
            if m["parent"] is not None:
                children[m["parent"]].append(m["id"])
        whole = {}  # with the parts of the metric; a metric's parts come behind it
        for m in reversed(report["metrics"]):
            sums = {at: [value] for at, value in given[m["id"]].items()}
            for child in children[m["id"]]:
                for at, value in whole[child].items():
                    sums.setdefault(at, []).append(value)
            whole[m["id"]] = {at: math.fsum(values) for at, values in sums.items()}
        for metric in cube.metrics:
            exact = metric.unit != "sec"
            expected = whole[metric.name]
            stored = self.renamed(cube.by_call_path(metric, False))
            scale = max(map(abs, self.renamed(cube.by_call_path(metric, True)).values()), default=0)
            self.assert_equal(metric.name, stored, expected, 0 if exact else 1e-12 * scale)
            own = self.renamed(cube.exclusive(metric))
            self.assert_equal(metric.name, own, given[metric.name], 0 if exact else 4e-12 * scale)

    def compare_topologies(self, report, cube):
        threads = max(l["thread"] for l in report["locations"]) + 1
        expected = []
        for topology in report["topologies"]:
            dimensions = [(d["name"] or f"dimension {i}", d["size"], d["periodic"])
                          for i, d in enumerate(topology["dimensions"])]
            places = {}
            for member in topology["members"]:
                rank = report["locations"][member["location"]]["rank"]
                for l in report["locations"]:
                    if l["rank"] == rank:
                        thread = (l["thread"],) if threads > 1 else ()
                        places[l["id"]] = tuple(member["coordinates"]) + thread
            if threads > 1:
                dimensions.append(("Thread", threads, False))
            expected.append((topology["name"] or "topology", dimensions, places))
        found = [(name, dimensions, {self.of_location[i]: p for i, p in places.items()})
                 for name, dimensions, places in cube.topologies]
        self.assertEqual(found, expected)

    def test_topologies(self):
        """With threads and without, of reports and of merged ones."""
        sample = self.path("sample.fer")
        subprocess.run([os.environ["WRITE_SAMPLE"], "sample", sample], check=True)
        cube = self.compare_places(sample)
        self.assertEqual([t[1] for t in cube.topologies],
                         [[("x", 2, True), ("dimension 1", 3, False), ("Thread", 2, False)],
                          [("dimension 0", 5, False), ("Thread", 2, False)]])
        self.assertEqual(cube.topologies[0][2],
                         {0: (1, 0, 0), 1: (0, 2, 0), 3: (1, 1, 0), 4: (1, 1, 1)})
        other = self.experiment("other", late_sender(2))
        for command, order in ("merge", (sample, other)), ("mean", (other, sample)):
            with self.subTest(command):
                place = self.path(command + ".fer")
                fermata(command, "-o", place, *order)
                self.assertEqual(len(self.compare_places(place).topologies), 2)

    def compare_places(self, place):
        report = self.report(place)
        cube = cubex_reader.read(fermata("export", "--to=cubex", "-o", "-", place))
        self.of_location = {l.id: r["id"] for l, r in zip(cube.locations, report["locations"])}
        self.compare_topologies(report, cube)
        return cube

    def renamed(self, values):
        return {(self.of_cnode[c], self.of_location[l]): v for (c, l), v in values.items()}

    def assert_equal(self, name, found, expected, tolerance):
        for at in found.keys() | expected.keys():
            difference = abs(found.get(at, 0) - expected.get(at, 0))
            self.assertLessEqual(difference, tolerance, (name, at, found.get(at), expected.get(at)))

    def test_names_and_threads(self):
        hostile = "<b>\"x\"&'y' ]]> {0} %s \u202e \u00e4"
        extra = f"6 0 enter {hostile}\n7 0 leave {hostile}\n8 0 enter ='\n9 0 leave ='"
        report, cube = self.compare(self.experiment("a", late_sender(2, extra=extra)))
        self.assertGreater(len(report["severities"]), 10)
        self.assertIn(hostile, [c.region["name"] for c in cube.cnodes.values()])

    def test_values_of_parameters(self):
        extra = ("6 0 enter solve\n6 0 parameter level -3\n7 0 parameter_text input a<b\n"
                 "8 0 parameter_unsigned size 18446744073709551615\n9 0 leave solve")
        _, cube = self.compare(self.experiment("a", late_sender(2, extra=extra)))
        found = [parameter for c in cube.cnodes.values() for parameter in c.parameters]
        self.assertEqual(found, [("numeric", "level", "-3"), ("string", "input", "a<b"),
                                 ("numeric", "size", "18446744073709551615")])

    def test_scenarios(self):
        """Those of every kind of wait state, with one, some and many locations."""
        done = set()
        for source in some_scenarios():
            name = os.path.basename(source)[: -len(".scn")]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                place = os.path.join(folder, name)
                fermata("synth", source, "-o", place)
                fermata("analyze", "-q", place)
                report, _ = self.compare(place)
                done |= {s["metric"] for s in report["severities"]}
        self.assertGreater(len(done), 60, sorted(done))

    def test_a_recorded_program(self):
        """Score-P has recorded it; values are no round numbers."""
        place = self.path("recorded")
        shutil.copytree(os.path.join(TESTS, "traces", "scorep-waits"), place)
        fermata("analyze", "-q", place)
        report, _ = self.compare(place)
        self.assertGreater(len(report["severities"]), 100)

    def test_means_and_merged_reports(self):
        a, b = (self.experiment(str(d), late_sender(d)) for d in (1, 4))
        for command in ("mean", "merge"):
            with self.subTest(command):
                place = self.path(command + ".fer")
                fermata(command, "-o", place, a, b)
                self.compare(place)

    def test_many_locations(self):
        place = self.path("sor")
        subprocess.run([os.environ["SYNTHESIZE_SOR"], "--ranks", "200", "--variant", "gats",
                        "--iterations", "20", place], check=True, stdout=subprocess.DEVNULL)
        fermata("analyze", "-q", place)
        report, _ = self.compare(place)
        self.assertEqual(len(report["locations"]), 200)


if __name__ == "__main__":
    unittest.main()
