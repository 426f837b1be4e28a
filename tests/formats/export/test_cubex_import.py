# SPDX-License-Identifier: BSD-3-Clause
"""Cube files of other tools, read by fermata: files made by hand in every form that the format has, and our own
exports, whose values are those of the report that they were made of."""

import gzip
import math
import os
import random
import struct
import subprocess
import zlib

from support import FERMATA, Experiments, fermata, late_sender, some_scenarios
from test_cubex import anchor, member, trail

ORDER = {"INCLUSIVE": [0, 1, 2, 3, 4, 5, 8, 9, 6, 7, 10], "EXCLUSIVE": [0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9]}
BELOW = {5: (6, 7, 10), 1: (2, 3, 4, 5, 6, 7, 8, 9, 10), 0: range(1, 11)}
OWN = {number: 2.0**number for number in range(11)}
TOTAL = {number: OWN[number] + sum(OWN[other] for other in BELOW.get(number, ())) for number in OWN}
DENSE = b"CUBEX.INDEX\x01\0\0\0\0\0\x03"


def metric(number, name, kind="EXCLUSIVE", data="DOUBLE", unit="sec", inside=""):
    return (f'<metric id="{number}" type="{kind}"><disp_name>{name.title()}</disp_name><uniq_name>{name}</uniq_name>'
            f"<dtype>{data}</dtype><uom>{unit}</uom><url></url><descr>All &lt;of&gt; it</descr>{inside}</metric>\n")


def region(number, name, paradigm):
    return (f'<region id="{number}" mod="a.c" begin="{number + 1}" end="-1"><name>{name}</name><mangled_name>{name}'
            f"</mangled_name><paradigm>{paradigm}</paradigm><role>function</role><url></url><descr></descr></region>\n")


PROFILE = {
    "metrics": metric(0, "visits", data="UINT64", unit="occ") + metric(1, "time", "INCLUSIVE")
               + metric(2, "min_time", "EXCLUSIVE", "MINDOUBLE") + metric(3, "PAPI_TOT_CYC", "INCLUSIVE", "UINT64", "#")
               + metric(4, "rate", "POSTDERIVED"),
    "program": region(10, "main", "compiler") + region(11, "solve", "compiler") + region(12, "MPI_Send", "mpi")
               + region(13, "COUNT", "measurement")
               + '<cnode id="0" calleeId="10"><cnode id="1" calleeId="11"><parameter partype="numeric" parkey="n" '
                 'parvalue="4"/><cnode id="2" calleeId="12"></cnode></cnode><cnode id="3" calleeId="13"></cnode></cnode>',
}


def profile(sections=None):
    """A profile as Score-P makes them: two ranks, time by call path only, beside the locations of a metric."""
    sections = sections or PROFILE
    groups = "".join(f'<locationgroup Id="{rank}"><name>MPI Rank {rank}</name><rank>{rank}</rank><type>process</type>'
                     f'<location Id="{5 * rank}"><name>Master thread</name><rank>0</rank><type>thread</type></location>'
                     "</locationgroup>" for rank in range(2))
    text = ('<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.4">\n<attr key="Creator" value="Score-P 8.0"/>\n'
            f"<metrics>{sections['metrics']}</metrics>\n<program>{sections['program']}</program>\n"
            '<system><systemtreenode Id="0"><name>machine Linux</name><class>machine</class><systemtreenode Id="1">'
            f"<name>node n01</name><class>node</class>{groups}"
            '<locationgroup Id="7"><name>m</name><rank>9</rank><type>metrics</type><location Id="9"><name>x</name>'
            "<rank>0</rank><type>metric</type></location></locationgroup></systemtreenode></systemtreenode></system></cube>")
    values = {0: struct.pack("<12Q", *[1, 1, 0, 3, 3, 0, 30, 60, 0, 2, 2, 0]),
              1: struct.pack("<12d", *[9.0, 9.5, 0, 6.0, 6.5, 0, 0.5, 1.0, 0, 2.0, 2.5, 0]),  # main, solve, COUNT, MPI_Send
              2: struct.pack("<12d", *range(12)), 3: struct.pack("<12Q", *[900, 950, 0, 600, 650, 0, 5, 10, 0, 20, 25, 0])}
    # Rows of inclusive metrics: main, its children, then theirs.
    content = b"".join(member(f"{number}.data", b"CUBEX.DATA" + data) + member(f"{number}.index", DENSE)
                       for number, data in values.items())
    return content + member("anchor.xml", text.encode()) + bytes(1024)


