# SPDX-License-Identifier: BSD-3-Clause
"""fermata export: every format holds the numbers of the report, and nothing of a name breaks it."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import unittest
import xml.etree.ElementTree as ElementTree

from support import Experiments, fermata, late_sender

HOSTILE = "<b>\"x\"&'y' ]]> {0} %s"


class Formats(Experiments):
    def test_help_names_all_formats(self):
        text = fermata("export", "--help").decode()
        for name in ("cubex", "csv", "json", "speedscope"):
            self.assertRegex(text, rf"(?m)^  {name} ")

    def test_default_file_and_standard_output(self):
        a = self.experiment("a", late_sender(2))
        self.assertIn("report.csv", fermata("export", "--to", "csv", a).decode())
        with open(os.path.join(a, "report.csv"), "rb") as file:
            self.assertEqual(file.read(), fermata("export", "--to=csv", "-o", "-", a))
        self.assertEqual(os.stat(os.path.join(a, "report.csv")).st_mode & 0o777, 0o600)

    def test_csv_and_json_are_those_of_the_report(self):
        a = self.experiment("a", late_sender(2))
        self.assertEqual(
            fermata("export", "--to=json", "-o", "-", a), fermata("report", "--format=json", a)
        )
        table = list(csv.DictReader(io.StringIO(fermata("export", "--to=csv", "-o", "-", a).decode())))
        self.assertEqual(len(table), len(self.report(a)["severities"]))

    def test_speedscope(self):
        a = self.experiment("a", late_sender(2, extra=f"6 0 enter {HOSTILE}\n7 0 leave {HOSTILE}"))
        for metric, of_rank in (("time", [20, 20]), ("mpi_latesender", [2]), ("bytes", [1024, 1024])):
            with self.subTest(metric):
                document = json.loads(
                    fermata("export", "--to=speedscope", "--metric", metric, "-o", "-", a)
                )
                profiles = document["profiles"]
                self.assertEqual([p["endValue"] for p in profiles], [sum(of_rank), *of_rank])
                self.assertEqual([p["name"] for p in profiles[:2]], ["all locations", f"rank {2 - len(of_rank)}"])
                for profile in profiles:
                    self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                    self.assertAlmostEqual(sum(profile["weights"]), profile["endValue"])
                    for stack in profile["samples"]:
                        self.assertLess(max(stack), len(document["shared"]["frames"]))
        names = [f["name"] for f in document["shared"]["frames"]]
        self.assertIn(HOSTILE, names)

    def many(self, *analysis):
        """1,500 ranks, of which rank r takes (7 r mod 1500) s."""
        ranks = 1500
        lines = "".join(f"0 {r} enter main\n{7 * r % ranks} {r} leave main\n" for r in range(ranks))
        a = self.experiment("many", f"unit 1\nranks {ranks}\n{lines}")
        if analysis:
            fermata("analyze", "-q", *analysis, a)
        return json.loads(fermata("export", "--to=speedscope", "-o", "-", a))["profiles"]

    def test_speedscope_of_many_locations_has_groups_by_value(self):
        whole, *groups = self.many()
        self.assertEqual(whole["endValue"], 1500 * 1499 / 2)
        # The smallest value, 0, has no profile.
        self.assertEqual(len(groups), 8 + 32 + 7)
        self.assertEqual([g["endValue"] for g in groups[:8]], list(range(1499, 1491, -1)))
        self.assertEqual([g["endValue"] for g in groups[-7:]], list(range(7, 0, -1)))
        self.assertEqual(groups[0]["name"], "rank 857: 1499 s")
        between, sizes = 1492, []
        for group in groups[8:40]:
            match = re.fullmatch(r"mean of (\d+) locations with (\d+).* s to (\d+).* s: ranks .*", group["name"])
            self.assertIsNotNone(match, group["name"])
            size = int(match[1])
            sizes.append(size)
            self.assertAlmostEqual(group["endValue"], between - (size + 1) / 2)
            between -= size
        self.assertEqual((sum(sizes), between), (1484, 8))
        self.assertLessEqual(max(sizes) - min(sizes), 1)

    def test_speedscope_of_many_locations_has_the_partitions(self):
        _, *groups = self.many("--partition=low:0-9,high:10-1399")
        self.assertEqual([g["name"] for g in groups],
                         ["low: mean of 10 locations", "high: mean of 1390 locations",
                          "no partition: mean of 100 locations"])
        self.assertAlmostEqual(groups[0]["endValue"], 7 * 4.5)

    def test_cubex_anchor_survives_hostile_names(self):
        a = self.experiment("a", late_sender(2, extra=f"6 0 enter {HOSTILE}\n7 0 leave {HOSTILE}"))
        archive = tarfile.open(fileobj=io.BytesIO(fermata("export", "--to=cubex", "-o", "-", a)))
        root = ElementTree.fromstring(archive.extractfile("anchor.xml").read())
        self.assertIn(HOSTILE, [r.findtext("name") for r in root.iter("region")])

    def test_graph_of_causes(self):
        hostile = 'fo"o\\n'
        scenario = late_sender(2).replace("work", hostile)
        a = self.experiment("a", scenario)
        graph = fermata("export", "--to=graphviz", "-o", "-", a).decode()
        self.assertRegex(graph, r'w0_0 \[shape=box, label="Late Sender: 2 s\\nrank 1\\nmain/MPI_Recv')
        self.assertRegex(graph, r'w0_1 \[.*label="takes longer by 2 s\\nrank 0\\nmain/fo\\"o')
        self.assertIn('w0_1 -> w0_0 [label="100.0 %"]', graph)
        none = fermata("export", "--to=graphviz", "--metric=mpi_barrier_wait", "-o", "-", a)
        self.assertNotIn(b"->", none)
        # Graphviz itself takes it, where it is installed.
        dot = shutil.which("dot")
        if dot is not None:
            done = subprocess.run([dot, "-Tsvg"], input=graph.encode(), capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_requests(self):
        a = self.experiment("a", late_sender(2))
        fermata("export", a, status=2)
        fermata("export", "--to=nothing", a, status=2)
        fermata("export", "--to=speedscope", "--metric=nothing", a, status=2)
        self.assertIn("does not go", fermata("export", "--to=csv", "--metric=time", a, status=2))
        fermata("export", "--to=csv", self.path("nowhere"), status=3)
        fermata("export", "--to=csv", "-o", self.path("no/folder"), a, status=4)
        self.assertEqual(os.listdir(self.folder).count("no"), 0)

    def test_a_full_disk_leaves_no_file(self):
        a = self.experiment("a", late_sender(2))
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [os.environ["FERMATA"], "export", "--to=csv", "-o", "-", a],
                stdout=full,
                stderr=subprocess.PIPE,
            )
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"cannot write", done.stderr)


if __name__ == "__main__":
    unittest.main()
