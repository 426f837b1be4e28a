#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/test knows of the tests: which of them a run selects, may repeat or skip, and how it ended.

usage: suite.py expression BUILD LIST      a regular expression of ctest for the tests of a build that are in LIST
       suite.py failed LIST RESULTS...     those that failed and are in LIST, as such an expression
       suite.py result BUILD RESULTS...    part by part: tests and seconds; names of failed, flaky and
                                           skipped tests; exit status 1 if a test failed in all of its
                                           attempts, or was skipped and is not in skipped.txt
       suite.py names BEFORE|- PRESET...   a table: each test of BEFORE (or of the presets' builds), and
                                           the commands that run it

LIST is a file of tests/: extended.txt, repeated.txt or skipped.txt. A line has a regular expression for
whole names of tests, two or more spaces, and the reason. RESULTS are files that `ctest --output-junit`
wrote, those of further attempts after those of the first.
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TESTS = pathlib.Path(__file__).resolve().parents[1]


def read_list(name):
    """The (expression, reason) of each line of a list."""
    rows = []
    for number, line in enumerate((TESTS / name).read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            expression, _, reason = line.partition("  ")
            if not reason.strip():
                sys.exit(f"{name}:{number}: no reason is given")
            re.compile(expression)
            rows.append((expression, reason.strip()))
    return rows


def is_listed(rows, name):
    return any(re.fullmatch(expression, name) for expression, _ in rows)


def any_of(names):
    """A regular expression of CMake for one of the names. It has no groups: CMake allows 31, and a run of ctest
    ignores an expression with more."""
    return "|".join("^" + re.sub(r"([][.*+?^$|()\\])", r"\\\1", name) + "$" for name in names) or "^no test$"


class Result:
    """How one test ended in one attempt."""

    def __init__(self, case):
        self.name = case.get("name")
        self.seconds = float(case.get("time") or 0)
        skipped = case.find("skipped")
        status = case.get("status")
        self.is_skipped = status == "notrun" and skipped is not None and "SKIP" in (skipped.get("message") or "")
        self.has_passed = status == "run"
        output = case.findtext("system-out") or ""
        reasons = [line for line in output.splitlines() if line.startswith("skipped")]
        self.reason = reasons[-1].partition(":")[2].strip() if reasons else ""
        self.launcher = [line for line in output.splitlines() if line.startswith("launcher repeated:")]


def read_results(paths):
    """The results of each test, in the order of its attempts."""
    results = collections.OrderedDict()
    for path in paths:
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            result = Result(case)
            results.setdefault(result.name, []).append(result)
    return results


def listed_tests(command):
    """Name and folder of each test, as ctest lists them."""
    output = subprocess.run([*command, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = {}
    for test in json.loads(output)["tests"]:
        labels = [item["value"] for item in test.get("properties", ()) if item["name"] == "LABELS"]
        tests[test["name"]] = max(labels[0], key=len) if labels else "-"
    return tests


def print_expression(build, name):
    rows = read_list(name)
    print(any_of(test for test in listed_tests(["ctest", "--test-dir", build]) if is_listed(rows, test)))
    return 0


def print_failed(name, paths):
    rows = read_list(name)
    failed = [test for test, attempts in read_results(paths).items()
              if not attempts[-1].has_passed and not attempts[-1].is_skipped and is_listed(rows, test)]
    if failed:
        print(any_of(failed))
    return 0


def part_of(folder):
    """The part of the suite that a folder belongs to."""
    first, _, rest = folder.partition("/")
    return folder if first == "live" else first if first != "rules" or not rest else f"rules/{rest.split('/')[0]}"


def print_result(build, paths):
    folders = listed_tests(["ctest", "--test-dir", build])
    results = read_results(paths)
    parts = collections.OrderedDict()
    for name, attempts in sorted(results.items(), key=lambda item: folders.get(item[0], "-")):
        tests, seconds = parts.get(part_of(folders.get(name, "-")), (0, 0.0))
        parts[part_of(folders.get(name, "-"))] = tests + 1, seconds + sum(a.seconds for a in attempts)
    for part, (tests, seconds) in parts.items():
        print(f"    {part:24} {tests:5} tests {seconds:8.1f} s")
    failed = [name for name, attempts in results.items() if not attempts[-1].has_passed and not attempts[-1].is_skipped]
    skipped = {name: attempts[-1].reason for name, attempts in results.items() if attempts[-1].is_skipped}
    flaky = [name for name, attempts in results.items()
             if attempts[-1].has_passed and not attempts[0].has_passed]
    allowed = read_list("skipped.txt")
    missing = {name: reason for name, reason in skipped.items() if not is_listed(allowed, name)}
    repeats = sum(len(attempt.launcher) for attempts in results.values() for attempt in attempts)
    passed = len(results) - len(failed) - len(skipped)
    print(f"    {passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    print(f"    flaky: {len(flaky)}" + (f" ({', '.join(flaky)})" if flaky else ""))
    if repeats:
        print(f"    launchers that failed and were started again: {repeats}")
    for name, reason in skipped.items():
        print(f"    skipped: {name}: {reason or 'no reason is given'}")
    for name in failed:
        print(f"    failed: {name}")
    if missing and not os.environ.get("FERMATA_ALLOW_MISSING"):
        print(f"    {len(missing)} tests were skipped that tests/skipped.txt does not list: install what they miss,"
              " or set FERMATA_ALLOW_MISSING=1")
        return 1
    return bool(failed)


def print_names(before, presets):
    """Which command runs which test: `scripts/test` those of check and sanitize, `--all` all others, too."""
    extended = read_list("extended.txt")
    builds = {preset: listed_tests(["ctest", "--preset", preset]) for preset in presets}
    names = dict.fromkeys(name for tests in builds.values() for name in tests)
    if before != "-":
        names = dict.fromkeys(pathlib.Path(before).read_text().split())
    lost = 0
    for name in names:
        of = [preset for preset, tests in builds.items()
              if name in tests and not (preset == "check" and is_listed(extended, name))]
        by_default = [preset for preset in of if preset in ("check", "sanitize")]
        command = "scripts/test" if by_default else "scripts/test --all" if of else "none"
        lost += not of
        print(f"{name}\t{command}\t{' '.join(of)}")
    print(f"{len(names)} tests, {lost} in no command", file=sys.stderr)
    return bool(lost)


def main():
    words = sys.argv[1:]
    if len(words) == 3 and words[0] == "expression":
        return print_expression(*words[1:])
    if len(words) > 2 and words[0] == "failed":
        return print_failed(words[1], words[2:])
    if len(words) > 2 and words[0] == "result":
        return print_result(words[1], words[2:])
    if len(words) > 2 and words[0] == "names":
        return print_names(words[1], words[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
