#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants mistakes in the C sources and reports which of them no test detects.

A mutation deletes a statement, negates a condition, or changes a comparison or a constant by one. There
is one mutation at a time, in a copy of the work tree; the sources themselves are never changed. A
mutation that does not compile without warnings is replaced by another one.

Not mutated: declarations without a value, tables, messages, assertions, hints to the processor, and
calls that free memory (only a sanitizer detects a leak). Mutations of the file equivalent.txt, which
change no result, are left out.

Tests run in stages, those of the changed layer first, and end with the first failure or at the time
limit: an endless loop counts as killed. Tests that fail without a mutation are left out. The last
stage, live, builds and runs MPI programs and takes long.

examples: tests/mutation/mutate.py --seed 1 --count 30 --stages quick,properties
          tests/mutation/mutate.py --seed 1 --only 7,12 --stages live
          tests/mutation/mutate.py --folders view --tests '^unit/view$' --list
"""
import argparse
import contextlib
import filecmp
import itertools
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import mutations

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EQUIVALENT = pathlib.Path(__file__).resolve().parent / "equivalent.txt"
FOLDERS = "record,analysis,report,view,cube,diagnosis"
STAGES = "quick,properties,live"
NOT_COPIED = re.compile(r"build.*|\.git|node_modules|__pycache__|fermata-.*")

# Folders of tests that can detect a mutation of a layer, in the order in which they are run.
SEES = {
    "quick": {
        "record": ["unit/record unit/stack", "unit cli"],
        "analysis": ["unit/analysis rules/scenarios", "unit rules/lock_queue rules/patterns cli", "formats"],
        "report": ["unit/report", "unit cli", "formats/export"],
        "view": ["unit/view", "unit cli"],
        "cube": ["unit/cube", "unit cli rules/scenarios", "formats"],
        "diagnosis": ["unit/report", "unit cli rules/scenarios"],
    },
    "properties": {
        "record": [],
        "report": [],
        "view": [],
    },
    "live": {
        "record": ["live/recorder live/user live/threads", "live", "robustness/faults"],
        "analysis": ["live/patterns live/locks live/cases live/analysis", "live"],
        "report": ["live/causes live/cases"],
        "view": ["viewer"],
        "cube": ["live/cases live/analysis viewer"],
        "diagnosis": ["live/causes live/cases live/unseen live/processor"],
    },
}
OTHERS = {"quick": ["unit rules/scenarios cli formats"], "properties": ["rules properties"], "live": ["live"]}


class Workplace:
    """A copy of the work tree, with its build in the folder build."""

    def __init__(self, folder, jobs, memory):
        self.folder = pathlib.Path(folder).resolve()
        self.build = self.folder / "build"
        self.jobs = jobs
        self.memory = memory
        self.failing = []  # names of tests that fail without a mutation
        # A mistake that shows at all shows in a small share of the random executions.
        self.environment = {"FERMATA_TEST_FACTOR": "0.2", **os.environ, "CCACHE_BASEDIR": str(self.folder),
                            "CCACHE_NOHASHDIR": "1"}

    def copy(self, root=ROOT):
        """Makes the copy equal to a work tree; files that are equal keep their times."""
        kept = set()
        for place, folders, files in os.walk(root):
            folders[:] = [name for name in folders if not (NOT_COPIED.fullmatch(name) and
                                                           (pathlib.Path(place) == root or name in
                                                            ("node_modules", "__pycache__")))]
            if self.folder in (pathlib.Path(place) / name for name in folders):
                folders.remove(self.folder.name)
            for name in files:
                if name == ".git":  # of a work tree of git
                    continue
                source = pathlib.Path(place) / name
                target = self.folder / source.relative_to(root)
                kept.add(target)
                if not target.exists() or not filecmp.cmp(source, target, shallow=False):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(source, target)
        for place, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if pathlib.Path(place) / name != self.build]
            for name in files:
                if pathlib.Path(place) / name not in kept:
                    (pathlib.Path(place) / name).unlink()

    def run(self, command, seconds=None):
        """Runs a command in a process group of its own; returns (status, output), status None: too long."""
        def limit():
            os.setpgrp()
            if self.memory:
                resource.setrlimit(resource.RLIMIT_DATA, (self.memory << 20, self.memory << 20))
        with subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=limit) as process:
            try:
                output, _ = process.communicate(timeout=seconds)
                return process.returncode, output
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=5)
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return None, ""
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise

    def configure(self):
        status, output = self.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DFERMATA_OPTIMIZATION=-O1;-g1",
                                   "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DFERMATA_WERROR=ON"])
        if status != 0:
            sys.exit(f"mutate.py: cannot configure {self.build}:\n{output}")

    def targets(self, labels):
        """What the tests of these folders need."""
        rules = (self.build / "build.ninja").read_text(encoding="utf-8")
        every = re.findall(r"^build (tests/\S+)/all:", rules, re.MULTILINE)
        wanted = [f"{folder}/all" for folder in every
                  if any(re.search(pattern(labels), label) for label in labels_of(folder))]
        if re.search(r"\b(live|viewer|robustness)", labels):
            return ["all"]
        if re.search(r"\b(unit|cli|formats)\b", labels):  # they also run what is installed: helpers, libraries
            wanted += [f"{folder}/all" for folder in re.findall(r"^build (src/[^/ ]+)/all:", rules, re.MULTILINE)]
        if re.search(r"\bformats\b", labels):
            wanted.append("workloads/all")
        return ["fermata", "synthesize_sor", "tests/support/all", *sorted(set(wanted))]

    def compile(self, labels):
        """@return an empty text, or what the compiler reports."""
        status, output = self.run(["ninja", "-C", "build", "-j", str(self.jobs), *self.targets(labels)])
        return "" if status == 0 else output

    def test(self, labels, without="", seconds=None, stop=True):
        """Runs the tests of these folders, without those of other ones.
        @return names of tests that fail; None: the time is over"""
        command = ["ctest", "--test-dir", "build", "-j", str(self.jobs), "-L", pattern(labels),
                   "--repeat", "until-pass:2"]  # some depend on the load of the machine
        if without:
            command += ["-LE", pattern(without)]
        if stop:
            command += ["--stop-on-failure"]
        if self.failing:
            command += ["-E", "^(" + "|".join(map(re.escape, self.failing)) + ")$"]
        status, output = self.run(command, seconds)
        return None if status is None else failed_tests(output)

    def measure(self, labels):
        """Builds and runs the tests of these folders without a mutation."""
        output = self.compile(labels)
        if output:
            sys.exit(f"mutate.py: the sources do not compile:\n{output[-3000:]}")
        self.failing = self.test(labels, stop=False)
        for name in self.failing:
            print(f"# left out: {name} fails without a mutation", flush=True)


def pattern(labels):
    """The regular expression of ctest for one of these folders, or a user's own."""
    return labels if labels.startswith("^") else "^(" + "|".join(labels.split()) + ")$"


