# SPDX-License-Identifier: BSD-3-Clause
"""Derived metrics and parameters of `fermata report` against the severities of its own JSON.

usage: derived_metrics.py FERMATA"""

import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

FERMATA = os.path.abspath(sys.argv.pop(1))

SCENARIO = """
unit 1
ranks 2
0 0 enter main
0 0 enter solve
0 0 parameter level 2
1 0 enter MPI_Send
1 0 send 1 7 8
2 0 leave MPI_Send
2 0 parameter level 10
6 0 enter MPI_Send
6 0 send 1 7 8
7 0 leave MPI_Send
7 0 parameter_text input =a,b
8 0 leave solve
8 0 parameter level 2
10 0 leave main
0 1 enter main
0 1 enter solve
0 1 parameter level 2
2 1 enter MPI_Recv
2 1 recv 0 7 8
2 1 leave MPI_Recv
2 1 parameter level 10
3 1 enter MPI_Recv
7 1 recv 0 7 8
7 1 leave MPI_Recv
7 1 leave solve
10 1 leave main
"""
LATE = "late = mpi_latesender / time"


class Derived(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = os.path.join(cls.folder.name, "run")
        source = os.path.join(cls.folder.name, "run.scn")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        subprocess.run([FERMATA, "synth", source, "-o", cls.place], check=True, capture_output=True)
        subprocess.run([FERMATA, "analyze", "-q", cls.place], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def report(self, *options):
        return subprocess.run([FERMATA, "report", *options, self.place], check=True, text=True,
                              capture_output=True, timeout=300).stdout

    def json(self, *options):
        return json.loads(self.report("--format=json", *options))

    @staticmethod
    def sums(document, root, chosen):
        """Sum of a metric and its children over the chosen (call path, location)."""
        parent = {m["id"]: m["parent"] for m in document["metrics"]}

        def is_within(metric):
            while metric is not None and metric != root:
                metric = parent[metric]
            return metric == root

        return math.fsum(s["value"] for s in document["severities"]
                         if is_within(s["metric"]) and chosen(s["callpath"], s["location"]))

    @staticmethod
    def below(document, root):
        """The call paths at and below one."""
        found = {root}
        for path in document["callpaths"]:
            if path["parent"] in found:
                found.add(path["id"])
        return found

    def ratio(self, document, chosen):
        time = self.sums(document, "time", chosen)
        return self.sums(document, "mpi_latesender", chosen) / time if time else 0

    def test_json_has_the_quotient_of_sums(self):
        document = self.json("--define", LATE, "--define", "one = time / time")
        late, one = document["derived"]
        self.assertEqual((late["name"], late["expression"]), ("late", "mpi_latesender / time"))
        self.assertAlmostEqual(late["value"], self.ratio(document, lambda path, location: True))
        self.assertEqual(one["value"], 1)
        found = {v["callpath"]: v["value"] for v in late["callpaths"]}
        self.assertTrue(found)
        for path in document["callpaths"]:
            inside = self.below(document, path["id"])
            self.assertAlmostEqual(found.get(path["id"], 0),
                                   self.ratio(document, lambda p, _: p in inside))
        found = {v["location"]: v["value"] for v in late["locations"]}
        for location in document["locations"]:
            self.assertAlmostEqual(found.get(location["id"], 0),
                                   self.ratio(document, lambda _, l: l == location["id"]))

    def test_selections_restrict_the_sums(self):
        document = self.json()
        for options, chosen in ((["--location=1"], lambda _, location: location == 1),
                                (["--callpath=main/solve/level=10"], None)):
            if chosen is None:
                path = next(p["id"] for p in document["callpaths"] if p["region"] == "level=10")
                inside = self.below(document, path)
                chosen = lambda p, _: p in inside  # noqa: E731
            value = self.json("--define", LATE, *options)["derived"][0]["value"]
            self.assertAlmostEqual(value, self.ratio(document, chosen))

    def test_csv_has_the_values_of_json(self):
        late = self.json("--define", LATE)["derived"][0]
        for options in ([], ["--metric=late"]):
            table = list(csv.DictReader(io.StringIO(
                self.report("--format=csv", "--define", LATE, *options))))
            self.assertEqual({row["metric"] for row in table}, {"late"})
            whole = [row for row in table if not row["callpath_id"] and not row["location"]]
            self.assertEqual([float(row["value"]) for row in whole], [late["value"]])
            self.assertEqual([(int(row["callpath_id"]), float(row["value"]))
                              for row in table if row["callpath_id"]],
                             [(v["callpath"], v["value"]) for v in late["callpaths"]])
            self.assertEqual([(int(row["location"]), float(row["value"]))
                              for row in table if row["location"]],
                             [(v["location"], v["value"]) for v in late["locations"]])

    def test_values_of_a_parameter(self):
        document = self.json("--by=parameter:level", "--define", LATE)
        self.assertEqual(document["parameter"], {"name": "level", "values": [
            {"value": "2", "time": 2 + 2 + 2, "waiting": 1, "derived": {"late": 0}},
            {"value": "10", "time": 6 + 5, "waiting": 3, "derived": {"late": 3 / 11}},
            {"value": None, "time": 3, "waiting": 0, "derived": {"late": 0}},
        ]})
        table = list(csv.DictReader(io.StringIO(self.report("--by=parameter:level", "--format=csv"))))
        self.assertEqual([(row["value"], float(row["time"])) for row in table],
                         [("2", 6), ("10", 11), ("(none)", 3)])
        text = self.report("--by=parameter:level", "--define", LATE)
        self.assertRegex(text, r"(?m)^10 +11\.00 s +55\.0% +3\.000 s +27\.3% +0\.272727$")

    def test_texts_are_harmless_in_csv(self):
        text = self.report("--by=parameter:input", "--format=csv")
        self.assertIn("\"'=a,b\",1,0\n", text.replace("\r", ""))

    def test_unknown_parameters_are_named(self):
        done = subprocess.run([FERMATA, "report", "--by=parameter:x", self.place], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there are: level, input", done.stderr)
        self.assertEqual(done.stdout, "")


unittest.main()