def names_of(report):
    paths = report["callpaths"]

    def name(place):
        above = paths[place]["parent"]
        return (name(above) if above is not None else "") + "/" + paths[place]["region"]
    return {path["id"]: name(path["id"]) for path in paths}


class ByHand(Experiments):
    """Files made by hand."""

    def written(self, content, name="file.cubex"):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def values(self, content, metric="cube_t"):
        """{(call path, location): value}; call paths have the numbers of the file."""
        report = self.report(self.written(content))
        return {(s["callpath"], s["location"]): s["value"] for s in report["severities"] if s["metric"] == metric}

    def test_rows_of_all_forms(self):
        # Positions of the call paths in the file, which are their numbers in the report.
        place = {number: i for i, number in enumerate(ORDER["EXCLUSIVE"])}
        expected = {(place[number], 0): value for number, value in OWN.items()}
        expected |= {(place[number], 1): 3 * value for number, value in OWN.items()}
        for kind, stored in (("INCLUSIVE", TOTAL), ("EXCLUSIVE", OWN)):
            for endian in "<>":
                rows = [struct.pack(endian + "2d", stored[number], 3 * stored[number]) for number in ORDER[kind]]
                head = b"CUBEX.INDEX" + struct.pack(endian + "IH", 1, 0)
                sparse = head + b"\x01" + struct.pack(f"{endian}12I", 11, *range(11))
                packed = [zlib.compress(row) for row in rows]
                starts = [sum(map(len, packed[:i])) for i in range(len(packed))]
                table = [struct.pack(endian + "3Q", 16 * i, starts[i], len(packed[i])) for i in range(11)]
                for index in (head + b"\x03", sparse):
                    for data in (b"CUBEX.DATA" + b"".join(rows),
                                 b"ZCUBEX.DATA" + struct.pack(endian + "Q", 11) + b"".join(table) + b"".join(packed),
                                 b"ZCUBEX.DATA" + struct.pack(endian + "Q", 11) + b"".join(table[::-1]) + b"".join(packed)):
                        with self.subTest(kind=kind, endian=endian, index=index[17], data=data[:11]):
                            self.assertEqual(self.values(member("7.data", data) + member("7.index", index)
                                                         + member("anchor.xml", anchor(kind)) + bytes(1024)), expected)

    def test_rows_that_are_left_out_are_zero(self):
        index = DENSE[:17] + b"\x01" + struct.pack("<2I", 1, 5)
        found = self.values(member("7.data", b"CUBEX.DATA" + struct.pack("<2d", 4.0, 0)) + member("7.index", index)
                            + member("anchor.xml", anchor("EXCLUSIVE")) + bytes(1024))
        self.assertEqual(found, {(5, 0): 4.0})

    def test_containers_as_tools_write_them(self):
        expected = self.values(profile(), "comp")
        self.assertTrue(expected)
        wrong_sum = bytearray(profile())
        wrong_sum[148:154] = b"000001"
        filled = profile().replace(member("2.index", DENSE), member("2.index", DENSE + bytes(512 - len(DENSE))))
        for what, content in {"compressed": gzip.compress(profile()), "checksum": bytes(wrong_sum), "full member": filled,
                              "one more block": filled.replace(bytes(512 - len(DENSE)) + b"3.data",
                                                               bytes(1024 - len(DENSE)) + b"3.data")}.items():
            with self.subTest(what):
                self.assertEqual(self.values(content, "comp"), expected)

    def test_a_profile(self):
        report = self.report(self.written(profile()))
        names = names_of(report)
        found = {(s["metric"], names[s["callpath"]], s["location"]): s["value"] for s in report["severities"]}
        main, solve = "/main", "/main/solve [n=4]"
        self.assertEqual(found, {
            ("visits", main, 0): 1, ("visits", main, 1): 1, ("visits", solve, 0): 3, ("visits", solve, 1): 3,
            ("visits", solve + "/MPI_Send", 0): 30, ("visits", solve + "/MPI_Send", 1): 60,
            ("visits", main + "/COUNT", 0): 2, ("visits", main + "/COUNT", 1): 2,
            ("comp", main, 0): 2.5, ("comp", main, 1): 2.0, ("comp", solve, 0): 4.0, ("comp", solve, 1): 4.0,
            ("mpi_point2point", solve + "/MPI_Send", 0): 2.0, ("mpi_point2point", solve + "/MPI_Send", 1): 2.5,
            ("overhead", main + "/COUNT", 0): 0.5, ("overhead", main + "/COUNT", 1): 1.0,
            ("counter:papi_tot_cyc", main, 0): 295, ("counter:papi_tot_cyc", main, 1): 290,
            ("counter:papi_tot_cyc", solve, 0): 580, ("counter:papi_tot_cyc", solve, 1): 625,
            ("counter:papi_tot_cyc", solve + "/MPI_Send", 0): 20, ("counter:papi_tot_cyc", solve + "/MPI_Send", 1): 25,
            ("counter:papi_tot_cyc", main + "/COUNT", 0): 5, ("counter:papi_tot_cyc", main + "/COUNT", 1): 10})
        self.assertEqual([(l["rank"], l["node"], l["name"]) for l in report["locations"]],
                         [(0, "n01", "Master thread"), (1, "n01", "Master thread")])
        text = fermata("report", self.path("file.cubex")).decode()
        self.assertIn("Not known: the report has totals only, without a trace.", " ".join(text.split()))
        self.assertIn("2 of 5 metrics of the Cube file are left out", " ".join(text.split()) + " ".join(report["warnings"]))

    def test_values_of_parameters(self):
        """They divide the visits of the function above them, or tell apart a function."""
        divided = dict(PROFILE, program=PROFILE["program"].replace('id="1" calleeId="11"', 'id="1" calleeId="10"'))
        report = self.report(self.written(profile(divided)))
        self.assertIn("/main/n=4/MPI_Send", names_of(report).values())

    def test_a_directory_with_a_profile_only(self):
        os.mkdir(self.path("scorep_run"))
        self.written(profile(), "scorep_run/profile.cubex")
        self.assertEqual(fermata("report", "--format=json", self.path("scorep_run")),
                         fermata("report", "--format=json", self.written(profile(), "profile.cubex")))

    def test_comparison(self):
        faster = profile().replace(struct.pack("<d", 6.5), struct.pack("<d", 5.5))
        text = fermata("diff", self.written(profile()), self.written(faster, "faster.cubex")).decode()
        self.assertIn("Computation in main/solve [n=4]", text)
        fermata("mean", "-o", self.path("mean.fer"), self.path("file.cubex"), self.path("faster.cubex"))
        self.assertIn("Not known: the report has totals only", fermata("report", self.path("mean.fer")).decode())

    def test_damage(self):
        """A damaged file is refused, or says something else; nothing crashes."""
        good, choose = profile(), random.Random(4)
        damaged = [good[:length] for length in choose.sample(range(len(good)), 20)]
        for _ in range(60):
            content = bytearray(good)
            for _ in range(choose.choice((1, 8, 64))):
                content[choose.randrange(len(good))] = choose.randrange(256)
            damaged.append(bytes(content))
        damaged += [b"", b"\x1f\x8b", gzip.compress(good)[:-200], good.replace(b"cnode", b"knode"),
                    good.replace(b'calleeId="12"', b'calleeId="77"'), good.replace(b"<rank>1<", b"<rank>x<")]
        refused = 0
        for content in damaged:
            done = subprocess.run([FERMATA, "report", self.written(content)], capture_output=True, timeout=60)
            self.assertIn(done.returncode, (0, 3, 4), done)
            refused += done.returncode == 3
        self.assertGreater(refused, 20)