def labels_of(folder):
    """The labels of the tests of a folder, as tests/CMakeLists.txt gives them."""
    return [folder.split("/")[1], folder.split("/", 1)[1]]


def failed_tests(output):
    """The tests that ctest names at its end: they have failed each time."""
    return re.findall(r"^\t *\d+ - (\S+) \(", output.partition("The following tests FAILED:\n")[2], re.MULTILINE)


def groups(stages, file, tests):
    """The folders of tests for a changed file, in the order in which they are run."""
    if tests:
        return [tests]
    layer = pathlib.Path(file).parts[1]
    return [labels for stage in stages for labels in SEES[stage].get(layer, OTHERS[stage])]


def measure(place, options):
    """Finds the tests that fail without a mutation, of those that judge() will run."""
    likely = itertools.islice(judged(place.folder, options), 2 * options.count)
    place.measure(" ".join(sorted({label for _, mutation in likely
                                   for labels in groups(options.stages, mutation.file, options.tests)
                                   for label in labels.split()})))


def judge(place, mutation, options):
    """Plants a mutation; returns its verdict, None: it does not compile."""
    chosen = groups(options.stages, mutation.file, options.tests)
    with mutations.planted(place.folder, mutation):
        end = time.monotonic() + options.timeout
        for number, labels in enumerate(chosen):
            if place.compile(labels):
                return None
            failed = place.test(labels, " ".join(chosen[:number]), max(1, end - time.monotonic()))
            if failed is None:
                return "killed by the time limit"
            if failed:
                return f"killed by {failed[0]}"
    return "SURVIVED"


