# SPDX-License-Identifier: BSD-3-Clause
"""fermata diff, mean and merge: numbers that follow from the scenarios."""

import json
import os
import re
import subprocess
import unittest

from support import Experiments, fermata, late_sender
from test_archives import ONE_SIDED, fence, on


def total(report, metric, callpath=None):
    """Sum of the exclusive values of a metric."""
    return sum(
        s["value"]
        for s in report["severities"]
        if s["metric"] == metric and callpath in (None, s["callpath"])
    )


def name_in_markdown(name):
    return re.sub(r"([\\`*_{}\[\]()#+.!|~-])", r"\\\1", name)


def hybrid(slow):
    """Two ranks of two threads share a loop until 10, the second ones take `slow`, the first ones 6; then the ranks
    meet in a barrier."""
    lines = ["unit 1", "ranks 2 threads 2", "team t0 0.0 0.1", "team t1 1.0 1.1"]
    for rank in range(2):
        lines += [f"0 {rank}.0 fork 2"]
        for thread, work in (0, 6), (1, slow):
            lines += [f"{time} {rank}.{thread} {what}" for time, what in (
                (0, f"team_begin t{rank}"), (0, "enter !$omp parallel"), (0, "enter !$omp for"), (work, "leave !$omp for"),
                (work, "enter !$omp implicit barrier"), (10, "leave !$omp implicit barrier"), (10, "leave !$omp parallel"),
                (10, f"team_end t{rank}"))]
        lines += [f"{time} {rank}.0 {what}" for time, what in (
            (10, "join"), (10, "enter MPI_Barrier"), (10, "coll_begin"), (12, "coll_end barrier world - 0 0"),
            (12, "leave MPI_Barrier"))]
    return "\n".join(lines) + "\n"


