# SPDX-License-Identifier: BSD-3-Clause
"""Predictions (`fermata whatif`) on random executions and scenarios: the replay without changes is exact,
and its archive has the measured report; each wait state has a dependency that explains it; predictions do
not depend on the number of workers; shorter computation never makes a run longer.

usage: check_whatif.py FERMATA COUNT SEED EACH SCENARIO...     (shares: support/share.py)
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "rules", "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import share  # noqa: E402

FOCUSES = (None, "iterations", "locks", "libraries", "clocks", "omp", "hybrid", "pthread", "cuda")
WORKERS = (1, 2, 5)
FACTORS = ("0.5", "0.37", "0")
# Changes whose prediction, or refusal, must not depend on the number of workers; others write archives.
BY_ANY_WORKERS = (["latency=x2", "bandwidth=x0.5"], ["split-lock=MPI_Win_lock:2"],
                  ["split-lock=MPI_Win_unlock:3"], ["nowait=MPI_Recv:MPI_Waitall"])
# In these executions a shorter computation may change who gets a lock first; in others the prediction says so.
OVERTAKEN = "of locks overtake"
HAS_ORDERS = ("locks", "omp", "hybrid", "pthread")
REPORTED = ("callpaths", "locations", "severities", "statistics", "problems")


class Failure(Exception):
    """A property that does not hold."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[1:])}: exit status {done.returncode}: {done.stdout}"
                      f"{done.stderr}")
    return done.stdout


def contents(folder):
    """Of all files of an experiment whose content does not depend on when it was written."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if not name.endswith(".otf2"):  # the anchor file has a random number
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


class Checker:
    """The checks of one archive."""

    def __init__(self, fermata, folder):
        self.fermata = fermata
        self.folder = folder
        self.archive = os.path.join(folder, "archive")

    def report(self, experiment):
        return json.loads(run(self.fermata, "report", "--format=json", experiment))

    def predict(self, *arguments):
        out = os.path.join(self.folder, "predicted")
        shutil.rmtree(out, ignore_errors=True)
        self.said = run(self.fermata, "whatif", self.archive, "-o", out, *arguments)
        return out

    def check(self, scenario, is_ordered):
        shutil.rmtree(self.archive, ignore_errors=True)
        run(self.fermata, "synth", scenario, "-o", self.archive)
        run(self.fermata, "analyze", "-q", "--predict=no", self.archive)
        measured = self.report(self.archive)
        if measured["hang"] is not None:
            self.check_refusal()
            return
        self.check_identity(measured)
        roots = computing_roots(measured)
        self.check_same_network()
        if roots:
            self.check_changes(measured, roots, is_ordered)

    def check_refusal(self):
        """How a run that ended inside of calls would have gone on is not known."""
        done = subprocess.run([self.fermata, "whatif", self.archive, "scale=main:0.5"], capture_output=True, text=True,
                              check=False, timeout=300)
        if done.returncode != 3 or done.stdout or "inside calls" not in done.stderr:
            raise Failure(f"a run that hung is predicted: {done}")

    def check_identity(self, measured):
        for line in run(self.fermata, "whatif", self.archive).splitlines():
            if line.endswith("as long as measured."):
                raise Failure(line)
        copy = self.report(self.predict("--check"))
        for part in REPORTED:
            if copy[part] != measured[part]:
                raise Failure(f"the report of the replay without changes has other {part}")

    def check_same_network(self):
        """The model of the network adds nothing to a run whose network does not change."""
        for change in ("latency=x1", "bandwidth=x1"):
            done = subprocess.run([self.fermata, "whatif", self.archive, change], capture_output=True,
                                  text=True, check=False, timeout=300)
            refused = "no call communicates" in done.stderr or "more bytes" in done.stderr
            if not refused and "as measured: " not in done.stdout:
                raise Failure(f"{change}: {done.stdout}{done.stderr}")
        for changes in BY_ANY_WORKERS:
            told = set()
            for workers in WORKERS:
                done = subprocess.run([self.fermata, "whatif", self.archive, *changes, "-j", str(workers)],
                                      capture_output=True, text=True, check=False, timeout=300)
                told.add((done.returncode, done.stdout))
            if len(told) != 1:
                raise Failure(f"{changes}: depends on the number of workers: {told}")

    def check_changes(self, measured, roots, is_ordered):
        for number, factor in enumerate(FACTORS):
            changes = [f"scale={root}:{factor}" for root in roots]
            changes += [f"level={roots[0]}"] if number == 0 else []
            first = None
            for workers in WORKERS[:2] if number else WORKERS:
                made = contents(self.predict("--check", "-j", str(workers), *changes))
                if first not in (None, made):
                    raise Failure(f"{workers} workers predict something else with {changes}")
                first = made
            run(self.fermata, "analyze", "-q", "--predict=no", "--check", os.path.join(self.folder, "predicted"))
            duration = self.report(os.path.join(self.folder, "predicted"))["experiment"]
            may_change = is_ordered or OVERTAKEN in self.said
            if not may_change and length(duration) > length(measured["experiment"]):
                raise Failure(f"with {changes} the run takes longer")


def computing_roots(report):
    """Names of the roots of the call paths below which something is computed."""
    paths = {path["id"]: path for path in report["callpaths"]}
    roots = set()
    for severity in report["severities"]:
        if severity["metric"] == "comp" and severity["value"] > 0:
            path = paths[severity["callpath"]]
            while path["parent"] is not None:
                path = paths[path["parent"]]
            roots.add(path["region"])
    return sorted(roots)


def length(experiment):
    return round(experiment["duration"] * experiment["ticks_per_second"])


def cases(count, seed, scenarios, folder):
    """(path of a scenario, whether its calls have an order that may change)"""
    for number in range(count):
        focus = FOCUSES[number % len(FOCUSES)]
        out = os.path.join(folder, "generated")
        shutil.rmtree(out, ignore_errors=True)
        generate.main(["--seed", seed, "--first", str(number), "--count", "1", "--ranks", "2..24",
                       "--no-expect", "--out", out] + (["--focus", focus] if focus else []))
        yield os.path.join(out, os.listdir(out)[0]), focus in HAS_ORDERS or focus is None
    for path in scenarios:
        yield path, True


def main():
    fermata, count, seed, each, scenarios = (sys.argv[1], share.count(int(sys.argv[2])), sys.argv[3],
                                             int(sys.argv[4]), sys.argv[5:])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(fermata, folder)
        for path, is_ordered in cases(count, seed, share.some(scenarios, each), folder):
            try:
                checker.check(path, is_ordered)
            except Failure as failure:
                failed += 1
                print(f"{os.path.basename(path)}: {failure}")
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