def row(number, mutation, verdict="", seconds=""):
    print(f"{number} | {mutation.file}:{mutation.line} | {mutation.kind} | `{mutation.change}` | {verdict} | "
          f"{seconds}", flush=True)


def candidates(root, options):
    listed = mutations.equivalents(EQUIVALENT)
    for mutation in mutations.draw(root, options.folders, options.seed):
        if (mutation.file, mutation.kind, mutation.change) not in listed:
            yield mutation


def judged(root, options):
    """The mutations to judge with their numbers."""
    last = max(map(int, options.only)) if options.only else None
    for number, mutation in enumerate(itertools.islice(candidates(root, options), last), 1):
        if not options.only or str(number) in options.only:
            yield number, mutation


def words(text):
    return text.split(",")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutations (default: 1)")
    parser.add_argument("--count", type=int, default=30, help="number of mutations that compile (default: 30)")
    parser.add_argument("--only", type=words, help="numbers of the mutations to judge, of those that --list prints")
    parser.add_argument("--folders", type=words, default=FOLDERS, help=f"of src (default: {FOLDERS})")
    parser.add_argument("--stages", type=words, default=STAGES, help=f"(default: {STAGES})")
    parser.add_argument("--tests", help="the tests to run instead, for all files: folders of tests separated by "
                        "spaces, or a regular expression of labels that begins with ^")
    parser.add_argument("--build", default=str(ROOT / "build-mutation"),
                        help="folder of the copy and its build, kept for the next run (default: build-mutation)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes of builds and tests")
    parser.add_argument("--timeout", type=float, default=900, help="seconds of a mutation (default: 900)")
    parser.add_argument("--memory", type=int, default=8192, help="MiB of a test's process, 0: no limit (default: 8192)")
    parser.add_argument("--left-out", type=words, help="names of tests that fail without a mutation, instead of a run "
                        "that finds them")
    parser.add_argument("--list", action="store_true", help="print mutations only, also those that do not compile")
    options = parser.parse_args()
    for name in ("folders", "stages", "only"):
        value = getattr(options, name)
        setattr(options, name, words(value) if isinstance(value, str) else value)
    unknown = [folder for folder in options.folders if not (ROOT / "src" / folder).is_dir()]
    if unknown or set(options.stages) - set(words(STAGES)):
        parser.error(f"there is no such folder or stage: {unknown or options.stages}")
    return options


def main():
    options = parse()
    print("number | place | kind | change | verdict | seconds", flush=True)
    if options.list:
        for number, mutation in enumerate(itertools.islice(candidates(ROOT, options), options.count), 1):
            row(number, mutation)
        return
    place = Workplace(options.build, options.jobs, options.memory)
    place.copy()
    place.configure()
    if options.left_out is not None:
        place.failing = options.left_out
    else:
        measure(place, options)
    verdicts = []
    for number, mutation in judged(place.folder, options):
        begin = time.monotonic()
        verdict = judge(place, mutation, options)
        row(number, mutation, verdict or "does not compile", f"{time.monotonic() - begin:.0f}")
        verdicts += [verdict] if verdict else []
        if len(verdicts) == options.count:
            break
    survived = verdicts.count("SURVIVED")
    print(f"{len(verdicts)} mutations: {len(verdicts) - survived} killed, {survived} survived")


if __name__ == "__main__":
    main()