class Diff(Experiments):
    def diff(self, *arguments, status=0):
        return json.loads(fermata("diff", "--format=json", *arguments, status=status))

    def metric(self, diff, name):
        return next(m["values"] for m in diff["metrics"] if m["id"] == name)

    def test_equal_reports_have_no_changes(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(2))
        diff = self.diff(a, b)
        self.assertEqual(diff["changes"], [])
        self.assertEqual(self.metric(diff, "mpi_latesender"), [2, 2])
        self.assertEqual([v["run_time"] for v in diff["variants"]], [20, 20])

    def test_changes_add_up_and_come_largest_first(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(5))
        diff = self.diff(a, b)
        self.assertEqual(self.metric(diff, "mpi_latesender"), [2, 5])
        self.assertEqual(self.metric(diff, "time"), [40, 40])
        self.assertEqual(sum(c["difference"] for c in diff["changes"]), 0)
        sizes = [abs(c["difference"]) for c in diff["changes"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        late = next(c for c in diff["changes"] if c["metric"] == "mpi_latesender")
        self.assertEqual((late["callpath"], late["values"]), ("main/MPI_Recv", [2, 5]))

    def test_changes_of_what_only_samples_tell_are_marked(self):
        def computing(length):
            return "\n".join(["unit 1", "ranks 1", "0 0 enter main", "1 0 sample main/work", f"{length} 0 enter MPI_Barrier",
                              f"{length} 0 leave MPI_Barrier", f"{length} 0 leave main"]) + "\n"

        a, b = self.experiment("a", computing(4)), self.experiment("b", computing(6))
        changes = {change["callpath"]: change["estimated"] for change in self.diff(a, b)["changes"]}
        self.assertEqual(changes, {"main/work": True})
        self.assertIn("main/work (4.000 s -> 6.000 s; by samples)", fermata("diff", a, b).decode())
        self.assertIn("main/work, by samples |", fermata("diff", "--format=markdown", a, b).decode())
        a, b = self.experiment("c", late_sender(2)), self.experiment("d", late_sender(5))
        self.assertEqual({change["estimated"] for change in self.diff(a, b)["changes"]}, {False})

    def test_programs_of_different_names_match_at_their_root(self):
        a = self.experiment("a", late_sender(2, program="before"))
        b = self.experiment("b", late_sender(3, program="after"))
        late = [c for c in self.diff(a, b)["changes"] if c["metric"] == "mpi_latesender"]
        self.assertEqual([(c["callpath"], c["values"]) for c in late], [("before/MPI_Recv", [2, 3])])

    def test_call_paths_that_one_run_lacks(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(2, extra="5 0 enter more\n6 0 leave more"))
        diff = self.diff(a, b)
        self.assertIn(
            ("main/more", [0, 1]), [(c["callpath"], c["values"]) for c in diff["changes"]]
        )

    def test_names_are_complete_however_narrow_the_terminal(self):
        sample = self.path("sample.fer")
        subprocess.run([os.environ["WRITE_SAMPLE"], "causes", sample], check=True)
        names = {m["id"]: m["name"] for m in self.report(sample)["metrics"]}
        for pattern in (), ("--metric", "*"):
            for count, width in (2, 200), (2, 80), (2, 60), (3, 80), (4, 80):
                with self.subTest(pattern=pattern, count=count, width=width):
                    reports = [sample] * count
                    expected = ["Lock Contention (synchronization)", "Wrong order, same source"]
                    if pattern:
                        expected = [names[m["id"]] for m in self.diff(*pattern, *reports)["metrics"]]
                    text = subprocess.run(
                        [os.environ["FERMATA"], "diff", *pattern, *reports], check=True, text=True,
                        env={**os.environ, "COLUMNS": str(width)}, stdout=subprocess.PIPE).stdout
                    table = text.split("Properties")[1].split("\n\n")[0]
                    columns = max(24, min(width - 11 - 20 * (count - 1), 99)) + 11 + 20 * (count - 1)
                    self.assertLessEqual(max(map(len, table.split("\n"))), columns)
                    words = " ".join(table.split())
                    for name in expected:
                        self.assertIn(name + " ", words)

    def test_three_variants(self):
        places = [self.experiment(str(d), late_sender(d)) for d in (1, 2, 4)]
        self.assertEqual(self.metric(self.diff(*places), "mpi_latesender"), [1, 2, 4])

    def test_different_clocks(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(2000).replace("unit 1\n", "unit 1e-3\n").replace("20 ", "20000 "))
        self.assertEqual(self.metric(self.diff(a, b), "mpi_latesender"), [2, 2])

    def test_conditions(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(3))
        met = ["mpi_late* > +5%", "mpi_latesender > 0.9", "mpi_latesender>49.9%", "comp < 0",
               "mpi_latesender > 0.9 s"]
        for condition in met:
            with self.subTest(condition):
                self.assertIn("--fail-if", fermata("diff", a, b, "--fail-if", condition, status=1))
        for condition in ["mpi_late* > 50%", "mpi_latesender > 1", "mpi_latesender < -1%", "time > 0"]:
            with self.subTest(condition):
                fermata("diff", a, b, "--fail-if", condition)
        # What the base lacks has grown by more than any percentage.
        c = self.experiment("c", late_sender(0))
        fermata("diff", c, a, "--fail-if", "mpi_latesender > 1000000%", status=1)
        # One condition of several is enough; any variant may meet it.
        fermata("diff", a, a, b, "--fail-if", "time > 1", "--fail-if", "mpi_late* > 1%", status=1)
        longest = "mpi_latesender".ljust(63, "*")
        fermata("diff", a, b, "--fail-if", longest + " > 1%", status=1)
        for condition in longest + "* > 1%", longest + "** > 1%":  # longer than a pattern can be
            with self.subTest(condition):
                self.assertIn("is no condition such as", fermata("diff", a, b, "--fail-if", condition, status=2))
        for condition in ["", "mpi_latesender", "> 5%", "mpi_latesender > x", "nothing > 5%",
                          "mpi_latesender > 5 %%", "mpi_latesender > nan", "mpi_latesender = 5"]:
            with self.subTest(condition):
                fermata("diff", a, b, "--fail-if", condition, status=2)

    def test_text_and_markdown_tell_the_change(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(3))
        text = fermata("diff", a, b).decode()
        self.assertRegex(text, r"Late Sender +2\.000 s +3\.000 s +\+50\.0%")
        self.assertRegex(text, r"\+1\.000 s +Late Sender in main/MPI_Recv")
        markdown = fermata("diff", a, b, "--format=markdown", "--metric", "mpi_*", "--top=3").decode()
        self.assertEqual(markdown.replace(name_in_markdown(self.folder), "F"), """\
| Property | F/a | F/b | change |
|---|--:|--:|--:|
| Communication | 3.000 s | 4.000 s | +33.3% |
| Point-to-point | 3.000 s | 4.000 s | +33.3% |
| Late Sender | 2.000 s | 3.000 s | +50.0% |

### Largest changes

| Property in call path | F/a | F/b | change |
|---|--:|--:|--:|
| Computation in main | 35.00 s | 33.00 s | -5.7% |
| Computation in main/work | 2.000 s | 3.000 s | +50.0% |
| Late Sender in main/MPI\\_Recv | 2.000 s | 3.000 s | +50.0% |
""")
        tables = fermata("diff", a, b, "--format=markdown", "--top=2").decode().split("\n\n")
        self.assertEqual(tables[0].split("\n")[2:6], [
            "| Run time | 20.00 s | 20.00 s | = |",
            "| Parallel efficiency | 92.5% | 90.0% | -2.5 |",
            "| Time | 40.00 s | 40.00 s | = |",
            "| &emsp;Execution | 40.00 s | 40.00 s | = |"])
        self.assertEqual(tables[2].split("\n")[2:], [
            "| Computation in main | 35.00 s | 33.00 s | -5.7% |",
            "| Computation in main/work | 2.000 s | 3.000 s | +50.0% |",
            ""])
        self.assertEqual(len(tables), 3)

    def test_unneeded_synchronizations_are_shown(self):
        """Two fences of three ranks bring 2 * 3 * 2 pairs together; in the second one a put makes one pair needed, on
        both sides: 10 are unneeded. Start, post, complete and wait of that pair: 2, none of them unneeded."""
        fences = ONE_SIDED + "".join(
            on(rank, fence(1, 2), *[(3, 4, "MPI_Put", (3, "put w 1 8 1"))] * (rank == 0), fence(6, 9))
            for rank in range(3))
        pairs = ONE_SIDED + on(
            0, (1, 2, "MPI_Win_start", (1, "group_sync w 1")), (3, 4, "MPI_Put", (3, "put w 1 8 1")),
            (5, 6, "MPI_Win_complete", (6, "group_sync w 1"))) + on(
            1, (1, 2, "MPI_Win_post", (1, "group_sync w 0")), (5, 7, "MPI_Win_wait", (7, "group_sync w 0"))) + on(2)
        a, b = self.experiment("a", fences), self.experiment("b", pairs)
        text = re.sub(r"\s+", " ", fermata("diff", a, b).decode())
        self.assertIn("Pair-wise one-sided synchronizations 12 2 -83.3% Unneeded 10 0 gone", text)
        self.assertIn("| &emsp;Unneeded | 10 | 0 | gone |", fermata("diff", a, b, "--format=markdown").decode())

    def test_markdown_of_three_variants(self):
        places = [self.experiment(str(d), late_sender(d)) for d in (1, 2, 4)]
        markdown = fermata("diff", *places, "--format=markdown", "--metric=mpi_latesender").decode()
        self.assertEqual(markdown.replace(name_in_markdown(self.folder), "F").split("\n")[:3], [
            "| Property | F/1 | F/2 | change | F/4 | change |",
            "|---|--:|--:|--:|--:|--:|",
            "| Late Sender | 1.000 s | 2.000 s | +100.0% | 4.000 s | +300.0% |"])

    def test_what_meets_a_condition(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(3))
        c = self.experiment("c", late_sender(4))
        conditions = ["mpi_latesender > 1", "time > 1", "mpi_lat* > 0"]
        output = {}
        for form in "text", "markdown", "json":
            done = subprocess.run(
                [os.environ["FERMATA"], "diff", "--format", form, a, b, c,
                 *(word for condition in conditions for word in ("--fail-if", condition))],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            output[form] = done.stdout
        self.assertEqual(output["text"].split("\nConditions\n")[1], """\
  mpi_latesender > 1: met by mpi_latesender in C (+100.0%)
  time > 1: not met
  mpi_lat* > 0: met by mpi_latesender in B (+50.0%)
  mpi_lat* > 0: met by mpi_latesender in C (+100.0%)
""")
        self.assertEqual(
            output["markdown"].replace(name_in_markdown(self.folder), "F").split("\n### Conditions\n")[1], """
- **met**: mpi\\_latesender &gt; 1 by mpi\\_latesender in F/c
- not met: time &gt; 1
- **met**: mpi\\_lat\\* &gt; 0 by mpi\\_latesender in F/b, mpi\\_latesender in F/c
""")
        self.assertEqual(json.loads(output["json"])["met_conditions"], [
            {"condition": condition, "metric": "mpi_latesender", "variant": variant}
            for condition, variant in ((conditions[0], 2), (conditions[2], 1), (conditions[2], 2))])

    def test_a_condition_of_all_metrics_names_each_one_once(self):
        a = self.experiment("a", late_sender(2))
        explained = [line.split()[0] for line in fermata("report", "--explain", "all").decode().splitlines()
                     if line and not line.startswith(" ")]
        output = {}
        for form in "text", "markdown", "json":
            output[form] = subprocess.run(
                [os.environ["FERMATA"], "diff", "--format", form, "--fail-if", "* < 1", a, a],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
                env={**os.environ, "COLUMNS": "200"}).stdout
        ids = [condition["metric"] for condition in json.loads(output["json"])["met_conditions"]]
        self.assertEqual(sorted(ids), sorted(set(explained)))
        self.assertEqual([line.split()[5] for line in output["text"].splitlines() if ": met by" in line], ids)
        line = output["markdown"].split("**met**: \\* &lt; 1 by ")[1].rstrip("\n").replace("\\", "")
        self.assertEqual([part.split(" in ")[0] for part in line.split(", ")], ids)

    def test_efficiencies_of_processes_and_threads(self):
        # The others are not defined without threads; unknown is not 0.
        plain = self.experiment("plain", late_sender(2))
        even = self.experiment("even", hybrid(6))
        slow = self.experiment("slow", hybrid(10))
        variants = self.diff(plain, even, slow)["variants"]
        self.assertIsNone(variants[0]["hybrid"])
        for variant, threads in (variants[1], 0.6), (variants[2], 0.8):
            hybrids = variant["hybrid"]
            self.assertAlmostEqual(hybrids["threads"], threads)
            for whole, factors in ((variant["parallel_efficiency"], ("processes", "threads")),
                                   (hybrids["processes"], ("process_balance", "process_communication")),
                                   (hybrids["threads"], ("thread_balance", "thread_work"))):
                self.assertAlmostEqual(whole, hybrids[factors[0]] * hybrids[factors[1]])
        text = fermata("diff", plain, even, slow).decode()
        self.assertRegex(text, r"\n    Processes +- +\d+\.\d% +\d+\.\d%")
        text = fermata("diff", even, slow).decode()
        self.assertRegex(text, r"\n    Threads +60\.0% +80\.0% +\+20\.0\n      Load balance +100\.0% +80\.0% +-20\.0\n"
                               r"      Work +60\.0% +100\.0% +\+40\.0\n")
        markdown = fermata("diff", even, slow, "--format=markdown").decode()
        self.assertRegex(markdown, r"\| &emsp;Threads \| 60\.0% \| 80\.0% \| \+20\.0 \|")
        self.assertNotIn("Threads", fermata("diff", plain, plain).decode())
        nothing = self.experiment("nothing", "unit 1\nranks 1\n0 0 enter MPI_Send\n9 0 leave MPI_Send\n")
        self.assertIsNone(self.diff(nothing, plain)["variants"][0]["parallel_efficiency"])
        self.assertRegex(fermata("diff", nothing, plain).decode(), r"Parallel efficiency +- +\d+\.\d%\s")

    def test_markdown_cannot_be_broken_by_names(self):
        hostile = "<script>|x|`y`"
        a = self.experiment("a", late_sender(2, extra=f"5 0 enter {hostile}\n6 0 leave {hostile}"))
        b = self.experiment("b", late_sender(2))
        markdown = fermata("diff", b, a, "--format=markdown").decode()
        self.assertNotIn("<script>", markdown)
        self.assertIn("&lt;script&gt;\\|x\\|\\`y\\`", markdown)

    def test_wrong_requests(self):
        a = self.experiment("a", late_sender(2))
        self.assertIn("two or more", fermata("diff", a, status=2))
        fermata("diff", a, a, "--format=xml", status=2)
        fermata("diff", a, a, "--top=0", status=2)
        self.assertIn("nowhere", fermata("diff", a, self.path("nowhere"), status=3))


class Mean(Experiments):
    def test_mean_of_two(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(5))
        mean = self.path("mean.fer")
        fermata("mean", "-o", mean, a, b)
        report = self.report(mean)
        self.assertEqual(total(report, "mpi_latesender"), 3.5)
        self.assertEqual(report["experiment"]["duration"], 20)
        self.assertTrue(any("mean of 2 reports" in w for w in report["warnings"]))
        self.assertFalse(any("not equal" in w for w in report["warnings"]))
        fermata("report", mean)

    def test_mean_of_different_runs_is_told(self):
        a = self.experiment("a", late_sender(2))
        b = self.experiment("b", late_sender(2).replace("ranks 2", "ranks 3"))
        mean = self.path("mean.fer")
        fermata("mean", "-o", mean, a, b)
        self.assertIn("The runs were not equal: a program on 2 processes, a program on 3.",
                      self.report(mean)["warnings"])

    def test_mean_of_equal_reports_is_the_report(self):
        a = self.experiment("a", late_sender(2))
        mean = self.path("mean.fer")
        fermata("mean", "-o", mean, a, a, a)
        self.assertEqual(self.report(mean)["severities"], self.report(a)["severities"])

    def test_existing_files_are_kept(self):
        a = self.experiment("a", late_sender(2))
        self.assertIn("exists", fermata("mean", "-o", os.path.join(a, "report.fer"), a, a, status=2))
        fermata("mean", a, a, status=2)
        fermata("mean", "-o", self.path("m.fer"), a, status=2)
        self.assertFalse(os.path.exists(self.path("m.fer")))


class Merge(Experiments):
    def test_merge_with_itself_changes_nothing(self):
        a = self.experiment("a", late_sender(2))
        merged = self.path("merged.fer")
        fermata("merge", "-o", merged, a, a)
        before, after = self.report(a), self.report(merged)
        for part in ("severities", "statistics", "critical_path", "callpaths", "locations"):
            self.assertEqual(before[part], after[part], part)

    def test_each_tree_comes_from_the_first_report_that_has_it(self):
        # Without messages a report has no communication: that tree comes from the second one.
        plain = self.experiment("plain", "unit 1\nranks 2\n0 0 enter main\n9 0 leave main\n"
                                         "0 1 enter main\n9 1 leave main\n")
        a = self.experiment("a", late_sender(2))
        merged = self.path("merged.fer")
        fermata("merge", "-o", merged, plain, a)
        report = self.report(merged)
        self.assertEqual(total(report, "comp"), 18)
        self.assertEqual(total(report, "mpi_latesender"), 0)
        self.assertEqual(total(report, "bytes_sent"), 1024)


if __name__ == "__main__":
    unittest.main()