class RoundTrip(Experiments):
    """Our own exports."""

    def compare(self, place):
        given = self.report(place)
        with open(self.path("exported.cubex"), "wb") as file:
            file.write(fermata("export", "--to=cubex", "-o", "-", place))
        read = self.report(self.path("exported.cubex"))

        def sums(report):
            paths = report["callpaths"]
            ways = trail([(path["id"], path["parent"]) for path in paths], lambda i: paths[i]["region"])
            locations = {l["id"]: (l["rank"], l["thread"]) for l in report["locations"]}
            found = {}
            for s in report["severities"]:
                at = s["metric"], ways[s["callpath"]], locations[s["location"]]
                found.setdefault(at, []).append(s["value"])
            return {at: math.fsum(values) for at, values in found.items()}

        expected, found = sums(given), sums(read)
        for at in {**expected, **found}:
            value, other = expected.get(at, 0), found.get(at, 0)
            self.assertTrue(abs(value - other) <= 1e-7 + 1e-9 * abs(value), (place, at, value, other))
        return read

    def test_scenarios(self):
        for path in some_scenarios():
            with self.subTest(path), open(path, encoding="utf-8") as file:
                self.compare(self.experiment(os.path.basename(path)[:-4], file.read()))

    def test_wait_states_are_told(self):
        self.compare(self.experiment("late", late_sender(4)))
        text = fermata("report", self.path("exported.cubex")).decode()
        self.assertIn("Late Sender", text)
